"""The table of all coefficients: what stands in it for which judgments, and that its numbers are those of the functions."""

from __future__ import annotations

import numpy as np
import pytest

from validate import stats
from validate.schema import Preferences, Ratings


def ratings(values, scale=(1, 5)):
    """Ratings out of an (n_raters, n_units) array."""
    values = np.asarray(values, dtype=float)
    annotator, item = np.nonzero(~np.isnan(values))
    names = tuple(f"a{j}" for j in range(len(values)))
    items = tuple(f"i{j}" for j in range(values.shape[1]))
    return Ratings("c", names, ("s",), items, annotator, np.zeros(len(item), int), item, values[annotator, item], scale)


def judged(n_raters=4, n_units=30, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(rng.integers(1, 6, n_units) + rng.integers(-1, 2, (n_raters, n_units)), 1, 5).astype(float)


def rows(frame):
    return {(row.statistic, row.measurement): row for row in frame.itertuples(index=False)}


def test_the_numbers_are_those_of_the_functions():
    values = judged()
    found = rows(stats.agreement_table(ratings(values), resamples=30))
    scale = [1, 2, 3, 4, 5]
    for key, expected in {
        ("percent", "nominal"): stats.percent_agreement(values, interval=None),
        ("krippendorff_alpha", "ratio"): stats.krippendorff_alpha(values, "ratio", interval=None),
        ("gwet_ac1", "nominal"): stats.gwet_ac(values, categories=scale, interval=None),
        ("gwet_ac2", "interval"): stats.gwet_ac(values, "quadratic", categories=scale, interval=None),
        ("fleiss_kappa", "nominal"): stats.fleiss_kappa(stats.rating_counts(values), interval=None),
        ("kendall_w", "ordinal"): stats.kendall_w(values, interval=None),
        ("icc(2,1)", "interval"): stats.icc(values, form="ICC(2,1)"),
        ("icc(3,1)", "interval"): stats.icc(values, form="ICC(3,1)"),
        ("icc(2,k)", "interval"): stats.icc(values, form="ICC(2,k)"),
    }.items():
        assert found[key].estimate == pytest.approx(expected.value, abs=1e-12), key
        assert (found[key].n_units, found[key].n_dropped) == (expected.n, expected.n_dropped)
        assert found[key].low < found[key].estimate < found[key].high
        assert found[key].n_annotators == 4


def test_the_same_seed_gives_the_same_table():
    one, again = (stats.agreement_table(ratings(judged()), resamples=30, rng=3) for _ in range(2))
    assert one.equals(again)
    assert not one.equals(stats.agreement_table(ratings(judged()), resamples=30, rng=4))


def test_two_annotators_have_cohens_kappa():
    values = judged(n_raters=2)
    found = rows(stats.agreement_table(ratings(values), resamples=30))
    assert found["cohen_kappa", "nominal"].estimate == stats.cohen_kappa(*values).value
    assert found["cohen_kappa", "interval"].low == stats.cohen_kappa(*values, weights="quadratic").low
    assert ("cohen_kappa", "nominal") not in rows(stats.agreement_table(ratings(judged()), resamples=30))


@pytest.mark.parametrize("scale", [None, (0, 100), (1.5, 5.5)])
def test_ac2_needs_a_declared_scale_of_few_steps(scale):
    assert ("gwet_ac2", "interval") not in rows(stats.agreement_table(ratings(judged(), scale), resamples=30))


def test_w_falls_back_to_pairs_and_says_so():
    values = judged(n_raters=3)
    for rater in range(3):
        values[rater, rater::3] = np.nan
    row = rows(stats.agreement_table(ratings(values), resamples=30))["kendall_w", "ordinal"]
    assert row.estimate == stats.kendall_w(values, missing="pairwise").value
    assert row.reason.startswith("by pairs of annotators")
    assert np.isnan(row.low)


def test_what_is_not_allowed_keeps_its_row():
    found = rows(stats.agreement_table(ratings(judged() - 3, None), resamples=30))
    ratio = found["krippendorff_alpha", "ratio"]
    assert np.isnan(ratio.estimate)
    assert "0 and above is allowed" in ratio.reason


def test_nobody_to_agree_with():
    frame = stats.agreement_table(ratings(judged(n_raters=1)))
    assert frame["estimate"].isna().all()
    assert (frame["reason"] != "").all()


def test_many_annotators_have_one_way_forms():
    values = np.full((1_001, 1_001), np.nan)
    for unit in range(1_001):
        values[[unit, (unit + 1) % 1_001], unit] = 1 + unit % 5, 1 + unit % 4
    frame = stats.agreement_table(ratings(values), resamples=5)
    assert {"icc(1,1)", "icc(1,k)"} < set(frame["statistic"])
    assert "icc(2,1)" not in set(frame["statistic"])


def test_pairs_have_no_distances():
    rng = np.random.default_rng(0)
    n = 60
    seen = Preferences(
        "quality", ("Ann", "Bo", "Cy"), ("A", "B"), tuple(f"i{j}" for j in range(20)), [0] * n, [1] * n,
        np.repeat(np.arange(20), 3), np.tile([0, 1, 2], 20), rng.integers(-1, 2, n), [False] * n,
    )  # fmt: skip
    found = rows(stats.agreement_table(seen, resamples=30))
    assert set(found) == {
        ("percent", "nominal"), ("krippendorff_alpha", "nominal"), ("krippendorff_alpha", "ordinal"),
        ("gwet_ac1", "nominal"), ("fleiss_kappa", "nominal"), ("wmt_kappa", "nominal"),
    }  # fmt: skip
    assert found["wmt_kappa", "nominal"].estimate == stats.wmt_kappa(seen, interval=None).value
