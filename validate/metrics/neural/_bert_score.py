"""bert-score itself, for the cross-check."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from validate.metrics._metric import Metric
from validate.metrics._registry import NoCounterpart, Reference
from validate.schema import FloatArray
from validate.text.corpus import Batch

if TYPE_CHECKING:
    from validate.metrics.neural.bertscore import BertScore


def scored(
    metric: BertScore, outputs: Sequence[str], references: Sequence[Sequence[str]], batch_size: int = 64
) -> FloatArray:
    """(n, 3) P, R and F by bert-score, which is given our files, layer, weights and tokenizer; NaN for rows with an empty text."""
    library = importlib.import_module("bert_score")
    room = metric.encoder()
    rows = [
        row
        for row, (output, texts) in enumerate(zip(outputs, references, strict=True))
        if texts and not room.tokens([output, *texts]).empty.any()
    ]
    result = np.full((len(outputs), 3), np.nan)
    if not rows:
        return result
    # Its module has the name of its function.
    inside = mock.patch.object(sys.modules["bert_score.score"], "get_tokenizer", return_value=room.tokenizer)
    with TemporaryDirectory() as folder, inside, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its calls into transformers
        found = library.score(
            [outputs[row] for row in rows],
            [list(references[row]) for row in rows],
            model_type=str(room.checkpoint.path),
            num_layers=room.layer,
            idf=_weights(metric, outputs, references),
            device=room.device,
            batch_size=batch_size,
            **_rescaled(metric, room.layer, Path(folder)),
        )
    result[rows] = np.stack([part.double().numpy() for part in found], axis=1)
    return result


def _weights(metric: BertScore, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> Any:
    """Its idf option: False, or our weights of the same collection as its dictionary."""
    rarity = metric.rarity(Batch.of(outputs, references))
    if rarity is None:
        return False
    return defaultdict(lambda: rarity.unseen, zip(rarity.ids.tolist(), rarity.known.tolist(), strict=True))


def _rescaled(metric: BertScore, row_of_layer: int, folder: Path) -> dict[str, Any]:
    """Its options for rescaling: a file whose row number is the layer."""
    if metric.baseline is None:
        return {}
    path = folder / "baseline.tsv"
    row = ",".join(map(repr, metric.baseline))
    path.write_text("LAYER,P,R,F\n" + "".join(f"{layer},{row}\n" for layer in range(row_of_layer + 1)))
    return {"rescale_with_baseline": True, "lang": "en", "baseline_path": str(path)}


def _score(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    """Item scores and their mean by bert-score."""
    from validate.metrics.neural.bertscore import PARTS, BertScore

    assert isinstance(metric, BertScore)
    if (
        metric.special_tokens != "targets"
        or metric.windows
        or metric.dtype != "float32"
        or metric.multi_reference != "max"
    ):
        raise NoCounterpart(
            "bert-score has the options special_tokens=targets, windows=no, dtype=float32 and multi_reference=max only"
        )
    items = scored(metric, outputs, references)[:, PARTS.index(metric.part)]
    return items, float(np.mean(items))


REFERENCE = Reference(
    "bert-score",
    _score,
    tolerance=1e-5,
    differs=(
        "bert-score lifts similarities below 0 to 0 where a text of the batch is longer, ours does not depend on the batch; it is given our "
        "tokenizer, because under transformers 5 it reads RoBERTa's first word without its space; it does not run on empty texts there"
    ),
    extra="crosscheck-neural",
    pace=30_000,
)
