"""Each distinct text once, as integer arrays that all metrics share.

A study with 25 systems repeats each reference 25 times and every metric asks for the same tokens again. So a `Corpus`
holds the distinct texts and remembers each encoding under the tokenizer's name, and a `Batch` says which of them are
scored against which.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from validate.schema import IntArray
from validate.text.tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Encoded:
    """All texts of a corpus under one tokenizer, laid end to end.

    Parameters
    ----------
    tokens : (n_tokens,) int32
        Ids that are equal exactly where the tokens are; ids are dense, 0 ≤ id < n_types.
    offsets : (n_texts + 1,) int64
        Text t is ``tokens[offsets[t]:offsets[t + 1]]``.
    types : list of str
        The token behind each id.
    """

    tokens: NDArray[np.int32]
    offsets: IntArray
    types: list[str]

    @property
    def lengths(self) -> IntArray:
        """(n_texts,) tokens per text."""
        return np.diff(self.offsets)


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

    def encode(self, tokenizer: Tokenizer) -> Encoded:
        """Every text under a tokenizer; encoded on the first call and again only when texts were added since."""
        known = self._encoded.get(tokenizer.name)
        if known is None or len(known.offsets) != len(self.texts) + 1:
            known = self._encoded[tokenizer.name] = _encode(self.texts, tokenizer)
        return known


def _encode(texts: Sequence[str], tokenizer: Tokenizer) -> Encoded:
    ids: dict[str, int] = {}
    flat: list[int] = []
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    for position, text in enumerate(texts):
        flat.extend([ids.setdefault(token, len(ids)) for token in tokenizer(text)])
        offsets[position + 1] = len(flat)
    return Encoded(np.array(flat, dtype=np.int32), offsets, list(ids))


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
    """

    corpus: Corpus
    outputs: IntArray
    references: IntArray
    reference_offsets: IntArray
    sources: IntArray | None = None
    cache: dict[object, object] = field(default_factory=dict, compare=False, repr=False)

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
            np.array([corpus.add(text) for text in outputs], dtype=np.int64),
            np.array([corpus.add(text) for row in references for text in row], dtype=np.int64),
            offsets,
            None if sources is None else np.array([corpus.add(text) for text in sources], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def n_references(self) -> IntArray:
        """(n,) references per row."""
        return np.diff(self.reference_offsets)
