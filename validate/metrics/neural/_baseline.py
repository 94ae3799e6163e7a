"""The score that two unrelated texts have, which rescaling takes for 0: of a file in bert-score's form, or measured on given texts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from validate.errors import OptionError, ShapeError, bad_value
from validate.schema import FloatArray

COLUMNS = ("LAYER", "P", "R", "F")


class Baseline(NamedTuple):
    """Precision, recall and F of unrelated texts; each below 1."""

    p: float
    r: float
    f: float

    def rescale(self, scores: FloatArray) -> FloatArray:
        """(x - b) / (1 - b) of (…, 3) precision, recall and F.

        >>> Baseline(0.83, 0.83, 0.83).rescale(np.array([0.92, 0.83, 1.0])).round(4).tolist()
        [0.5294, 0.0, 1.0]
        """
        low = np.array(self)
        rescaled: FloatArray = (scores - low) / (1 - low)
        return rescaled

    def save(self, path: str | Path, layer: int) -> None:
        """Write a file that ``baseline=`` reads: one row, of the layer that it was measured at."""
        row = ",".join([str(layer), *(repr(float(value)) for value in self)])
        Path(path).write_text(f"{','.join(COLUMNS)}\n{row}\n", encoding="utf-8")


def baseline_of(who: str, given: object, layer: int) -> Baseline | None:
    """What the option says: None, three numbers, or a file with the row of a layer.

    Raises
    ------
    OptionError
        When it is neither, the file cannot be read, or the layer is not in it.
    """
    if given is None:
        return None
    allowed = "none, three numbers below 1 (P, R, F), or a file with columns LAYER,P,R,F as bert-score has them"
    if isinstance(given, (str, Path)):
        return _checked(who, given, _row(who, Path(given).expanduser(), layer), allowed)
    if isinstance(given, Sequence) and len(given) == 3:
        return _checked(who, given, given, allowed)
    raise bad_value(who, "baseline", given, allowed)


def random_pairs(texts: Sequence[str], pairs: int, rng: int | np.random.Generator) -> tuple[list[str], list[str]]:
    """Pairs of different texts, drawn with replacement of pairs.

    Raises
    ------
    ShapeError
        For fewer than two different texts.
    """
    distinct = list(dict.fromkeys(texts))
    if len(distinct) < 2:
        raise ShapeError(
            f"baseline: {len(distinct)} different text(s) were given; pairs of different texts are drawn; give two texts or more"
        )
    rng = np.random.default_rng(rng)
    first = rng.integers(0, len(distinct), pairs)
    second = (first + rng.integers(1, len(distinct), pairs)) % len(distinct)
    return [distinct[at] for at in first], [distinct[at] for at in second]


def _row(who: str, path: Path, layer: int) -> Sequence[object]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            tabs = "\t" in stream.readline()  # bert-score's files end in .tsv and hold commas
            stream.seek(0)
            rows = list(csv.DictReader(stream, delimiter="\t" if tabs else ","))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OptionError(
            f"{who}: the baseline {str(path)!r} cannot be read ({error}); a file with columns {','.join(COLUMNS)} is needed"
        ) from error
    found = [row for row in rows if str(row.get("LAYER", "")).strip() == str(layer)]
    if not found:
        layers = ", ".join(str(row.get("LAYER")) for row in rows[:50]) or "none"
        raise OptionError(
            f"{who}: the baseline {str(path)!r} has no row for layer {layer}; it has layers {layers}; a file with columns "
            f"{','.join(COLUMNS)} and that layer is needed"
        )
    return [found[0].get(column) for column in COLUMNS[1:]]


def _checked(who: str, given: object, values: Sequence[Any], allowed: str) -> Baseline:
    try:
        baseline = Baseline(*(float(value) for value in values))
    except (TypeError, ValueError) as error:
        raise bad_value(who, "baseline", given, allowed) from error
    if not all(np.isfinite(value) and value < 1 for value in baseline):
        raise bad_value(who, "baseline", given, allowed)
    return baseline
