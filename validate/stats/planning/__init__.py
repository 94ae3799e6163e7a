"""How large a study has to be, by simulation from a pilot study or from stated assumptions."""

from validate.stats.planning.curves import Plan, plan
from validate.stats.planning.pilot import judgment_noise, world_of_pilot
from validate.stats.planning.world import World, assumed_world

__all__ = ["Plan", "World", "assumed_world", "judgment_noise", "plan", "world_of_pilot"]
