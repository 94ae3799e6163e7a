"""COMET: the scores of unbabel-comet itself, whatever the batch; and what is said about models that it cannot be."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_scorers import COMET, ENCODER, HIDDEN, comet_weights, digest, hparams, nearness, write_comet, write_encoder  # noqa: E402

from validate import metrics  # noqa: E402
from validate.errors import AccordError, MissingModelError, OptionError, ShapeError  # noqa: E402
from validate.metrics.neural._comet_arithmetic import sparsemax  # noqa: E402
from validate.metrics.neural._comet_files import folder_of, kind_at_hand  # noqa: E402
from validate.metrics.neural._comet_model import CometModel  # noqa: E402

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "comet.json").read_text(encoding="utf-8"))
SOURCES, OUTPUTS, REFERENCES = (list(side) for side in zip(*GOLDEN["rows"], strict=True))
ROWS = [[reference] for reference in REFERENCES]
NAME = "softmax-norm-average"
SEVERAL = [[REFERENCES[0], "the lock", ""]], [SOURCES[0]]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folder of a checkpoint by its name, each written once."""
    known = {}

    def folder(name=NAME):
        if name not in known:
            known[name] = write_comet(tmp_path_factory.mktemp(name) / name, name)
        return known[name]

    return folder


@pytest.fixture
def comet(folders, tmp_path, monkeypatch):
    """The metric over a checkpoint, with a cache of its own."""
    monkeypatch.setenv("ACCORD_CACHE", str(tmp_path / "cache"))
    return lambda name=NAME, **options: metrics.get(
        "comet", **({"model": str(folders(name)), "device": "cpu"} | options)
    )


@pytest.fixture
def own(tmp_path):
    """A checkpoint that a test may spoil."""
    return write_comet(tmp_path / "own", NAME)


@pytest.fixture
def runs(monkeypatch):
    """How many texts the encoder was given at each call."""
    seen = []
    straight = CometModel._forward

    def forward(self, inputs):
        seen.append(len(inputs))
        return straight(self, inputs)

    monkeypatch.setattr(CometModel, "_forward", forward)
    return seen


def respelled(folder, **changed):
    """The checkpoint with other settings in both places."""
    stated = hparams(NAME) | changed
    (folder / "hparams.yaml").write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in stated.items()))
    held = torch.load(folder / "checkpoints" / "model.ckpt", weights_only=True)
    held["hyper_parameters"] = {key: value for key, value in stated.items() if key != "class_identifier"}
    torch.save(held, folder / "checkpoints" / "model.ckpt")


def spoiled(folder, change):
    """The checkpoint with other contents of its file; ``change`` is given what it holds."""
    file = folder / "checkpoints" / "model.ckpt"
    held = torch.load(file, weights_only=True)
    change(held)
    torch.save(held, file)


@pytest.mark.parametrize("name", COMET)
def test_scores_are_those_of_unbabel_comet(comet, name):
    golden = GOLDEN["checkpoints"][name]
    assert digest(comet_weights(name)) == golden["weights"]  # the checkpoint is the one that was scored
    score = comet(name).score(OUTPUTS, ROWS, SOURCES)
    assert score.items == pytest.approx(golden["scores"], abs=1e-5)
    assert score.system == pytest.approx(golden["system"], abs=1e-5)


def test_the_golden_scores_tell_checkpoints_and_rows_apart():
    scores = np.array([golden["scores"] for golden in GOLDEN["checkpoints"].values()])
    assert (scores.std(axis=1) > 0.05).all()
    assert abs(scores[:, None] - scores)[~np.eye(len(scores), dtype=bool)].min(axis=1).max() > 1e-4


