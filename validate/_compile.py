"""How the few hot loops are compiled: once, cached on disk, also where the installation is read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of arrays and numbers to machine code that releases the interpreter lock.

    Compilation happens at the first call and is kept on disk beside the package; where that folder cannot be written,
    numba keeps it in the user's cache folder.
    """
    return numba.njit(cache=True, nogil=True)(function)
