"""Our numbers beside those of the reference libraries, on the texts at hand.

Every registered metric that names a library is scored twice, by us and by it, item by item and for the whole corpus, and
the largest difference is reported. A library that is not installed is said so and stops nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from validate import metrics as registry
from validate.errors import AccordError, plural
from validate.metrics import Metric, NoCounterpart, Reference
from validate.metrics._metric import check_references, check_texts
from validate.metrics._registry import USUAL_PACE
from validate.schema import FloatArray

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "reference", "version", "n", "max_abs_difference", "tolerance", "status")
NO_REFERENCE = "no reference library"
WHO = "crosscheck"
PATIENCE = 4  # a single row may take so many times the time that is allowed for all


def crosscheck(
    metrics: Sequence[Metric | str] | Mapping[str, Metric],
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    *,
    limit: int | None = None,
    work: int | None = None,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Compare our scores to the reference libraries', one row a metric and library.

    Parameters
    ----------
    metrics : sequence of Metric or name, or mapping of label to Metric
        The label stands in the table, else the metric's name.
    outputs : list of str, length n
        All outputs of a study, whatever their system. Rows that say the same (output and references) are compared once, rows
        without references not at all, unless no row has any.
    references : list of list of str, length n
    sources : list of str, length n, optional
    limit : int, optional
        Compare a sample of at most so many rows.
    work : int, optional
        Compare a sample of at most so many pairs of words: words of an output times words of its references, added up over
        rows, which is what a library takes time for: rouge-score does some 3 million a second. A slower one gets fewer (`Reference.pace`).
        At least one row.
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
        When the references are not one list per output, or the sources not one per output.

    Examples
    --------
    >>> frame = crosscheck(["random"], ["a"], [["a"]])
    >>> frame.loc[0, "status"]
    'no reference library'
    """
    import pandas as pd

    check_texts(WHO, "outputs", outputs)
    check_references(WHO, outputs, references)
    if sources is not None:
        check_texts(WHO, "sources", sources, expected=len(outputs))
    rows = _sample(_distinct(outputs, references, sources), outputs, references, limit, work, rng)
    texts = _Texts(
        [outputs[row] for row in rows],
        [references[row] for row in rows],
        None if sources is None else [sources[row] for row in rows],
    )
    found = [row for label, metric in _labelled(metrics) for row in _rows(label, metric, texts, work)]
    return pd.DataFrame(found, columns=list(COLUMNS))


class _Texts(NamedTuple):
    """What both sides score."""

    outputs: list[str]
    references: list[Sequence[str]]
    sources: list[str] | None

    def within(self, work: int | None) -> _Texts:
        """The first rows that make at most so many pairs of words, at least one; all where nothing is said."""
        rows = _affordable(self.outputs, self.references, work)
        return _Texts(
            self.outputs[:rows], self.references[:rows], None if self.sources is None else self.sources[:rows]
        )

    @property
    def pairs(self) -> int:
        """Pairs of words: an output's times its references', added up."""
        return sum(
            _words(text) * sum(map(_words, row)) for text, row in zip(self.outputs, self.references, strict=True)
        )

    def given_to(self, metric: Metric) -> tuple[Any, ...]:
        """The arguments of a scorer: the sources only where the metric needs them."""
        return self if "sources" in metric.needs else self[:2]


def _labelled(metrics: Sequence[Metric | str] | Mapping[str, Metric]) -> list[tuple[str, Metric]]:
    if isinstance(metrics, Mapping):
        return list(metrics.items())
    made = [registry.get(metric) if isinstance(metric, str) else metric for metric in metrics]
    return [(metric.name, metric) for metric in made]


def failed(frame: pd.DataFrame) -> bool:
    """Whether any metric of a cross-check differs from its library by more than its tolerance, or the library broke down.

    >>> import pandas as pd
    >>> failed(pd.DataFrame({"status": ["equal", "skipped: jiwer is not installed"]}))
    False
    """
    return _failures(frame) > 0


def _failures(frame: pd.DataFrame) -> int:
    return sum(status == "differs" or status.startswith("error") for status in frame["status"])


