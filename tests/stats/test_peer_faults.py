"""Where other tools are wrong, in one place: what they say, what is right, and why; each fault is reproduced.

A tool that is installed is asked live, so that a fault that is mended fails here and the tool can be followed again. What others say (nlpstats 0.0.1,
evalica 0.4.2, choix 0.4.1, pingouin 0.7.0, run on 2026-11-30 with numpy 2.4.6 and scipy 1.17.1) stands as a golden value beside the call that gave it. MTME
(mt-metrics-eval) is in no package registry: its faults are listed with their reports, and what is right is tested.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats

from validate import stats
from validate.errors import AccordError

NAN = float("nan")

# Agreement


def test_statsmodels_fleiss_of_one_category(library):
    """NaN out of 0 / 0 with a warning (statsmodels #4387); undefined has a reason here."""
    inter_rater = library("statsmodels.stats.inter_rater")
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert np.isnan(inter_rater.fleiss_kappa([[7, 0], [7, 0]]))
    assert stats.fleiss_kappa([[7, 0], [7, 0]]).reason


def test_statsmodels_fleiss_of_unequal_raters(library):
    """A bare assertion (statsmodels #7781); the per-unit formula stands here."""
    inter_rater = library("statsmodels.stats.inter_rater")
    with pytest.raises(AssertionError):
        inter_rater.fleiss_kappa(np.array([[3, 0], [2, 0], [1, 2]]))
    assert stats.fleiss_kappa([[3, 0], [2, 0], [1, 2]], interval=None).value == pytest.approx(10 / 28)


def test_statsmodels_counts_missing_as_a_category(library):
    """aggregate_raters has a column for NaN, so that not judging is agreement."""
    inter_rater = library("statsmodels.stats.inter_rater")
    values = np.array([[1.0, 1.0, np.nan], [1.0, 2.0, np.nan]])
    counts, categories = inter_rater.aggregate_raters(values.T)
    assert counts.shape[1] == 3
    assert np.isnan(categories).any()
    assert stats.rating_counts(values).to_numpy().tolist() == [[2, 0], [1, 1], [0, 0]]


def test_scikit_learn_weights_by_index(library):
    """From 2 to 10 is one step like from 1 to 2 (scikit-learn PR #6444): 4/7 where values give 0.263."""
    peer = library("sklearn.metrics").cohen_kappa_score
    a, b = [1, 2, 10, 10, 1], [1, 10, 10, 2, 2]
    assert peer(a, b, weights="quadratic") == pytest.approx(4 / 7)
    assert peer(a, b, weights="quadratic", labels=list(range(1, 11))) == pytest.approx(0.262857, abs=1e-6)
    assert stats.cohen_kappa(a, b, weights="quadratic", interval=None).value == pytest.approx(0.262857, abs=1e-6)


def test_nltk_counts_none_as_a_label(library):
    """Missing judgments are a category (nltk #2865): 0.333 where all who judged agree."""
    task = library("nltk.metrics.agreement").AnnotationTask
    values = [[1, 1, 2], [1, 1, None], [None, 1, 2]]
    judged = task([(rater, unit, label) for rater, row in enumerate(values) for unit, label in enumerate(row)])
    assert judged.alpha() == pytest.approx(1 / 3, abs=0.01)
    assert stats.krippendorff_alpha(values, interval=None).value == 1.0


def test_krippendorff_of_one_category(library):
    """An error for one value, NaN on another route; undefined has a reason here."""
    package = library("krippendorff")
    with pytest.raises(ValueError, match="more than one value"):
        package.alpha([[1, 1], [1, 1]])
    assert stats.krippendorff_alpha([[1, 1], [1, 1]]).reason


def test_pingouin_rounds_intervals():
    """pingouin 0.6.1 gives two digits of the interval of an ICC, drops every unit with a missing cell, and renamed its rows
    between 0.5 and 0.6; test_agreement_intraclass.py holds its values as golden ones."""
    values = [[1, 2, 3, 4], [1, 3, 3, np.nan], [2, 2, 4, 5]]
    whole, complete = stats.icc(values, interval=None), stats.icc(np.array(values)[:, :3], interval=None)
    assert (whole.n, complete.n) == (4, 3)
    assert whole.value != pytest.approx(complete.value)


def test_irrcac_ordinal_alpha_is_another(cases):
    """irrCAC's alpha with "ordinal" weights is 0.834 on Krippendorff's example: Gwet's weights, not Krippendorff's distance."""
    values = cases("oracles")["kripp-canonical"]["input"]["raters_x_units"]
    assert stats.krippendorff_alpha(values, "ordinal", interval=None).value == pytest.approx(0.815388, abs=1e-6)


# Correlations and their resampling

X, Y = np.array([1.0, 2, 3, 4, 5, 6]), np.array([2.0, 1, 4, 3, 6, 5])


def _scipy_interval(statistic, x, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scipy.stats.bootstrap(
            (x, y), statistic, n_resamples=200, vectorized=False, method="percentile", rng=1, **options
        )
    return np.array(found.confidence_interval)


def test_scipy_bootstraps_pairs_unpaired_by_default():
    """A correlation of x and y drawn apart says nothing: its interval is around 0 (r = 0.83); pairs stay together here."""
    low, _ = _scipy_interval(lambda x, y: scipy.stats.pearsonr(x, y).statistic, X, Y)
    assert low < -0.5
    assert scipy.stats.pearsonr(X, Y).statistic == pytest.approx(29 / 35)
    frame = stats.bootstrap(
        X[:, None], Y[:, None], coefficients=["pearson"], level="system", unit="systems", interval="percentile", rng=1
    )
    assert frame["low"].item() > 0


def test_scipy_bootstraps_p_along_with_r():
    """The result of pearsonr unpacks to r and p; scipy gives an interval of each, and p has none: two numbers an end."""
    ends = _scipy_interval(lambda x, y: np.array([*scipy.stats.pearsonr(x, y)]), X, Y, paired=True)
    assert ends.shape == (2, 2)
    frame = stats.bootstrap(X[:, None], Y[:, None], level="system", unit="systems", rng=1)
    assert frame[["low", "high"]].shape == (1, 2)


def test_scipy_interval_is_nan_for_one_constant_resample():
    """One resample in which a side is constant makes both ends NaN; such replicates are left out and counted here."""
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 2])
    assert np.isnan(_scipy_interval(lambda x, y: scipy.stats.spearmanr(x, y).statistic, x, y, paired=True)).all()
    frame = stats.bootstrap(x[:, None], y[:, None], level="system", unit="systems", interval="percentile", rng=1)
    assert not frame[["low", "high"]].isna().any(axis=None)
    assert "replicates undefined" in frame["reason"].item()


