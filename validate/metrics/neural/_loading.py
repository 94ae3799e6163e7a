"""Tokenizers and models of transformers out of a checkpoint: quietly, whole, and with RoBERTa's first word as it was trained."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from validate.errors import MissingModelError, listed
from validate.metrics.neural._checkpoint import Checkpoint
from validate.metrics.neural._torch import dtype_of, needed

# These tokenizers see a first word without a space as another word than the same inside a sentence. Under transformers 4 the space was
# asked for at every call; transformers 5 ignores that, and heeds it only when the tokenizer is loaded. Of other models that use the same
# tokenizer (BART) the space was never asked for.
_SPACE_BEFORE = {"roberta": "RobertaTokenizer", "gpt2": "GPT2Tokenizer"}


@contextlib.contextmanager
def quietly(transformers: Any) -> Iterator[None]:
    """No progress bars and no remarks while files are read; errors still come as errors."""
    logging = transformers.utils.logging
    said, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(said)
        if bars:
            logging.enable_progress_bar()


def config_of(who: str, checkpoint: Checkpoint) -> Any:
    """The configuration of a model, without its weights."""
    transformers = needed(who, "transformers")
    with _readable(who, checkpoint, "configuration"), quietly(transformers):
        return transformers.AutoConfig.from_pretrained(checkpoint.path)


def tokenizer_of(who: str, checkpoint: Checkpoint) -> Any:
    """The model's tokenizer, the fast one where there is one."""
    transformers = needed(who, "transformers")
    model_type = config_of(who, checkpoint).model_type
    with _readable(who, checkpoint, "tokenizer"), quietly(transformers):
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.path)
        if type(tokenizer).__name__.removesuffix("Fast") == _SPACE_BEFORE.get(model_type):
            tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.path, add_prefix_space=True)
    return tokenizer


def model_of(
    who: str, kind: str, checkpoint: Checkpoint, *, dtype: str, device: str, may_lack: Sequence[str] = ("pooler.",)
) -> Any:
    """A model for scoring, with all of its weights.

    Parameters
    ----------
    who : str
        The metric, for messages.
    kind : str
        The class of transformers, such as ``"AutoModel"``.
    checkpoint : Checkpoint
    dtype, device : str
    may_lack : sequence of str
        Parts of the model that are not used and may be missing from the files.

    Raises
    ------
    MissingModelError
        When the files cannot be read, or lack weights, which transformers would draw at random without a word.
    """
    transformers = needed(who, "transformers")
    with _loads_alone, _readable(who, checkpoint, "model"), quietly(transformers):
        model, found = getattr(transformers, kind).from_pretrained(
            checkpoint.path, dtype=dtype_of(who, dtype), output_loading_info=True
        )
    lacking = sorted(name for name in found["missing_keys"] if not any(part in name for part in may_lack))
    if lacking:
        raise MissingModelError(
            f"{who}: the checkpoint {checkpoint.name!r} has no weights for {listed(lacking, 3)}, so that this part would be drawn at random; "
            f"a checkpoint that was trained as {kind} is needed; give another model"
        )
    return model.eval().requires_grad_(False).to(device)


_loads_alone = threading.Lock()  # two threads that load through transformers at once leave weights behind


@contextlib.contextmanager
def _readable(who: str, checkpoint: Checkpoint, what: str) -> Iterator[None]:
    """Whatever transformers raises over broken or foreign files, as one clear error."""
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise MissingModelError(
            f"{who}: the {what} of {checkpoint.name!r} cannot be read ({reason}); a checkpoint as save_pretrained of transformers "
            "writes it is needed; check the files or give another model"
        ) from error
