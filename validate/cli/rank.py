"""``accord rank``: the systems in the order in which people prefer them, and how sure that order is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from validate.human import Target
    from validate.schema import Preferences
    from validate.stats.ranking import Ranking

CLUSTERS = {"both": ("item", "annotator"), "item": ("item",), "annotator": ("annotator",), "none": ()}
FEW = 10  # clusters: below that, how much they vary is hardly known
METHODS = ("bradley-terry", "davidson", "win-rate", "elo", "mean")


def rank(
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False)],
    criterion: Annotated[str, typer.Option(help="One criterion only; by default all.", show_default=False)] = "",
    method: Annotated[
        str,
        typer.Option(
            help="bradley-terry, davidson, win-rate or elo for comparisons, mean for ratings; by default bradley-terry "
            "and mean.",
            show_default=False,
        ),
    ] = "",
    both_bad: Annotated[str, typer.Option(help="What 'both bad' is: a tie, or no judgment (drop).")] = "tie",
    interval: Annotated[
        str, typer.Option(help="How comparisons' intervals are made: sandwich or bootstrap.")
    ] = "sandwich",
    cluster: Annotated[
        str,
        typer.Option(
            help="Which judgments hang together: those of one item, by one annotator, both, or none. Intervals hold for "
            "other items and annotators only where these are taken into account."
        ),
    ] = "both",
    resamples: Annotated[int, typer.Option(help="Replicates, or random orders for elo.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Of every interval.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Same inputs, options and seed give the same numbers.")] = 0,
    duplicates: Annotated[
        str, typer.Option(help="Which of an annotator's repeated judgments count: last, first, all or error.")
    ] = "last",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Rank systems by what people said: strengths with intervals, and the ranks that the intervals allow."""
    from validate.loading import load

    found = ranked(
        load(study), criterion, method, both_bad=both_bad, interval=interval, cluster=cluster, resamples=resamples,
        confidence=confidence, seed=seed, duplicates=duplicates,
    )  # fmt: skip
    if json_output:
        from validate.results import to_json

        typer.echo(to_json({"study": str(study), "rankings": found}))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for one in found:
        show(console, one)


def ranked(
    study: Any,
    criterion: str,
    method: str,
    *,
    both_bad: str,
    interval: str,
    cluster: str,
    resamples: int,
    confidence: float,
    seed: int,
    duplicates: str,
) -> list[dict[str, Any]]:
    """Per criterion: what was done, one row a system, best first, and what is to be known about it.

    Raises
    ------
    OptionError
        When there is no such criterion or method, or no judgments that the method can use.
    AccordError
        When the study has no judgments at all.
    """
    import numpy as np

    from validate.errors import AccordError, OptionError, unknown_name
    from validate.human import targets

    if method and method not in METHODS:
        raise unknown_name("rank", "method", method, METHODS)
    if cluster not in CLUSTERS:
        raise unknown_name("rank", "cluster", cluster, CLUSTERS)
    chosen = targets(study, duplicates=duplicates)  # type: ignore[arg-type]
    labels = [target.label for target in chosen]
    if not labels:
        raise AccordError(
            f"rank: the study {study.name!r} has no judgments; ratings or comparisons are needed; add ratings.* or comparisons.*"
        )
    if criterion and criterion not in labels:
        raise unknown_name("rank", "criterion", criterion, labels)
    kind = {"": ("ratings", "comparisons"), "mean": ("ratings",)}.get(method, ("comparisons",))
    common: dict[str, Any] = {
        "resamples": resamples, "confidence": confidence, "both_bad": both_bad, "interval": interval,
        "kinds": CLUSTERS[cluster],
    }  # fmt: skip
    found = []
    # every criterion has draws of its own, so that --criterion changes no number
    for target, rng in zip(chosen, np.random.default_rng(seed).spawn(len(chosen)), strict=True):
        if criterion not in ("", target.label) or target.kind not in kind:
            continue
        if target.kind == "ratings":
            found.append(by_ratings(target, resamples=resamples, confidence=confidence, rng=rng))
        else:
            found.append(by_comparisons(target, method=method or "bradley-terry", rng=rng, **common))
    if not found:
        wanted = f"{criterion!r} " if criterion else ""
        raise OptionError(
            f"rank: the study {study.name!r} has no {' or '.join(kind)} {wanted}to rank by {method or 'anything'}; "
            f"methods for ratings: mean; for comparisons: {', '.join(METHODS[:-1])}; choose another --method or --criterion"
        )
    return found


