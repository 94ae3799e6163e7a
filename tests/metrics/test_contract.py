"""What holds of every registered metric; a new one is under these tests by being registered.

Exceptions stand in one list each, with their reason.
"""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import tiny_models
from own_texts import OWN_TEXTS, Texts

from validate import metrics
from validate.errors import AccordError, MissingExtraError, OptionError, ShapeError
from validate.metrics._collection import CollectionMetric
from validate.metrics.neural._metric import NeuralMetric
from validate.text.corpus import Batch

pytestmark = pytest.mark.filterwarnings(
    "ignore::validate.errors.AccordWarning"
)  # some texts below have no ROUGE tokens

# Controls do not ask whether an output is right, so that nothing about references holds of them.
CONTROLS = {"length", "length_ratio", "random"}

# These judge an output by itself, or by all references at once: its own reference is not the best output there is.
BY_THEMSELVES = {"json_validity", "pass_at_k", "ngram_perplexity", "perplexity", "pseudo_perplexity"}

# What is best to these is learned; the checkpoint that they are tried on, or its head, is drawn at random.
LEARNED = {"bleurt", "bartscore"}

# Scores out of a model: a product of matrices rounds its last bits by the shape of the batch. No score moves by more than this,
# or, where scores are no numbers between 0 and 1, by more than this share of it.
ROUNDED = {"bertscore": 2e-6, "moverscore": 2e-6, "comet": 2e-6, "bleurt": 2e-6}
ROUNDED |= {"perplexity": 2e-6, "pseudo_perplexity": 2e-6, "bartscore": 2e-6}
UNBOUNDED = {"perplexity", "pseudo_perplexity", "bartscore"}

# A model with weights drawn at random knows no meaning: only that a text is nearer to itself than to any other.
UNTRAINED = {"bertscore", "moverscore", "comet"}

OUTPUTS = [
    "The bridge over the canal was closed on Monday because of a crack.",
    "The bridge was closed.\nTraffic went round by the lock.",
    "a crack, 3.14 m long — “serious”, said the engineer",
    "Мост закрыт в понедельник.",
    "大桥周一关闭。",
    "جسر مغلق",
    "",
    "👩\u200d🔧 fixes it",
    "bridge bridge bridge bridge bridge",
    "the",
    "half a \ud83d pair",
    "the bridge " * 60,
]
REFERENCES = [
    ["The bridge over the canal was closed on Monday because of a crack.", "On Monday the canal bridge was shut."],
    ["Traffic went round by the lock.\nThe bridge was closed."],
    ["A crack of 3.14 m was serious, the engineer said.", "", "It was a serious crack."],
    ["Мост закрыли в понедельник."],
    ["大桥在周一关闭了。", "周一大桥关闭。"],
    ["الجسر مغلق اليوم"],
    ["Nothing was said."],
    ["An engineer fixes it 👩\u200d🔧."],
    ["The bridge is closed."],
    ["A"],
    ["half a \ud83d\ude00 pair", "half a \ud83d pair!"],
    ["a bridge, the bridge " * 40],
]
# A text loses its words one by one; what is left becomes worse, or stays.
WORDS = REFERENCES[0][0].split()
NEARER = [" ".join([*WORDS[:kept], *["xyz"] * (len(WORDS) - kept)]) for kept in range(len(WORDS) + 1)]


def texts(name: str) -> Texts:
    """The texts that a metric is tried on: prose, or those of its own."""
    return OWN_TEXTS.get(name, Texts(OUTPUTS, REFERENCES, NEARER))


# What every output was made from, for metrics that need a source.
SOURCE = "Owing to a crack in it, the bridge over the canal was closed on Monday morning."


