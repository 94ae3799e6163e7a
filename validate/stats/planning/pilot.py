"""Variance components of a pilot study: how much of the scores belongs to systems, to items, to outputs, to judgments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validate.errors import ShapeError, plural
from validate.schema import FloatArray, Preferences, Ratings, ScoreMatrix
from validate.stats.panel import panel
from validate.stats.planning.doubts import Doubt
from validate.stats.planning.world import PARTS, World

LIMIT = 0.98  # of a correlation between parts: estimates of small studies go beyond 1
LEAST = 0.01  # of a part, relative to the whole: estimates of small variances fall below 0
FAR = 1.2  # beyond that an estimate of a correlation is noise, not one near 1
_SWEEPS = 100


def world_of_pilot(
    metric: ScoreMatrix | FloatArray,
    human: ScoreMatrix | FloatArray,
    judgments: Ratings | Preferences | None = None,
    *,
    others: Sequence[ScoreMatrix | FloatArray] = (),
) -> World:
    """The world that a pilot study speaks of, by the method of moments.

    Parameters
    ----------
    metric, human : (n_systems, n_items) float64, or ScoreMatrix
        NaN where there is no score; signs are turned as in `correlation`.
    judgments : Ratings or Preferences, optional
        From which the noise of single judgments is learned; without them, or where every output was judged once, it is unknown.
    others : sequence of scores
        Other metrics of the study: how far their errors overlap with the metric's (median over them) says how alike two metrics are. Without
        them 0.5 is assumed.

    Raises
    ------
    ShapeError
        When fewer than three systems or items have both scores.

    Notes
    -----
    System and item effects of both scores are fitted by least squares. The covariance of what is left, over n - a - b + 1 for n outputs of a
    systems and b items, is that of the outputs; from the covariance of the effects, the share that the outputs put into them is taken
    out (Henderson's third method for two-way layouts). Parts that come out below 1 % of the whole, or correlations above 0.98, are set
    there and kept as doubts; a part counts as unknown where its variance was too small or its correlation came out beyond 1.2. The pilot's own uncertainty is not carried on: a small pilot gives a rough plan.

    References
    ----------
    C. R. Henderson (1953). Estimation of variance and covariance components. Biometrics 9(2), 226–252. doi:10.2307/3001853
    """
    laid = panel("world_of_pilot", {"metric": metric, **{f"other {k}": x for k, x in enumerate(others)}}, human)
    x, *rest = (side.values for side in laid.metrics)
    both = ~np.isnan(x) & ~np.isnan(laid.human.values)
    rows, cols = both.any(axis=1).sum(), both.any(axis=0).sum()
    if min(rows, cols) < 3 or both.sum() <= rows + cols:
        raise ShapeError(
            f"world_of_pilot: {plural(int(both.sum()), 'output')} of {plural(int(rows), 'system')} and {plural(int(cols), 'item')} have both scores; "
            "three systems and items, and more outputs than these together, are the least; give a larger pilot, or state assumptions instead"
        )
    components = _covariances(np.stack([laid.human.values, x]), both)
    noise, per_output = judgment_noise(judgments) if judgments is not None else (np.nan, 1.0)
    overlap, notes = _overlap(laid.human.values, x, rest)
    return _world(components, noise, per_output, overlap, notes)


def judgment_noise(judgments: Ratings | Preferences) -> tuple[float, float]:
    """Variance of one judgment around the mean of its output, and the harmonic mean number of judgments an output.

    Where every annotator judged every output, how strict each is shifts all outputs alike and is taken out first. NaN where no output was
    judged twice. Of preferences, points are judgments: a win 1, a tie ½, a loss 0.
    """
    if isinstance(judgments, Ratings):
        annotator, system, item, points = judgments.annotator, judgments.system, judgments.item, judgments.score
    else:
        annotator, item = np.tile(judgments.annotator, 2), np.tile(judgments.item, 2)
        system = np.concatenate([judgments.first, judgments.second])
        points = np.concatenate([1 + judgments.outcome, 1 - judgments.outcome]) / 2
    kept = ~np.isnan(points)
    annotator, points = annotator[kept], points[kept]
    _, output = np.unique((system * len(judgments.items) + item)[kept], return_inverse=True)
    times = np.bincount(output).astype(np.float64)
    left = points - (np.bincount(output, points) / times)[output]
    freedom = (times - 1).sum()
    people, who = np.unique(annotator, return_inverse=True)
    if isinstance(judgments, Ratings) and len(points) == len(people) * len(times) and (times == len(people)).all():
        left = left - (np.bincount(who, left) / len(times))[who]
        freedom -= len(people) - 1
    harmonic = len(times) / (1 / times).sum() if len(times) else 1.0
    return (float((left**2).sum() / freedom) if freedom > 0 else np.nan), float(harmonic)


def _covariances(scores: FloatArray, both: np.ndarray) -> FloatArray:
    """(3, k, k) covariances of the parts of k scores (k, n_systems, n_items) over the outputs of a mask."""
    rows, cols = both.any(axis=1), both.any(axis=0)
    here, values = both[np.ix_(rows, cols)], scores[:, rows][:, :, cols]
    of_system, of_item, left = _effects(values, here)
    n_systems, n_items = here.shape
    outputs = left @ left.T / (here.sum() - n_systems - n_items + 1)
    systems = np.cov(of_system) - outputs * (1 / here.sum(axis=1)).mean()
    items = np.cov(of_item) - outputs * (1 / here.sum(axis=0)).mean()
    return np.stack([systems, items, outputs])


def _effects(values: FloatArray, here: np.ndarray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Effects (k, n_systems) and (k, n_items) by least squares, and what is left (k, n_outputs)."""
    filled, weight = np.where(here, values, 0.0), here.astype(np.float64)
    of_system, of_item = np.zeros(values.shape[:2]), np.zeros((len(values), values.shape[2]))
    for _ in range(_SWEEPS):
        of_system = (filled.sum(axis=2) - of_item @ weight.T) / weight.sum(axis=1)
        of_item = (filled.sum(axis=1) - of_system @ weight) / weight.sum(axis=0)
    left = (filled - of_system[:, :, None] - of_item[:, None, :])[:, here]
    return of_system, of_item, left


def _overlap(human: FloatArray, metric: FloatArray, others: Sequence[FloatArray]) -> tuple[float, list[str]]:
    """Median partial correlation of a metric with others within outputs, people's scores held fixed."""
    found = []
    for other in others:
        both = ~np.isnan(human) & ~np.isnan(metric) & ~np.isnan(other)
        if both.sum() <= both.any(axis=1).sum() + both.any(axis=0).sum():
            continue
        spread = _covariances(np.stack([human, metric, other]), both)[2]
        if (np.diag(spread) > 0).all():
            given = spread[1:, 1:] - np.outer(spread[1:, 0], spread[0, 1:]) / spread[0, 0]
            scale = np.sqrt(given[0, 0] * given[1, 1])
            if scale > 0:
                found.append(float(given[0, 1] / scale))
    if not found:
        return 0.5, ["how far errors of metrics overlap is assumed: 0.5"]
    return float(np.clip(np.median(found), 0.0, LIMIT)), []


def _world(components: FloatArray, noise: float, per_output: float, overlap: float, notes: list[str]) -> World:
    """Clean components (3, 2, 2) of people and the metric: variances above 0, correlations below 1, noise taken out of the outputs."""
    human, metric, rho, doubts = [], [], [], []
    noise_of_mean = 0.0 if np.isnan(noise) else noise / per_output
    for part, spread in enumerate(components):
        least = LEAST * np.abs(components[:, [0, 1], [0, 1]]).sum(axis=0)
        raw = spread[[0, 1], [0, 1]] - np.array([noise_of_mean if part == 2 else 0.0, 0.0])
        own = np.maximum(raw, least)
        correlation = float(spread[0, 1] / np.sqrt(own.prod())) if own.all() else 0.0
        kept = float(np.clip(correlation, -LIMIT, LIMIT))
        doubts += _doubts(part, bool((raw < least).any()), correlation, kept)
        human.append(float(own[0]))
        metric.append(float(own[1]))
        rho.append(kept)
    if np.isnan(noise):
        notes = [
            *notes,
            "no output was judged twice: the noise of judgments is unknown, and annotators cannot be planned",
        ]
    return World(tuple(human), tuple(metric), tuple(rho), noise, overlap, tuple(notes), tuple(doubts))  # type: ignore[arg-type]


def _doubts(part: int, small: bool, correlation: float, kept: float) -> list[Doubt]:
    """What is doubtful about a part: a variance near or below 0, or a correlation beyond 1."""
    if small:
        told = f"how much of the scores belongs to the {PARTS[part]} could not be told from 0: it is taken as 1 % of the whole"
        return [Doubt(part, f"{told}, and the correlation there as {kept:.2f}", unknown=True)]
    if abs(correlation) <= LIMIT:
        return []
    told = (
        f"the correlation of what belongs to the {PARTS[part]} came out at {correlation:.2f} and is taken as {kept:.2f}"
    )
    return [Doubt(part, told, unknown=abs(correlation) > FAR)]