def test_by_hand(tmp_path):
    """Vectors are means of word embeddings where the mix takes layer 0 alone; |o - r| over 50, twice through tanh."""
    folder = write_comet(tmp_path / "own", NAME, nearness())

    def change(held):
        state = held["state_dict"]
        state["layerwise_attention.scalar_parameters.0"] += 1000
        state["layerwise_attention.gamma"][:] = 2
        for name in (
            "embeddings.LayerNorm.weight",
            "embeddings.position_embeddings.weight",
            "embeddings.LayerNorm.bias",
        ):
            state[f"encoder.model.{name}"].zero_()
        state["encoder.model.embeddings.LayerNorm.bias"][:] = torch.arange(HIDDEN)

    spoiled(folder, change)
    respelled(folder, layer_norm=False)
    metric = metrics.get("comet", model=str(folder), device="cpu", cache=False)
    # Every token of every text has the vector 0, 1, ..., 15: all texts are alike.
    assert metric.score(["a", "the lock"], [["b"], ["c d"]], ["", "x"]).items.tolist() == [0, 0]
    read = metric._room().embed(metric._room().tokens(["the lock"]), ["the lock"], budget=100, cache=False)
    assert read[0].tolist() == [2 * place for place in range(HIDDEN)]


@pytest.mark.parametrize("budget", [1, 7 * 32, 64 * 32])
def test_neither_batch_nor_order_matters(comet, budget):
    straight = comet(cache=False).score(OUTPUTS, ROWS, SOURCES).items
    order = np.random.default_rng(1).permutation(len(OUTPUTS))
    given = [[side[at] for at in order] for side in (OUTPUTS, ROWS, SOURCES)]
    assert comet(cache=False, budget=budget).score(*given).items == pytest.approx(straight[order], abs=2e-6)


def test_every_distinct_text_is_encoded_once(comet, runs):
    """Three systems over two items with two references each: 2 sources, 4 references, 4 distinct outputs, one of which is a reference."""
    outputs = ["a", "b", "a", "c", "a lock", "c"]
    references = [["the crack", "a lock"], ["the lock", "why"]] * 3
    comet(cache=False).score(outputs, references, ["one", "two"] * 3)
    assert sum(runs) == 2 + 4 + 3


def test_a_second_run_reads_from_the_disk(comet, runs):
    first = comet().score(OUTPUTS, ROWS, SOURCES).items
    encoded = sum(runs)
    assert encoded
    assert comet().score(OUTPUTS, ROWS, SOURCES).items.tolist() == first.tolist()
    assert sum(runs) == encoded


def test_an_interrupted_run_goes_on(comet, runs, monkeypatch):
    whole = comet(cache=False).score(OUTPUTS, ROWS, SOURCES).items
    n_texts = sum(runs)
    straight = CometModel._forward

    def stopped(self, inputs):
        if len(runs) == 3:
            raise KeyboardInterrupt
        return straight(self, inputs)

    with monkeypatch.context() as patch:
        runs.clear()
        patch.setattr(CometModel, "_forward", stopped)
        with pytest.raises(KeyboardInterrupt):
            comet(budget=64).score(OUTPUTS, ROWS, SOURCES)
    done = sum(runs)
    assert done
    assert comet().score(OUTPUTS, ROWS, SOURCES).items == pytest.approx(whole, abs=2e-6)
    assert sum(runs) == n_texts


def test_out_of_memory_halves_the_batch(comet, monkeypatch):
    whole = comet(cache=False).score(OUTPUTS, ROWS, SOURCES).items
    straight = CometModel._forward

    def small(self, inputs):
        if len(inputs) > 2:
            raise RuntimeError("CUDA out of memory")
        return straight(self, inputs)

    monkeypatch.setattr(CometModel, "_forward", small)
    assert comet(cache=False).score(OUTPUTS, ROWS, SOURCES).items == pytest.approx(whole, abs=2e-6)


def test_of_several_references_the_mean_or_the_best(comet):
    single = [comet().score(OUTPUTS[:1], [[reference]], SEVERAL[1]).items[0] for reference in SEVERAL[0][0]]
    assert comet().score(OUTPUTS[:1], *SEVERAL).items[0] == pytest.approx(sum(single) / 3, abs=2e-6)
    assert comet(multi_reference="max").score(OUTPUTS[:1], *SEVERAL).items[0] == pytest.approx(max(single), abs=2e-6)


