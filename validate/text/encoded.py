"""Texts as integers: what every tokenizer makes and every kernel reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validate.schema import IntArray


@dataclass(frozen=True, slots=True)
class Encoded:
    """Many texts under one tokenizer, laid end to end.

    Parameters
    ----------
    tokens : (n_tokens,) int32
        Ids that are equal exactly where the tokens are; ids are dense, 0 ≤ id < n_types.
    offsets : (n_texts + 1,) int64
        Text t is ``tokens[offsets[t]:offsets[t + 1]]``.
    types : list of str
        The token behind each id.

    Examples
    --------
    >>> encoded = Encoded.of([["a", "b", "a"], [], ["b"]])
    >>> encoded.tokens.tolist(), encoded.offsets.tolist(), encoded.types
    ([0, 1, 0, 1], [0, 3, 3, 4], ['a', 'b'])
    >>> encoded.lengths.tolist(), encoded.words(0)
    ([3, 0, 1], ['a', 'b', 'a'])
    """

    tokens: NDArray[np.int32]
    offsets: IntArray
    types: list[str]

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]]) -> Encoded:
        """Token lists as integers; ids are given in the order in which tokens first occur."""
        ids: dict[str, int] = {}
        flat: list[int] = []
        offsets = [0]
        for tokens in texts:
            flat.extend([ids.setdefault(token, len(ids)) for token in tokens])
            offsets.append(len(flat))
        return cls(np.array(flat, dtype=np.int32), np.array(offsets, dtype=np.int64), list(ids))

    @property
    def lengths(self) -> IntArray:
        """(n_texts,) tokens per text."""
        return np.diff(self.offsets)

    def words(self, text: int) -> list[str]:
        """The tokens of one text as strings."""
        return [self.types[token] for token in self.tokens[self.offsets[text] : self.offsets[text + 1]]]