@pytest.fixture(autouse=True)
def same_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics that need sources are given one and the same for every output, so that tests need not know of them."""
    without = metrics.Metric._blocks

    def blocks(self: metrics.Metric, outputs: Any, references: Any, sources: Any) -> Iterator[Batch]:
        if "sources" in self.needs and isinstance(outputs, list):
            sources = [SOURCE] * len(outputs)
        return without(self, outputs, references, sources)

    monkeypatch.setattr(metrics.Metric, "_blocks", blocks)


def make(name: str, **options: Any) -> metrics.Metric:
    """The metric, bound to one collection where it looks at a collection, so that an item sees no neighbours."""
    if name in tiny_models.OPTIONS:
        for package in ("torch", "transformers"):
            pytest.importorskip(package)
        options = tiny_models.OPTIONS[name]() | options
    try:
        return metrics.get(name, **options).fit(texts(name).references)
    except MissingExtraError as missing:
        pytest.skip(str(missing))


def same(metric: metrics.Metric, ours: Any, theirs: Any) -> bool:
    """Equal to the last bit, or as near as `ROUNDED` says."""
    near = ROUNDED.get(metric.name, 0)
    return np.array_equal(ours, theirs) or bool(near and np.allclose(ours, theirs, rtol=share(metric), atol=near))


def share(metric: metrics.Metric) -> float:
    """The relative difference that is rounding."""
    return ROUNDED[metric.name] if metric.name in UNBOUNDED else 1e-12


@pytest.fixture(params=metrics.names())
def metric(request: pytest.FixtureRequest) -> metrics.Metric:
    """Every registered metric."""
    return make(request.param)


@pytest.fixture(params=[name for name in metrics.names() if name not in CONTROLS | BY_THEMSELVES | LEARNED])
def judge(request: pytest.FixtureRequest) -> metrics.Metric:
    """Every metric that judges outputs by their references."""
    return make(request.param)


@pytest.fixture(params=[row["name"] for row in metrics.describe() if "references" in row["needs"]])
def needy(request: pytest.FixtureRequest) -> metrics.Metric:
    """Every metric that needs references."""
    return make(request.param)


def test_shapes(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    score = metric.score(outputs, references)
    assert score.items.shape == (len(outputs),)
    assert score.items.dtype == score.statistics.dtype == np.float64
    assert score.statistics.ndim == 2
    assert len(score.statistics) == len(outputs)
    assert isinstance(score.system, float)
    assert not np.isnan(score.items).any()


def test_bounds(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    low, high = metric.bounds
    score = metric.score(outputs, references)
    everything = np.append(score.items, score.system)
    assert everything.min() >= low - ROUNDED.get(metric.name, 1e-9)
    assert everything.max() <= high + ROUNDED.get(metric.name, 1e-9)


def test_nothing_beats_the_reference_itself(judge: metrics.Metric) -> None:
    outputs, references, _ = texts(judge.name)
    sign = 1 if judge.higher_is_better else -1
    for reference in [row[0] for row in references]:
        best = sign * judge.score([reference], [[reference]]).items[0]
        others = sign * judge.score(outputs, [[reference]] * len(outputs)).items
        assert (others <= best + ROUNDED.get(judge.name, 1e-9)).all()


def test_direction_is_honest(judge: metrics.Metric) -> None:
    """A text that comes nearer to its reference becomes better, or stays, by the metric's own direction."""
    _, references, nearer = texts(judge.name)
    items = judge.score(nearer, [[references[0][0]]] * len(nearer)).items
    steps = np.diff(items if judge.higher_is_better else -items)
    assert judge.name in UNTRAINED or (steps >= -1e-9).all()
    assert steps.sum() > 0


