"""Fields of a JSON output that are the reference's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from validate.errors import plural
from validate.metrics import _json, _options
from validate.metrics._mean import ratio
from validate.metrics._metric import Level, Metric
from validate.metrics._references import best_pair, chosen
from validate.metrics._registry import register
from validate.metrics._rouge import PARTS
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

LISTS = ("sequence", "set")
NUMBERS = ("value", "written")
STRINGS = ("exact", "folded")


class FieldF1(Metric):
    """Leaves of a JSON output that the reference has at the same path with the same value, by all leaves: F, precision or recall.

    A leaf is a string, number, true, false, null, or an empty object or list; its path is the keys and places that lead to
    it. The corpus value pools leaves (micro average). Of several references the one with the best F counts, the first of equals.
    An output that is no JSON has no leaves and scores 0; a reference that is none is passed over, and an item that has no
    other is undefined.

    Parameters
    ----------
    part : {"f", "p", "r"}
    lists : {"sequence", "set"}
        "sequence": elements of lists are held against each other by position. "set": in any order, each once, paired so that
        most leaves match.
    numbers : {"value", "written"}
        Whether 1 and 1.0 are equal.
    strings : {"exact", "folded"}
        "folded": case and runs of blanks do not matter.
    fences : bool
        Read the first fenced block (three backticks) of a text that has one, as models write it.

    References
    ----------
    Precision, recall and F over slots: Makhoul et al. (1999), Performance measures for information extraction, equation 3.

    Examples
    --------
    Of the output's two fields one is right, of the reference's three fields one is found: F = 2 · 1 / (2 + 3).

    >>> FieldF1().score(['{"name": "Ada", "born": 1816}'], [['{"name": "Ada", "born": 1815, "died": 1852}']]).system
    0.4
    """

    source = "Makhoul, Kubala, Schwartz and Weischedel 1999, DARPA Broadcast News Workshop, equation 3"
    summary = "JSON fields in common"

    def __init__(
        self,
        *,
        name: str = "field_f1",
        part: str = "f",
        lists: str = "sequence",
        numbers: str = "value",
        strings: str = "exact",
        fences: bool = False,
    ) -> None:
        self.name = name
        self.part = _options.one_of(name, "part", part, PARTS)
        self.lists = _options.one_of(name, "lists", lists, LISTS)
        self.numbers = _options.one_of(name, "numbers", numbers, NUMBERS)
        self.strings = _options.one_of(name, "strings", strings, STRINGS)
        self.fences = _options.yes_or_no(name, "fences", fences)

    @property
    def options(self) -> Mapping[str, Any]:
        return {
            "part": self.part,
            "lists": self.lists,
            "numbers": self.numbers,
            "strings": self.strings,
            "fences": self.fences,
        }

    def count(self, batch: Batch) -> FloatArray:
        """(n, 3): leaves matched, of the output, of the reference."""
        counts = batch.once(("fields", *list(self.options.values())[1:]), partial(self._count_pairs, batch))
        f = self._part(counts, "f")
        return chosen(counts, best_pair(batch, np.nan_to_num(f, nan=-1.0)))

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return self._part(statistics, self.part)

    @staticmethod
    def _part(statistics: FloatArray, part: str) -> FloatArray:
        """2m / (o + r), m / o or m / r; 0 where an output without leaves meets a reference, NaN without a reference."""
        matched, here, there = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        if part == "p":
            return np.where((here == 0) & (there > 0), 0.0, ratio(matched, here))
        return ratio(2 * matched, here + there) if part == "f" else ratio(matched, there)

    def _count_pairs(self, batch: Batch) -> FloatArray:
        """(m, 3) of every pair, a row of NaN where the reference is no JSON."""
        values = self._values(batch)
        key = _json.leaf_key(fold=self.strings == "folded", written=self.numbers == "written")
        leaves = {text: 0 if value is _json.INVALID else _json.n_leaves(value) for text, value in values.items()}
        counts = np.full((len(batch.references), 3), np.nan)
        for place, (here, there) in enumerate(zip(*(ids.tolist() for ids in batch.pairs), strict=True)):
            if leaves[there]:
                matched = _json.n_matched(values[here], values[there], key, self.lists == "set") if leaves[here] else 0
                counts[place] = matched, leaves[here], leaves[there]
        return counts

    def _values(self, batch: Batch) -> dict[int, Any]:
        """What every text that is an output or a reference says, by its id."""

        def read() -> dict[int, Any]:
            here = np.unique(np.concatenate([batch.outputs, batch.references])).tolist()
            return {text: _json.read(batch.corpus.texts[text], fences=self.fences, exact=True) for text in here}

        values: dict[int, Any] = batch.once(("json", self.fences), read)
        return values

    def notes(self, batch: Batch) -> list[Fact]:
        """Says how many outputs are no JSON, and how many items have no reference that is."""
        broken = {text for text, value in self._values(batch).items() if value is _json.INVALID}
        outputs = sum(text in broken for text in batch.outputs.tolist())
        valid = np.array([text not in broken for text in batch.references.tolist()], dtype=bool)
        some = np.repeat(np.arange(len(batch)), batch.n_references)
        items = len(set(some.tolist()) - set(some[valid].tolist()))
        facts = []
        if outputs:
            text = f"{self.name}: {plural(outputs, 'output')} that {'is' if outputs == 1 else 'are'} no JSON: scored 0"
            facts.append(Fact("outputs-no-json", outputs, text))
        if items:
            text = f"{self.name}: {plural(items, 'item')} without a reference that is JSON: undefined"
            facts.append(Fact("references-no-json", items, text))
        return facts


register("field_f1", FieldF1, default=False)
