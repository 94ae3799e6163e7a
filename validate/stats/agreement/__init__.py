"""Agreement among people: percent agreement, Krippendorff's alpha, Gwet's AC1 and AC2, and each annotator against the rest.

Every function takes an (n_raters, n_units) array, or `Ratings` or `Preferences` without making such an array.
"""

from validate.stats.agreement.annotators import annotator_table
from validate.stats.agreement.gwet import gwet_ac
from validate.stats.agreement.judgments import pairwise_ratings
from validate.stats.agreement.krippendorff import krippendorff_alpha
from validate.stats.agreement.percent import percent_agreement

__all__ = ["annotator_table", "gwet_ac", "krippendorff_alpha", "pairwise_ratings", "percent_agreement"]
