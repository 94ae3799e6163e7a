"""Many texts through a model, a bounded number of tokens at a time, and on with smaller batches when memory runs out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from validate.errors import AccordError
from validate.schema import IntArray
from validate.telling import tell

# Tokens at a time, padding included. Of a processor's time 8,192 take a seventh more, because what layers hand on then leaves its cache;
# a graphics card has enough to do with so many tokens of a large model.
BUDGET = 2_048


def cut(lengths: IntArray, budget: int) -> Iterator[IntArray]:
    """Indices of the texts of each batch, the longest first, padded size within the budget; a longer text goes alone.

    Examples
    --------
    >>> [batch.tolist() for batch in cut(np.array([2, 9, 3, 4]), 8)]
    [[1], [3, 2], [0]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        fits = max(1, budget // max(1, int(lengths[order[start]])))
        yield order[start : start + fits]
        start += fits


def through(
    who: str,
    lengths: IntArray,
    forward: Callable[[IntArray], Any],
    *,
    budget: int = BUDGET,
    what: str = "texts",
) -> None:
    """Call ``forward`` with the indices of every batch; a batch that does not fit into memory is halved, and so are all after it.

    Parameters
    ----------
    who : str
        The metric, for messages.
    lengths : (n,) int64
        Tokens per text.
    forward : callable
        Works on the texts of these indices and keeps what comes out. Called again with parts of a batch when memory ran out.
    budget : int
        Tokens at a time.
    what : str
        What is counted in the messages on the way.

    Raises
    ------
    AccordError
        When a single text does not fit.
    """
    from time import perf_counter

    waiting = list(cut(lengths, budget))[::-1]
    done, began = 0, perf_counter()
    at_most = budget
    while waiting:
        batch = waiting.pop()
        if len(batch) > 1 and len(batch) * int(lengths[batch[0]]) > at_most:
            half = len(batch) // 2
            waiting += [batch[half:], batch[:half]]
            continue
        try:
            forward(batch)
        except Exception as error:
            if not out_of_memory(error):
                raise
            if len(batch) == 1:
                raise AccordError(
                    f"{who}: memory does not suffice for one text of {int(lengths[batch[0]]):,} tokens; a smaller model, a shorter window "
                    "or a device with more memory is needed"
                ) from error
            at_most = len(batch) * int(lengths[batch[0]]) // 2
            waiting.append(batch)
            _give_back()
            continue
        done += len(batch)
        tell(f"{who}: {done:,} of {len(lengths):,} {what}, {done / max(perf_counter() - began, 1e-9):,.0f} a second")


def out_of_memory(error: BaseException) -> bool:
    """Whether an error of torch or Python means that memory ran out."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and (
        "out of memory" in said or "can't allocate memory" in said or "not enough memory" in said
    )


def _give_back() -> None:
    """Let go of what the failed attempt still holds."""
    gc.collect()
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
