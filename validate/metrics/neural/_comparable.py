"""Perplexities side by side, where that says something; else a refusal with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from validate.errors import AccordError, ShapeError
from validate.metrics.neural._surprise import PerplexityScores

if TYPE_CHECKING:
    import pandas as pd

WHO = "compare_perplexities"


def compare_perplexities(scores: Mapping[str, PerplexityScores]) -> pd.DataFrame:
    """Several models' perplexities of the same texts in one table.

    Perplexity is per token: under a tokenizer that cuts a text into more tokens each is easier to guess, and the number is smaller for a
    model that is no better. Texts, tokens and context have to be the same for a difference to be one between models. Bits per byte and per
    character need the same texts and protocol only.

    Parameters
    ----------
    scores : mapping of str to PerplexityScores
        What ``score`` of `perplexity` or `pseudo_perplexity` gave, by the name under which it stands in the table.

    Returns
    -------
    DataFrame
        ``name``, ``score`` (in the unit of the metrics), ``difference`` (from the first row), ``n_tokens``, ``bits_per_byte``,
        ``bits_per_character``.

    Raises
    ------
    AccordError
        When two of them do not measure the same; the message says in what they differ.
    ShapeError
        For fewer than two.
    """
    if len(scores) < 2:
        raise ShapeError(f"{WHO}: {len(scores)} scores were given; two or more are needed; pass {{name: scores, ...}}")
    import pandas as pd

    (first, *_), (base, *_) = scores, scores.values()
    for name, other in scores.items():
        if reason := why_not(base, other):
            raise AccordError(f"{WHO}: {first!r} and {name!r}: {reason}")
    return pd.DataFrame([_row(name, one, base) for name, one in scores.items()])


def why_not(one: PerplexityScores, other: PerplexityScores) -> str:
    """Why two perplexities cannot be compared, and what can be done; empty when they can.

    Examples
    --------
    >>> import numpy as np
    >>> score = lambda texts: PerplexityScores(np.ones(1), 1.0, np.ones((1, 4)), "", "perplexity", texts=texts)
    >>> why_not(score("a"), score("a"))
    ''
    >>> why_not(score("a"), score("b"))
    'they are of different texts; only the same texts are allowed; score the same ones by both'
    """
    if one.metric != other.metric:
        return f"they are {one.metric} and {other.metric}, which measure different things; one metric is allowed; score by the same one"
    if one.unit != other.unit:
        return f"one is per {one.unit}, the other per {other.unit}; one unit is allowed; give both the same unit="
    if one.texts != other.texts:
        return "they are of different texts; only the same texts are allowed; score the same ones by both"
    if one.protocol != other.protocol:
        return f"they are scored under different rules ({one.protocol}; {other.protocol}); the same rules are needed; give both the same options"
    if one.unit == "token" and one.pieces != other.pieces:
        return (
            "their tokenizers cut the same texts into different tokens, or not the same of them are scored, so that these are perplexities of different units; the same tokens are "
            "needed; compare bits per byte: unit='byte'"
        )
    return ""


def _row(name: str, one: PerplexityScores, base: PerplexityScores) -> dict[str, object]:
    nats, n_tokens, n_bytes, n_characters = (0.0,) * 4 if one.totals is None else one.totals.tolist()
    return {
        "name": name,
        "score": one.system,
        "difference": one.system - base.system,
        "n_tokens": int(n_tokens),
        "bits_per_byte": nats / math.log(2) / n_bytes if n_bytes else math.nan,
        "bits_per_character": nats / math.log(2) / n_characters if n_characters else math.nan,
    }
