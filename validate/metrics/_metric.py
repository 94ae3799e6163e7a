"""What a metric is: count, then divide.

``statistics`` counts once per text; ``divide`` turns counts into scores along the last axis. Item scores are
``divide(S)``, the corpus score is ``divide(S.sum(axis=-2), level="system")``, and a bootstrap of the true corpus score is
``divide(W @ S, level="system")`` with a matrix W of resample counts. Metrics that are means carry ``[score, 1]``.
"""

from __future__ import annotations

import abc
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Literal, Self

import numpy as np

from validate.errors import AccordWarning, ShapeError
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

Level = Literal["item", "system"]
BLOCK = 20_000  # outputs that are counted at a time, so that a million need little more memory than their texts


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a metric says about a list of outputs.

    Parameters
    ----------
    items : (n_items,) float64
        NaN where undefined: no reference, or a policy that says so.
    system : float
        The corpus score over the defined items; not their mean where the metric is a ratio of sums.
    statistics : (n_items, k) float64
        Sufficient statistics; a row of NaN where undefined.
    signature : str
        Everything needed to repeat the number.
    """

    items: FloatArray
    system: float
    statistics: FloatArray
    signature: str


class Metric(abc.ABC):
    """Base of every metric. A subclass sets the class attributes, takes keyword-only options and writes ``count`` and ``divide``.

    Attributes
    ----------
    name : str
    higher_is_better : bool
    bounds : (float, float)
    needs : tuple of str
        Out of ``"references"`` and ``"sources"``.
    source : str
        Who defined it, with DOI.
    checked_against : str
        The reference library, as ``"sacrebleu"``; empty where there is none.
    summary : str
        One line: what it counts.
    control : bool
        True for what a metric has to beat (length, chance) and nobody would recommend.
    """

    name: str
    higher_is_better: ClassVar[bool] = True
    bounds: tuple[float, float] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("references",)
    source: ClassVar[str] = ""
    checked_against: ClassVar[str] = ""
    summary: str = ""
    control: ClassVar[bool] = False

    @abc.abstractmethod
    def count(self, batch: Batch) -> FloatArray:
        """(n, k) float64 sufficient statistics, a row of NaN where undefined."""

    @abc.abstractmethod
    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        """Scores of shape (...) out of statistics of shape (..., k); NaN in, NaN out."""

    @property
    @abc.abstractmethod
    def options(self) -> Mapping[str, Any]:
        """The options in force, in the order in which the signature states them."""

    def notes(self, batch: Batch) -> list[Fact]:
        """What a reader of the scores should know about these texts, such as how many have no tokens; none by default."""
        return []

    def fit(self, references: Sequence[Sequence[str]]) -> Self:
        """This metric, bound to a collection of references where its scores depend on one (`CollectionMetric`); else itself."""
        return self

    @property
    def signature(self) -> str:
        """Name, options and version as ``bleu|max_order:4|smoothing:exp|…|accord:0.1.0``."""
        from validate import __version__

        parts = [
            self.name,
            *(f"{key}:{spelled(value)}" for key, value in self.options.items()),
            f"accord:{__version__}",
        ]
        return "|".join(parts)

    def statistics(
        self,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> FloatArray:
        """(n_items, k) sufficient statistics of a list of outputs; arguments as in `score`."""
        return np.concatenate([self.count(batch) for batch in self._blocks(outputs, references, sources)])

    def score(
        self,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> Scores:
        """Score outputs against one list of references per output.

        Parameters
        ----------
        outputs : list of str, length n
        references : list of list of str, length n
            One list per output; an empty list makes the item undefined (NaN).
        sources : list of str, length n, optional

        Raises
        ------
        ShapeError
            When the references cannot be one list per output; the message names the mistake.

        Warns
        -----
        AccordWarning
            When scores say little for a reason that the texts show, such as no tokens in texts that hold letters.
        """
        counted, items, notes = [], [], []
        for batch in self._blocks(outputs, references, sources):
            counted.append(self.count(batch))
            items.append(self.divide(counted[-1]))
            notes.append(self.notes(batch))
        for text in _warnings(notes):
            warnings.warn(text, AccordWarning, stacklevel=2)
        statistics = counted[0] if len(counted) == 1 else np.concatenate(counted)
        return Scores(np.concatenate(items), self.corpus_score(statistics), statistics, self.signature)

    def corpus_score(self, statistics: FloatArray) -> float:
        """The score of a whole system out of its (n_items, k) statistics, over the defined rows; NaN when there is none."""
        defined = ~np.isnan(statistics).any(axis=-1)
        if not defined.any():
            return float("nan")
        kept = statistics if defined.all() else statistics[defined]
        return float(self.divide(kept.sum(axis=0), level="system"))

    @property
    def by_blocks(self) -> bool:
        """Whether outputs can be counted some at a time; not where an item's counts depend on all the others."""
        return True

    def _blocks(
        self, outputs: Sequence[str], references: Sequence[Sequence[str]] | None, sources: Sequence[str] | None
    ) -> Iterator[Batch]:
        """The outputs in batches of at most `BLOCK`, each with a corpus of its own that is forgotten after it; one batch at least."""
        references = self._checked(outputs, references, sources)
        size = BLOCK if self.by_blocks else max(len(outputs), 1)
        for start in range(0, max(len(outputs), 1), size):
            rows = slice(start, start + size)
            yield Batch.of(outputs[rows], references[rows], None if sources is None else sources[rows])

    def _batch(
        self, outputs: Sequence[str], references: Sequence[Sequence[str]] | None, sources: Sequence[str] | None
    ) -> Batch:
        """All outputs as one batch."""
        return Batch.of(outputs, self._checked(outputs, references, sources), sources)

    def _checked(
        self, outputs: Sequence[str], references: Sequence[Sequence[str]] | None, sources: Sequence[str] | None
    ) -> Sequence[Sequence[str]]:
        """One list of references per output, or the error that says what is wrong."""
        check_texts(self.name, "outputs", outputs)
        if references is None:
            if "references" in self.needs:
                raise ShapeError(
                    f"{self.name}: no references were given; it needs one list of references per output; pass references=[[...], ...]"
                )
            references = [[] for _ in outputs]
        check_references(self.name, outputs, references)
        if "sources" in self.needs and sources is None:
            raise ShapeError(f"{self.name}: no sources were given; it needs one source per output; pass sources=[...]")
        if sources is not None:
            check_texts(self.name, "sources", sources, expected=len(outputs))
        return references


