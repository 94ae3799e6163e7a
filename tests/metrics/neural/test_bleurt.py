"""BLEURT: the scores of bleurt-pytorch itself, whatever the batch; and what is said about models that it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_scorers import BLEURT_POSITIONS, PIECES, bleurt_weights, digest, word_pieces, write_bleurt  # noqa: E402

from validate import metrics  # noqa: E402
from validate.errors import AccordError, MissingModelError, OptionError  # noqa: E402
from validate.metrics.neural._bleurt_model import BleurtModel, cut, limit_of  # noqa: E402
from validate.metrics.neural._checkpoint import Checkpoint  # noqa: E402

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "bleurt.json").read_text(encoding="utf-8"))
REFERENCES, OUTPUTS = (list(side) for side in zip(*GOLDEN["rows"], strict=True))
ROWS = [[reference] for reference in REFERENCES]
FORMS = ["bert", "rembert"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folder of each form of checkpoint."""
    return {
        form: write_bleurt(tmp_path_factory.mktemp("bleurt") / form, form, GOLDEN["sentencepiece"]) for form in FORMS
    }


@pytest.fixture(params=FORMS)
def form(request):
    """BERT's kind, and that of BLEURT-20, which needs sentencepiece."""
    if request.param == "rembert":
        pytest.importorskip("sentencepiece")
    return request.param


@pytest.fixture
def bleurt(folders, tmp_path, monkeypatch):
    """The metric over a form of checkpoint, with a cache of its own."""
    monkeypatch.setenv("ACCORD_CACHE", str(tmp_path / "cache"))
    return lambda form="bert", **options: metrics.get(
        "bleurt", **({"model": str(folders[form]), "device": "cpu"} | options)
    )


@pytest.fixture
def own(tmp_path):
    """A checkpoint of BERT's kind that a test may spoil."""
    return write_bleurt(tmp_path / "own", "bert")


@pytest.fixture
def runs(monkeypatch):
    """How many pairs the model was given at each call."""
    seen = []
    straight = BleurtModel._forward

    def forward(self, pairs):
        seen.append(len(pairs))
        return straight(self, pairs)

    monkeypatch.setattr(BleurtModel, "_forward", forward)
    return seen


def scored(folder, **options):
    """One output under a checkpoint."""
    return metrics.get("bleurt", model=str(folder), device="cpu", cache=False, **options).score(
        ["a lock"], [["the crack"]]
    )


def stated(folder, file="config.json", **changed):
    """Other settings in one of the checkpoint's files."""
    known = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(known | changed))


def test_scores_are_those_of_bleurt_pytorch(bleurt, form):
    golden = GOLDEN["checkpoints"][form]
    n_pieces = len(word_pieces()) if form == "bert" else PIECES
    assert digest(bleurt_weights(form, n_pieces)) == golden["weights"]  # the checkpoint is the one that was scored
    assert bleurt(form).score(OUTPUTS, ROWS).items == pytest.approx(golden["scores"], abs=1e-5)


def test_the_golden_scores_tell_rows_apart():
    for golden in GOLDEN["checkpoints"].values():
        assert (
            len({round(score, 4) for score in golden["scores"]}) >= len(OUTPUTS) - 1
        )  # white space is nothing to BERT


@pytest.mark.parametrize("budget", [1, 7 * 48, 64 * 48])
def test_neither_batch_nor_order_matters(bleurt, form, budget):
    straight = bleurt(form, cache=False).score(OUTPUTS, ROWS).items
    order = np.random.default_rng(1).permutation(len(OUTPUTS))
    shuffled = bleurt(form, cache=False, budget=budget).score([OUTPUTS[at] for at in order], [ROWS[at] for at in order])
    assert shuffled.items == pytest.approx(straight[order], abs=2e-6)


def test_reference_and_output_are_no_equals(bleurt):
    one = bleurt().score(["a crack"], [["the lock"]]).items[0]
    other = bleurt().score(["the lock"], [["a crack"]]).items[0]
    assert abs(one - other) > 1e-3