def test_nlpstats_refuses_sparse_human_scores():
    """nlpstats: bootstrap(metric, human, "input", "pearson", "both") raises "`X` and `Z` must have identical NaN locations", and at
    "system" "`Z` must not have a row of all NaN" in the first replicate that draws such a row; people rarely judge everything."""
    metric = np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]])
    human = np.array([[1, NAN, 3], [NAN, 3, 4], [3, 4, NAN], [4, NAN, 6]])
    for level in ("item", "system"):
        frame = stats.bootstrap(metric, human, coefficients=["pearson"], level=level, rng=1)
        assert not np.isnan(frame["estimate"].item())


def test_mtme_takes_what_is_missing_for_zero():
    """MTME #3, #4: missing scores become 0, NaN or constant scores correlation 0; here they are missing, or NaN with a reason."""
    human = np.array([[1.0, 2], [2, NAN], [3, 4], [4, 6]])
    metric = np.array([[1.0, 2], [2, 3], [3, 4], [4, 6]])
    assert stats.correlation(metric, human, coefficient="pearson", level="item").value == pytest.approx(1.0)
    as_zero = stats.correlation(metric, np.nan_to_num(human), coefficient="pearson", level="item").value
    assert as_zero < 0.99  # what the fault would cost
    constant = stats.correlation(np.ones((4, 2)), human, level="system")
    assert np.isnan(constant.value)
    assert "constant" in constant.reason


