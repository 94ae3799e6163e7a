"""MoverScore: by hand, beside a linear programme, and what the published program does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validate import metrics
from validate.errors import OptionError

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("ot")

from validate.metrics.neural.moverscore import mover_distance

FEW = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 4)), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def tiny():
    from tiny_models import tiny_bert

    return lambda **options: metrics.get("moverscore", **({"model": str(tiny_bert()), "layer": 2} | options))


def arrays(points):
    found = np.array(points, dtype=float)
    return found[:, :2], found[:, 2]


def linear_programme(points, weights, others, other_weights):
    """The least cost over all ways of carrying, as a linear programme."""
    from scipy.optimize import linprog

    cost = np.array([[np.linalg.norm(a - b) for b in others] for a in points])
    n, m = cost.shape
    leaves, arrives = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    amounts = np.concatenate([weights / weights.sum(), other_weights / other_weights.sum()])
    return linprog(cost.reshape(-1), A_eq=np.vstack([leaves, arrives]), b_eq=amounts).fun


def test_by_hand():
    # Heaps of 1/2 at 0 and 1/2 at 1, against 1/4 at 0 and 3/4 at 3: a quarter goes from 0 to 3, a half from 1 to 3: 3/4 + 1.
    here, there = np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]])
    assert mover_distance(here, np.ones(2), there, np.array([1.0, 3.0])) == pytest.approx(7 / 4)


def test_heaps_that_weigh_nothing_have_no_distance():
    assert np.isnan(mover_distance(np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)), np.ones(1)))


@settings(max_examples=50)
@given(FEW, FEW)
def test_the_linear_programme_says_the_same(points, others):
    given_ = (*arrays(points), *arrays(others))
    assert mover_distance(*given_) == pytest.approx(linear_programme(*given_), abs=1e-9)


def test_the_score_is_that_of_the_embeddings(tiny):
    output, reference = "the cat sat!", "hello dog"
    room = tiny().encoder()
    embedded = room.embed(room.tokens([output, reference]))
    unit, start = embedded.unit().astype(float), embedded.offsets
    own = [unit[start[at] + 1 : start[at + 1] - 1] for at in (0, 1)]
    distance = linear_programme(own[0], np.ones(len(own[0])), own[1], np.ones(len(own[1])))
    assert tiny().score([output], [[reference]]).items[0] == pytest.approx(1 / (1 + distance), abs=2e-6)


def test_the_published_program_keeps_marks_and_leaves_out_pieces_and_punctuation(tiny):
    """[CLS] the cat ##x ! [SEP]: neither ##x nor ! count; without idf the others weigh the same."""
    room = tiny().encoder()
    embedded = room.embed(room.tokens(["the catx !", "hello dog"]))
    assert room.tokenizer.convert_ids_to_tokens(embedded.tokens.ids[:4].tolist())[:2] == ["[CLS]", "the"]
    unit, start = embedded.unit().astype(float), embedded.offsets
    names = room.tokenizer.convert_ids_to_tokens(embedded.tokens.ids[: start[1]].tolist())
    kept = [at for at, name in enumerate(names) if "##" not in name and name != "!"]
    own, others = unit[kept], unit[start[1] :]
    distance = linear_programme(own, np.ones(len(own)), others, np.ones(len(others)))
    pair = (["the catx !"], [["hello dog"]])
    assert tiny(variant="github", idf=False).score(*pair).items[0] == pytest.approx(1 / (1 + distance), abs=2e-6)
    assert tiny(variant="pypi", idf=False).score(*pair).items[0] == pytest.approx(1 - distance, abs=5e-6)


def test_published_weights_are_those_of_references_and_of_outputs(tiny):
    outputs, references = ["the cat", "the dog", "the mat"], [["the cat"], ["cat"], ["the bridge"]]
    metric = tiny(variant="github")
    assert metric.idf
    assert not tiny().idf
    room, batch = metric.encoder(), metric._batch(outputs, references, None)
    metric.read(batch)
    ids = room.tokenizer.convert_tokens_to_ids(["the", "cat", "dog", "[CLS]"])
    weights = metric.weigher(batch, room)(room.tokens(["the cat dog"]).take(np.array([0])))
    assert weights[1:4, 0] == pytest.approx(np.log([4 / 4, 4 / 2, 4 / 2]))  # as part of an output
    assert weights[1:4, 1] == pytest.approx(np.log([4 / 3, 4 / 3, 4 / 1]))  # as part of a reference
    assert weights[0].tolist() == [0, 0]
    assert len(ids) == 4


def test_of_several_references_the_best_counts_or_their_mean(tiny):
    outputs, references = ["the cat sat"], [["hello", "the cat sat on"]]
    alone = [tiny().score(outputs, [[text]]).items[0] for text in references[0]]
    assert tiny().score(outputs, references).items[0] == pytest.approx(max(alone), abs=2e-6)
    assert tiny(multi_reference="mean").score(outputs, references).items[0] == pytest.approx(np.mean(alone), abs=2e-6)


def test_empty_texts(tiny):
    score = tiny().score(["", "the", ""], [["the"], [""], [""]])
    assert score.items.tolist() == [0, 0, 0]
    # The published program compares the marks of empty texts: two of them are equal.
    assert tiny(variant="github", idf=False).score([""], [[""]]).items[0] == pytest.approx(1)


def test_the_same_text_scores_1(tiny):
    assert tiny().score(["the cat sat"], [["the cat sat"]]).items[0] == pytest.approx(1, abs=1e-9)


def test_a_score_does_not_see_its_neighbours_unless_asked(tiny):
    pair = (["the cat"], [["the dog"]])
    beside = ([*pair[0], "hello there"], [*pair[1], ["a bridge"]])
    assert tiny().score(*beside).items[0] == pytest.approx(tiny().score(*pair).items[0], abs=2e-6)
    fitted = tiny(idf=True).fit([["the dog"], ["a bridge"]])
    assert fitted.score(*beside).items[0] == pytest.approx(fitted.score(*pair).items[0], abs=2e-6)


def test_options_are_checked():
    with pytest.raises(OptionError, match="there is no variant 'git'; did you mean 'github'"):
        metrics.get("moverscore", variant="git")
    assert metrics.get("moverscore", variant="pypi").bounds == (-1, 1)
