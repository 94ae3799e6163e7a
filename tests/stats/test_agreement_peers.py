"""Agreement beside other libraries on random judgments; the faults for which they are not followed are in test_peer_faults.py."""

from __future__ import annotations

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
