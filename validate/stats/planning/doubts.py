"""What a pilot does not tell, and whether a plan for a level and grouping rests on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from validate.errors import ShapeError

SYSTEMS, ITEMS, OUTPUTS = range(3)
# a part that is the same throughout a group changes no coefficient
IN_USE = {
    ("system", "none"): (SYSTEMS, OUTPUTS),
    ("item", "item"): (SYSTEMS, OUTPUTS),
    ("item", "system"): (ITEMS, OUTPUTS),
    ("item", "none"): (SYSTEMS, ITEMS, OUTPUTS),
}


class Doubt(NamedTuple):
    """What a pilot does not tell well about one part: 0 systems, 1 items, 2 outputs; unknown where it tells nothing."""

    part: int
    note: str
    unknown: bool


def doubts_at(who: str, doubts: Sequence[Doubt], place: tuple[str, str]) -> list[str]:
    """The doubts that concern a level and grouping, in words.

    Raises
    ------
    ShapeError
        When nothing is known of the parts that the correlation is made of: the systems' at system level, where outputs only add noise,
        else all in use.
    """
    near = [doubt for doubt in doubts if doubt.part in IN_USE[place]]
    unknown = {doubt.part for doubt in near if doubt.unknown}
    if not unknown:
        return [doubt.note for doubt in near]
    level = f"{place[0]} level" + ("" if place[1] == "none" else f", grouped by {place[1]}")
    said = f"the pilot is too small or too noisy to plan from at {level}"
    if unknown >= ({SYSTEMS} if place[0] == "system" else set(IN_USE[place])):
        told = "; ".join(doubt.note for doubt in near if doubt.unknown)
        raise ShapeError(
            f"{who}: {said}: {told}; give a larger pilot, plan at another level, or state assumptions instead"
        )
    return [f"{said}: all figures are rough", *(doubt.note for doubt in near)]