def _warnings(notes: Sequence[Sequence[Fact]]) -> list[str]:
    """The warnings among the notes on each block, each kind once: as it was found first, with how many there are in all."""
    found: dict[str, list[Fact]] = {}
    for note in (note for block in notes for note in block if note.weight == "warning"):
        found.setdefault(note.name, []).append(note)
    return [
        first.text
        if not more
        else f"{first.text} (in the first block of outputs with such texts; {sum(note.count for note in (first, *more)):,} in all)"
        for first, *more in found.values()
    ]


def spelled(value: object) -> str:
    """An option's value as the signature spells it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return "+".join(map(str, value))
    return "none" if value is None else str(value)


def check_texts(who: str, what: str, texts: Sequence[str], expected: int | None = None) -> None:
    """One list of strings, of the expected length."""
    if isinstance(texts, str):
        raise ShapeError(f"{who}: {what} is one string; a list of strings is allowed; wrap it: [{what}]")
    if not _is_list(texts):
        raise ShapeError(
            f"{who}: {what} is {type(texts).__name__}; a list of strings is allowed; make it one with list({what})"
        )
    for position, text in enumerate(() if _are(texts, str) else texts):
        if not isinstance(text, str):
            raise ShapeError(
                f"{who}: {what}[{position}] is {type(text).__name__} ({text!r}); strings are allowed; give a missing text as '' or leave the row out"
            )
    if expected is not None and len(texts) != expected:
        raise ShapeError(
            f"{who}: {len(texts):,} {what} were given for {expected:,} outputs; one per output is allowed; make the two lists equally long"
        )


def _is_list(value: object) -> bool:
    """Whether it has a length and an order of its own: lists, tuples, arrays, series; no generators, mappings, numbers or None."""
    return hasattr(value, "__len__") and not isinstance(value, (Mapping, Set))


def _are(values: Iterable[object], *types: type) -> bool:
    """Whether all are exactly of these types: the usual case, told a hundred times quicker than by a loop that could name the exception."""
    return set(map(type, values)) <= set(types)


def check_references(who: str, outputs: Sequence[object], references: Sequence[Sequence[str]]) -> None:
    """One list of references per output, or an error that names the mistake that was made."""
    if isinstance(references, str):
        raise ShapeError(
            f"{who}: references is one string, which would be read as characters; one list of references per output is allowed; write [[reference], ...]"
        )
    if not _is_list(references):
        raise ShapeError(
            f"{who}: references is {type(references).__name__}; one list of references per output is allowed; make it a list of lists"
        )
    unusual = () if _are(references, list, tuple) else references
    flat = [position for position, row in enumerate(unusual) if isinstance(row, str)]
    if flat:
        raise ShapeError(
            f"{who}: references is a flat list of strings (references[{flat[0]}] is a string); one list of references per output is allowed; write [[reference] for reference in references]"
        )
    for position, row in enumerate(unusual):
        if not _is_list(row):
            raise ShapeError(
                f"{who}: references[{position}] is {type(row).__name__} ({row!r}); a list of strings is allowed; write [] where an output has no reference"
            )
    if len(references) != len(outputs):
        lengths = {len(row) for row in references}
        streams = lengths == {len(outputs)}
        mistake = (
            f" (this looks like {len(references)} streams, each holding one reference of every output, as sacrebleu's corpus functions take them)"
            if streams
            else ""
        )
        remedy = (
            "turn streams into rows with [list(row) for row in zip(*references, strict=True)]"
            if streams
            else "make the two lists equally long"
        )
        raise ShapeError(
            f"{who}: {len(references):,} lists of references were given for {len(outputs):,} outputs{mistake}; one list per output is allowed; {remedy}"
        )
    if _are(chain.from_iterable(references), str):
        return
    for position, row in enumerate(references):
        for reference in row:
            if not isinstance(reference, str):
                raise ShapeError(
                    f"{who}: references[{position}] holds {type(reference).__name__} ({reference!r}); strings are allowed; leave a missing reference out of its list"
                )
