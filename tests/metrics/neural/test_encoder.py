"""The encoder room: the numbers of the model itself, whatever the batch, the order and what went wrong on the way."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_models import LAYERS, tiny_bert  # noqa: E402

from validate.errors import AccordError, MissingExtraError, MissingModelError, OptionError  # noqa: E402
from validate.metrics.neural import _encoder  # noqa: E402
from validate.metrics.neural._checkpoint import find  # noqa: E402
from validate.metrics.neural._encoder import Encoder, encoder  # noqa: E402
from validate.metrics.neural._loading import model_of  # noqa: E402

RNG = np.random.default_rng(8)
TEXTS = ["", "the bridge", "[SEP] a", *(" ".join(RNG.choice(list("abcdefgh"), n)) for n in RNG.integers(1, 60, 80))]


@pytest.fixture(scope="module")
def folder():
    return str(tiny_bert())


@pytest.fixture
def fresh(folder, tmp_path, monkeypatch):
    """An encoder that nobody has used, with a cache of its own."""
    monkeypatch.setenv("ACCORD_CACHE", str(tmp_path))
    return Encoder("m", find("m", folder), 2, "float32", "cpu")


@pytest.fixture
def runs(fresh, monkeypatch):
    """How many texts the model was given at each call."""
    seen = []
    straight = fresh._forward

    def forward(inputs):
        seen.append(len(inputs))
        return straight(inputs)

    monkeypatch.setattr(fresh, "_forward", forward)
    return seen


@pytest.mark.parametrize("layer", range(LAYERS + 1))
def test_a_layer_is_the_models_own(folder, layer):
    room = encoder("m", folder, layer=layer)
    ours = room.embed(room.tokens(TEXTS[:9]), cache=False)
    whole = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for place, text in enumerate(TEXTS[:9]):
        with torch.no_grad():
            theirs = whole(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[layer][0]
        mine = ours.vectors[ours.offsets[place] : ours.offsets[place + 1]]
        assert mine == pytest.approx(theirs.numpy(), abs=2e-6)


def test_layers_above_are_not_kept(folder):
    assert len(encoder("m", folder, layer=1).model.encoder.layer) == 1


@pytest.mark.parametrize("budget", [1, 7 * 60, 64 * 60])
def test_neither_order_nor_batch_matters(fresh, budget):
    tokens = fresh.tokens(TEXTS)
    straight = fresh.embed(tokens, cache=False)
    order = np.random.default_rng(2).permutation(len(TEXTS))
    shuffled = fresh.embed(fresh.tokens([TEXTS[at] for at in order]), budget=budget, cache=False)
    for place, at in enumerate(order):
        mine = straight.vectors[tokens.offsets[at] : tokens.offsets[at + 1]]
        assert mine == pytest.approx(shuffled.vectors[shuffled.offsets[place] : shuffled.offsets[place + 1]], abs=2e-6)


def test_equal_inputs_are_run_once(fresh, runs):
    same = fresh.embed(fresh.tokens(["the bridge", " The bridge\n", "the cat"]), cache=False)
    assert runs == [2]
    assert same.vectors[:4].tolist() == same.vectors[4:8].tolist()


def test_a_second_run_reads_what_the_first_left(fresh, runs):
    tokens = fresh.tokens(TEXTS)
    first = fresh.embed(tokens)
    assert sum(runs) > 0
    runs.clear()
    assert fresh.embed(tokens).vectors.tolist() == first.vectors.tolist()
    assert runs == []


def test_an_interrupted_run_goes_on_where_it_stopped(fresh, runs, monkeypatch):
    tokens = fresh.tokens(TEXTS)
    straight, counting = fresh.embed(tokens, cache=False), fresh._forward
    runs.clear()

    def until_the_third(inputs):
        if len(runs) == 3:
            raise KeyboardInterrupt
        return counting(inputs)

    monkeypatch.setattr(fresh, "_forward", until_the_third)
    with pytest.raises(KeyboardInterrupt):
        fresh.embed(tokens, budget=300)
    done = sum(runs)
    runs.clear()
    monkeypatch.setattr(fresh, "_forward", counting)
    assert fresh.embed(tokens, budget=300).vectors == pytest.approx(straight.vectors, abs=2e-6)
    assert done > 0
    assert sum(runs) == len(set(TEXTS)) - done


def test_a_corrupt_entry_is_computed_again(fresh, runs, tmp_path):
    import sqlite3

    tokens = fresh.tokens(TEXTS[:5])
    first = fresh.embed(tokens)
    with sqlite3.connect(tmp_path / "embeddings.sqlite") as database:
        database.execute("UPDATE vectors SET checksum = checksum + 1 WHERE rowid = 3")
    database.close()
    runs.clear()
    assert fresh.embed(tokens).vectors == pytest.approx(first.vectors, abs=2e-6)
    assert runs == [1]
    runs.clear()
    fresh.embed(tokens)
    assert runs == []


def test_a_batch_that_does_not_fit_is_halved(fresh, monkeypatch):
    tokens = fresh.tokens(TEXTS[:20])
    straight = fresh.embed(tokens, cache=False)
    forward, tried = fresh._forward, []

    def small(inputs):
        tried.append(len(inputs))
        if len(inputs) > 4:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(inputs)

    monkeypatch.setattr(fresh, "_forward", small)
    assert fresh.embed(tokens, cache=False).vectors == pytest.approx(straight.vectors, abs=2e-6)
    assert max(tried) > 4


def test_nan_names_the_text(fresh):
    with torch.no_grad():
        fresh.model.embeddings.word_embeddings.weight[fresh.tokenizer.convert_tokens_to_ids("cat")] = float("nan")
    with pytest.raises(
        AccordError, match=r"m: .*tiny-bert gives NaN or infinity at layer 2 for the text 'the cat sat'"
    ):
        fresh.embed(fresh.tokens(["the bridge", "the cat sat"]))


def test_windows_read_a_long_text_to_its_end(fresh):
    tokens = fresh.tokens(["word " * 600], windows=True)
    assert tokens.n_cut.tolist() == [0]
    embedded = fresh.embed(tokens)
    assert embedded.vectors.shape == (602, 16)
    assert np.isfinite(embedded.vectors).all()
    first = fresh.embed(fresh.tokens(["word " * 510]))
    assert embedded.vectors[:300] == pytest.approx(first.vectors[:300], abs=2e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_other_precisions_are_near(folder, dtype):
    near, exact = (
        (room := encoder("m", folder, layer=2, dtype=name)).embed(room.tokens(TEXTS[:9]), cache=False).vectors
        for name in (dtype, "float32")
    )
    assert near.dtype == np.float32
    assert near == pytest.approx(exact, abs=0.2)
    assert not np.array_equal(near, exact)


def test_what_there_is_not_is_said(folder):
    with pytest.raises(OptionError, match=r"m: layer=9 was given; allowed: 0 \(embeddings\) to 3"):
        encoder("m", folder, layer=9)
    with pytest.raises(OptionError, match="there is no dtype 'float33'; did you mean 'float32'"):
        encoder("m", folder, layer=1, dtype="float33")
    with pytest.raises(OptionError, match="device='cuda:77' was given; allowed: auto, cpu"):
        encoder("m", folder, layer=1, device="cuda:77")


def test_weights_that_the_files_lack_are_not_drawn_at_random(folder):
    with pytest.raises(MissingModelError, match=r"has no weights for 'cls\.predictions.*drawn at random"):
        model_of("m", "AutoModelForMaskedLM", find("m", folder), dtype="float32", device="cpu")


def test_broken_files_are_said(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(MissingModelError, match=r"m: the configuration of .* cannot be read"):
        encoder("m", str(tmp_path), layer=1)


def test_without_torch_the_extra_is_named(monkeypatch, folder):
    def without(who, package):
        raise MissingExtraError(who, package, "neural")

    monkeypatch.setattr(_encoder, "needed", without)
    with pytest.raises(MissingExtraError, match=r"m: the package 'torch' is not installed; .*extra 'neural'"):
        encoder("m", folder, layer=1)
