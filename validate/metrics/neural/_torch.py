"""torch and transformers, imported when they are needed and never before; where and in which precision a model runs."""

from __future__ import annotations

import importlib
import os
from typing import Any

from validate.errors import MissingExtraError, bad_value, unknown_name

EXTRA = "neural"
DTYPES = ("float32", "bfloat16", "float16")


def needed(who: str, package: str) -> Any:
    """A package of the extra, or an error that says how to get it."""
    os.environ.setdefault(
        "TOKENIZERS_PARALLELISM", "false"
    )  # its threads and a fork do not go together, and it says so at length
    try:
        module = importlib.import_module(package)
    except ImportError as error:
        raise MissingExtraError(who, package, EXTRA) from error
    if package == "transformers":
        module.utils.logging.disable_progress_bar()  # accord tells how far it is
    return module


def device_of(who: str, device: str) -> str:
    """``auto`` is CUDA where there is one, else Apple's, else the processor.

    Raises
    ------
    OptionError
        For a device that this machine has not.
    """
    torch = needed(who, "torch")
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise bad_value(who, "device", device, "auto, cpu, or a device of this machine such as cuda:0") from error
    return device


def dtype_of(who: str, dtype: str) -> Any:
    """The torch type behind its name."""
    if dtype not in DTYPES:
        raise unknown_name(who, "dtype", dtype, DTYPES)
    return getattr(needed(who, "torch"), dtype)


def versions() -> str:
    """Versions of the libraries that a score depends on, as a signature states them."""
    from importlib import metadata

    return "+".join(f"{name}-{metadata.version(name).split('+')[0]}" for name in ("torch", "transformers"))