def by_comparisons(
    target: Target,
    *,
    method: str,
    both_bad: str,
    interval: str,
    kinds: tuple[str, ...],
    resamples: int,
    confidence: float,
    rng: Any,
) -> dict[str, Any]:
    """Systems by pairwise judgments; those of one item, and those by one annotator, are not taken to be independent."""
    from validate.errors import plural
    from validate.stats import bradley_terry, elo, outcomes, win_rate

    judged = outcomes(cast("Preferences", target.judgments), both_bad=both_bad)
    names = target.judgments.systems
    functions: dict[str, tuple[Callable[..., Ranking], dict[str, Any]]] = {
        "bradley-terry": (bradley_terry, {}),
        "davidson": (bradley_terry, {"ties": "davidson"}),
        "win-rate": (win_rate, {}),
        "elo": (elo, {}),
    }
    function, options = functions[method]
    if method == "elo":
        options = {"orders": resamples, "interval": "orders" if interval == "sandwich" else interval}
    else:
        options = {**options, "resamples": resamples, "interval": interval}
    numbers = {kind: len(set(judged.cluster[kind].tolist())) for kind in kinds}
    several = {kind: judged.cluster[kind] for kind, number in numbers.items() if number > 1}
    fit = function(
        judged.first, judged.second, judged.outcome, len(names), cluster=several or None, confidence=confidence,
        names=names, rng=rng, **options,
    )  # fmt: skip
    mapped = {"tie": "counted as ties", "drop": "left out"}[both_bad]
    notes = [f"{judged.n_both_bad:,} judgments 'both bad' were {mapped}"] if judged.n_both_bad else []
    clustered = options["interval"] != "orders"  # Elo's random orders keep every judgment, whatever hangs together
    for kind, number in numbers.items() if clustered else ():
        if number < FEW:
            told = "what others would say is not known" if number < 2 else "what others would say is hardly known"
            notes.append(f"{plural(number, kind)} only: {told}; --cluster leaves them out of the intervals")
    return {
        "criterion": target.label,
        "kind": "comparisons",
        "method": fit.method,
        "n": len(judged.outcome),
        "confidence": confidence,
        "scale": "share of points" if method == "win-rate" else "natural log of odds, mean 0",
        "notes": [*notes, *filter(None, fit.reason.split("; "))],
        "systems": _rows(fit, names),
    }


def _rows(fit: Ranking, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """One row a system with judgments, component by component, best first."""
    import numpy as np

    met = np.flatnonzero(~np.isnan(fit.strengths))
    return [
        {
            "system": names[k],
            "group": int(fit.components[k]),
            "estimate": float(fit.strengths[k]),
            "low": float(fit.low[k]),
            "high": float(fit.high[k]),
            "rank_low": float(fit.rank_low[k]),
            "rank_high": float(fit.rank_high[k]),
            "n": int(fit.n[k]),
            "separated": bool(fit.separated[k]),
        }
        for k in sorted(met.tolist(), key=lambda k: (fit.components[k], -fit.strengths[k]))
    ]


def by_ratings(target: Target, *, resamples: int, confidence: float, rng: Any) -> dict[str, Any]:
    """Systems by the mean of their ratings over items."""
    import numpy as np

    from validate.stats import system_score_table

    frame = system_score_table(target.scores, resamples=resamples, confidence=confidence, rng=rng)
    frame = frame.rename(columns={"score": "estimate"})
    frame["n"] = np.bincount(target.judgments.system, minlength=len(frame))  # type: ignore[union-attr]
    frame = frame[frame["n"] > 0]
    frame = frame.sort_values("estimate", ascending=not target.scores.higher_is_better, kind="stable")
    frame = frame.assign(group=0, separated=False)
    best = "" if target.scores.higher_is_better else "; lower is better"
    return {
        "criterion": target.label,
        "kind": "ratings",
        "method": f"mean of the items' means{best}; percentile bootstrap over items",
        "n": len(target.judgments.annotator),
        "confidence": confidence,
        "scale": "as rated",
        "notes": [],
        "systems": frame.to_dict("records"),
    }


def show(console: Any, one: dict[str, Any]) -> None:
    """One criterion as a table, and what is to be known about it in words."""
    from rich.padding import Padding
    from rich.text import Text

    from validate.errors import plural

    console.print(
        Text(f"{one['criterion']}: {plural(len(one['systems']), 'system')} by {one['n']:,} judgments", style="bold")
    )
    console.print(
        Padding(
            Text(f"{one['method']}; {one['scale']}; {100 * one['confidence']:g} % intervals", style="dim"), (0, 0, 0, 2)
        )
    )
    groups = list(dict.fromkeys(row["group"] for row in one["systems"]))
    for number, group in enumerate(groups, start=1):
        if len(groups) > 1:
            console.print(f"group {number} of {len(groups)}: ranks hold inside it only")
        console.print(_table([row for row in one["systems"] if row["group"] == group]))
    for note in one["notes"]:
        console.print(Padding(Text(note), (0, 0, 0, 2)))
    console.print()


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(("rank", "system", "estimate", "interval", "n")):
        table.add_column(column, justify="left" if place == 1 else "right", overflow="fold")
    for row in rows:
        name = Text(f"{row['system']}{' *' if row['separated'] else ''}")
        table.add_row(_range(row), name, *_numbers(row), f"{row['n']:,}")
    if any(row["separated"] for row in rows):
        table.caption, table.caption_justify = "* without a finite strength of its own, see below", "left"
    return table


def _range(row: dict[str, Any]) -> str:
    """``2`` or ``2–4``: the ranks that the intervals allow."""
    low, high = row["rank_low"], row["rank_high"]
    if low != low or high != high:
        return "–"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _numbers(row: dict[str, Any]) -> tuple[str, str]:
    """The estimate and its interval with the digits that the interval allows; an end without a limit is ∞."""
    import math

    from validate.report.numbers import MINUS, decimals, number_text

    finite = [row[name] for name in ("low", "estimate", "high") if math.isfinite(row[name])]
    digits = decimals(min(finite), max(finite))
    if digits is None:
        return str(number_text(row["estimate"])), "–"

    def text(value: float) -> str:
        if math.isnan(value):
            return "–"
        shown = "∞" if math.isinf(value) else f"{abs(value):.{digits}f}"
        return f"{MINUS if value < 0 and shown.strip('0.') else ''}{shown}"

    return text(row["estimate"]), f"[{text(row['low'])}, {text(row['high'])}]"
