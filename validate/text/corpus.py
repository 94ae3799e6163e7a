"""Each distinct text once, as integer arrays that all metrics share.

A study with 25 systems repeats each reference 25 times and every metric asks for the same tokens again. So a `Corpus`
holds the distinct texts and remembers each encoding under the tokenizer's name, and a `Batch` says which of them are
scored against which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validate.schema import IntArray
from validate.text.encoded import Encoded
from validate.text.tokenizers import Rewritten, Tokenizer

__all__ = ["Batch", "Corpus", "Encoded"]


class Corpus:
    """Distinct texts with their encodings, each made once and on demand.

    Examples
    --------
    >>> from validate.text.tokenizers import get
    >>> corpus = Corpus()
    >>> corpus.add("a b a"), corpus.add("b"), corpus.add("a b a")
    (0, 1, 0)
    >>> corpus.encode(get("none")).tokens.tolist()
    [0, 1, 0, 1]
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts: list[str] = []
        self._ids: dict[str, int] = {}
        self._encoded: dict[str, Encoded] = {}
        for text in texts:
            self.add(text)

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, text: str) -> int:
        """The id of a text, which is given one if it is new."""
        known = self._ids.get(text)
        if known is not None:
            return known
        self._ids[text] = len(self.texts)
        self.texts.append(text)
        return len(self.texts) - 1

    def add_all(self, texts: Iterable[str]) -> IntArray:
        """The ids of many texts, as `add` gives them."""
        ids = self._ids
        found = np.array([ids.setdefault(text, len(ids)) for text in texts], dtype=np.int64)
        self.texts.extend(islice(ids, len(self.texts), None))
        return found

    def encode(self, tokenizer: Tokenizer) -> Encoded:
        """Every text under a tokenizer; encoded on the first call and again only when texts were added since."""
        known = self._encoded.get(tokenizer.name)
        if known is None or len(known.offsets) != len(self.texts) + 1:
            if isinstance(tokenizer, Rewritten):
                known = tokenizer.rewritten(self.encode(tokenizer.base))
            else:
                known = tokenizer.encode(self.texts)
            self._encoded[tokenizer.name] = known
        return known


@dataclass(frozen=True, slots=True)
class Batch:
    """Which texts of a corpus are scored against which: row i is one output.

    Parameters
    ----------
    corpus : Corpus
    outputs : (n,) int64
        Text ids.
    references : (m,) int64
        Text ids of all references, row after row.
    reference_offsets : (n + 1,) int64
        The references of row i are ``references[reference_offsets[i]:reference_offsets[i + 1]]``; there may be none.
    sources : (n,) int64 or None

    Examples
    --------
    >>> batch = Batch.of(["a", "b"], [["x", "y"], []])
    >>> batch.n_references.tolist(), batch.pairs[0].tolist(), batch.pairs[1].tolist()
    ([2, 0], [0, 0], [2, 3])
    >>> batch.take([1, 1]).outputs.tolist()
    [1, 1]
    """

    corpus: Corpus
    outputs: IntArray
    references: IntArray
    reference_offsets: IntArray
    sources: IntArray | None = None
    cache: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        corpus: Corpus | None = None,
    ) -> Batch:
        """A batch out of lists: ``references`` holds one list per output (checked by the caller)."""
        corpus = corpus if corpus is not None else Corpus()
        offsets = np.zeros(len(outputs) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in references], out=offsets[1:])
        return cls(
            corpus,
            corpus.add_all(outputs),
            corpus.add_all(chain.from_iterable(references)),
            offsets,
            None if sources is None else corpus.add_all(sources),
        )

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def n_references(self) -> IntArray:
        """(n,) references per row."""
        return np.diff(self.reference_offsets)

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """(m,) output and (m,) reference of every pair, as text ids, row after row."""
        return np.repeat(self.outputs, self.n_references), self.references

    def take(self, rows: Sequence[int] | IntArray | NDArray[np.bool_]) -> Batch:
        """The batch of some rows (indices, repeats allowed, or a mask), over the same corpus."""
        rows = np.arange(len(self))[np.asarray(rows)] if len(rows) else np.zeros(0, dtype=np.int64)
        counts = self.n_references[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.reference_offsets[rows] - offsets[:-1], counts)
        sources = None if self.sources is None else self.sources[rows]
        return Batch(self.corpus, self.outputs[rows], self.references[places], offsets, sources)

    def once(self, key: object, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made at the first call under this key and shared by all metrics after."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]
