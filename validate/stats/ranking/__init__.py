"""Ranking systems by what people prefer: win rates, Bradley–Terry, Plackett–Luce and Elo, with intervals and the ranks they allow."""

from validate.stats.ranking.bradley_terry import bradley_terry
from validate.stats.ranking.elo import elo
from validate.stats.ranking.outcomes import outcomes
from validate.stats.ranking.plackett_luce import plackett_luce
from validate.stats.ranking.record import Ranking
from validate.stats.ranking.win_rate import win_rate

__all__ = ["Ranking", "bradley_terry", "elo", "outcomes", "plackett_luce", "win_rate"]
