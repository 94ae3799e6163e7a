"""``accord plan``: how large the study has to be, from this one as a pilot or from stated assumptions."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from validate.schema import ScoreMatrix, Study
    from validate.stats.planning import Plan

SIZES = {"n_systems": 10, "n_items": 100, "n_annotators": 3}
BAR = 24


def plan(
    study: Annotated[
        Path | None, typer.Argument(help="The pilot study; may be left out with --assume.", show_default=False)
    ] = None,
    width: Annotated[
        float, typer.Option(help="Of the interval of a metric's correlation that shall be reached.")
    ] = 0.2,
    power: Annotated[float, typer.Option(help="With which two metrics shall be told apart.")] = 0.8,
    difference: Annotated[float, typer.Option(help="Between the correlations of these two metrics.")] = 0.1,
    assume: Annotated[
        str,
        typer.Option(
            help="Instead of a pilot, or in place of some of its sizes: 'n_systems=10, n_items=100, n_annotators=3, rho=0.6, noise=1, "
            "systems=0.3, items=0.3, overlap=0.5'.",
            show_default=False,
        ),
    ] = "",
    criterion: Annotated[str, typer.Option(help="Of the pilot; by default its first.", show_default=False)] = "",
    metric: Annotated[
        str, typer.Option(help="Of the pilot; by default the one that agrees best with people.", show_default=False)
    ] = "",
    coefficient: Annotated[str, typer.Option(help="pearson, spearman or kendall.")] = "spearman",
    level: Annotated[str, typer.Option(help="system or item.")] = "system",
    grouping: Annotated[
        str, typer.Option(help="At item level: item, system or none; by default item.", show_default=False)
    ] = "",
    confidence: Annotated[float, typer.Option(help="Of intervals; tests have the level 1 - confidence.")] = 0.95,
    simulations: Annotated[int, typer.Option(help="Studies drawn for every size.")] = 400,
    seed: Annotated[int, typer.Option(help="Same inputs, options and seed give the same numbers.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """How many systems, items and annotators are needed for an interval of a given width, or to tell two metrics apart."""
    from validate.cli.progress import progress_for
    from validate.errors import OptionError
    from validate.stats import plan as simulate

    assumed = assumptions(assume)
    if study is None and not assume:
        raise OptionError(
            "plan: neither a study nor --assume was given; give a pilot study, or assumptions such as --assume 'rho=0.6'"
        )
    place = {"coefficient": coefficient, "level": level, "grouping": grouping or None}
    with progress_for(quiet=json_output) as progress:
        progress.start("reading the pilot", 1)
        if study is None:
            about, own, (world, sizes) = "assumptions", math.nan, world_assumed(assumed)
        else:
            from validate.loading import load

            about, own, world, sizes = pilot(load(study), criterion, metric, place, assumed)
        progress.start("simulating studies", 40)
        found = simulate(
            world, **sizes, **place, width=width, power=power, difference=difference, confidence=confidence,
            simulations=simulations, rng=seed, progress=progress.step,
        )  # fmt: skip
    found = replace(found, notes=(*found.notes, *beside_pilot(found, own)))
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(_document(found, about)))
    else:
        from rich.console import Console

        show(Console(highlight=False), found, about, confidence)


def assumptions(text: str) -> dict[str, float]:
    """``"n_systems=10, rho=0.6"`` as numbers.

    Raises
    ------
    OptionError
        For names that do not exist and values that are no numbers.
    """
    from validate.errors import OptionError, unknown_name

    allowed = (*SIZES, "rho", "noise", "systems", "items", "overlap")
    found: dict[str, float] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (part.strip() for part in entry.partition("="))
        if name not in allowed:
            raise unknown_name("plan", "assumption", name, allowed)
        try:
            found[name] = int(value) if name in SIZES else float(value)
        except ValueError:
            kind = "a whole number" if name in SIZES else "a number"
            raise OptionError(
                f"plan: the assumption {entry!r} was given; {kind} is allowed, as in {name}=…; mend it"
            ) from None
    return found


def world_assumed(assumed: dict[str, float]) -> tuple[Any, dict[str, Any]]:
    """The world and the base sizes out of assumptions only."""
    from validate.stats import assumed_world

    shape = {name: value for name, value in assumed.items() if name not in SIZES}
    return assumed_world(**shape), {name: int(assumed.get(name, usual)) for name, usual in SIZES.items()}


def pilot(
    study: Study, criterion: str, metric: str, place: dict[str, Any], assumed: dict[str, float]
) -> tuple[str, float, Any, dict[str, Any]]:
    """What the plan is about, the pilot's own correlation, the world, and the base sizes; sizes may be assumed otherwise.

    The correlation is NaN where something is assumed otherwise: then the base is not the pilot.

    Raises
    ------
    OptionError
        When the study has no such criterion or metric, or something is assumed that the pilot tells.
    """
    import numpy as np

    from validate.errors import OptionError, unknown_name
    from validate.human import targets
    from validate.stats import correlation, world_of_pilot
    from validate.stats.planning import judgment_noise
    from validate.validation.scoring import score_study

    told = sorted(set(assumed) - set(SIZES) - {"overlap", "noise"})
    if told:
        raise OptionError(
            f"plan: {', '.join(told)} was assumed, which the pilot tells; sizes, overlap and noise are allowed; leave it out, or the study"
        )
    found = {target.label: target for target in targets(study)}
    if not found:
        raise OptionError(
            f"plan: the study {study.name!r} has no judgments; ratings or comparisons are needed, or --assume without a study"
        )
    if criterion and criterion not in found:
        raise unknown_name("plan", "criterion", criterion, found)
    target = found[criterion or next(iter(found))]
    scored = score_study(study).matrices
    if metric and metric not in scored:
        scored = scored | score_study(study, (metric,)).matrices
    if not scored:
        raise OptionError(
            f"plan: the study {study.name!r} has no metric; outputs or metric scores are needed, or --assume without a study"
        )
    chosen = scored[metric] if metric else _best(scored, target.scores, place)
    others = [matrix for name, matrix in scored.items() if matrix is not chosen]
    world = world_of_pilot(chosen, target.scores, target.judgments, others=others)
    world = replace(world, **{name: assumed[name] for name in ("overlap", "noise") if name in assumed})
    judged = target.judged
    own = {
        "n_systems": int(judged.any(axis=1).sum()),
        "n_items": int(judged.any(axis=0).sum()),
        "n_annotators": max(1, int(np.rint(judgment_noise(target.judgments)[1]))),
    }
    about = f"{study.name} as a pilot: {target.label}, {chosen.name}"
    here = math.nan if assumed else float(correlation(chosen, target.scores, **place).value)
    return about, here, world, own | {name: int(assumed[name]) for name in SIZES if name in assumed}


def _best(scored: dict[str, ScoreMatrix], human: ScoreMatrix, place: dict[str, Any]) -> ScoreMatrix:
    """The metric that agrees best with people; an undefined one never."""
    from validate.stats import correlation

    values = {name: correlation(matrix, human, **place).value for name, matrix in scored.items()}
    return scored[max(values, key=lambda name: (values[name] == values[name], values[name]))]


def beside_pilot(found: Plan, own: float) -> list[str]:
    """That studies like the pilot do not have its correlation on average, and a word where it lies outside what they have."""
    if math.isnan(own):
        return []
    sizes = dict(zip(("n_systems", "n_items", "n_annotators"), found.base, strict=True))
    row = found.curve[(found.curve[list(sizes)] == list(sizes.values())).all(axis=1)].iloc[0]
    told = (
        f"the pilot itself has {own:.2f}; new studies of its sizes, with other systems, items and judgments, drawn from normal "
        f"distributions without ties, have {row['estimate']:.2f} on average".replace("-", "\u2212")
    )
    outside = not row["low"] <= own <= row["high"]
    return [f"{told}; the pilot lies outside what they have: all figures are rough" if outside else told]


def _document(found: Plan, about: str) -> dict[str, Any]:
    """Everything as plain values; what cannot be reached is missing."""
    return {
        "about": about,
        "method": found.method,
        "base": found.base._asdict(),
        "difference": found.difference,
        "needed": [
            {name: None if value is None or value != value else value for name, value in row.items()}
            for row in found.needed.astype(object).where(found.needed.notna(), None).to_dict("records")
        ],
        "curve": found.curve.to_dict("records"),
        "notes": list(found.notes),
    }


def show(console: Any, found: Plan, about: str, confidence: float) -> None:
    """The table of what is needed, and a curve of bars for everything that was varied."""
    from rich.padding import Padding
    from rich.text import Text

    base = found.base
    console.print(Text(about, style="bold"))
    console.print(
        f"{found.method}; base: {base.systems:,} systems, {base.items:,} items, {base.annotators:,} judgments an output"
    )
    for note in found.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))
    console.print(_needed(found))
    for note in dict.fromkeys(filter(None, found.needed["note"])):
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))
    for axis, frame in found.curve.groupby("varied", sort=False):
        console.print(_curve(str(axis), frame, found, confidence))


def _plain_table(title: str, columns: list[str], left: int = 1) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="", box=None, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < left else "right", overflow="fold")
    return table


def _needed(found: Plan) -> Any:
    table = _plain_table("", ["goal", "more", "systems", "items", "annotators", "now"], left=2)
    for row in found.needed.itertuples(index=False):
        goal = f"width {row.target:g}" if row.goal == "width" else f"power {row.target:g} for {found.difference:g}"
        sizes = ["–" if size is None or size != size else f"{size:,}" for size in _sizes(row)]
        table.add_row(goal, row.varied, *sizes, f"{row.at_base:.2f}")
    return table


def _sizes(row: Any) -> list[Any]:
    import pandas as pd

    return [None if pd.isna(size) else int(size) for size in (row.n_systems, row.n_items, row.n_annotators)]


def _curve(axis: str, frame: pd.DataFrame, found: Plan, confidence: float) -> Any:
    """Sizes with the width as a bar, so that its fall is seen, and the power."""
    names = [f"n_{kind}" for kind in axis.split(" and ")]
    table = _plain_table(
        f"more {axis}",
        [axis.replace("and", "×"), "estimate", f"{100 * confidence:g} % of studies", "width", "", "power"],
        left=0,
    )
    table.columns[4].justify = "left"
    for row in frame.sort_values(names).to_dict("records"):
        bar = "█" * max(1, round(BAR * min(row["width"], 1.0)))
        shown = f"[{row['low']:.2f}, {row['high']:.2f}]".replace("-", "\u2212")
        table.add_row(
            " × ".join(f"{row[name]:,}" for name in names), f"{row['estimate']:.2f}".replace("-", "\u2212"), shown, f"{row['width']:.2f}", bar,
            f"{row['power']:.2f}",
        )  # fmt: skip
    return table
