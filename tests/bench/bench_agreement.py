"""How long coefficients of agreement take, beside other libraries in the same run, where these are installed.

    python tests/bench/bench_agreement.py [n_raters]

Peers: pingouin (ICC), evalica and krippendorff (alpha), statsmodels (Fleiss, Cohen). Sizes 100, 1,000 and 10,000 units show the
growth. All times are of one thread, the best of three.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from validate import stats
from validate.schema import FloatArray

SIZES = (100, 1_000, 10_000)
RESAMPLES = 1_000


def judged(n_raters: int, n_units: int) -> FloatArray:
    """(n_raters, n_units) judgments from 1 to 5."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, n_units)
    return np.where(rng.random((n_raters, n_units)) < 0.6, truth, rng.integers(1, 6, (n_raters, n_units))).astype(float)


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The best of some runs."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def module(name: str) -> Any:
    """A peer, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _pingouin(values: FloatArray) -> Callable[[], Any] | None:
    pingouin, pandas = module("pingouin"), module("pandas")
    if pingouin is None:
        return None
    rater, unit = np.indices(values.shape)
    long = pandas.DataFrame({"unit": unit.ravel(), "rater": rater.ravel(), "score": values.ravel()})
    return lambda: pingouin.intraclass_corr(long, "unit", "rater", "score")


def _six(values: FloatArray, interval: str) -> None:
    for form in ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"):
        stats.icc(values, form=form, interval=interval, resamples=RESAMPLES)  # type: ignore[arg-type]


def _evalica(values: FloatArray) -> Callable[[], Any] | None:
    evalica, pandas = module("evalica"), module("pandas")
    if evalica is None:
        return None
    frame = pandas.DataFrame(values)
    return lambda: evalica.alpha_bootstrap(frame, distance="nominal", n_resamples=RESAMPLES)


def _krippendorff(values: FloatArray) -> Callable[[], Any] | None:
    package = module("krippendorff")
    return None if package is None else lambda: package.alpha(values, level_of_measurement="ordinal")


def _statsmodels_fleiss(values: FloatArray) -> Callable[[], Any] | None:
    peer = module("statsmodels.stats.inter_rater")
    return None if peer is None else lambda: peer.fleiss_kappa(peer.aggregate_raters(values.T)[0])


def main(n_raters: int = 5) -> None:
    """Print ours, the peer's and the ratio."""
    print(f"{n_raters} raters, seconds; ratio is the peer's time over ours\n")
    print(f"{'work':<44}{'units':>8}{'ours':>10}{'peer':>10}{'ratio':>8}")
    for n_units in SIZES:
        values = judged(n_raters, n_units)
        work: list[tuple[str, Callable[[], Any], Callable[[], Any] | None]] = [
            ("six ICC with intervals / pingouin", lambda v=values: _six(v, "analytic"), _pingouin(values)),
            (f"six ICC, B = {RESAMPLES:,}", lambda v=values: _six(v, "bootstrap"), None),
            (f"alpha nominal, B = {RESAMPLES:,} / evalica", lambda v=values: stats.krippendorff_alpha(v, resamples=RESAMPLES), _evalica(values)),
            ("alpha ordinal / krippendorff", lambda v=values: stats.krippendorff_alpha(v, "ordinal", interval=None), _krippendorff(values)),
            ("Fleiss from ratings / statsmodels", lambda v=values: stats.fleiss_kappa(stats.rating_counts(v), interval=None), _statsmodels_fleiss(values)),
            (f"Cohen, B = {RESAMPLES:,}", lambda v=values: stats.cohen_kappa(*v[:2], interval="bootstrap", resamples=RESAMPLES), None),
            (f"Kendall W, B = {RESAMPLES:,}", lambda v=values: stats.kendall_w(v, resamples=RESAMPLES), None),
        ]  # fmt: skip
        for name, ours, peer in work:
            mine = seconds(ours)
            theirs = seconds(peer, 1) if peer else None
            beside = f"{theirs:>10.4f}{theirs / mine:>7.0f}×" if theirs else f"{'–':>10}{'–':>8}"
            print(f"{name:<44}{n_units:>8,}{mine:>10.4f}{beside}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