def test_an_item_does_not_see_its_neighbours(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    together = metric.score(outputs, references)
    alone = [metric.score([output], [row]) for output, row in zip(outputs, references, strict=True)]
    assert same(metric, together.items, [score.items[0] for score in alone])
    assert same(metric, together.statistics, [score.statistics[0] for score in alone])


def test_order_does_not_matter(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    order = np.random.default_rng(4).permutation(len(outputs))
    straight = metric.score(outputs, references)
    shuffled = metric.score([outputs[row] for row in order], [references[row] for row in order])
    assert same(metric, shuffled.items, straight.items[order])
    assert shuffled.system == pytest.approx(straight.system, rel=share(metric), abs=ROUNDED.get(metric.name, 1e-12))


def test_statistics_add_up(metric: metrics.Metric) -> None:
    """Counts weighted by how often an item was drawn give the corpus score of the rows drawn so often, scored from the text."""
    outputs, references, _ = texts(metric.name)
    statistics = metric.statistics(outputs, references)
    weights = np.random.default_rng(5).integers(0, 3, (4, len(outputs)))
    replicates = metric.divide(weights @ statistics, level="system")
    for row, replicate in zip(weights, replicates, strict=True):
        drawn = np.repeat(np.arange(len(outputs)), row)
        again = metric.score([outputs[item] for item in drawn], [references[item] for item in drawn])
        assert replicate == pytest.approx(again.system, rel=share(metric), abs=ROUNDED.get(metric.name, 1e-12))


def test_divide_takes_any_leading_shape(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    statistics = metric.statistics(outputs, references)
    for level in ("item", "system"):
        flat = metric.divide(statistics, level=level)
        shaped = metric.divide(statistics.reshape(2, 6, -1), level=level)
        assert shaped.shape == (2, 6)
        assert shaped.reshape(-1).tolist() == flat.tolist()
        assert metric.divide(statistics[0], level=level) == flat[0]
        assert np.isnan(metric.divide(np.full_like(statistics[:1], np.nan), level=level)).all()


def test_without_references_an_item_is_undefined(needy: metrics.Metric) -> None:
    outputs, references, _ = texts(needy.name)
    score = needy.score([outputs[0], outputs[1]], [references[0], []])
    assert np.isnan(score.items).tolist() == [False, True]
    assert same(needy, score.system, needy.score(outputs[:1], references[:1]).system)
    nothing = needy.score([outputs[0]], [[]])
    assert math.isnan(nothing.items[0])
    assert math.isnan(nothing.system)


def test_no_items_at_all(metric: metrics.Metric) -> None:
    score = metric.score([], [])
    assert score.items.shape == (0,)
    assert math.isnan(score.system)


def test_metrics_share_a_batch(metric: metrics.Metric) -> None:
    """Counts that others left in the batch change nothing."""
    outputs, references, _ = texts(metric.name)
    batch = Batch.of(outputs, references, [SOURCE] * len(outputs))
    for name in metrics.names():
        with suppress(AccordError, pytest.skip.Exception):  # those that read other texts, or are not installed
            make(name).count(batch)
    assert same(metric, metric.count(batch), metric.statistics(outputs, references))


def test_threads_change_nothing(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    batch = Batch.of(outputs, references, [SOURCE] * len(outputs))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: metric.count(batch).tolist(), range(8)))
    assert all(same(metric, statistics, found[0]) for statistics in found)


def test_metrics_travel_to_other_processes(metric: metrics.Metric) -> None:
    outputs, references, _ = texts(metric.name)
    again = pickle.loads(pickle.dumps(metric))
    assert again.signature == metric.signature
    assert same(metric, again.score(outputs, references).items, metric.score(outputs, references).items)


def test_the_signature_states_every_option(metric: metrics.Metric) -> None:
    (row,) = [row for row in metrics.describe() if row["name"] == metric.name]
    parts = metric.signature.split("|")
    assert parts[0] == metric.name
    assert parts[-1].startswith("accord:")
    collection = ["fit"] if isinstance(metric, CollectionMetric) else []
    libraries = ["libraries"] if isinstance(metric, NeuralMetric) else []
    stated = [option for option in row["options"] if option not in getattr(metric, "unstated", ())]
    assert [part.split(":")[0] for part in parts[1:-1]] == [*stated, *collection, *libraries]


def test_an_option_changes_the_signature(metric: metrics.Metric) -> None:
    (row,) = [row for row in metrics.describe() if row["name"] == metric.name]
    for option, value in row["options"].items():
        if isinstance(value, bool) and option not in getattr(metric, "unstated", ()):
            assert make(metric.name, **{option: not value}).signature != metric.signature


def test_descriptions_are_whole(metric: metrics.Metric) -> None:
    (row,) = [row for row in metrics.describe() if row["name"] == metric.name]
    assert row["summary"]
    assert row["source"] or row["control"]
    assert row["checked_against"] == metric.checked_against
    assert set(row["needs"]) <= {"references", "sources"}
    assert type(metric).__doc__


def test_unknown_options_get_the_nearest(metric: metrics.Metric) -> None:
    with pytest.raises(
        OptionError, match=f"metric '{re.escape(metric.name)}': there is no option 'nonsense'.*allowed: "
    ):
        metrics.get(metric.name, nonsense=1)


SHAPES = [
    (
        "a string",
        "the",
        ["a"],
        "references is one string, which would be read as characters.*one list of references per output",
    ),
    (
        "a flat list",
        ["the", "cat"],
        ["a", "b"],
        r"references is a flat list of strings \(references\[0\] is a string\)",
    ),
    ("streams", [["a", "b", "c"], ["d", "e", "f"]], ["x", "y", "z"], "looks like 2 streams.*turn streams into rows"),
    ("unequal lengths", [["a"], ["b"], ["c"]], ["x", "y"], "3 lists of references were given for 2 outputs"),
    ("a missing reference", [["a", None]], ["x"], r"references\[0\] holds NoneType.*leave a missing reference out"),
    (
        "no list of references",
        [None, ["a"]],
        ["x", "y"],
        r"references\[0\] is NoneType \(None\).*write \[\] where an output",
    ),
    ("numbers for lists", [5], ["x"], r"references\[0\] is int \(5\)"),
    ("references by key", {"a": ["x"]}, ["x"], "references is dict; one list of references per output is allowed"),
    ("references without order", [{"x", "y"}], ["x"], r"references\[0\] is set"),
    ("a number", 5, ["x"], "references is int; one list of references per output is allowed"),
    ("outputs by key", [["a"]], {"x": 1}, "outputs is dict; a list of strings is allowed"),
    ("one output", [["a"]], "x", r"outputs is one string; a list of strings is allowed; wrap it: \[outputs\]"),
    ("a missing output", [["a"]], [None], r"outputs\[0\] is NoneType"),
]


@pytest.mark.parametrize(
    ("references", "outputs", "message"), [case[1:] for case in SHAPES], ids=[case[0] for case in SHAPES]
)
def test_wrong_shapes_are_named(metric: metrics.Metric, references: Any, outputs: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(metric.name)}: .*{message}"):
        metric.score(outputs, references)


def test_a_missing_argument_is_named(needy: metrics.Metric) -> None:
    with pytest.raises(ShapeError, match="no references were given; it needs one list of references per output"):
        needy.score(["a"])


def test_what_can_be_read_only_once_is_refused() -> None:
    with pytest.raises(ShapeError, match="outputs is generator; a list of strings is allowed"):
        metrics.get("length").score(text for text in ["a"])  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="references is generator; one list of references per output is allowed"):
        metrics.get("bleu").score(["a"], (row for row in [["a"]]))  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"references\[0\] is generator .*a list of strings is allowed"):
        metrics.get("bleu").score(["a"], [(text for text in ["a"])])  # type: ignore[list-item]
