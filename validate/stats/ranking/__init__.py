"""Ranking systems by pairwise judgments: win rates and Bradley–Terry strengths, with intervals and the ranks they allow."""

from validate.stats.ranking.bradley_terry import bradley_terry
from validate.stats.ranking.record import Ranking
from validate.stats.ranking.win_rate import win_rate

__all__ = ["Ranking", "bradley_terry", "win_rate"]
