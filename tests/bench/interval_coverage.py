"""How often 95 % intervals cover what they stand for, by simulation: the table behind `validate.stats.coverage`.

    python tests/bench/interval_coverage.py run FOLDER [studies] [part parts]    simulate designs that FOLDER lacks, one file each (20 minutes)
    python tests/bench/interval_coverage.py table FOLDER                       print the table as it stands in the code
    python tests/bench/interval_coverage.py details FOLDER                     print tests/bench/coverage.md

A study has systems, items and outputs whose effects on the metric and on people correlate by rho:

    metric, human = system effect (sd 0.5) + item effect (sd 0.3 or 1.5) + output effect (sd 1)

with 15 systems x 100 items or 6 x 300, rho 0.3, 0.6 or 0.9, and human scores as they are or on a scale from 1 to 5, where most
are tied: 24 designs. The truth for new systems and new items is the correlation of 1,500 systems x 400 items (mean of six); for new items the same systems on
20 times as many new items; for new systems 40 times as many others on the same items. Replicates: 320.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from validate.schema import FloatArray
from validate.stats.grouping import estimator
from validate.stats.intervals import interval_of
from validate.stats.panel import panel
from validate.stats.resampling import Replicates, resample
from validate.stats.units import Crossed

COEFFICIENTS = ("pearson", "spearman", "kendall")
LAYOUTS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
NAMES = ("percentile", "basic", "bca", "corrected", "analytic")
UNITS = ("both", "systems", "items")
RESAMPLES = 320


@dataclass(frozen=True)
class Design:
    """What a simulated study is like."""

    n_systems: int
    n_items: int
    tied: bool
    item_effect: float
    rho: float

    def pair(self, rng: np.random.Generator, shape: tuple[int, int], sd: float) -> FloatArray:
        """(2, *shape) effects on the metric and on people."""
        own, other = rng.normal(size=(2, *shape))
        return sd * np.stack([own, self.rho * own + np.sqrt(1 - self.rho**2) * other])

    def scores(self, rng: np.random.Generator, systems: FloatArray, items: FloatArray) -> FloatArray:
        """(2, n_systems, n_items) out of effects (2, n_systems, 1) and (2, 1, n_items)."""
        both = systems + items + self.pair(rng, (systems.shape[1], items.shape[2]), 1.0)
        if self.tied:
            both[1] = np.clip(np.round(3 + both[1]), 1, 5)
        return both

    def systems(self, rng: np.random.Generator, n: int) -> FloatArray:
        return self.pair(rng, (n, 1), 0.5)

    def items(self, rng: np.random.Generator, n: int) -> FloatArray:
        return self.pair(rng, (1, n), self.item_effect)


DESIGNS = [
    Design(*size, tied, item_effect, rho)
    for size, tied, item_effect, rho in product([(15, 100), (6, 300)], [False, True], [0.3, 1.5], [0.3, 0.6, 0.9])
]


def correlations(scores: FloatArray) -> FloatArray:
    """(n_layouts, n_coefficients) of metric and human scores (2, n_systems, n_items)."""
    laid = panel("coverage", {"m": scores[0]}, scores[1])
    return np.stack([estimator(laid, COEFFICIENTS, *layout).point()[:, 0] for layout in LAYOUTS])


def replicates(scores: FloatArray, layout: tuple[str, str], seed: int) -> dict[str, Replicates]:
    """By unit, with all that any interval needs: replicates of one axis are those that the correction of both has drawn."""
    drawn = resample(
        {"m": scores[0]}, scores[1], coefficients=COEFFICIENTS, level=layout[0], grouping=layout[1], resamples=RESAMPLES,
        interval="corrected", rng=seed, workers=1,
    )  # fmt: skip
    assert drawn.support is not None
    units = Crossed(estimator(panel("coverage", {"m": scores[0]}, scores[1]), COEFFICIENTS, *layout), "both")
    without = {**drawn.support.without, "items": units.without("items")}
    one_axis = {
        axis: replace(drawn, unit=axis, values=values, support=replace(drawn.support, without={axis: without[axis]}))
        for axis, values in drawn.support.along.items()
    }
    return {"both": replace(drawn, support=replace(drawn.support, without=without)), **one_axis}


def population(design: Design, rng: np.random.Generator, n: int = 6) -> FloatArray:
    """(n_layouts, n_coefficients) of new systems and new items; the size of a study plays no part in it."""
    large = (design.scores(rng, design.systems(rng, 1500), design.items(rng, 400)) for _ in range(n))
    return np.mean([correlations(scores) for scores in large], axis=0)


def simulate(design: Design, studies: int, seed: int, new: FloatArray | None = None) -> dict[str, FloatArray]:
    """Per unit the ends of intervals (n_studies, n_layouts, n_coefficients, n_names, 2), truths and estimates."""
    rng = np.random.default_rng(seed)
    new = population(design, rng) if new is None else new
    found: dict[str, list[FloatArray]] = {
        "estimate": [],
        **{f"{what}-{u}": [] for u in UNITS for what in ("truth", "ends")},
    }
    for study in range(studies):
        systems, items = design.systems(rng, design.n_systems), design.items(rng, design.n_items)
        scores = design.scores(rng, systems, items)
        found["estimate"].append(correlations(scores))
        truths = {
            "both": new,
            "systems": correlations(design.scores(rng, design.systems(rng, 40 * design.n_systems), items)),
            "items": correlations(design.scores(rng, systems, design.items(rng, 20 * design.n_items))),
        }
        ends = {unit: np.full((len(LAYOUTS), len(COEFFICIENTS), len(NAMES), 2), np.nan) for unit in UNITS}
        for j, layout in enumerate(LAYOUTS):
            for unit, drawn in replicates(scores, layout, study).items():
                for c, (n, name) in product(range(3), enumerate(NAMES)):
                    if name != "analytic" or (layout[0] == "system" and unit != "items"):
                        ends[unit][j, c, n] = interval_of(drawn, c, 0, name, 0.95)[:2]
        for unit in UNITS:
            found[f"ends-{unit}"].append(ends[unit])
            found[f"truth-{unit}"].append(truths[unit])
    return {key: np.array(values) for key, values in found.items()}


def shares(ends: FloatArray, truth: FloatArray) -> FloatArray:
    """(n_layouts, n_coefficients, n_names) in per cent; the truth's own rounding is forgiven. NaN where there is no interval."""
    inside = (ends[..., 0] <= truth[..., None] + 1e-9) & (truth[..., None] - 1e-9 <= ends[..., 1])
    defined = ~np.isnan(ends[..., 0]) & ~np.isnan(truth[..., None])
    n = defined.sum(axis=0)
    return np.where(n > 0, 100 * (inside & defined).sum(axis=0) / np.maximum(n, 1), np.nan)


