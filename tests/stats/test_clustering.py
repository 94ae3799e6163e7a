"""Significance clusters: by hand, as published, in families, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from validate import stats
from validate.errors import AccordError, OptionError, ShapeError


def frame(p: dict[tuple[str, str], float], scores: dict[str, float], **labels: str) -> pd.DataFrame:
    rows = [{**labels, "metric_a": a, "metric_b": b, "difference": scores[a] - scores[b], "p": value} for (a, b), value in p.items()]  # fmt: skip
    return pd.DataFrame(rows)


SCORES = {"d": 0.1, "a": 0.6, "c": 0.3, "b": 0.5}
P = {("d", "a"): 0.001, ("d", "c"): 0.5, ("d", "b"): 0.03, ("a", "c"): 0.04, ("a", "b"): 0.6, ("c", "b"): 0.2}


def ranks(found: pd.DataFrame) -> dict[str, int]:
    return dict(zip(found["metric"], found["rank"], strict=True))


def test_by_hand() -> None:
    """Order a b c d. Holm: only a-d (0.001 * 6) stays below 0.05, so d begins a cluster and no other does.

    Uncorrected and one-sided: a-c (0.02) begins a cluster at c; d is then held against c only (0.25) and shares its rank, though worse than a.
    """
    given = frame(P, SCORES)
    assert ranks(stats.clusters(given)) == {"a": 1, "b": 1, "c": 1, "d": 2}
    assert ranks(stats.clusters(given, correct="wmt")) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert ranks(stats.clusters(given, correct="wmt", alpha=0.26)) == {"a": 1, "b": 1, "c": 2, "d": 3}
    assert list(stats.clusters(given)["metric"]) == ["a", "b", "c", "d"]


def test_matrix_says_the_same() -> None:
    names = list(SCORES)
    p = np.ones((4, 4))
    for (a, b), value in P.items():
        i, j = names.index(a), names.index(b)
        p[i, j] = p[j, i] = value
    for correct in ("holm", "bonferroni", "hommel", "bh", "by", "wmt"):
        found = stats.cluster_ranks(p, list(SCORES.values()), correct=correct)
        assert dict(zip(names, found.tolist(), strict=True)) == ranks(stats.clusters(frame(P, SCORES), correct=correct))


def test_each_family_is_ranked_by_itself() -> None:
    both = pd.concat(
        [frame(P, SCORES, criterion="fluency"), frame(dict.fromkeys(P, 0.0001), SCORES, criterion="truth")]
    )
    found = stats.clusters(both)
    assert list(found.columns) == ["criterion", "metric", "rank"]
    assert list(found["rank"]) == [1, 1, 1, 2, 1, 2, 3, 4]


def test_an_undefined_metric_has_no_rank_and_is_no_test() -> None:
    flat = {**P, ("a", "flat"): np.nan, ("b", "flat"): np.nan, ("c", "flat"): np.nan, ("d", "flat"): np.nan}
    found = stats.clusters(frame(flat, {**SCORES, "flat": np.nan}))
    assert found["rank"].isna().tolist() == [False, False, False, False, True]
    assert found["metric"].iloc[-1] == "flat"
    assert found["rank"].iloc[:4].tolist() == [1, 1, 1, 2]  # as without it


def test_out_of_compare() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(10, 60))
    metrics = {f"m{noise}": human + noise * rng.normal(size=human.shape) for noise in (5, 0.5, 0.51)}
    found = stats.clusters(stats.compare(metrics, human, resamples=199))
    assert ranks(found) == {"m0.5": 1, "m0.51": 1, "m5": 2}
    assert list(found.columns) == ["level", "grouping", "coefficient", "metric", "rank"]
    nothing = stats.clusters(stats.compare({"alone": human}, human, resamples=9))
    assert len(nothing) == 0


def test_input_is_checked() -> None:
    given = frame(P, SCORES)
    with pytest.raises(OptionError, match=r"there is no correction 'none'; allowed: holm, .*wmt"):
        stats.clusters(given, correct="none")
    with pytest.raises(OptionError, match="alpha=5"):
        stats.clusters(given, alpha=5)
    with pytest.raises(ShapeError, match="5 rows for 4 metrics were given; every pair once, 6 rows"):
        stats.clusters(given.iloc[1:])
    with pytest.raises(ShapeError, match="without difference"):
        stats.clusters(given.drop(columns="difference"))
    with pytest.raises(ShapeError, match=r"p of shape \(2, 2\) and scores of shape \(3,\)"):
        stats.cluster_ranks(np.ones((2, 2)), [1, 2, 3])
    with pytest.raises(AccordError, match="not symmetric"):
        stats.cluster_ranks([[1, 0.2], [0.3, 1]], [1, 2])
