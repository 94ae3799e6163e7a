"""What a validation leaves behind: tidy tables, checked when they are made, written all at once or not at all.

Columns are a contract with the people who read the files. Nothing is rounded here. The same inputs, options and seed
give the same bytes in every CSV; times and memory are in run.json alone.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from validate.errors import ResultsError, ShapeError
from validate.files import check_exchangeable, replace_folder

COLUMNS: dict[str, tuple[str, ...]] = {
    "correlations": (
        "criterion", "metric", "level", "grouping", "coefficient", "estimate", "low", "high", "n_systems", "n_items",
        "n_groups", "n_undefined", "unit", "resamples", "seed", "reason",
    ),
    "significance": (
        "criterion", "level", "grouping", "coefficient", "metric_a", "metric_b", "difference", "low", "high", "p",
        "p_adjusted", "test",
    ),
    "metric_ranks": ("criterion", "level", "grouping", "coefficient", "metric", "rank"),
    "pairwise": (
        "criterion", "metric", "level", "grouping", "statistic", "estimate", "low", "high", "threshold", "n", "reason",
    ),
    "agreement": (
        "criterion", "statistic", "measurement", "estimate", "low", "high", "n_units", "n_annotators", "n_dropped",
        "reason",
    ),
    "ranking": ("criterion", "system", "estimate", "low", "high", "rank_low", "rank_high", "method", "n"),
    "system_scores": ("metric", "system", "score", "low", "high", "signature"),
    "crosscheck": ("metric", "reference", "version", "n", "max_abs_difference", "tolerance", "status"),
    "ceiling": (
        "criterion", "level", "grouping", "coefficient", "estimate", "low", "high", "n_annotators", "method", "reason",
    ),
    "attenuation": (
        "criterion", "metric", "level", "grouping", "coefficient", "estimate", "corrected", "low", "high", "reliability",
        "reason",
    ),
    "annotators": (
        "criterion", "annotator", "n", "mean", "sd", "n_shared", "bias", "loo_correlation", "same", "agreement",
        "agreement_with",
    ),
    "repeats": (
        "criterion", "annotator", "n", "same", "difference", "n_swapped", "same_swapped", "first_side", "second_side",
    ),
}  # fmt: skip
PARQUET_COLUMNS: dict[str, tuple[str, ...]] = {
    "scores": ("metric", "system", "item_id", "score"),
    "human_scores": ("criterion", "system", "item_id", "score"),
}
LEAVE_ONE_OUT = "leave one annotator out"  # begins ``method`` of a ceiling that is one
SPLIT_HALF = "split half"  # and of a reliability
DOCUMENTS = ("choice", "run", "cases")
REPORT = "report.html"


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The tables and documents of one validation; ``COLUMNS`` says what each table holds.

    Parameters
    ----------
    correlations : DataFrame
        One row a criterion × metric × level × grouping × coefficient. Positive means agreement: the sign of metrics for
        which lower is better is turned. Undefined estimates are NaN and ``reason`` says why.
    significance : DataFrame
        One row a pair of metrics; ``difference`` is the correlation of ``metric_a`` minus that of ``metric_b``.
    metric_ranks : DataFrame
        Metrics by how well they agree with people, best first; those that no test tells apart share a ``rank``, and it is missing where
        their differences are undefined.
    pairwise : DataFrame
        How metrics order pairs; ``statistic`` is ``soft_pairwise_accuracy`` (of systems), ``pairwise_accuracy`` (of outputs, with the
        ``threshold`` up to which scores count as tied) or ``pairwise_difference_pearson``. ``n`` counts outputs.
    agreement : DataFrame
        Among annotators; ``statistic`` is ``percent``, ``krippendorff_alpha``, ``gwet_ac1`` and further ones that the judgments allow;
        ``self_consistency`` is that of annotators with themselves.
    ranking : DataFrame
        Systems by people, best first; ``method`` is ``mean`` (of ratings), ``win-rate`` or ``bradley-terry``.
    system_scores : DataFrame
        Corpus scores with intervals.
    crosscheck : DataFrame
        Ours beside the reference libraries.
    ceiling : DataFrame
        How well one annotator agrees with the others on the same footing as a metric does; and, where ``method`` begins with ``split half``,
        the reliability of the mean of all annotators.
    attenuation : DataFrame
        Correlations divided by the root of that reliability, with the ends of their intervals: another question's answer, which can
        exceed 1.
    annotators : DataFrame
        Who judged how much, how, and how well in agreement with the rest; ``agreement`` is what ``agreement_with`` says.
    repeats : DataFrame
        Who judged something again, and how often with the same result.
    scores, human_scores : DataFrame
        Item scores of the metrics and of people.
    choice : dict
        See ``validate.choose``.
    run : dict
        Everything needed to repeat it, what was skipped and why, and what it cost.
    cases : list of dict
        The outputs on which a metric and people part most, with their texts.
    """

    correlations: pd.DataFrame
    significance: pd.DataFrame
    metric_ranks: pd.DataFrame
    pairwise: pd.DataFrame
    agreement: pd.DataFrame
    ranking: pd.DataFrame
    system_scores: pd.DataFrame
    crosscheck: pd.DataFrame
    ceiling: pd.DataFrame
    attenuation: pd.DataFrame
    annotators: pd.DataFrame
    repeats: pd.DataFrame
    scores: pd.DataFrame
    human_scores: pd.DataFrame
    choice: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    cases: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, columns in {**COLUMNS, **PARQUET_COLUMNS}.items():
            got = tuple(getattr(self, name).columns)
            if got != columns:
                raise ShapeError(f"Results: {name} has the columns {got}; {columns} are allowed; give exactly these")
        for name in DOCUMENTS:  # as their files have them, so that the page is the same before and after
            object.__setattr__(self, name, _plain(getattr(self, name)))


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A table of that name out of rows, with all its columns also when there are no rows.

    Raises
    ------
    ShapeError
        When a row has other keys than the table has columns.
    """
    columns = list({**COLUMNS, **PARQUET_COLUMNS}[name])
    for row in rows:
        if set(row) != set(columns):
            raise ShapeError(
                f"Results: a row of {name} has the keys {sorted(row)}; {columns} are allowed; give exactly these"
            )
    return pd.DataFrame(rows, columns=columns)


def write(results: Results, out: Path, report: str) -> Path:
    """Write every file of a validation into the folder ``out``: all of them, or, if anything fails, none.

    An older folder of results is exchanged for the new one in one step. A folder that holds something else is refused.

    Raises
    ------
    ResultsError
        When ``out`` exists and is not a folder of results.
    """
    check_replaceable(out)
    with replace_folder(out) as folder:
        for name in COLUMNS:
            _write_csv(getattr(results, name), folder / f"{name}.csv")
        for name in PARQUET_COLUMNS:
            getattr(results, name).to_parquet(folder / f"{name}.parquet", index=False)
        for name in DOCUMENTS:
            (folder / f"{name}.json").write_text(to_json(getattr(results, name)) + "\n", encoding="utf-8")
        (folder / REPORT).write_text(report, encoding="utf-8")
    return out


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Quotes where a text needs them. The csv module forgets that a lone carriage return is a line end to every reader."""
    texts = [frame[column] for column in frame if column in _TEXT]
    returns = any(column.astype(str).str.contains("\r", regex=False).any() for column in texts)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    frame.to_csv(path, index=False, lineterminator="\n", quoting=quoting)