def test_every_distinct_pair_is_run_once(bleurt, runs):
    """Capitals are nothing to this tokenizer: 3 pairs."""
    bleurt(cache=False).score(["a lock", "a crack", "A lock"], [["the lock", "why"], ["the lock"], ["The Lock"]])
    assert sum(runs) == 3


def test_a_second_run_reads_from_the_disk(bleurt, runs):
    first = bleurt().score(OUTPUTS, ROWS).items
    done = sum(runs)
    assert done
    assert bleurt().score(OUTPUTS, ROWS).items.tolist() == first.tolist()
    assert sum(runs) == done


def test_out_of_memory_halves_the_batch(bleurt, monkeypatch):
    whole = bleurt(cache=False).score(OUTPUTS, ROWS).items
    straight = BleurtModel._forward

    def small(self, pairs):
        if len(pairs) > 2:
            raise RuntimeError("CUDA out of memory")
        return straight(self, pairs)

    monkeypatch.setattr(BleurtModel, "_forward", small)
    assert bleurt(cache=False).score(OUTPUTS, ROWS).items == pytest.approx(whole, abs=2e-6)


def test_of_several_references_the_best_or_the_mean(bleurt):
    references = ["the lock", "a crack in the town", ""]
    single = [bleurt().score(["a lock"], [[reference]]).items[0] for reference in references]
    assert bleurt().score(["a lock"], [references]).items[0] == pytest.approx(max(single), abs=2e-6)
    assert bleurt(multi_reference="mean").score(["a lock"], [references]).items[0] == pytest.approx(
        sum(single) / 3, abs=2e-6
    )


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 30))
def test_cutting_is_the_loop_of_the_original(first, second, most):
    """bleurt/encoding.py takes one token at a time from the longer text, of two as long from the second."""
    left = [first, second]
    while sum(left) > most:
        left[0 if left[0] > left[1] else 1] -= 1
    assert cut(first, second, most) == tuple(left)


@pytest.mark.parametrize(
    ("name", "tokenizer", "asked", "limit"),
    [("own", {}, None, 48), ("own", {"model_max_length": 20}, None, 20), ("bleurt-base-128", {}, None, 48), ("own", {"model_max_length": 20}, 30, 30)],
)  # fmt: skip
def test_how_long_a_pair_may_be(own, name, tokenizer, asked, limit):
    stated(own, "tokenizer_config.json", **tokenizer)
    assert limit_of("m", Checkpoint(name, own), asked) == limit


def test_the_name_of_a_published_checkpoint_states_its_length(own):
    stated(own, max_position_embeddings=512)
    assert limit_of("m", Checkpoint("lucadiliello/bleurt-base-128", own), None) == 128
    assert limit_of("m", Checkpoint("lucadiliello/BLEURT-20", own), None) == 512


def test_longer_than_positions_is_refused(own):
    with pytest.raises(
        OptionError, match="max_length=100 was given; allowed: 4 to 48, the positions that this model has"
    ):
        scored(own, max_length=100)


def test_a_shorter_length_cuts_more(bleurt):
    reference, output = "the lock " * 23, "the canal " * 23
    long = bleurt(max_length=BLEURT_POSITIONS).score([output], [[reference]]).items[0]
    short = bleurt(max_length=9)
    assert abs(short.score([output], [[reference]]).items[0] - long) > 1e-4
    assert short.score([output], [[reference]]).items[0] == short.score([output + "why"], [[reference]]).items[0]
    assert "|max_length:9|" in short.signature


def test_what_is_cut_is_said(bleurt):
    metric = bleurt()
    (fact,) = metric.notes(metric._batch(OUTPUTS, ROWS, None))
    assert (
        fact.text
        == "bleurt: 5 pairs of output and reference longer than the 48 tokens that the model reads; the rest is not seen"
    )
    assert metric.notes(metric._batch(OUTPUTS[:3], ROWS[:3], None)) == []


