"""``accord agree``: how well the annotators agree, with each other and with themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from validate.schema import Study

MOST_ANNOTATORS = 24


def agree(
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False)],
    criterion: Annotated[str, typer.Option(help="One criterion only; by default all.", show_default=False)] = "",
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates behind every interval.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Of every interval.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Same inputs, options and seed give the same numbers.")] = 0,
    duplicates: Annotated[
        str, typer.Option(help="Which of an annotator's repeated judgments count: last, first, all or error.")
    ] = "last",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """How well annotators agree: by criterion, each annotator with the others, and with his or her own repeats."""
    from validate.loading import load

    found = measured(
        load(study), criterion, resamples=resamples, confidence=confidence, seed=seed, duplicates=duplicates
    )
    if json_output:
        from validate.results import to_json

        typer.echo(to_json(_document(study, found)))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for one in found:
        show(console, one)


def measured(
    study: Study, criterion: str, *, resamples: int, confidence: float, seed: int, duplicates: str
) -> list[dict[str, Any]]:
    """Per criterion: its label and kind, and the tables of agreement, of annotators and of repeats.

    Raises
    ------
    OptionError
        When there is no such criterion.
    AccordError
        When the study has no judgments.
    """
    import numpy as np

    from validate.errors import AccordError, unknown_name
    from validate.human import targets
    from validate.stats import agreement_table, annotator_table, repeat_table, self_consistency
    from validate.validation.repeats import repeated_judgments

    chosen = targets(study, duplicates=duplicates)  # type: ignore[arg-type]
    labels = [target.label for target in chosen]
    if not labels:
        raise AccordError(
            f"agree: the study {study.name!r} has no judgments; ratings or comparisons are needed; add ratings.* or comparisons.*"
        )
    if criterion and criterion not in labels:
        raise unknown_name("agree", "criterion", criterion, labels)
    repeated = repeated_judgments(study)
    common: dict[str, Any] = {"resamples": resamples, "confidence": confidence}
    found = []
    # every criterion has draws of its own, so that --criterion changes no number
    for target, rng in zip(chosen, np.random.default_rng(seed).spawn(len(chosen)), strict=True):
        if criterion in ("", target.label):
            again = repeated.get(target.label)
            found.append(
                {
                    "criterion": target.label,
                    "kind": target.kind,
                    "n_annotators": len(target.judgments.annotators),
                    "agreement": agreement_table(target.judgments, rng=rng, **common),
                    "annotators": _remarked(annotator_table(target.judgments), target.kind),
                    "repeats": repeat_table(again) if again is not None else None,
                    "self_consistency": self_consistency(again, rng=rng, **common) if again is not None else None,
                }
            )
    return found


def _remarked(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The annotators, those who agree least first, with a mark on those far below the others."""
    from validate.report.tables.judgments import far_below

    leading = "loo_correlation" if kind == "ratings" else "agreement"
    table = table.assign(stands_out=far_below(table.rename(columns={"agreement": "same"})))
    return table.sort_values(["stands_out", leading], ascending=[False, True], kind="stable").reset_index(drop=True)


def _document(study: Path, found: list[dict[str, Any]]) -> dict[str, Any]:
    """The tables as plain values."""
    from dataclasses import asdict, is_dataclass

    def plain(value: Any) -> Any:
        if hasattr(value, "to_dict"):
            return value.to_dict("records")
        return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value

    return {"study": str(study), "criteria": [{name: plain(part) for name, part in one.items()} for one in found]}


def show(console: Any, one: dict[str, Any]) -> None:
    """One criterion as tables that fit on 80 columns."""
    from rich.padding import Padding
    from rich.text import Text

    from validate.errors import plural

    console.print(
        Text(f"{one['criterion']}: {one['kind']} by {plural(one['n_annotators'], 'annotator')}", style="bold")
    )
    frame = one["agreement"]
    if frame["estimate"].notna().any():
        console.print(_agreement(frame))
        for name, reason in _reasons(frame).items():
            console.print(Padding(Text(f"{name}: {reason}", style="dim"), (0, 0, 0, 2)))
        console.print(_annotators(one["annotators"], one["kind"]))
    else:
        console.print(Text(frame["reason"].iloc[0] + ": there is no agreement among annotators to measure"))
    if one["repeats"] is not None and len(one["repeats"]):
        console.print(_repeats(one["repeats"], one["self_consistency"], one["kind"]))
    console.print()