def test_mtme_soft_accuracy_depends_on_the_order_of_systems():
    """With >= on discrete scores p(a, b) and p(b, a) do not sum to 1: 0.833 to 0.858 by the order of the systems; equal ones count half here."""
    rng = np.random.default_rng(5)
    human, metric = rng.integers(0, 3, size=(2, 5, 12)).astype(float)
    one = stats.soft_pairwise_accuracy(metric, human, rng=3).value
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        assert stats.soft_pairwise_accuracy(metric[order], human[order], rng=3).value == pytest.approx(one, abs=1e-12)


# Tests of differences


def test_nlpstats_p_can_be_zero():
    """permutation_test(X, Y, Z, "system", "pearson", "both", n_resamples=50) of a copy of people with a hundredth of noise beside noise:
    p = 0.0 in 4 of 6 draws; a share of 0 of 50 permutations is no proof of impossibility (Phipson and Smyth 2010)."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(8, 6))
    metrics = [human + 0.01 * rng.normal(size=human.shape), rng.normal(size=human.shape)]
    found = stats.permute(metrics, human, coefficients=["pearson"], level="system", resamples=50)
    assert found.p.item() >= 1 / 51


def test_nlpstats_williams_drops_the_sign():
    """williams_test takes |r| of all three correlations: p = 0.527 for metrics with r = 0.918 and -0.943, which could hardly differ more."""
    human = np.array([1.0, 2, 3, 4, 5, 6, 7, 9])
    noise = np.array([1.0, -1] * 4)
    good, bad = human + noise, -(human - noise)
    r12, r13, r23 = (float(np.corrcoef(*two)[0, 1]) for two in ((good, human), (bad, human), (good, bad)))
    assert (r12, r13) == (pytest.approx(0.918, abs=1e-3), pytest.approx(-0.943, abs=1e-3))
    assert stats.williams(abs(r12), abs(r13), abs(r23), 8).p == pytest.approx(0.5273714223389045, abs=1e-9)
    assert stats.williams(r12, r13, r23, 8).p < 0.001


def test_statsmodels_one_undefined_p_makes_all_undefined(library):
    """multipletests with one NaN: every value of Benjamini and Hochberg NaN; Holm counts it as a test. NaN stays NaN here and is no test."""
    adjusted = library("statsmodels.stats.multitest").multipletests
    p = [0.01, NAN, 0.02]
    assert np.isnan(adjusted(p, method="fdr_bh")[1]).all()
    assert adjusted(p, method="holm")[1].tolist() == pytest.approx([0.03, NAN, 0.04], nan_ok=True)
    assert stats.adjust_p(p, method="bh").tolist() == pytest.approx([0.02, NAN, 0.02], nan_ok=True)
    assert stats.adjust_p(p, method="holm").tolist() == pytest.approx([0.02, NAN, 0.02], nan_ok=True)


# Rankings

UNBEATEN = ([0, 0, 0, 1, 1], [1, 2, 1, 2, 2], [1, 1, 1, 1, -1], 3)  # the first wins all, the others one each


def test_evalica_of_an_unbeaten_system():
    """evalica.bradley_terry: every score 1e-06, after two iterations and without a word; an unbeaten system has no finite maximum, and the
    reason says which, what was added, and the interval is open."""
    found = stats.bradley_terry(*UNBEATEN)
    assert found.strengths[0] > found.strengths[1] == pytest.approx(found.strengths[2])
    assert "unbeaten or winless" in found.reason
    assert found.high[0] == np.inf


def test_choix_of_an_unbeaten_system():
    """choix.ilsr_pairwise raises "stationary distribution could not be computed"; choix.opt_pairwise gives 7.82, -3.91, -3.91, where it stopped on
    the way to infinity."""
    assert stats.bradley_terry(*UNBEATEN).strengths[0] < 3


def test_an_unknown_outcome_is_no_tie():
    """arena-rank reads an unknown winner label as a tie; here it is an error."""
    with pytest.raises(AccordError):
        stats.bradley_terry([0, 1], [1, 2], [1, 7], 3)
