"""A text that is longer than the model, in windows of which each scores the tokens that none before it has scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Window(NamedTuple):
    """The tokens ``begin`` to ``end`` go into the model; of these the ones from ``first`` on are scored."""

    begin: int
    end: int
    first: int


def windows(length: int, first: int, size: int, stride: int) -> Iterator[Window]:
    """Windows in which the tokens ``first`` to ``length`` are scored, each once and each after at least ``size`` − ``stride`` others.

    Windows begin ``stride`` tokens apart and the last one ends with the text, as in transformers' guide to perplexity. The tokens before
    ``first`` are context; where not all of them fit, those nearest to the scored ones stay.

    Parameters
    ----------
    length : int
        Tokens of the text with what stands before it.
    first : int
        The first scored token, at least 1: a token without any context has no probability.
    size : int
        Tokens that the model takes at once.
    stride : int
        At most ``size`` − 1.

    Examples
    --------
    Six tokens: five are scored, three and then two.

    >>> list(windows(6, 1, 4, 2))
    [Window(begin=0, end=4, first=1), Window(begin=2, end=6, first=4)]

    A prompt of four tokens and a text of three: the prompt loses the token that does not fit.

    >>> list(windows(7, 4, 6, 2))
    [Window(begin=0, end=6, first=4), Window(begin=2, end=7, first=6)]
    >>> list(windows(7, 4, 6, 4))
    [Window(begin=1, end=7, first=4)]
    """
    # As far to the left as leaves size - stride tokens of context, or farther where everything then fits.
    begin = max(0, min(first - (size - stride), length - size))
    while first < length:
        end = min(begin + size, length)
        yield Window(begin, end, first)
        begin, first = begin + stride, end
