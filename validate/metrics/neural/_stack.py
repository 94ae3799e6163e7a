"""A model cut off after a layer: what lies above is not run, and not kept."""

from __future__ import annotations

from typing import Any

from validate.errors import AccordError, bad_value

# Where architectures keep their list of layers, seen from the model or from its encoder.
_LISTS = ("encoder.layer", "transformer.layer", "encoder.layers", "encoder.block", "layer", "layers", "block", "h")


def encoder_of(model: Any) -> Any:
    """The model, or its encoder where it has a decoder as well."""
    return model.get_encoder() if getattr(model.config, "is_encoder_decoder", False) else model


def n_layers(config: Any) -> int:
    """How many layers the encoder of a model has."""
    return int(getattr(config, "encoder_layers", None) or config.num_hidden_layers)


def cut_after(who: str, model: Any, layer: int) -> Any:
    """The encoder of a model without the layers above ``layer``; 0 is what goes into the first one.

    What comes out of it last, such as the last normalisation of T5, is still run, as bert-score does.

    Raises
    ------
    OptionError
        When there is no such layer.
    AccordError
        For an architecture that keeps its layers in an unknown place.
    """
    model = encoder_of(model)
    check_layer(who, layer, n_layers(model.config))
    if hasattr(getattr(model, "encoder", None), "albert_layer_groups"):  # one layer, run so often
        model.encoder.config.num_hidden_layers = layer
        return model
    if hasattr(model, "n_layers") and hasattr(model, "attentions"):  # XLM
        model.n_layers = layer
        return model
    for path in _LISTS:
        owner, name = _owner(model, path)
        layers = getattr(owner, name, None)
        if layers is not None and len(layers) == n_layers(model.config):
            setattr(owner, name, layers[:layer])
            return model
    raise AccordError(
        f"{who}: models of the kind {type(model).__name__} keep their layers where they are not looked for; encoders such as BERT, "
        "RoBERTa, DeBERTa, ALBERT, XLM-R, T5 and BART are allowed; give one of these"
    )


def check_layer(who: str, layer: int, most: int) -> None:
    """One of the layers that there are."""
    if not 0 <= layer <= most:
        raise bad_value(who, "layer", layer, f"0 (embeddings) to {most}, which is what this model has")


def _owner(model: Any, path: str) -> tuple[Any, str]:
    *parts, name = path.split(".")
    for part in parts:
        model = getattr(model, part, None)
    return model, name
