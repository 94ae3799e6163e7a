"""Agreement beside other libraries on random judgments, and the faults for which they are not followed, with the reason."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from validate import stats

SEEDS = range(25)


def two_raters(seed):
    """Two raters who agree at times, on up to four categories that all occur; more than one for each."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    a = np.concatenate([np.arange(4), rng.integers(0, 4, n)])
    return a, np.where(rng.random(len(a)) < rng.random(), a, rng.permutation(a))


def many_raters(seed):
    """(n_raters, n_units), no cell missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, int(rng.integers(5, 40)))
    shape = (int(rng.integers(2, 7)), len(truth))
    return np.where(rng.random(shape) < rng.random(), truth, rng.integers(0, 4, shape))


@pytest.mark.parametrize("seed", SEEDS)
def test_statsmodels_cohen(library, seed):
    inter_rater = library("statsmodels.stats.inter_rater")
    a, b = two_raters(seed)
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    for weights, theirs in ((None, None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = inter_rater.cohens_kappa(table, wt=theirs)
        found = stats.cohen_kappa(a, b, weights=weights)
        assert found.value == pytest.approx(expected.kappa, abs=1e-12)
        assert found.standard_error == pytest.approx(expected.std_kappa, abs=1e-12)
        assert found.low == pytest.approx(expected.kappa_low, abs=1e-9)
        test = stats.cohen_kappa_test(a, b, weights=weights)
        assert test.standard_error == pytest.approx(expected.std_kappa0, abs=1e-12)
        assert (test.statistic, test.p) == (
            pytest.approx(expected.z_value, abs=1e-9),
            pytest.approx(expected.pvalue_two_sided, abs=1e-9),
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_scikit_learn_cohen(library, seed):
    peer = library("sklearn.metrics").cohen_kappa_score
    a, b = two_raters(seed)
    for weights in (None, "linear", "quadratic"):
        found = stats.cohen_kappa(a, b, weights=weights, interval=None)
        assert found.value == pytest.approx(peer(a, b, weights=weights), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_statsmodels_fleiss_and_randolph(library, seed):
    inter_rater = library("statsmodels.stats.inter_rater")
    values = many_raters(seed)
    counts, categories = inter_rater.aggregate_raters(values.T)
    ours = stats.rating_counts(values)
    assert ours.columns.tolist() == categories.tolist()
    assert (ours.to_numpy() == counts).all()
    for method in ("fleiss", "randolph"):
        found = stats.fleiss_kappa(ours, method=method, interval=None)
        assert found.value == pytest.approx(inter_rater.fleiss_kappa(counts, method=method), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_nltk_pi_kappa_alpha(library, seed):
    task = library("nltk.metrics.agreement").AnnotationTask
    a, b = two_raters(seed)
    judged = task(
        [("a", unit, label) for unit, label in enumerate(a)] + [("b", unit, label) for unit, label in enumerate(b)]
    )
    assert stats.scott_pi(a, b, interval=None).value == pytest.approx(judged.pi(), abs=1e-12)
    assert stats.cohen_kappa(a, b, interval=None).value == pytest.approx(judged.kappa(), abs=1e-12)
    assert stats.krippendorff_alpha([a, b], interval=None).value == pytest.approx(judged.alpha(), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pi_alpha_and_fleiss_meet(seed):
    # Krippendorff's alpha is Fleiss' kappa but for the correction of small samples: (1 - α) N = (1 - κ) (N - 1)
    values = many_raters(seed)
    alpha = stats.krippendorff_alpha(values, interval=None).value
    kappa = stats.fleiss_kappa(stats.rating_counts(values), interval=None).value
    assert (1 - alpha) * values.size == pytest.approx((1 - kappa) * (values.size - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_consistency_of_the_mean_is_cronbachs_alpha(seed):
    # k / (k - 1) (1 - Σ variance of a rater / variance of the sum)
    values = many_raters(seed).astype(float) + np.random.default_rng(seed).normal(size=many_raters(seed).shape)
    k = len(values)
    expected = k / (k - 1) * (1 - values.var(axis=1, ddof=1).sum() / values.sum(axis=0).var(ddof=1))
    assert stats.icc(values, form="ICC(3,k)", interval=None).value == pytest.approx(expected)


class TestKnownFaults:
    """Where a peer is wrong: what it says, what is right, and who reported it. A fault that is mended fails here, so that the
    peer can be followed again."""

    def test_statsmodels_fleiss_of_one_category(self, library):
        """NaN out of 0 / 0 with a warning (statsmodels #4387); undefined has a reason here."""
        inter_rater = library("statsmodels.stats.inter_rater")
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            assert np.isnan(inter_rater.fleiss_kappa([[7, 0], [7, 0]]))
        assert stats.fleiss_kappa([[7, 0], [7, 0]]).reason

    def test_statsmodels_fleiss_of_unequal_raters(self, library):
        """A bare assertion (statsmodels #7781); the per-unit formula stands here."""
        inter_rater = library("statsmodels.stats.inter_rater")
        with pytest.raises(AssertionError):
            inter_rater.fleiss_kappa(np.array([[3, 0], [2, 0], [1, 2]]))
        assert stats.fleiss_kappa([[3, 0], [2, 0], [1, 2]], interval=None).value == pytest.approx(10 / 28)

    def test_statsmodels_counts_missing_as_a_category(self, library):
        """aggregate_raters has a column for NaN, so that not judging is agreement."""
        inter_rater = library("statsmodels.stats.inter_rater")
        values = np.array([[1.0, 1.0, np.nan], [1.0, 2.0, np.nan]])
        counts, categories = inter_rater.aggregate_raters(values.T)
        assert counts.shape[1] == 3
        assert np.isnan(categories).any()
        assert stats.rating_counts(values).to_numpy().tolist() == [[2, 0], [1, 1], [0, 0]]

    def test_scikit_learn_weights_by_index(self, library):
        """From 2 to 10 is one step like from 1 to 2 (scikit-learn PR #6444): 4/7 where values give 0.263."""
        peer = library("sklearn.metrics").cohen_kappa_score
        a, b = [1, 2, 10, 10, 1], [1, 10, 10, 2, 2]
        assert peer(a, b, weights="quadratic") == pytest.approx(4 / 7)
        assert peer(a, b, weights="quadratic", labels=list(range(1, 11))) == pytest.approx(0.262857, abs=1e-6)
        assert stats.cohen_kappa(a, b, weights="quadratic", interval=None).value == pytest.approx(0.262857, abs=1e-6)

    def test_nltk_counts_none_as_a_label(self, library):
        """Missing judgments are a category (nltk #2865): 0.333 where all who judged agree."""
        task = library("nltk.metrics.agreement").AnnotationTask
        values = [[1, 1, 2], [1, 1, None], [None, 1, 2]]
        judged = task([(rater, unit, label) for rater, row in enumerate(values) for unit, label in enumerate(row)])
        assert judged.alpha() == pytest.approx(1 / 3, abs=0.01)
        assert stats.krippendorff_alpha(values, interval=None).value == 1.0

    def test_krippendorff_of_one_category(self, library):
        """An error for one value, NaN on another route; undefined has a reason here."""
        package = library("krippendorff")
        with pytest.raises(ValueError, match="more than one value"):
            package.alpha([[1, 1], [1, 1]])
        assert stats.krippendorff_alpha([[1, 1], [1, 1]]).reason

    def test_pingouin_rounds_intervals(self):
        """pingouin 0.6.1 gives two digits of the interval of an ICC, drops every unit with a missing cell, and renamed its rows
        between 0.5 and 0.6; test_agreement_intraclass.py holds its values as golden ones."""
        values = [[1, 2, 3, 4], [1, 3, 3, np.nan], [2, 2, 4, 5]]
        whole, complete = stats.icc(values, interval=None), stats.icc(np.array(values)[:, :3], interval=None)
        assert (whole.n, complete.n) == (4, 3)
        assert whole.value != pytest.approx(complete.value)

    def test_irrcac_ordinal_alpha_is_another(self, cases):
        """irrCAC's alpha with "ordinal" weights is 0.834 on Krippendorff's example: Gwet's weights, not Krippendorff's distance."""
        values = cases("oracles")["kripp-canonical"]["input"]["raters_x_units"]
        assert stats.krippendorff_alpha(values, "ordinal", interval=None).value == pytest.approx(0.815388, abs=1e-6)
