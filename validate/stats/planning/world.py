"""A world of systems, items and outputs from which studies of any size can be drawn.

Human and metric scores are sums of three parts: what belongs to the system, what belongs to the item, and what belongs to this
output alone (Cronbach's variance components). In each part the metric goes along with people to some degree; a judgment
adds noise of its own, which the mean over annotators lessens. All parts are normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validate.errors import bad_value
from validate.schema import FloatArray
from validate.stats.planning.doubts import Doubt

PARTS = ("systems", "items", "outputs")


@dataclass(frozen=True, slots=True)
class World:
    """Variances and correlations of the three parts, each a triple: systems, items, outputs.

    Parameters
    ----------
    human, metric : (float, float, float)
        Variances of the parts of human scores free of judgment noise, and of metric scores.
    rho : (float, float, float)
        Correlation of the metric's part with the human one.
    noise : float
        Variance of one judgment around the score that all people would give; NaN where it is unknown and therefore inside the
        outputs' own part, so that the number of annotators cannot be planned.
    overlap : float
        Correlation of what is left of two metrics when their agreement with people is taken out: metrics that err together are
        easier to tell apart.
    notes : tuple of str
        What had to be assumed.
    doubts : tuple of Doubt
        Parts that the pilot does not tell well. They concern only the levels and groupings that draw on these parts.
    """

    human: tuple[float, float, float]
    metric: tuple[float, float, float]
    rho: tuple[float, float, float]
    noise: float
    overlap: float = 0.5
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def assumed_world(
    *,
    rho: float = 0.6,
    noise: float = 1.0,
    systems: float = 0.3,
    items: float = 0.3,
    overlap: float = 0.5,
) -> World:
    """A world out of stated assumptions instead of a pilot.

    Parameters
    ----------
    rho : float
        Correlation of the metric with what all people together would say, in each of the parts.
    noise : float
        Variance of one judgment, where the variance of true scores is 1; 0 for judgments without noise.
    systems, items : float
        Shares of the variance of true scores that belong to the systems and to the items; the rest belongs to single outputs.
    overlap : float
        See `World`.

    Raises
    ------
    OptionError
        For values outside their range, or shares that leave nothing to the outputs.
    """
    who = "assumed_world"
    for name, value in (("rho", rho), ("overlap", overlap)):
        if not -1 < value < 1:
            raise bad_value(who, name, value, "a correlation between -1 and 1")
    if not 0 <= noise < np.inf:
        raise bad_value(who, "noise", noise, "a variance, 0 or more; 1 is as much as true scores vary")
    if not (systems > 0 and items >= 0 and systems + items < 1):
        raise bad_value(
            who, "systems, items", (systems, items), "shares of the variance, together less than 1, systems above 0"
        )
    shares = (systems, items, 1 - systems - items)
    return World(shares, shares, (rho, rho, rho), noise, overlap, ("all values are assumptions, not data",))


def draw_studies(
    world: World,
    sizes: tuple[int, int, int],
    place: tuple[str, str],
    strengths: tuple[float, float],
    n_studies: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Scores (3, n_studies, n_pairs, n_groups) of people and of two metrics; a coefficient is taken over the pairs of each group.

    Parameters
    ----------
    sizes : (int, int, int)
        Systems, items, annotators.
    place : (level, grouping)
        At system level a study is one group of systems; by item (system), a group an item (a system); else one group of all outputs.
    strengths : (float, float)
        How far the two metrics go along with people, as a multiple of ``world.rho``.

    Notes
    -----
    At system level the means over items are drawn: those of the outputs' parts have the n_items-th of their variance, and those of the
    items' parts are the same for all systems. A part that is the same throughout a group changes no coefficient and is left out.
    """
    n_systems, n_items, n_annotators = sizes
    level, grouping = place
    unknown = np.isnan(world.noise)
    noise = 0.0 if unknown else world.noise / n_annotators
    if level == "system":
        scores = _part(world, 0, strengths, (n_studies, n_systems, 1), rng)
        outputs = _part(world, 2, strengths, (n_studies, n_systems, 1), rng)
        outputs[0] += np.sqrt(noise) * rng.normal(size=outputs.shape[1:])
        return scores + outputs / np.sqrt(n_items)
    outputs = _part(world, 2, strengths, (n_studies, n_systems, n_items), rng)
    outputs[0] += np.sqrt(noise) * rng.normal(size=outputs.shape[1:])
    if grouping != "system":
        outputs += _part(world, 0, strengths, (n_studies, n_systems, 1), rng)
    if grouping != "item":
        outputs += _part(world, 1, strengths, (n_studies, 1, n_items), rng)
    if grouping == "system":
        return outputs.swapaxes(2, 3)
    return outputs if grouping == "item" else outputs.reshape(3, n_studies, -1, 1)


def _part(
    world: World, part: int, strengths: tuple[float, float], shape: tuple[int, int, int], rng: np.random.Generator
) -> FloatArray:
    """(3, *shape) of one part: people, and two metrics whose errors overlap."""
    people, first, second = rng.normal(size=(3, *shape))
    second = world.overlap * first + np.sqrt(1 - world.overlap**2) * second
    drawn = [np.sqrt(world.human[part]) * people]
    for strength, error in zip(strengths, (first, second), strict=True):
        rho = strength * world.rho[part]
        drawn.append(np.sqrt(world.metric[part]) * (rho * people + np.sqrt(1 - rho**2) * error))
    return np.stack(drawn)
