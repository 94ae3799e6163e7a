"""Our numbers beside those of the reference libraries, on the texts at hand.

Every registered metric that names a library is scored twice, by us and by it, item by item and for the whole corpus, and
the largest difference is reported. A library that is not installed is said so and stops nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from validate import metrics as registry
from validate.errors import AccordError, plural
from validate.metrics import Metric, NoCounterpart, Reference
from validate.metrics._metric import check_references, check_texts
from validate.schema import FloatArray

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "reference", "version", "n", "max_abs_difference", "tolerance", "status")
NO_REFERENCE = "no reference library"
WHO = "crosscheck"


def crosscheck(
    metrics: Sequence[Metric | str],
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    limit: int | None = None,
    work: int | None = None,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Compare our scores to the reference libraries', one row a metric.

    Parameters
    ----------
    metrics : sequence of Metric or name
    outputs : list of str, length n
        All outputs of a study, whatever their system. Rows that say the same (output and references) are compared once, rows
        without references not at all.
    references : list of list of str, length n
    limit : int, optional
        Compare a sample of at most so many rows.
    work : int, optional
        Compare a sample of at most so many pairs of words: words of an output times words of its references, added up over
        rows, which is what the slowest library (rouge-score, some 3 million a second) takes time for. At least one row.
    rng : int or Generator
        Draws the sample.

    Returns
    -------
    DataFrame
        ``metric``, ``reference`` (library), ``version`` of it, ``n`` rows compared, ``max_abs_difference`` over the item
        scores and the corpus score that the library has (infinite where we have none), ``tolerance``, and ``status``: "equal",
        "differs", "no reference library", or "skipped: …" or "error: …" with the reason.

    Raises
    ------
    ShapeError
        When the references are not one list per output.

    Examples
    --------
    >>> frame = crosscheck(["random"], ["a"], [["a"]])
    >>> frame.loc[0, "status"]
    'no reference library'
    """
    import pandas as pd

    check_texts(WHO, "outputs", outputs)
    check_references(WHO, outputs, references)
    rows = _sample(_distinct(outputs, references), outputs, references, limit, work, rng)
    kept = [outputs[row] for row in rows], [references[row] for row in rows]
    made = [registry.get(metric) if isinstance(metric, str) else metric for metric in metrics]
    return pd.DataFrame([_row(metric, *kept) for metric in made], columns=list(COLUMNS))


def failed(frame: pd.DataFrame) -> bool:
    """Whether any metric of a cross-check differs from its library by more than its tolerance, or the library broke down.

    >>> import pandas as pd
    >>> failed(pd.DataFrame({"status": ["equal", "skipped: jiwer is not installed"]}))
    False
    """
    return _failures(frame) > 0


def _failures(frame: pd.DataFrame) -> int:
    return sum(status == "differs" or status.startswith("error") for status in frame["status"])


def _distinct(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> list[int]:
    """The first row of each different (output, references), among those that have references."""
    first: dict[Any, int] = {}
    for row, (output, texts) in enumerate(zip(outputs, references, strict=True)):
        if texts:
            first.setdefault((output, tuple(texts)), row)
    return list(first.values())


def _sample(
    rows: list[int],
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    limit: int | None,
    work: int | None,
    rng: int | np.random.Generator,
) -> list[int]:
    """As many of the rows, drawn without replacement, as both bounds allow; in their order."""
    drawn = np.random.default_rng(rng).permutation(rows).tolist()[:limit]
    if work is not None:
        pairs = [_words(outputs[row]) * sum(map(_words, references[row])) for row in drawn]
        drawn = drawn[: max(1, int(np.searchsorted(np.cumsum(pairs), work, side="right")))]
    return sorted(drawn)


def _words(text: str) -> int:
    return len(text.split())


def _row(metric: Metric, outputs: list[str], references: list[Sequence[str]]) -> dict[str, Any]:
    """One line of the table: what came out, or why nothing did."""
    entry = registry.entries().get(metric.name)
    reference = entry.reference if entry else None
    row = {
        "metric": metric.name,
        "reference": "",
        "version": "",
        "n": 0,
        "max_abs_difference": np.nan,
        "tolerance": np.nan,
    }
    if reference is None:
        return {**row, "status": NO_REFERENCE}
    row |= {"reference": reference.package, "tolerance": reference.tolerance}
    try:
        row["version"] = metadata.version(reference.package)
    except metadata.PackageNotFoundError:
        return {
            **row,
            "status": f"skipped: {reference.package} is not installed; it comes with accord's extra 'crosscheck'",
        }
    if not outputs:
        return {**row, "status": "skipped: no output has a reference"}
    return row | _compared(metric, reference, outputs, references)


def _compared(
    metric: Metric, reference: Reference, outputs: list[str], references: list[Sequence[str]]
) -> dict[str, Any]:
    """The largest difference and what to call it; a library that breaks down is reported, not raised."""
    try:
        items, corpus = reference.score(metric, outputs, references)
        statistics = metric.statistics(outputs, references)
    except NoCounterpart as reason:
        return {"status": f"skipped: {reason}"}
    except ImportError as error:
        return {
            "status": f"skipped: {error.name or reference.package} is not installed; it comes with accord's extra 'crosscheck'"
        }
    except AccordError as error:
        return {"status": f"skipped: {error}"}
    except Exception as error:  # any fault of a foreign library: the other metrics go on, and `failed` says so
        return {"status": f"error: {reference.package} raised {type(error).__name__}: {error}"}
    ours = np.append(metric.divide(statistics), metric.corpus_score(statistics))
    difference = _largest_difference(ours, np.append(items, corpus))
    status = "equal" if difference <= reference.tolerance else "differs"
    return {"n": len(outputs), "max_abs_difference": difference, "status": status}


def _largest_difference(ours: FloatArray, theirs: FloatArray) -> float:
    """Over all scores that the library has; where we have none, we are infinitely far from it."""
    compared = ~np.isnan(theirs)
    apart = np.abs(ours[compared] - theirs[compared])
    return float(np.where(np.isnan(apart), np.inf, apart).max(initial=0.0))


def summary(frame: pd.DataFrame) -> str:
    """One sentence: how many metrics equal their library, how many differ, how many were not compared.

    >>> import pandas as pd
    >>> summary(pd.DataFrame({"status": ["equal", "equal", "no reference library", "skipped: …"]}))
    '2 metrics equal their reference library, 0 differ, 2 were not compared'
    """
    equal = int((frame["status"] == "equal").sum())
    differ = _failures(frame)
    equals = plural(equal, "metric") + (" equals" if equal == 1 else " equal")
    return f"{equals} their reference library, {differ} differ, {len(frame) - equal - differ} were not compared"
