"""Weights out of files that transformers does not read by itself, and models made of them with every weight in its place."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from validate.errors import MissingModelError, listed
from validate.metrics.neural._checkpoint import Checkpoint
from validate.metrics.neural._loading import quietly
from validate.metrics.neural._torch import dtype_of, needed


class Nothing:
    """Stands for whatever object of another library a checkpoint holds beside its tensors: nothing of it is run or kept."""

    def __new__(cls, *_: object, **__: object) -> Nothing:
        return super().__new__(cls)

    def __init__(self, *_: object, **__: object) -> None:
        """Takes anything."""

    def __setstate__(self, state: object) -> None:
        """Forgets it."""


def unpickled(who: str, file: Path) -> Any:
    """What a file of torch holds: tensors and plain values; objects of other kinds, which could run code, come as `Nothing`.

    Raises
    ------
    MissingModelError
        When the file is no such file.
    """
    torch = needed(who, "torch")
    try:
        strange = _strange(torch, file)
        with torch.serialization.safe_globals([(_stand_in(name), name) for name in strange]):
            return torch.load(file, map_location="cpu", weights_only=True)
    except (
        OSError,
        RuntimeError,
        ValueError,
        EOFError,
        KeyError,
        AttributeError,
        TypeError,
        pickle.UnpicklingError,
    ) as error:
        raise MissingModelError(
            f"{who}: the weights in {file.name} cannot be read ({_short(error)}); a file as torch.save writes it is needed; "
            "fetch the model again or give another one"
        ) from error


def tensors_of(who: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """All tensors of a folder in the form of transformers, in safetensors or torch's own files, in one part or several."""
    tensors: dict[str, Any] = {}
    safe = sorted(checkpoint.path.glob("model*.safetensors"))
    if safe:
        reader = needed(who, "safetensors.torch")
        for file in safe:
            try:
                tensors |= reader.load_file(file)
            except (OSError, ValueError, needed(who, "safetensors").SafetensorError) as error:
                raise MissingModelError(
                    f"{who}: the weights in {file.name} of {checkpoint.name!r} cannot be read ({_short(error)}); a whole file is needed; "
                    "fetch the model again"
                ) from error
        return tensors
    for file in sorted(checkpoint.path.glob("pytorch_model*.bin")):
        tensors |= unpickled(who, file)
    if not tensors:
        raise MissingModelError(
            f"{who}: the model {checkpoint.name!r} has no weights; model.safetensors or pytorch_model.bin is needed; give a folder with one"
        )
    return tensors


def model_of_tensors(
    who: str,
    checkpoint: Checkpoint,
    kind: str,
    config: Any,
    tensors: Mapping[str, Any],
    *,
    dtype: str,
    device: str,
    may_lack: Sequence[str] = (),
) -> Any:
    """A model of transformers with these weights, ready to run.

    Raises
    ------
    MissingModelError
        When weights are missing, which would be drawn at random, or have other shapes than the configuration says.
    """
    transformers = needed(who, "transformers")
    try:
        with quietly(transformers):
            model, found = getattr(transformers, kind).from_pretrained(
                None, config=config, state_dict=dict(tensors), dtype=dtype_of(who, dtype), output_loading_info=True
            )
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MissingModelError(
            f"{who}: the weights of {checkpoint.name!r} do not fit its configuration ({_short(error)}); files of one and the same model "
            "are needed; fetch it again"
        ) from error
    lacking = sorted(name for name in found["missing_keys"] if not any(part in name for part in may_lack))
    if lacking:
        raise MissingModelError(
            f"{who}: the checkpoint {checkpoint.name!r} has no weights for {listed(lacking, 3)}, so that this part would be drawn at random; "
            "a whole checkpoint is needed; give another model"
        )
    return model.eval().requires_grad_(False).to(device)


def _strange(torch: Any, file: Path) -> list[str]:
    """Names of classes and functions in the file that are neither torch's tensors nor plain values."""
    import zipfile

    if not zipfile.is_zipfile(file):  # torch's old form, in which they cannot be listed; they are refused there
        return []
    names: list[str] = torch.serialization.get_unsafe_globals_in_checkpoint(str(file))
    return names


def _stand_in(name: str) -> type[Nothing]:
    """A class of its own for each name, since torch tells them apart by it."""
    return type(name.rsplit(".", 1)[-1], (Nothing,), {})


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