def _distinct(outputs: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None) -> list[int]:
    """The first row of each different (output, references, source), among those that have references where any has."""
    first: dict[Any, int] = {}
    without = not any(references)
    beside = sources if sources is not None else [""] * len(outputs)
    for row, (output, texts, source) in enumerate(zip(outputs, references, beside, strict=True)):
        if texts or without:
            first.setdefault((output, tuple(texts), source), row)
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
    return sorted(drawn[: _affordable([outputs[row] for row in drawn], [references[row] for row in drawn], work)])


def _affordable(outputs: Sequence[str], references: Sequence[Sequence[str]], work: int | None) -> int:
    """How many rows from the first on make at most so many pairs of words; at least one, all where nothing is said."""
    if work is None:
        return len(outputs)
    pairs = [_words(output) * sum(map(_words, row)) for output, row in zip(outputs, references, strict=True)]
    return max(1, int(np.searchsorted(np.cumsum(pairs), work, side="right")))


def _words(text: str) -> int:
    return len(text.split())


def _rows(label: str, metric: Metric, texts: _Texts, work: int | None) -> list[dict[str, Any]]:
    """One line for each library that has a counterpart; one that says why not where none has."""
    entry = registry.entries().get(metric.name)
    empty = {"metric": label, "reference": "", "version": "", "n": 0, "max_abs_difference": np.nan, "tolerance": np.nan}
    compared, absent = [], []
    for reference in entry.references if entry else ():
        row = empty | {"reference": reference.package, "tolerance": reference.tolerance}
        try:
            row["version"] = metadata.version(reference.package)
            compared.append(row | _within_time(reference, metric, texts, work))
        except metadata.PackageNotFoundError:
            compared.append(row | {"status": f"skipped: {_missing(reference.package, reference)}"})
        except NoCounterpart as reason:
            absent.append(row | {"status": f"skipped: {reason}"})
    return compared or absent[:1] or [{**empty, "status": NO_REFERENCE}]


def _within_time(reference: Reference, metric: Metric, texts: _Texts, work: int | None) -> dict[str, Any]:
    """As many rows as the library does in the time of so many pairs of words at the usual pace."""
    if work is None or reference.pace >= USUAL_PACE:
        return _against(reference, metric, texts)
    fewer = texts.within(work * reference.pace // USUAL_PACE)
    if fewer.pairs > PATIENCE * max(1, work * reference.pace // USUAL_PACE):
        return {
            "status": f"skipped: {reference.package} needs very long for texts of this length; accord crosscheck takes the time"
        }
    return _against(reference, metric, fewer)


def _against(reference: Reference, metric: Metric, texts: _Texts) -> dict[str, Any]:
    """What came out beside one library, or why nothing did."""
    if not texts.outputs or ("references" in metric.needs and not any(texts.references)):
        return {"status": "skipped: no output has a reference"}
    if "sources" in metric.needs and texts.sources is None:
        return {"status": "skipped: no output has a source"}
    return _compared(metric, reference, texts)


def _missing(package: str, reference: Reference) -> str:
    return f"{package} is not installed; it comes with accord's extra {reference.extra!r}"


def _compared(metric: Metric, reference: Reference, texts: _Texts) -> dict[str, Any]:
    """The largest difference and what to call it; a library that breaks down is reported, not raised."""
    try:
        items, corpus = reference.score(metric, *texts.given_to(metric))
        statistics = metric.statistics(*texts.given_to(metric))
    except NoCounterpart:
        raise
    except ImportError as error:
        return {"status": f"skipped: {_missing(error.name or reference.package, reference)}"}
    except AccordError as error:
        return {"status": f"skipped: {error}"}
    except Exception as error:  # any fault of a foreign library: the other metrics go on, and `failed` says so
        return {"status": f"error: {reference.package} raised {type(error).__name__}: {error}"}
    ours = np.append(metric.divide(statistics), metric.corpus_score(statistics))
    difference = _largest_difference(ours, np.append(items, corpus))
    status = "equal" if difference <= reference.tolerance else "differs"
    return {"n": len(texts.outputs), "max_abs_difference": difference, "status": status}


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
