"""Statistics of agreement between metrics and people, and among people.

Everything takes numpy arrays (missing is NaN) or the records of `validate.schema`, and knows no metric by name. Each
name is imported from its room when it is first asked for; no room may bear the name of a function, because importing
it would put the module in the function's place.

>>> from validate import stats
>>> float(stats.kendall([1, 2, 3, 4], [1, 2, 4, 3]))  # 5 pairs agree, 1 does not: (5 - 1) / 6
0.666...
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "pearson": "coefficients",
    "spearman": "coefficients",
    "kendall": "coefficients",
    "somers_d": "coefficients",
    "weighted_tau": "coefficients",
    "pair_counts": "pairwise",
    "pairwise_accuracy": "pairwise",
    "pairwise_difference_pearson": "pairwise",
    "soft_pairwise_accuracy": "soft_accuracy",
    "soft_pairwise_accuracies": "soft_accuracy",
    "wmt_kendall": "wmt",
    "kendall_like": "wmt",
    "correlation": "correlations",
    "bootstrap": "correlations",
    "correlation_rows": "correlations",
    "analytic_interval": "intervals",
    "coverage_note": "coverage",
    "resample": "resampling",
    "Replicates": "resampling",
    "compare": "significance",
    "difference_rows": "significance",
    "adjust_p": "adjustment",
    "permute": "permutation",
    "Permutations": "permutation",
    "williams": "dependent",
    "steiger": "dependent",
    "zou_interval": "dependent",
    "clusters": "clustering",
    "cluster_ranks": "clustering",
    "percent_agreement": "agreement",
    "krippendorff_alpha": "agreement",
    "gwet_ac": "agreement",
    "cohen_kappa": "agreement",
    "cohen_kappa_test": "agreement",
    "scott_pi": "agreement",
    "fleiss_kappa": "agreement",
    "rating_counts": "agreement",
    "icc": "agreement",
    "kendall_w": "agreement",
    "conger_kappa": "agreement",
    "wmt_kappa": "agreement",
    "agreement_table": "agreement",
    "self_consistency": "agreement",
    "repeat_table": "agreement",
    "repeated_ratings": "agreement",
    "annotator_table": "agreement",
    "pairwise_ratings": "agreement",
    "win_rate": "ranking",
    "bradley_terry": "ranking",
    "elo": "ranking",
    "plackett_luce": "ranking",
    "outcomes": "ranking",
    "system_score_table": "system_scores",
    "noise_ceiling": "ceiling",
    "spearman_brown": "reliability",
    "corrected_for_attenuation": "reliability",
    "plan": "planning",
    "world_of_pilot": "planning",
    "assumed_world": "planning",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"validate.stats.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'validate.stats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
