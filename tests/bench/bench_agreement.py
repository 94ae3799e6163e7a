"""How long coefficients of agreement take, beside other libraries in the same run, where these are installed.

    python tests/bench/bench_agreement.py [n_raters]

Peers: pingouin (ICC), evalica and krippendorff (alpha), statsmodels (Fleiss). Sizes 100, 1,000 and 10,000 units show the
growth. All times are processor seconds of one thread, the best of five.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import Peer, heading, line, on_one_thread, seconds, within

from validate import stats
from validate.schema import FloatArray
from validate.stats.agreement.intraclass import FORMS

SIZES = (100, 1_000, 10_000)
RESAMPLES = 1_000
ALPHA = 0.05  # seconds for 5 raters x 10,000 units, B = 1,000

Work = Callable[[], Any]


def judged(n_raters: int, n_units: int) -> FloatArray:
    """(n_raters, n_units) judgments from 1 to 5."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, n_units)
    return np.where(rng.random((n_raters, n_units)) < 0.6, truth, rng.integers(1, 6, (n_raters, n_units))).astype(float)


def module(name: str) -> Any:
    """A peer, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _six(values: FloatArray, interval: str) -> None:
    for form in FORMS:
        stats.icc(values, form=form, interval=interval, resamples=RESAMPLES)  # type: ignore[arg-type]


def _pingouin(values: FloatArray) -> Work | None:
    pingouin, pandas = module("pingouin"), module("pandas")
    if pingouin is None:
        return None
    rater, unit = np.indices(values.shape)
    long = pandas.DataFrame({"unit": unit.ravel(), "rater": rater.ravel(), "score": values.ravel()})
    return lambda: pingouin.intraclass_corr(long, "unit", "rater", "score")


def _evalica(values: FloatArray) -> Work | None:
    evalica, pandas = module("evalica"), module("pandas")
    if evalica is None:
        return None
    frame = pandas.DataFrame(values)
    return lambda: evalica.alpha_bootstrap(frame, distance="nominal", n_resamples=RESAMPLES)


def _krippendorff(values: FloatArray) -> Work | None:
    package = module("krippendorff")
    return None if package is None else lambda: package.alpha(values, level_of_measurement="ordinal")


def _statsmodels_fleiss(values: FloatArray) -> Work | None:
    peer = module("statsmodels.stats.inter_rater")
    return None if peer is None else lambda: peer.fleiss_kappa(peer.aggregate_raters(values.T)[0])


def works(values: FloatArray) -> list[tuple[str, Work, str, Work | None]]:
    """What is done, by us, by whom else, and by them (None where that is not installed)."""
    kripp, b = stats.krippendorff_alpha, f"B = {RESAMPLES:,}"
    return [
        ("six ICC with analytic intervals", lambda: _six(values, "analytic"), "pingouin", _pingouin(values)),
        (f"six ICC, {b}", lambda: _six(values, "bootstrap"), "", None),
        (f"alpha nominal, {b}", lambda: kripp(values, resamples=RESAMPLES), "evalica", _evalica(values)),
        (f"alpha ordinal, {b}", lambda: kripp(values, "ordinal", resamples=RESAMPLES), "", None),
        ("alpha ordinal, the value alone", lambda: kripp(values, "ordinal", interval=None), "krippendorff", _krippendorff(values)),
        ("Fleiss from ratings", lambda: stats.fleiss_kappa(stats.rating_counts(values), interval=None), "statsmodels", _statsmodels_fleiss(values)),
        (f"Cohen, {b}", lambda: stats.cohen_kappa(*values[:2], interval="bootstrap", resamples=RESAMPLES), "", None),
        (f"Kendall W, {b}", lambda: stats.kendall_w(values, resamples=RESAMPLES), "", None),
    ]  # fmt: skip


def main(n_raters: int = 5) -> None:
    on_one_thread()
    warnings.simplefilter("ignore")  # of peers
    for _, ours, _, _ in works(judged(n_raters, 50)):
        ours()  # compile
    for n_units in SIZES:
        heading(f"{n_raters} raters x {n_units:,} units, one thread")
        for name, ours, who, peer in works(judged(n_raters, n_units)):
            beside = None
            if peer is not None:
                peer()
                beside = Peer(who, seconds(peer, 3))
            target = None
            if n_units == 10_000 and n_raters == 5:
                target = within(ALPHA) if name.startswith("alpha nominal") else None
            line(name, seconds(ours, 5), peer=beside, target=target)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