def _table(title: str, columns: list[str], names: int = 1) -> Table:
    """A plain table: names to the left, numbers to the right."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="", box=None, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < names else "right", overflow="fold")
    return table


def _statistic(row: Any) -> str:
    """The name of a coefficient and, where it has several, the measurement."""
    from validate.report.words import statistic_name

    several = row.statistic in ("krippendorff_alpha", "cohen_kappa")
    return str(statistic_name(row.statistic)) + (f", {row.measurement}" if several else "")


def _agreement(frame: pd.DataFrame) -> Table:
    from validate.report.numbers import count_text, estimate_text

    table = _table("", ["agreement", "estimate", "units", "dropped"])
    for row in frame.itertuples(index=False):
        estimate = str(estimate_text(row.estimate, row.low, row.high))
        table.add_row(_statistic(row), estimate, str(count_text(row.n_units)), str(count_text(row.n_dropped)))
    return table


def _reasons(frame: pd.DataFrame) -> dict[str, str]:
    """Why coefficients are undefined or not quite what is usual, each reason once."""
    told: dict[str, list[str]] = {}
    for row in frame[frame["reason"] != ""].itertuples(index=False):
        told.setdefault(str(row.reason), []).append(_statistic(row))
    return {", ".join(names): reason for reason, names in told.items()}


def _annotators(frame: pd.DataFrame, kind: str) -> Table:
    from rich.text import Text

    from validate.report.numbers import count_text, number_text, share_text

    columns = ["annotator", "judged", "shared", "mean", "sd", "bias", "r with rest", "same"]
    table = _table("", columns)
    shown = frame.head(max(MOST_ANNOTATORS, int(frame["stands_out"].sum())))
    for row in shown.itertuples(index=False):
        cells = [
            count_text(row.n), count_text(row.n_shared), number_text(row.mean), number_text(row.sd), number_text(row.bias),
            number_text(row.loo_correlation), share_text(row.agreement),
        ]  # fmt: skip
        name = Text(f"{'! ' if row.stands_out else ''}{row.annotator}", style="yellow" if row.stands_out else "")
        table.add_row(name, *map(str, cells))
    notes = ["bias: mean less that of the others on the same units", "same: judgments of the others that are equal"]
    if kind == "comparisons":
        notes.insert(0, "1 is a win of the side first shown, −1 a loss, 0 a tie")
    if frame["stands_out"].any():
        notes.insert(0, "! agrees far less than the others")
    if len(frame) > len(shown):
        notes.append(f"the {len(shown)} who agree least of {len(frame):,}; --json has all")
    table.caption, table.caption_justify = "; ".join(notes), "left"
    return table


def _repeats(frame: pd.DataFrame, overall: Any, kind: str) -> Table:
    from rich.text import Text

    from validate.report.numbers import count_text, estimate_text, number_text, share_text

    pairwise = kind == "comparisons"
    columns = [
        "own repeats",
        "repeated",
        "same",
        *(["swapped", "same", "first side", "second side"] if pairwise else ["difference"]),
    ]
    table = _table("", columns)
    for row in frame.head(MOST_ANNOTATORS).itertuples(index=False):
        swapped = [count_text(row.n_swapped), *map(share_text, (row.same_swapped, row.first_side, row.second_side))]
        rest = swapped if pairwise else [number_text(row.difference)]
        table.add_row(Text(str(row.annotator)), *map(str, (count_text(row.n), share_text(row.same), *rest)))
    table.caption = (
        f"self-consistency {estimate_text(overall.value, overall.low, overall.high)} over {overall.n:,} repeated"
    )
    table.caption_justify = "left"
    return table