@dataclass(frozen=True)
class Cell:
    """One interval at one place and size, each (n_designs, n_coefficients).

    ``new`` is the coverage of the truth, ``again`` that of what studies of this size show on average, ``width`` the mean width.
    """

    new: FloatArray
    again: FloatArray
    width: FloatArray


def cells(folder: Path) -> dict[tuple[str, str, str, int], dict[str, Cell]]:
    """All that was simulated, by level, grouping, unit and systems, and by interval."""
    found: dict[tuple[str, str, str, int], dict[str, list[tuple[FloatArray, ...]]]] = {}
    for k, design in enumerate(DESIGNS):
        kept = np.load(folder / f"{k}.npz")
        average = np.broadcast_to(np.nanmean(kept["estimate"], axis=0), kept["estimate"].shape)
        for unit in UNITS:
            ends = kept[f"ends-{unit}"]
            covered, again = shares(ends, kept[f"truth-{unit}"]), shares(ends, average)
            for (j, layout), (n, name) in product(enumerate(LAYOUTS), enumerate(NAMES)):
                if not np.isnan(covered[j, :, n]).any():
                    width = np.nanmean(ends[:, j, :, n, 1] - ends[:, j, :, n, 0], axis=0)
                    place = found.setdefault((*layout, unit, design.n_systems), {})
                    place.setdefault(name, []).append((covered[j, :, n], again[j, :, n], width))
    return {
        key: {name: Cell(*(np.array(part) for part in zip(*rows, strict=True))) for name, rows in place.items()}
        for key, place in found.items()
    }


def table(folder: Path) -> None:
    """Lowest, mean and highest coverage over designs."""
    print(
        f"{'level':7}{'grouping':9}{'unit':8}{'systems':>8} {'coefficient':12}"
        + "".join(f"{name:>14}" for name in NAMES)
    )
    for (level, grouping, unit, size), place in cells(folder).items():
        for c, coefficient in enumerate(COEFFICIENTS):
            found = {name: cell.new[:, c] for name, cell in place.items()}
            told = [
                f"{v.min():.0f}/{v.mean():.1f}/{v.max():.0f}" if (v := found.get(name)) is not None else "-"
                for name in NAMES
            ]
            print(f"{level:7}{grouping:9}{unit:8}{size:8} {coefficient:12}" + "".join(f"{text:>14}" for text in told))


def details(folder: Path) -> None:
    """By coefficient, beside what studies of this size show on average and the mean width."""
    print("# Coverage of nominal 95 % intervals\n")
    print("Mean (lowest to highest) over 12 designs, by `tests/bench/interval_coverage.py`, which says how.\n")
    print(
        "| level, grouping | unit | systems | interval | pearson | spearman | kendall | of the mean of such studies | width |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for (level, grouping, unit, size), place in cells(folder).items():
        for name, cell in place.items():
            told = [
                f"{m:.1f} ({a:.1f} to {b:.1f})"
                for m, a, b in zip(cell.new.mean(0), cell.new.min(0), cell.new.max(0), strict=True)
            ]
            mean = f"{cell.again.mean():.1f}" if unit == "both" else "–"
            print(
                f"| {level}, {grouping} | {unit} | {size} | {name} | {' | '.join(told)} | {mean} | {cell.width.mean():.2f} |"
            )


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[2])
    if sys.argv[1] in ("table", "details"):
        (table if sys.argv[1] == "table" else details)(folder)
        return
    studies, part, parts = (int(argument) for argument in (sys.argv[3:] + ["200", "0", "1"][len(sys.argv) - 3 :]))
    folder.mkdir(exist_ok=True)
    for k in range(part, len(DESIGNS), parts):
        if (folder / f"{k}.npz").exists():
            continue
        begun = time.perf_counter()
        twin = folder / f"{k - len(DESIGNS) // 2}.npz"  # the same population, studied at the other size
        new = np.load(twin)["truth-both"][0] if twin.exists() else None
        np.savez(folder / f"{k}.npz", **simulate(DESIGNS[k], studies, 1000 + k, new))
        print(f"{k + 1} of {len(DESIGNS)}: {DESIGNS[k]}, {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
