"""Who hears how long work goes on, deep inside a computation that knows nothing of terminals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def tell(message: str) -> None:
    """Say where the work is; nobody hears it unless somebody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(message)


@contextlib.contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Hear what is told inside the block.

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append):
    ...     tell("half of it")
    >>> tell("nobody hears this")
    >>> heard
    ['half of it']
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