def test_what_a_checkpoint_needs_is_read_from_it(comet):
    assert comet().needs == ("references", "sources")
    free = comet("reference-free")
    assert free.needs == ("sources",)
    assert "|reference_free:yes|" in free.signature
    without = free.score(OUTPUTS, sources=SOURCES).items
    assert without.tolist() == free.score(OUTPUTS, ROWS, SOURCES).items.tolist()


@pytest.mark.parametrize(
    ("name", "kind"), [("Unbabel/wmt20-comet-qe-da", True), ("Unbabel/wmt22-comet-da", None), ("/nowhere/at all", None)]
)
def test_the_kind_of_a_name_is_known_without_fetching_it(name, kind):
    assert kind_at_hand(name) is kind


def test_missing_sources_are_named(comet):
    with pytest.raises(ShapeError, match="comet: no sources were given; it needs one source per output"):
        comet().score(OUTPUTS, ROWS)


@pytest.mark.parametrize(
    ("name", "given", "needs"), [(NAME, True, "sources and references"), ("reference-free", False, "sources only")]
)
def test_the_wrong_kind_is_refused(comet, name, given, needs):
    with pytest.raises(
        AccordError, match=f"needs {needs}, and reference_free={given} was given.*give reference_free={not given}"
    ):
        comet(name, reference_free=given).score(OUTPUTS, ROWS, SOURCES)


@pytest.mark.parametrize("kind", ["ranking_metric", "unified_metric", "xcomet_metric"])
def test_other_models_of_unbabel_are_refused(own, kind):
    respelled(own, class_identifier=kind)
    with pytest.raises(
        AccordError, match=f"is of the kind '{kind}'; regression models with or without references .* are allowed"
    ):
        metrics.get("comet", model=str(own)).score(["a"], [["b"]], ["c"])


def scored(folder):
    """One output under a checkpoint that should not do."""
    return metrics.get("comet", model=str(folder), device="cpu", cache=False).score(["a lock"], [["b"]], ["c"])


def test_a_folder_of_another_model_is_refused(tmp_path):
    write_encoder(tmp_path / "encoder", bert=False)
    with pytest.raises(MissingModelError, match=r"is no COMET checkpoint: it has no hparams\.yaml"):
        scored(tmp_path / "encoder")


def test_a_missing_model_is_said(tmp_path):
    with pytest.raises(MissingModelError, match="holds no model"):
        scored(tmp_path)


def test_missing_weights_are_said(own):
    (own / "checkpoints" / "model.ckpt").unlink()
    with pytest.raises(MissingModelError, match=r"has no checkpoints/model\.ckpt"):
        scored(own)


@pytest.mark.parametrize(
    "name",
    ["encoder.model.encoder.layer.1.output.dense.bias", "layerwise_attention.gamma", "estimator.ff.3.bias", "layerwise_attention.scalar_parameters.2"],
)  # fmt: skip
def test_a_weight_that_is_missing_is_never_drawn(own, name):
    spoiled(own, lambda held: held["state_dict"].pop(name))
    with pytest.raises(MissingModelError, match=f"has no weights for '{name.removeprefix('encoder.model.')}'"):
        scored(own)


def test_a_head_without_layers_is_refused(own):
    def change(held):
        held["state_dict"] = {name: value for name, value in held["state_dict"].items() if "estimator" not in name}

    spoiled(own, change)
    with pytest.raises(MissingModelError, match=r"has no weights for 'estimator\.ff\.0\.weight'"):
        scored(own)


@pytest.mark.parametrize("content", [b"", b"no file of torch", b"PK\x03\x04 half a file"])
def test_a_broken_file_is_said(own, content):
    (own / "checkpoints" / "model.ckpt").write_bytes(content)
    with pytest.raises(MissingModelError, match=r"the weights in model\.ckpt cannot be read"):
        scored(own)


def test_a_file_of_something_else_is_said(own):
    torch.save([1, 2], own / "checkpoints" / "model.ckpt")
    with pytest.raises(MissingModelError, match="holds no state_dict"):
        scored(own)


