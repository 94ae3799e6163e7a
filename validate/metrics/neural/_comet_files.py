"""What a COMET checkpoint says of itself: its kind, its settings, where its encoder's tokenizer is.

The layout is unbabel-comet's: ``hparams.yaml`` names the kind, ``checkpoints/model.ckpt`` holds settings and weights, and the encoder's
configuration and tokenizer are elsewhere, under the name that the settings give.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from validate.errors import AccordError, MissingModelError, bad_value
from validate.metrics.neural._checkpoint import Checkpoint, find
from validate.metrics.neural._torch import needed

KINDS = {"regression_metric": False, "referenceless_regression_metric": True}  # and whether it is reference-free
ENCODERS = {
    "XLM-RoBERTa": "XLMRobertaModel",
    "XLM-RoBERTa-XL": "XLMRobertaXLModel",
    "BERT": "BertModel",
    "MiniLM": "BertModel",
    "RemBERT": "RemBertModel",
}
POOLS = ("avg", "cls", "max", "default")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a COMET regression model is built; what older checkpoints do not state is as unbabel-comet 2.2.7 takes it.

    Parameters
    ----------
    reference_free : bool
    encoder_model, pretrained_model : str
        The encoder's architecture, and under which name its tokenizer is found.
    layer : int or "mix"
    mix : {"softmax", "sparsemax"}
    layer_norm : bool
    pool : {"avg", "cls", "max", "default"}
    activations : str
    final_activation : str or None
    """

    reference_free: bool
    encoder_model: str
    pretrained_model: str
    layer: int | str
    mix: str
    layer_norm: bool
    pool: str
    activations: str
    final_activation: str | None


def folder_of(model: str) -> str:
    """The checkpoint's folder where the file in it is given, as unbabel-comet takes it."""
    file = Path(model).expanduser()
    return str(file.parent.parent) if file.suffix == ".ckpt" and file.parent.name == "checkpoints" else model


def kind_at_hand(model: str) -> bool | None:
    """Whether a model is reference-free as far as that is known without fetching anything: by hparams.yaml, else by its name."""
    place = Path(model).expanduser() / "hparams.yaml"
    if not place.is_file():
        return True if "-qe-" in model else None
    text = place.read_text(encoding="utf-8", errors="replace")
    stated = re.search(r"^class_identifier:\s*[\"']?(\w+)", text, flags=re.MULTILINE)
    return KINDS.get(stated[1]) if stated else None


def kind_of(who: str, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is reference-free.

    Raises
    ------
    AccordError
        For a checkpoint of another kind.
    MissingModelError
        For a folder that is no COMET checkpoint.
    """
    kind = _yaml(who, checkpoint).get("class_identifier")
    if kind not in KINDS:
        raise AccordError(
            f"{who}: the checkpoint {checkpoint.name!r} is of the kind {kind!r}; regression models with or without references "
            "(regression_metric, referenceless_regression_metric), such as Unbabel/wmt22-comet-da, are allowed; give one of these"
        )
    return KINDS[kind]


def settings_of(who: str, checkpoint: Checkpoint, held: Mapping[str, Any]) -> Settings:
    """The settings: those that the weights' file holds, as unbabel-comet takes them, else those of hparams.yaml."""
    stated = _yaml(who, checkpoint)
    held = held or stated
    mix = held.get("layer_transformation")
    if (
        stated.get("layer_transformation") == "sparsemax_patch"
    ):  # unbabel-comet's way of correcting a checkpoint that is published
        mix = "softmax"
    settings = Settings(
        reference_free=kind_of(who, checkpoint),
        encoder_model=held.get("encoder_model", "XLM-RoBERTa"),
        pretrained_model=held.get("pretrained_model", "xlm-roberta-large"),
        layer=held.get("layer", "mix"),
        mix="sparsemax" if mix == "sparsemax" else "softmax",
        layer_norm=bool(held.get("layer_norm", True)),
        pool=held.get("pool", "avg"),
        activations=held.get("activations", "Tanh"),
        final_activation=held.get("final_activation"),
    )
    for name, allowed in (("encoder_model", tuple(ENCODERS)), ("pool", POOLS)):
        if (value := getattr(settings, name)) not in allowed:
            raise bad_value(f"{who}: the checkpoint {checkpoint.name!r}", name, value, ", ".join(allowed))
    return settings


def encoder_of_comet(who: str, checkpoint: Checkpoint, pretrained: str, given: str | None) -> Checkpoint:
    """Where configuration and tokenizer of the encoder are: where the user says, in the checkpoint, beside it, else under their name.

    Raises
    ------
    MissingModelError
        When they are nowhere; the message says how to get them.
    """
    if given is not None:
        return _small(who, given)
    last = pretrained.rstrip("/").rsplit("/", 1)[-1]
    for place in (checkpoint.path, checkpoint.path / last, checkpoint.path.parent / last):
        if (place / "config.json").is_file():
            return Checkpoint(str(place), place)
    try:
        return _small(who, pretrained)
    except MissingModelError as error:
        raise MissingModelError(
            f"{error}; it is the encoder of {checkpoint.name}, of which only config.json and the tokenizer are needed: in a folder "
            f"{last} in the checkpoint or beside it, or in one given by encoder="
        ) from error


@lru_cache(maxsize=8)
def _from_hub(who: str, name: str) -> Checkpoint:
    return find(who, name, weights=False)


def _small(who: str, name: str) -> Checkpoint:
    return find(who, name) if Path(name).expanduser().is_dir() else _from_hub(who, name)


def _yaml(who: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """hparams.yaml."""
    file = checkpoint.path / "hparams.yaml"
    if not file.is_file():
        raise MissingModelError(
            f"{who}: {checkpoint.name!r} is no COMET checkpoint: it has no hparams.yaml; hparams.yaml and checkpoints/model.ckpt are "
            "needed, as Unbabel publishes them; give a folder or name with these"
        )
    yaml = needed(who, "yaml")
    try:
        stated = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise MissingModelError(
            f"{who}: hparams.yaml of {checkpoint.name!r} cannot be read ({' '.join(str(error).split())[:200]}); names and values in YAML "
            "are needed; fetch the model again"
        ) from error
    return stated if isinstance(stated, dict) else {}