def check_replaceable(out: Path) -> None:
    """Refuse to write over something that is not a folder of results, or where nothing can be written.

    Asked before the work begins, too.
    """
    check_exchangeable(out)
    if not out.exists() or (out.is_dir() and ((out / "run.json").is_file() or not any(out.iterdir()))):
        return
    what = "a folder that holds other things" if out.is_dir() else "a file"
    raise ResultsError(
        f"{out}: it is {what}; a new, an empty or an earlier results folder is allowed; choose another --out"
    )


def read(folder: Path) -> Results:
    """The results that `write` left in a folder.

    Raises
    ------
    ResultsError
        When a file is missing or does not have its columns.
    """
    frames = {name: _read(folder, f"{name}.csv", _read_csv) for name in COLUMNS}
    frames |= {name: _read(folder, f"{name}.parquet", pd.read_parquet) for name in PARQUET_COLUMNS}
    documents = {name: _read(folder, f"{name}.json", _read_json) for name in DOCUMENTS}
    try:
        return Results(**frames, **documents)
    except ShapeError as error:
        raise ResultsError(f"{folder}: {error}") from None


def _read(folder: Path, name: str, reader: Callable[[Path], Any]) -> Any:
    """One file of a results folder; whatever keeps it from being read becomes an error that names it."""
    try:
        return reader(folder / name)
    except FileNotFoundError:
        what = "is missing"
    except (OSError, ValueError) as error:  # pandas' and pyarrow's errors about what a file holds are ValueErrors
        what = f"cannot be read ({str(error).splitlines()[0]})"
    raise ResultsError(
        f"{folder}: {name} {what}; a folder written by 'accord validate' is allowed; "
        f"run 'accord validate STUDY --out {folder}'"
    )


_TEXT = {"criterion", "metric", "level", "grouping", "coefficient", "unit", "reason", "metric_a", "metric_b", "test", "statistic",
         "measurement", "system", "method", "signature", "reference", "version", "status", "annotator", "agreement_with"}  # fmt: skip


def _read_csv(path: Path) -> pd.DataFrame:
    """Text stays text ("01", "NA" and "True" are names of systems), and numbers come back to the last bit."""
    columns = COLUMNS[path.stem]
    return pd.read_csv(
        path,
        dtype={column: "str" for column in columns if column in _TEXT},
        keep_default_na=False,
        na_values={column: [""] for column in columns if column not in _TEXT},
    )


def _read_json(path: Path) -> Any:
    document = json.loads(path.read_text(encoding="utf-8"))
    wanted = list if path.stem == "cases" else dict
    if not isinstance(document, wanted):
        raise ValueError(f"it holds a {type(document).__name__}, where a {wanted.__name__} is needed")
    return document


def to_json(document: Any) -> str:
    """JSON with NaN as null, sorted nowhere: the order of the document is the order of the file."""
    return json.dumps(_plain(document), ensure_ascii=False, indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Python's own types all the way down; NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and not (float("-inf") < value < float("inf")):
        return None
    return str(value) if isinstance(value, Path) else value
