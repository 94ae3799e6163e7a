"""Match of the numbers that an answer states."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validate.errors import bad_value, plural
from validate.metrics import _options
from validate.metrics._mean import MeanMetric
from validate.metrics._numbers import DECIMAL, PERCENT, numbers
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import register
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

WHICH = ("last", "first", "all")
Numbers = tuple[Fraction, ...]


class NumericMatch(MeanMetric):
    """1 where the output states the number of a reference, else 0; an output without a number is wrong.

    Numbers are exact fractions, so that ``0.7`` and ``7/10`` are equal and a tolerance of 0.1 means 0.1. A reference without a
    number is passed over; an item that has no other is undefined.

    Parameters
    ----------
    numbers : {"last", "first", "all"}
        "last" number of each text, where answers that reason first state their result (also ``#### 42``), or the "first";
        "all": those of output and reference one to one, in any order.
    tolerance : float
        The difference that still matches, of the reference's number or, under ``relative``, of its share (below 1).
    relative : bool
    decimal : {"point", "comma"}
        Which mark parts units from tenths; the other one parts thousands.
    percent : {"written", "hundredths"}
        Whether ``20%`` is 20 or 0.2.
    fractions : bool
        Whether ``3/4``, ``1 1/2`` and ``½`` are one number. Dates (``3/4/2024``) never are.

    Notes
    -----
    Thousands are parted by comma, apostrophe or no-break space. Scientific notation, currency signs and digits of any script
    are understood; numbers in words, units such as ``10k`` and LaTeX beyond ``\\times 10^{3}`` are not.

    References
    ----------
    Cobbe et al. (2021), doi:10.48550/arXiv.2110.14168, whose answers end in ``#### number``.

    Examples
    --------
    >>> NumericMatch().score(["3 boxes of 4 are 12 pens.", "about 12"], [["#### 12"], ["11.5"]]).items.tolist()
    [1.0, 0.0]
    >>> NumericMatch(tolerance=0.5).score(["about 12"], [["11.5"]]).system
    1.0
    """

    source = "Cobbe et al. 2021, doi:10.48550/arXiv.2110.14168"
    summary = "output states the reference's number"

    def __init__(
        self,
        *,
        name: str = "numeric_match",
        numbers: str = "last",
        tolerance: float = 0,
        relative: bool = False,
        decimal: str = "point",
        percent: str = "written",
        fractions: bool = True,
    ) -> None:
        self.name = name
        self.numbers = _options.one_of(name, "numbers", numbers, WHICH)
        self.relative = _options.yes_or_no(name, "relative", relative)
        self.tolerance = _options.number(name, "tolerance", tolerance, 0)
        if self.relative and self.tolerance >= 1:
            raise bad_value(name, "tolerance", tolerance, "a share below 1 with relative=True")
        self.decimal = _options.one_of(name, "decimal", decimal, tuple(DECIMAL))
        self.percent = _options.one_of(name, "percent", percent, PERCENT)
        self.fractions = _options.yes_or_no(name, "fractions", fractions)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "numbers": self.numbers,
            "tolerance": self.tolerance,
            "relative": self.relative,
            "decimal": self.decimal,
            "percent": self.percent,
            "fractions": self.fractions,
        }

    def item_scores(self, batch: Batch) -> FloatArray:
        stated = self._stated(batch)
        within = Fraction(str(self.tolerance))
        same: dict[tuple[int, int], float] = {}
        values = np.full(len(batch.references), np.nan)
        for place, pair in enumerate(zip(*(ids.tolist() for ids in batch.pairs), strict=True)):
            if stated[pair[1]]:
                if pair not in same:
                    same[pair] = float(_alike(stated[pair[0]], stated[pair[1]], within, self.relative))
                values[place] = same[pair]
        return chosen(values, best_pair(batch, np.nan_to_num(values, nan=-1.0)))

    def _stated(self, batch: Batch) -> dict[int, Numbers]:
        """The numbers that count of every text that is an output or a reference, by its id."""
        every = batch.once(("numbers", self.decimal, self.percent, self.fractions), partial(self._read, batch))
        if self.numbers == "all":
            return every
        return {text: found[-1:] if self.numbers == "last" else found[:1] for text, found in every.items()}

    def _read(self, batch: Batch) -> dict[int, Numbers]:
        here = np.unique(np.concatenate([batch.outputs, batch.references])).tolist()
        read = partial(numbers, decimal=self.decimal, percent=self.percent, fractions=self.fractions)
        return {text: read(batch.corpus.texts[text]) for text in here}

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many outputs and how many items' references state no number."""
        stated = self._stated(batch)
        silent = np.array([not stated[text] for text in batch.references.tolist()], dtype=bool)
        some = batch.n_references > 0
        rows = np.repeat(np.arange(len(batch)), batch.n_references)
        items = int((some & ~np.isin(np.arange(len(batch)), rows[~silent])).sum())
        outputs = sum(not stated[text] for text in batch.outputs.tolist())
        facts = []
        if outputs:
            facts.append(("outputs-without-number", outputs, f"{plural(outputs, 'output')} without a number: scored 0"))
        if items:
            facts.append(
                (
                    "references-without-number",
                    items,
                    f"{plural(items, 'item')} whose references state no number: undefined",
                )
            )
        return [Fact(kind, count, f"{self.name}: {text}") for kind, count, text in facts]


def _alike(here: Numbers, there: Numbers, within: Fraction, relative: bool) -> bool:
    """Whether the numbers match one to one. In sorted order: if any pairing is within the tolerance, that one is."""
    return len(here) == len(there) and all(
        abs(one - other) <= within * (abs(other) if relative else 1)
        for one, other in zip(sorted(here), sorted(there), strict=True)
    )


register("numeric_match", NumericMatch, default=False)