def test_weights_and_encoder_have_to_fit(own):
    file = own / ENCODER / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"hidden_size": 2 * HIDDEN}))
    with pytest.raises(MissingModelError, match="takes 96 features, its encoder gives 192"):
        scored(own)


def test_yaml_that_is_none_is_said(own):
    (own / "hparams.yaml").write_text("class_identifier: [\n")
    with pytest.raises(MissingModelError, match=r"hparams\.yaml of '.*own' cannot be read"):
        scored(own)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"encoder_model": "LASER"}, "encoder_model='LASER' was given; allowed: XLM-RoBERTa"),
        ({"pool": "sum"}, "pool='sum' was given; allowed: avg, cls, max, default"),
        ({"layer": 9}, "layer=9 was given; allowed: mix, or 0 to 3"),
        ({"activations": "swish"}, "activation='swish' was given"),
    ],
)
def test_settings_that_are_unknown_are_refused(own, changed, message):
    respelled(own, **changed)
    with pytest.raises(OptionError, match=message):
        scored(own)


class Trap:
    """Copies a file when it is unpickled as pickle does it."""

    def __init__(self, *files):
        self.files = files

    def __reduce__(self):
        return shutil.copyfile, tuple(map(str, self.files))


def test_nothing_in_a_checkpoint_is_run(own, tmp_path):
    """Old versions of pytorch-lightning keep their callbacks' classes and states in it."""
    straight = scored(own).items
    trap = Trap(own / "hparams.yaml", tmp_path / "copied")
    spoiled(own, lambda held: held.update(callbacks={Path: {"path": Path("best.ckpt"), "trap": trap}}))
    assert scored(own).items.tolist() == straight.tolist()
    assert not (tmp_path / "copied").exists()
    assert pickle.loads(pickle.dumps(trap))  # which is one
    assert (tmp_path / "copied").exists()


def test_the_published_patch_means_softmax(own):
    """unbabel-comet 2.2.4 and later read layer_transformation: sparsemax_patch in hparams.yaml as softmax."""
    straight = scored(own).items
    respelled(own, layer_transformation="sparsemax")
    assert abs(scored(own).items - straight).max() > 1e-4
    file = own / "hparams.yaml"
    file.write_text(file.read_text().replace('"sparsemax"', '"sparsemax_patch"'))
    assert scored(own).items.tolist() == straight.tolist()


def test_settings_come_out_of_the_weights_file_as_unbabel_comet_takes_them(own):
    straight = scored(own).items
    file = own / "hparams.yaml"
    file.write_text(file.read_text().replace('pool: "avg"', 'pool: "cls"'))
    assert scored(own).items.tolist() == straight.tolist()
    spoiled(own, lambda held: held.pop("hyper_parameters"))
    assert abs(scored(own).items - straight).max() > 1e-4


def test_the_encoder_is_in_the_checkpoint_beside_it_or_where_it_is_said(own, tmp_path):
    straight = scored(own).items
    shutil.move(own / ENCODER, tmp_path / ENCODER)
    assert scored(own).items.tolist() == straight.tolist()
    shutil.move(tmp_path / ENCODER, tmp_path / "elsewhere")
    given = metrics.get("comet", model=str(own), encoder=str(tmp_path / "elsewhere"), device="cpu", cache=False)
    assert given.score(["a lock"], [["b"]], ["c"]).items.tolist() == straight.tolist()
    assert "|encoder:elsewhere@" in given.signature


def test_minilm_has_the_tokenizer_of_another_encoder(own):
    """As unbabel-comet has it: the architecture is BERT's, the tokenizer is that of xlm-roberta-base."""
    config = json.loads((own / ENCODER / "config.json").read_text()) | {"model_type": "bert", "type_vocab_size": 1}
    (own / ENCODER).rename(own / "xlm-roberta-base")
    (own / "MiniLM").mkdir()
    (own / "MiniLM" / "config.json").write_text(json.dumps(config))
    respelled(own, encoder_model="MiniLM", pretrained_model="microsoft/MiniLM")
    assert np.isfinite(scored(own).items).all()


