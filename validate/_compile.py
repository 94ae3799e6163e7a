"""How the few hot loops are compiled: once, cached on disk, also where the installation is read-only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_kernels: list[Any] = []


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of arrays and numbers to machine code that releases the interpreter lock.

    Compilation happens at the first call and is kept on disk beside the package; where that folder cannot be written,
    numba keeps it in the user's cache folder; where there is none either, every run compiles anew.
    """
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba's word for "no place for a cache"
        compiled = numba.njit(nogil=True)(function)
    _kernels.append(compiled)
    return compiled


def compiled_before() -> bool:
    """Whether the kernels that have been imported lie on disk from an earlier run, so that nobody has to wait for them."""
    folders = {one.stats.cache_path for one in _kernels}  # None: no place for a cache
    return all(folder is not None and any(Path(folder).glob("*.nbi")) for folder in folders)
