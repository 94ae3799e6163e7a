"""What all metrics that run a model have in common: which model it is, and what their signatures say of it."""

from __future__ import annotations

from importlib import metadata
from typing import ClassVar

from validate.errors import MissingExtraError, MissingModelError, bad_value
from validate.metrics import _options
from validate.metrics._metric import Metric
from validate.metrics.neural._batches import BUDGET
from validate.metrics.neural._encoder import located
from validate.metrics.neural._torch import DTYPES, versions


class NeuralMetric(Metric):
    """A metric over a model that is given by its name or its folder.

    Attributes
    ----------
    unstated : tuple of str
        Options that a signature leaves out, because they change no score by more than 2e-6: where the model runs, how many tokens at a
        time, and whether embeddings are kept on disk.
    """

    unstated: ClassVar[tuple[str, ...]] = ("device", "budget", "cache")
    model: str
    dtype: str
    device: str
    budget: int

    def set_model(self, model: str, dtype: str, device: str, budget: int = BUDGET) -> None:
        """Take the options that all of them have; nothing is looked for or imported yet."""
        if not isinstance(model, str) or not model.strip():
            raise bad_value(self.name, "model", model, "the folder of a checkpoint, or a name on the model hub")
        self.model = model
        self.dtype = _options.one_of(self.name, "dtype", dtype, DTYPES)
        if not isinstance(device, str):
            raise bad_value(self.name, "device", device, "auto, cpu, or a device of this machine such as cuda:0")
        self.device = device
        self.budget = _options.whole(self.name, "budget", budget, 1)

    @property
    def identity(self) -> str:
        """The model's name with the hub's revision or a hash of its files; the name alone where the model is not there."""
        try:
            return located(self.name, self.model).identity
        except (MissingExtraError, MissingModelError):
            return self.model

    @property
    def signature(self) -> str:
        *parts, version = super().signature.split("|")
        return "|".join([*parts, f"libraries:{_libraries()}", version])


def _libraries() -> str:
    try:
        return versions()
    except metadata.PackageNotFoundError:
        return "none"
