"""Surprise of chosen tokens under a language model, without the logits of all others ever being in memory.

A vocabulary of 128,000 makes 512 KB of logits for each token. So the model's body is run over everything and its head only over the
places that are asked for, a bounded number at a time. Which part is the body differs between architectures; a `Gate` is put in front of
it, and the model's own forward code does the rest: biases, caps and scales of logits stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from validate.metrics.neural._torch import needed
from validate.schema import FloatArray, IntArray

HEAD = 2**25  # logits at a time: 128 MB in float32


class Logits:
    """The head of a model, asked at chosen places.

    Parameters
    ----------
    who : str
        The metric, for messages.
    model : torch module
        With ``logits`` in what its forward gives. It is changed: by itself it gives the logits of one place after this.
    probe : mapping of str to tensor
        Any small input, on which the gate is held to the model without it.
    """

    def __init__(self, who: str, model: Any, probe: Mapping[str, Any]) -> None:
        self._torch = needed(who, "torch")
        self._model = model
        self.gate = _gated(self._torch, model, probe)

    def surprise(
        self, inputs: Mapping[str, Any], rows: IntArray, places: IntArray, tokens: IntArray, head: int = HEAD
    ) -> FloatArray:
        """−ln p of tokens, summed by nobody yet.

        Parameters
        ----------
        inputs : mapping of str to tensor
            Arguments of the model's forward.
        rows, places, tokens : (m,) int64
            The logits at ``places[i]`` of row ``rows[i]`` of the batch say how likely ``tokens[i]`` is.
        head : int
            Logits at a time.

        Returns
        -------
        (m,) float64
        """
        torch = self._torch
        with torch.inference_mode():
            device = inputs["attention_mask"].device
            at = torch.from_numpy(rows).to(device), torch.from_numpy(places).to(device)
            wanted = torch.from_numpy(tokens).to(device)
            if self.gate is None:
                return _surprise(torch, self._model(**inputs).logits[at], wanted)
            hidden = self.gate.body_only(self._model, inputs)[at]
            found, start, step = np.empty(len(rows)), 0, 64
            while start < len(rows):
                stop = start + step
                logits = self.gate.head_only(self._model, inputs, hidden[start:stop])
                found[start:stop] = _surprise(torch, logits, wanted[start:stop])
                start, step = stop, max(1, head // logits.shape[-1])
            return found


def _surprise(torch: Any, logits: Any, tokens: Any) -> FloatArray:
    """ln Σ exp(x − max) + max − x of the token; what is left of float32 after the sum is added up in float64."""
    logits = logits.float()
    chosen = logits.gather(-1, tokens[:, None])[:, 0]
    most = logits.amax(-1)
    total = logits.sub_(most[:, None]).exp_().sum(-1)
    total, most, chosen = (part.cpu().double() for part in (total, most, chosen))
    found: FloatArray = (total.log() + (most - chosen)).numpy()
    return found


def _gated(torch: Any, model: Any, probe: Mapping[str, Any]) -> Any:
    """A gate in front of the body; None, and the model as it was, where that does not give the same logits."""
    bodies = [model.get_decoder] if model.config.is_encoder_decoder else [lambda: model.base_model, model.get_decoder]
    return next((gate for body in bodies if (gate := _gate(torch, model, body(), probe)) is not None), None)


def _gate(torch: Any, model: Any, body: Any, probe: Mapping[str, Any]) -> Any:
    place = _place_of(model, body)
    if body is model or place is None:
        return None
    with torch.inference_mode():
        before = model(**probe).logits
        gate = _gate_class(torch)(body)
        setattr(*place, gate)
        try:
            hidden = gate.body_only(model, probe)
            after = gate.head_only(model, probe, hidden.flatten(0, 1))
            if after.shape[-1] == before.shape[-1] and torch.allclose(
                after.view(before.shape), before, rtol=1e-5, atol=1e-6
            ):
                return gate
        except (
            Exception
        ):  # whatever an unknown architecture does with what its body gives: then all logits are made at once
            pass
    setattr(*place, body)
    return None


def _place_of(model: Any, part: Any) -> tuple[Any, str] | None:
    """Who holds a part of a model, and under which name."""
    held = ((owner, name) for owner in model.modules() for name, child in owner.named_children() if child is part)
    return next(held, None)


def _gate_class(torch: Any) -> Any:
    """The class, made here because torch is not imported before it is needed."""

    class Gate(torch.nn.Module):
        """Runs the body and lets one place through to the head, or leaves out the body and hands the head what it is told to."""

        def __init__(self, body: Any) -> None:
            super().__init__()
            self.body = body
            self._output: Any = None
            self._served: Any = None

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.body, name)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            if self._served is None:
                self._output = self.body(*args, **kwargs)
                return _with_hidden(self._output, self._output[0][:1, :1])
            return _with_hidden(self._output, self._served)

        def body_only(self, model: Any, inputs: Mapping[str, Any]) -> Any:
            """(batch, length, dim) what the body gives."""
            self._served = None
            model(**inputs)
            hidden = self._output[0]
            self._output = _with_hidden(self._output, None)
            return hidden

        def head_only(self, model: Any, inputs: Mapping[str, Any], hidden: Any) -> Any:
            """(m, V) logits of (m, dim) hidden states."""
            self._served = hidden[None]
            try:
                return model(**inputs).logits[0]
            finally:
                self._served = None

    return Gate


def _with_hidden(output: Any, hidden: Any) -> Any:
    return type(output)(**{**dict(output.items()), "last_hidden_state": hidden})
