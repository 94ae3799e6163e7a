"""Clusters of items and annotators as resampled units, against twins that write the drawn copies out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from validate import stats
from validate.errors import OptionError, ShapeError
from validate.human.ratings import z_score_matrix
from validate.schema import FloatArray, Preferences, Ratings, ScoreMatrix
from validate.stats.people import Panelists
from validate.stats.units import _counts

SYSTEMS, ITEMS, PEOPLE = ("s", "t", "u", "v"), tuple("abcdef"), ("Ann", "Bo", "Cy")


def scores(seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(4, 6)).round(1)


def judged(kept: float = 0.8) -> tuple[Ratings, FloatArray]:
    """Ratings of three annotators, most outputs by two or three, and the same as (n_annotators, n_systems, n_items) with NaN."""
    rng = np.random.default_rng(4)
    cube = rng.integers(1, 6, size=(3, 4, 6)).astype(float)
    cube[rng.random(cube.shape) > kept] = np.nan
    annotator, system, item = np.nonzero(~np.isnan(cube))
    return Ratings("fluency", PEOPLE, SYSTEMS, ITEMS, annotator, system, item, cube[annotator, system, item]), cube


def drawn_counts(n: int, seed: int, resamples: int) -> Any:
    """What resample draws first from a seed: (n, resamples) multiplicities, for at most 64 replicates."""
    return _counts(n, np.random.default_rng(seed).spawn(1)[0])[:, :resamples].astype(int)


def test_a_cluster_an_item_is_no_cluster() -> None:
    options: dict[str, Any] = {"unit": "items", "resamples": 70, "interval": "bca"}
    plain, alone = (stats.resample(scores(0), scores(1), clusters=c, **options) for c in (None, "abcdef"))
    assert alone.values.tobytes() == plain.values.tobytes()
    assert (alone.n_clusters, plain.n_clusters) == (6, None)


@pytest.mark.parametrize("layout", [("system", "none"), ("item", "none"), ("item", "item"), ("item", "system")])
def test_items_of_a_cluster_are_drawn_together(layout: tuple[str, str]) -> None:
    metric, human, clusters = scores(0), scores(1), ["x", "y", "x", "z", "z", "x"]
    options: dict[str, Any] = {"level": layout[0], "grouping": layout[1]}
    found = stats.resample(
        metric, human, unit="items", clusters=clusters, interval="bca", resamples=20, rng=3, **options
    )
    members = [[0, 2, 5], [1], [3, 4]]
    for b, counts in enumerate(drawn_counts(3, 3, 20).T):
        items = [item for cluster, times in zip(members, counts, strict=True) for item in times * cluster]
        twin = float(stats.correlation(metric[:, items], human[:, items], **options))
        assert found.values[0, 0, b] == pytest.approx(twin, abs=1e-10, nan_ok=True)
    assert found.support is not None
    left = [float(stats.correlation(np.delete(metric, m, 1), np.delete(human, m, 1), **options)) for m in members]
    assert found.support.without["items"][0, 0].tolist() == pytest.approx(left, abs=1e-10)


def test_clusters_go_by_label() -> None:
    metric = ScoreMatrix("m", scores(0), SYSTEMS, ITEMS)
    human = ScoreMatrix("h", scores(1)[:, ::-1], SYSTEMS, ITEMS[::-1])
    options: dict[str, Any] = {"unit": "both", "resamples": 40}
    by_label = stats.resample(metric, human, clusters=dict(zip(ITEMS, "xyxzzx", strict=True)), **options)
    in_order = stats.resample(metric, human, clusters="xyxzzx"[::-1], **options)  # the order of the human scores
    assert by_label.values.tobytes() == in_order.values.tobytes()
    with pytest.raises(ShapeError, match="no cluster was given for the items 'f'"):
        stats.resample(metric, human, clusters=dict(zip(ITEMS[:5], "xyxzz", strict=True)), **options)
    with pytest.raises(ShapeError, match="5 clusters were given for scores of 6 items"):
        stats.resample(scores(0), scores(1), clusters="xyxzz", **options)
    with pytest.raises(OptionError, match="clusters are of items; use unit='items' or 'both'"):
        stats.resample(metric, human, clusters="xyxzzx", unit="systems")


@pytest.mark.parametrize("layout", [("system", "none"), ("item", "item")])
def test_annotators_are_drawn_and_their_means_taken_anew(layout: tuple[str, str]) -> None:
    metric, (ratings, cube) = scores(0), judged()
    options: dict[str, Any] = {"level": layout[0], "grouping": layout[1]}
    found = stats.resample(metric, ratings, unit="annotators", interval="bca", resamples=20, rng=6, **options)

    def twin(annotators: Any) -> float:
        taken = cube[annotators]
        there = ~np.isnan(taken)
        human = np.full((4, 6), np.nan)
        np.divide(np.where(there, taken, 0).sum(axis=0), there.sum(axis=0), out=human, where=there.any(axis=0))
        return float(stats.correlation(metric, human, **options))

    for b, counts in enumerate(drawn_counts(3, 6, 20).T):
        assert found.values[0, 0, b] == pytest.approx(twin(np.repeat(np.arange(3), counts)), abs=1e-10, nan_ok=True)
    assert found.point[0, 0] == pytest.approx(twin([0, 1, 2]), abs=1e-12)
    assert found.support is not None
    left = [twin([1, 2]), twin([0, 2]), twin([0, 1])]
    assert found.support.without["annotators"][0, 0].tolist() == pytest.approx(left, abs=1e-10)
    row = stats.correlation_rows(found, interval="auto").iloc[0]
    assert (row["unit"], row["interval"]) == ("annotators", "corrected")
    z = np.arctanh(left)
    reach = 4.302652729911275 * np.sqrt(2 * z.var())  # the 0.975 quantile of t with two degrees of freedom
    ends = np.tanh(np.arctanh(found.point[0, 0]) + reach * np.array([-1, 1]))
    assert [row["low"], row["high"]] == pytest.approx(ends.tolist(), abs=1e-9)


def test_annotators_of_comparisons() -> None:
    first, second, outcome, annotator = [0, 1, 0, 2], [1, 2, 1, 1], [1, -1, -1, 0], [0, 0, 1, 1]
    preferences = Preferences("best", ("Ann", "Bo"), ("s", "t", "u"), ("i",), first, second, [0] * 4, annotator, outcome, [False] * 4)  # fmt: skip
    # Ann: s beats t, u beats t. Bo: t beats s, u and t tie. Both: s 1/2, t (0 + 0 + 1 + 1/2) / 4, u (1 + 1/2) / 2
    people = Panelists(preferences)
    assert people.scores(np.ones(2)).values[:, 0].tolist() == [0.5, 0.375, 0.75]
    assert people.scores(np.array([2.0, 0.0])).values[:, 0].tolist() == [1.0, 0.0, 1.0]
    metric = ScoreMatrix("m", np.array([[2.0], [1.0], [3.0]]), ("s", "t", "u"), ("i",))
    found = stats.resample(metric, preferences, coefficients=("pearson",), unit="annotators", resamples=64)
    assert found.point[0, 0] == float(stats.pearson([2, 1, 3], [0.5, 0.375, 0.75]))
    ann, bo = float(stats.pearson([2, 1, 3], [1, 0, 1])), float(stats.pearson([2, 1, 3], [0, 0.75, 0.5]))
    assert {round(float(v), 9) for v in found.values[0, 0]} == {round(v, 9) for v in (ann, bo, found.point[0, 0])}


def test_ratings_stand_for_their_means() -> None:
    ratings, _ = judged(1.0)
    means = Panelists(ratings).scores(np.ones(3)).values
    options: dict[str, Any] = {"unit": "both", "resamples": 30}
    assert stats.resample(scores(0), ratings, **options).values.tobytes() == stats.resample(scores(0), means, **options).values.tobytes()  # fmt: skip
    one = stats.resample(scores(0), ratings, unit="annotators", resamples=70, workers=1)
    assert one.values.tobytes() == stats.resample(scores(0), ratings, unit="annotators", resamples=70, workers=2).values.tobytes()  # fmt: skip


def test_annotators_need_judgments() -> None:
    with pytest.raises(OptionError, match="scores do not say who gave them; pass Ratings or Preferences"):
        stats.resample(scores(0), scores(1), unit="annotators")


def test_z_scored_annotators_are_drawn_like_others() -> None:
    """An annotator's z-scores come from that annotator's ratings alone: drawing people and standardising may change places."""
    rng = np.random.default_rng(6)
    annotator, system, item = (axis.ravel() for axis in np.indices((4, 3, 5)))
    score = rng.integers(1, 6, size=len(item)) + 2.0 * annotator
    score[annotator == 3] = 9.0  # one score throughout: no z-score
    names = [tuple(f"{kind}{n}" for n in range(size)) for kind, size in zip("asi", (4, 3, 5), strict=True)]
    raw = Ratings("c", *names, annotator, system, item, score)
    each = [score[annotator == a] for a in range(4)]
    z = np.concatenate([(own - own.mean()) / own.std() if np.ptp(own) else np.full(len(own), np.nan) for own in each])
    people = Panelists(Ratings("c", *names, annotator, system, item, z))
    assert people.scores(np.ones(people.n)).values == pytest.approx(z_score_matrix(raw).values, abs=1e-12)
    for counts in ([2, 0, 1], [0, 3, 0], [1, 1, 1]):
        drawn = np.repeat([0, 1, 2], counts)  # each copy is a person of its own
        places = [np.flatnonzero(annotator == a) for a in drawn]
        at = np.concatenate(places)
        copies = np.repeat(np.arange(3), [len(place) for place in places])
        panel_of_copies = Ratings("c", ("x", "y", "z"), *names[1:], copies, system[at], item[at], score[at])
        expected = z_score_matrix(panel_of_copies).values
        assert people.scores(np.array(counts, dtype=float)).values == pytest.approx(expected, abs=1e-12)
