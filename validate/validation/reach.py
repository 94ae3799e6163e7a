"""Whether a test that counts can find anything: its smallest p, adjusted for the number of pairs, may lie above what is asked for."""

from __future__ import annotations

import math

import pandas as pd

from validate.errors import plural
from validate.validation.options import SWAPPED, Options


def out_of_reach(significance: pd.DataFrame, correlations: pd.DataFrame, options: Options) -> list[str]:
    """Why no adjusted p can tell two metrics apart, and what to do; empty where one can.

    A p that is counted over n draws is at least 1 / (n + 1), and exchanging the scores of k systems or items, of which exchanging none and
    all of them give the same difference up to its sign, at least 2 / 2ᵏ. Holm multiplies the smallest by the number of pairs.
    """
    counted = significance[~significance["test"].str.endswith("corrected")].dropna(subset=["p"])
    if not len(counted):
        return []
    n_pairs = int(counted.groupby(["criterion", "level", "grouping", "coefficient"]).size().max())
    found = []
    if n_pairs / (options.resamples + 1) > options.alpha:
        needed = math.ceil(n_pairs / options.alpha)
        drawn = "permutations" if options.test == "permutation" else "resamples"
        found.append(
            f"{options.resamples:,} {drawn} are too few for {plural(n_pairs, 'pair')} of metrics: no p adjusted for so many can be "
            f"{options.alpha:g} or less, so that all metrics share a rank; {needed:,} (--resamples) or fewer metrics are needed."
        )
    if options.test == "permutation":
        found += _few_to_exchange(correlations, n_pairs, options)
    return found


def _few_to_exchange(correlations: pd.DataFrame, n_pairs: int, options: Options) -> list[str]:
    """The criteria of which so few systems or items can be exchanged that no adjusted p is small."""
    what = SWAPPED[options.unit]
    numbers = correlations.groupby("criterion", sort=False)[f"n_{what}"].max()
    few = numbers[2.0 * n_pairs > options.alpha * 2.0 ** numbers.clip(upper=60)]
    if not len(few):
        return []
    return [
        f"{', '.join(few.index)}: exchanging the scores of {plural(int(few.max()), what[:-1])} cannot give a p that is {options.alpha:g} or less "
        f"when adjusted for {plural(n_pairs, 'pair')} of metrics; --test bootstrap can, or fewer metrics (--metrics)."
    ]
