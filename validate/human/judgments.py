"""What ratings and comparisons have in common: labels become indices, and repeated judgments are resolved by a stated rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import pandas as pd

from validate.errors import OptionError, plural, unknown_name
from validate.loading.layout import UNKNOWN_ANNOTATOR
from validate.schema import IntArray

Duplicates = Literal["last", "first", "all", "error"]
DUPLICATES: tuple[str, ...] = get_args(Duplicates)


def index_of(labels: Sequence[str], values: Any) -> IntArray:
    """(n,) positions of values in the labels."""
    codes: IntArray = pd.Index(labels).get_indexer(pd.Index(values)).astype("int64")
    return codes


def resolve_duplicates(frame: pd.DataFrame, key: pd.DataFrame, duplicates: Duplicates, what: str) -> pd.DataFrame:
    """The rows that count when one annotator judged one thing more than once; ``key`` holds what makes two rows the same.

    Judgments that name no annotator all count: they may be of different people, so none of them is a repetition.

    Raises
    ------
    OptionError
        For an unknown rule, and under ``"error"`` when there is a repeated judgment.
    """
    if duplicates not in DUPLICATES:
        raise unknown_name("human", "rule for duplicates", duplicates, DUPLICATES)
    if duplicates == "all":
        return frame
    repeated = key.duplicated(keep="last" if duplicates != "first" else "first")
    repeated &= key["annotator"] != UNKNOWN_ANNOTATOR
    if duplicates == "error" and repeated.any():
        example = key[repeated].iloc[0].to_dict()
        raise OptionError(
            f"{what}: {plural(int(repeated.sum()), 'judgment')} repeated by the same annotator (such as {example}) and "
            "duplicates='error'; choose 'last', 'first' or 'all', or remove the repeated rows"
        )
    return frame[~repeated.to_numpy()]