def test_an_encoder_that_is_nowhere_is_said(own, monkeypatch):
    from validate.metrics.neural import _checkpoint

    monkeypatch.setattr(_checkpoint, "_offline", lambda hub: True)
    shutil.rmtree(own / ENCODER)
    with pytest.raises(
        MissingModelError,
        match=f"'{ENCODER}' is neither a folder nor .*it is the encoder of .*or in one given by encoder=",
    ):
        scored(own)


def test_the_file_itself_may_be_given(own):
    file = own / "checkpoints" / "model.ckpt"
    assert folder_of(str(file)) == str(own)
    assert scored(file).items.tolist() == scored(own).items.tolist()


def test_a_text_that_gives_no_number_is_named(own):
    def change(held):
        held["state_dict"]["encoder.model.embeddings.word_embeddings.weight"][pieces("x")] = torch.nan

    spoiled(own, change)
    metric = metrics.get("comet", model=str(own), device="cpu", cache=False)
    assert np.isfinite(metric.score(["a lock"], [["b"]], ["c"]).items).all()
    with pytest.raises(
        AccordError, match=r"gives NaN or infinity for the text 'x'; finite numbers are needed; check the checkpoint"
    ):
        metric.score(["a lock", "x"], [["b"], ["b"]], ["c", "c"])


def pieces(text):
    """Ids of the pieces that only this letter has."""
    from tiny_scorers import unigrams

    return [place for place, (piece, _) in enumerate(unigrams()) if text in piece] or [3]


def test_a_score_that_is_no_number_is_named(own):
    spoiled(own, lambda held: held["state_dict"]["estimator.ff.6.bias"].fill_(torch.inf))
    with pytest.raises(AccordError, match="gives NaN or infinity for the output 'a lock'"):
        scored(own)


def test_lower_precision_is_near_and_stated(comet):
    straight = comet(cache=False).score(OUTPUTS, ROWS, SOURCES).items
    low = comet(cache=False, dtype="bfloat16")
    assert "|dtype:bfloat16|" in low.signature
    near = low.score(OUTPUTS, ROWS, SOURCES).items
    assert near == pytest.approx(straight, abs=0.1)
    assert near.tolist() != straight.tolist()


def test_what_is_cut_and_what_is_empty_is_said(comet):
    metric = comet()
    facts = {fact.name: fact for fact in metric.notes(metric._batch(OUTPUTS, ROWS, SOURCES))}
    assert (
        facts["cut-texts"].text
        == f"comet: {facts['cut-texts'].count} texts longer than the 32 tokens that the model reads; the rest is not seen"
    )
    assert facts["cut-texts"].count == 3  # one source, one output, one reference
    assert facts["empty-sources"].count == 3


def test_halves_of_pairs_and_other_scripts_have_scores(comet):
    score = comet().score(
        ["half a \ud83d pair", "大桥周一关闭。", "جسر"], [["\udc00"], ["x"], [""]], ["\x00", "\ufeff", "a" * 5000]
    )
    assert np.isfinite(score.items).all()


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=25))
def test_sparsemax_is_the_nearest_distribution(scores):
    """Projection onto the simplex: p = max(z - τ, 0) with one τ that makes the sum 1, which is necessary and sufficient."""
    shares = sparsemax(np.array(scores))
    assert shares.sum() == pytest.approx(1, abs=1e-9)
    assert shares.min() >= 0
    held = shares > 0
    threshold = (np.array(scores) - shares)[held]
    assert np.ptp(threshold) < 1e-9
    assert (np.array(scores)[~held] <= threshold[0] + 1e-9).all()


@pytest.mark.parametrize(
    ("scores", "shares"),
    [([0, 0], [1 / 2, 1 / 2]), ([2, 0.5, 0], [1, 0, 0]), ([0.5, 0.25, 0], [7 / 12, 4 / 12, 1 / 12])],
)
def test_sparsemax_by_hand(scores, shares):
    assert sparsemax(np.array(scores, dtype=float)) == pytest.approx(shares, abs=1e-15)
