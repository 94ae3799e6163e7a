"""Agreement among people: percent agreement, kappas, alpha, AC1 and AC2, Kendall's W, intraclass correlations,
each annotator against the rest and against his or her own repeats.

Where raters are exchangeable a function takes an (n_raters, n_units) array, or `Ratings` or `Preferences` without making such
an array; Cohen's kappa and Scott's pi take two raters' judgments, Fleiss' kappa counts.
"""

from validate.stats.agreement.annotators import annotator_table
from validate.stats.agreement.cohen import KappaTest, cohen_kappa, cohen_kappa_test
from validate.stats.agreement.concordance import kendall_w
from validate.stats.agreement.conger import conger_kappa
from validate.stats.agreement.fleiss import fleiss_kappa, rating_counts, scott_pi
from validate.stats.agreement.gwet import gwet_ac
from validate.stats.agreement.intraclass import icc
from validate.stats.agreement.judgments import pairwise_ratings
from validate.stats.agreement.krippendorff import krippendorff_alpha
from validate.stats.agreement.percent import percent_agreement
from validate.stats.agreement.repeats import repeat_table, repeated_ratings, self_consistency
from validate.stats.agreement.summary import agreement_table
from validate.stats.agreement.wmt import wmt_kappa

__all__ = [
    "KappaTest",
    "agreement_table",
    "annotator_table",
    "cohen_kappa",
    "cohen_kappa_test",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "icc",
    "kendall_w",
    "krippendorff_alpha",
    "pairwise_ratings",
    "percent_agreement",
    "rating_counts",
    "repeat_table",
    "repeated_ratings",
    "scott_pi",
    "self_consistency",
    "wmt_kappa",
]