@pytest.mark.parametrize("kind", ["Bert", "RemBert"])
@pytest.mark.parametrize("safe", [True, False])
def test_a_regression_head_of_transformers_is_read_too(tmp_path, kind, safe):
    """Live against transformers' own model, saved in its own files."""
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": len(word_pieces()),
    }
    narrow = {"input_embedding_size": 12, "bos_token_id": None, "eos_token_id": None} if kind == "RemBert" else {}
    config = getattr(transformers, f"{kind}Config")(
        **sizes, **narrow, num_labels=1, max_position_embeddings=48, pad_token_id=0
    )
    torch.manual_seed(3)
    model = getattr(transformers, f"{kind}ForSequenceClassification")(config).eval()
    write_bleurt(tmp_path / "own", "bert")
    (tmp_path / "own" / "pytorch_model.bin").unlink()
    model.save_pretrained(tmp_path / "own")
    if not safe:
        (tmp_path / "own" / "model.safetensors").unlink()
        torch.save(model.state_dict(), tmp_path / "own" / "pytorch_model.bin")
    tokenizer = transformers.BertTokenizer.from_pretrained(tmp_path / "own")
    with torch.no_grad():
        theirs = model(**tokenizer(["the crack"], ["a lock"], return_tensors="pt")).logits.item()
    assert scored(tmp_path / "own").items[0] == pytest.approx(theirs, abs=1e-6)


def test_weights_in_several_parts_are_put_together(own):
    whole = scored(own).items
    held = torch.load(own / "pytorch_model.bin", weights_only=True)
    (own / "pytorch_model.bin").unlink()
    names = sorted(held)
    for part, some in enumerate((names[:9], names[9:])):
        torch.save({name: held[name] for name in some}, own / f"pytorch_model-0000{part + 1}-of-00002.bin")
    assert scored(own).items.tolist() == whole.tolist()


@pytest.mark.parametrize("changed", [{"model_type": "gpt2"}, {"architectures": ["BertModel"]}, {"architectures": None}])
def test_other_models_are_refused(own, changed):
    stated(own, **changed)
    with pytest.raises(
        AccordError, match=r"is of the kind '.*' \(.*\); BLEURT as bleurt-pytorch converts it, or .* is allowed"
    ):
        scored(own)


def test_weights_that_are_missing_are_never_drawn(own):
    held = torch.load(own / "pytorch_model.bin", weights_only=True)
    del held["bleurt.pooler.dense.weight"]
    torch.save(held, own / "pytorch_model.bin")
    with pytest.raises(MissingModelError, match=r"has no weights for 'bert\.pooler\.dense\.weight'"):
        scored(own)


def test_a_folder_without_weights_is_said(own):
    (own / "pytorch_model.bin").unlink()
    with pytest.raises(MissingModelError, match=r"has no weights; model\.safetensors or pytorch_model\.bin is needed"):
        scored(own)


def test_broken_weights_are_said(own):
    (own / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(MissingModelError, match=r"the weights in model\.safetensors of '.*' cannot be read"):
        scored(own)


def test_weights_of_other_sizes_are_said(own):
    stated(own, hidden_size=32)
    with pytest.raises(MissingModelError, match="do not fit its configuration"):
        scored(own)


def test_a_folder_without_a_tokenizer_is_said(own):
    (own / "vocab.txt").unlink()
    with pytest.raises(
        MissingModelError, match=r"has no tokenizer; vocab\.txt, tokenizer\.json or spm\.model is needed"
    ):
        scored(own)


def test_a_pair_that_gives_no_number_is_named(own):
    held = torch.load(own / "pytorch_model.bin", weights_only=True)
    held["bleurt.embeddings.word_embeddings.weight"][word_pieces().index("lock")] = torch.nan
    torch.save(held, own / "pytorch_model.bin")
    metric = metrics.get("bleurt", model=str(own), device="cpu", cache=False)
    assert np.isfinite(metric.score(["a crack"], [["the crack"]]).items).all()
    with pytest.raises(
        AccordError, match="gives NaN or infinity for the output 'a lock' and the reference 'the crack'"
    ):
        metric.score(["a crack", "a lock"], [["the crack"], ["the crack"]])


def test_halves_of_pairs_and_other_scripts_have_scores(bleurt, form):
    score = bleurt(form).score(["half a \ud83d pair", "大桥周一关闭。", "\x00"], [["\udc00"], ["جسر"], ["a" * 5000]])
    assert np.isfinite(score.items).all()
