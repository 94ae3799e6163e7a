"""Texts as a model reads them: token ids between special tokens, cut or in windows where a text is longer than the model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validate.schema import IntArray

_NO_LIMIT = 1_000_000  # tokenizers without a limit state 10^30
_AT_A_TIME = 4_096  # texts, whose ids are Python's integers for a moment
_NOTHING = (np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))


class Piece(NamedTuple):
    """One input of the model and which of its vectors belong where: ``vectors[place] = output[kept]``."""

    ids: NDArray[np.int32]
    kept: slice
    place: slice


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Many texts as token ids, laid end to end, special tokens included.

    Parameters
    ----------
    ids : (n_tokens,) int32
    offsets : (n_texts + 1,) int64
        Text t is ``ids[offsets[t]:offsets[t + 1]]``.
    n_before, n_after : int
        Special tokens before and after the tokens of each text.
    n_cut : (n_texts,) int64
        Tokens of each text that were left out because it is longer than the model.
    limit : int
        The most tokens that the model takes at once; a longer text is read in windows.
    """

    ids: NDArray[np.int32]
    offsets: IntArray
    n_before: int
    n_after: int
    n_cut: IntArray
    limit: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """(n_texts,) tokens per text, special ones included."""
        return np.diff(self.offsets)

    @property
    def special(self) -> NDArray[np.bool_]:
        """(n_tokens,) whether a token is a special one of the model, not of the text."""
        place = np.arange(len(self.ids)) - np.repeat(self.offsets[:-1], self.lengths)
        from_end = np.repeat(self.lengths, self.lengths) - place
        return (place < self.n_before) | (from_end <= self.n_after)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """(n_texts,) whether a text has no token of its own."""
        return self.lengths <= self.n_before + self.n_after

    def take(self, texts: IntArray) -> Tokens:
        """The tokens of some texts, in the order given."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths[texts])]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[texts] - offsets[:-1], self.lengths[texts])
        return Tokens(self.ids[places], offsets, self.n_before, self.n_after, self.n_cut[texts], self.limit)

    def pieces(self) -> Iterator[Piece]:
        """The inputs of the model: a text as a whole, or as windows that overlap by half where it is longer than the model.

        Of the windows in which a token lies, the one counts whose middle is nearest to it.
        """
        for start, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            if end - start <= self.limit:
                yield Piece(self.ids[start:end], slice(0, end - start), slice(start, end))
            else:
                yield from self._windows(start, end)

    def _windows(self, start: int, end: int) -> Iterator[Piece]:
        before = self.ids[start : start + self.n_before]
        after = self.ids[end - self.n_after : end]
        room = self.limit - self.n_before - self.n_after
        first, last = start + self.n_before, end - self.n_after - room
        starts = [*range(first, last, max(1, room // 2)), last]
        # The border between two windows lies half way between their middles; the outer ones keep the special tokens as well.
        borders = [start, *((one + other + room) // 2 for one, other in itertools.pairwise(starts)), end]
        for at, low, high in zip(starts, borders, borders[1:], strict=False):
            ids = np.concatenate([before, self.ids[at : at + room], after])
            shift = at - self.n_before
            yield Piece(ids, slice(low - shift, high - shift), slice(low, high))


class Reader:
    """What makes tokens out of texts: a tokenizer with its special tokens and its limit.

    Texts are stripped of space at both ends. Halves of surrogate pairs, which no text of Unicode has, become U+FFFD.
    """

    def __init__(self, tokenizer: Any, limit: int) -> None:
        self.tokenizer = tokenizer
        self.limit = min(limit, tokenizer.model_max_length)
        whole = tokenizer("a", verbose=False)["input_ids"]
        bare = tokenizer("a", add_special_tokens=False, verbose=False)["input_ids"]
        at = next((i for i in range(len(whole) - len(bare) + 1) if whole[i : i + len(bare)] == bare), 0)
        self.before, self.after = whole[:at], whole[at + len(bare) :]

    def __call__(self, texts: Sequence[str], *, windows: bool = False) -> Tokens:
        """The tokens of texts; one that is longer than the model is cut at its end, or kept for windows."""
        n_special = len(self.before) + len(self.after)
        room = self.limit - n_special
        read = [
            self._some(texts[start : start + _AT_A_TIME], None if windows else room)
            for start in range(0, len(texts), _AT_A_TIME)
        ]
        ids, kept, lengths = (np.concatenate(parts) for parts in zip(_NOTHING, *read, strict=True))
        offsets = np.concatenate([[0], np.cumsum(kept + n_special)]).astype(np.int64)
        limit = self.limit if self.limit < _NO_LIMIT else int((kept + n_special).max(initial=1))
        return Tokens(ids, offsets, len(self.before), len(self.after), lengths - kept, limit)

    def _some(self, texts: Sequence[str], room: int | None) -> tuple[NDArray[np.int32], IntArray, IntArray]:
        """Ids with special tokens of a part of the texts, and how many own tokens each keeps and has."""
        stripped = [_readable(text) for text in texts]
        rows = self.tokenizer(
            stripped, add_special_tokens=False, return_attention_mask=False, return_token_type_ids=False, verbose=False
        )["input_ids"]
        rows = [row if text else [] for text, row in zip(stripped, rows, strict=True)]
        flat = [token for row in rows for token in (*self.before, *row[:room], *self.after)]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        return np.array(flat, dtype=np.int32), lengths if room is None else np.minimum(lengths, room), lengths


def _readable(text: str) -> str:
    text = text.strip()
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
