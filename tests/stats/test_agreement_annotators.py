"""Each annotator against the rest: worked values, a written-out twin, a careless annotator."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validate import stats
from validate.schema import Preferences, Ratings


def ratings(rows, n_annotators=3, n_items=4):
    """Ratings of one system out of (annotator, item, score)."""
    annotator, item, score = zip(*rows, strict=True) if rows else ((), (), ())
    names, items = tuple("ABCDE"[:n_annotators]), tuple("ijklm"[:n_items])
    return Ratings("fluency", names, ("s",), items, annotator, [0] * len(rows), item, score)


def test_worked_values():
    # A: 1 2 4 on i j k; B: 2 2 on i j; C: 5 on l alone
    frame = stats.annotator_table(ratings([(0, 0, 1), (0, 1, 2), (0, 2, 4), (1, 0, 2), (1, 1, 2), (2, 3, 5)]))
    frame = frame.set_index("annotator")
    assert frame["n"].tolist() == [3, 2, 1]
    assert frame.loc["A", "mean"] == pytest.approx(7 / 3)
    assert frame.loc["A", "sd"] == pytest.approx(np.sqrt((16 / 9 + 1 / 9 + 25 / 9) / 2))
    assert frame["n_shared"].tolist() == [2, 2, 0]
    assert frame["bias"].tolist()[:2] == [-0.5, 0.5]
    assert frame["agreement"].tolist()[:2] == [0.5, 0.5]
    assert frame.loc["C", ["bias", "agreement", "loo_correlation", "sd"]].isna().all()
    assert frame["loo_correlation"].isna().all()  # two shared units are too few


def plain_row(values, rater):
    """From the (n_raters, n_units) array, one unit after the other."""
    mine, theirs, equal = [], [], []
    for column in values.T:
        rest = np.delete(column, rater)
        rest = rest[~np.isnan(rest)]
        if not np.isnan(column[rater]) and len(rest):
            mine.append(column[rater])
            theirs.append(rest.mean())
            equal.append((rest == column[rater]).mean())
    correlation = np.nan
    if len(mine) > 2 and len(set(mine)) > 1 and np.ptp(theirs) > 1e-9:
        correlation = np.corrcoef(mine, theirs)[0, 1]
    means = [np.subtract(mine, theirs).mean(), np.mean(equal)] if mine else [np.nan] * 2
    return [np.sum(~np.isnan(values[rater])), len(mine), *means, correlation]


@given(st.data())
def test_it_is_the_plain_computation(data):
    n_raters, n_units = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    cell = st.one_of(st.none(), st.integers(1, 3))
    rows = [(r, u, data.draw(cell)) for r in range(n_raters) for u in range(n_units)]
    judged = Ratings(
        "c", tuple(map(str, range(n_raters))), ("s",), tuple(map(str, range(n_units))),
        *zip(*[(r, 0, u, float(s)) for r, u, s in rows if s is not None] or [(0, 0, 0, 1.0)], strict=True),
    )  # fmt: skip
    values = np.full((n_raters, n_units), np.nan)
    values[judged.annotator, judged.item] = judged.score
    frame = stats.annotator_table(judged)
    found = frame[["n", "n_shared", "bias", "agreement", "loo_correlation"]].to_numpy(dtype=float)
    expected = np.array([plain_row(values, rater) for rater in range(n_raters)], dtype=float)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_careless_annotator_stands_out():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=80)
    judged = np.clip(np.round(quality + rng.normal(scale=0.5, size=(5, 80)) + 3), 1, 5)
    judged[3] = rng.integers(1, 6, 80)
    rows = np.argwhere(np.ones_like(judged))
    frame = stats.annotator_table(
        Ratings(
            "c",
            tuple("ABCDE"),
            ("s",),
            tuple(map(str, range(80))),
            rows[:, 0],
            rows[:, 0] * 0,
            rows[:, 1],
            judged.ravel(),
        )
    )
    assert frame["loo_correlation"].idxmin() == frame["agreement"].idxmin() == 3
    assert frame["loo_correlation"].drop(3).min() > 0.6
    assert abs(frame.loc[3, "loo_correlation"]) < 0.25


def test_preferences_are_read_as_labels_of_pairs():
    judged = Preferences(
        "q", ("A", "B"), ("x", "y", "z"), ("i",), first=[0, 1, 0, 0], second=[1, 0, 2, 2], item=[0] * 4,
        annotator=[0, 1, 0, 1], outcome=[1, -1, 0, 1], both_bad=[False] * 4,
    )  # fmt: skip
    frame = stats.annotator_table(judged)
    # both prefer x to y; of x and z, A says tie and B prefers x
    assert frame["n"].tolist() == [2, 2]
    assert frame["mean"].tolist() == [0.5, 1.0]
    assert frame["agreement"].tolist() == [0.5, 0.5]


def test_the_seventh_decimal_of_constant_scores_is_no_variation():
    rows = [(a, i, 0.1 + 0.2) for a in range(3) for i in range(4)]
    assert stats.annotator_table(ratings(rows))["loo_correlation"].isna().all()


def test_annotators_without_judgments_keep_their_row():
    frame = stats.annotator_table(ratings([(0, 0, 1)]))
    assert frame["n"].tolist() == [1, 0, 0]
    assert isinstance(frame, pd.DataFrame)
    assert stats.annotator_table(ratings([]))["n"].tolist() == [0, 0, 0]
