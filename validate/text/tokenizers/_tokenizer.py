"""What a tokenizer is, and the three ways to make one."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from validate.text.encoded import Encoded


class Tokenizer(abc.ABC):
    """Texts to tokens.

    Parameters
    ----------
    name : str
        Must say everything that changes the tokens (``"13a"``, ``"13a|lower"``, ``"rouge-score|stem"``), because
        encodings are remembered by it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abc.abstractmethod
    def encode(self, texts: Sequence[str]) -> Encoded:
        """All texts as integers."""

    def __call__(self, text: str) -> list[str]:
        """The tokens of one text."""
        return self.encode([text]).words(0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class ByClass(Tokenizer):
    """Cuts by the class of each character (see `validate.text._cut`): compiled, for all texts at once.

    Parameters
    ----------
    classify : callable
        A character to its class.
    prepare : callable, optional
        What is done to a whole text before; tokens are stretches of what it returns.
    padded : bool
        Whether the ends of a text count as blanks for a full stop or comma beside them.
    """

    def __init__(
        self,
        name: str,
        classify: Callable[[str], int],
        *,
        prepare: Callable[[str], str] | None = None,
        padded: bool = True,
    ) -> None:
        super().__init__(name)
        self._classify = classify
        self._prepare = prepare
        self._padded = padded

    def encode(self, texts: Sequence[str]) -> Encoded:
        from validate.text import _cut

        prepared = texts if self._prepare is None else [self._prepare(text) for text in texts]
        return _cut.encode(prepared, self._classify, self._padded)


class BySplit(Tokenizer):
    """Cuts with a plain function from a text to its tokens; for what character classes cannot say."""

    def __init__(self, name: str, split: Callable[[str], list[str]]) -> None:
        super().__init__(name)
        self._split = split

    def encode(self, texts: Sequence[str]) -> Encoded:
        return Encoded.of(map(self._split, texts))


class Rewritten(Tokenizer):
    """Another tokenizer's tokens, each replaced by what ``rewrite`` makes of it; asked once per distinct token.

    Tokens that become ``drop`` vanish.
    """

    def __init__(self, name: str, base: Tokenizer, rewrite: Callable[[str], str], *, drop: str | None = None) -> None:
        super().__init__(name)
        self._base = base
        self._rewrite = rewrite
        self._drop = drop

    @property
    def base(self) -> Tokenizer:
        """The other tokenizer."""
        return self._base

    def encode(self, texts: Sequence[str]) -> Encoded:
        return self.rewritten(self._base.encode(texts))

    def rewritten(self, encoded: Encoded) -> Encoded:
        """What the other tokenizer made, rewritten: so that a corpus cuts its texts once for both."""
        ids: dict[str, int] = {}
        new = [ids.setdefault(self._rewrite(token), len(ids)) for token in encoded.types]
        tokens = np.array(new, dtype=np.int32)[encoded.tokens]
        dropped = None if self._drop is None else ids.get(self._drop)
        if dropped is None:
            return Encoded(tokens, encoded.offsets, list(ids))
        kept = tokens != dropped
        offsets = np.concatenate([[0], np.cumsum(kept)])[encoded.offsets]
        return Encoded(tokens[kept], offsets, list(ids))


@dataclass(frozen=True, slots=True)
class Steps:
    """Several preparations one after the other; a class, so that tokenizers can be sent to other processes."""

    steps: tuple[Callable[[str], str], ...]

    def __call__(self, text: str) -> str:
        for step in self.steps:
            text = step(text)
        return text


def prepared(*steps: Callable[[str], str] | None) -> Callable[[str], str] | None:
    """Several preparations as one; None among them does nothing."""
    wanted = tuple(step for step in steps if step is not None)
    if len(wanted) < 2:
        return wanted[0] if wanted else None
    return Steps(wanted)
