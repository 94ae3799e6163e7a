"""What is written is read again, to the character, in all four formats of a study."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import validate
from validate.formats import WRITERS, read_table, write_study
from validate.loading.cells import LARGEST

# Everything that has broken a reader somewhere: quotes, separators, line ends of all kinds, formulas, marks, NUL, JSON.
NASTY = [
    '"',
    '""',
    ",",
    ";",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\\",
    "\\n",
    "'",
    "=1+1",
    "\ufeff",
    "\0",
    "[",
    "[]",
    '["a"]',
    "{}",
]
NASTY += [
    "null",
    "NaN",
    "nan",
    "007",
    "1e5",
    "\u2028",
    "\x85",
    "\x1c",
    "\U0001f600",
    "e\u0301",
    "é",
    "𝔘",
    "א",
    " ",
    "\u3000",
]
texts = st.lists(
    st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=6
).map("".join)
labels = texts.map(lambda text: text.replace("\0", "")).filter(str.strip)
numbers = st.floats(-LARGEST, LARGEST) | st.integers(-(10**6), 10**6).map(float)


@st.composite
def studies(draw: st.DrawFn) -> dict[str, pd.DataFrame]:
    """A study in which every table has rows and every name is known."""
    ids = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    systems = draw(st.lists(labels, min_size=2, max_size=3, unique=True))
    cells = [(item, system) for item in ids for system in systems]
    names = st.sampled_from

    def frame(columns: dict[str, list[object]]) -> pd.DataFrame:
        return pd.DataFrame({name: pd.Series(values, dtype=None) for name, values in columns.items()})

    n = draw(st.integers(1, 4))
    rated = draw(st.lists(names(cells), min_size=n, max_size=n))
    pairs = draw(st.lists(st.permutations(systems), min_size=n, max_size=n))
    return {
        "items": frame(
            {
                "item_id": ids,
                "source": [draw(texts) for _ in ids],
                "references": [draw(st.lists(texts, max_size=3)) for _ in ids],
                "note": [draw(texts) for _ in ids],
            }
        ),
        "outputs": frame(
            {
                "item_id": [item for item, _ in cells],
                "system": [system for _, system in cells],
                "output": [draw(texts) for _ in cells],
            }
        ),
        "ratings": frame(
            {
                "item_id": [item for item, _ in rated],
                "system": [system for _, system in rated],
                "annotator": [draw(labels) for _ in rated],
                "criterion": [draw(labels) for _ in rated],
                "score": [draw(numbers) for _ in rated],
            }
        ),
        "comparisons": frame(
            {
                "item_id": [draw(names(ids)) for _ in pairs],
                "system_a": [pair[0] for pair in pairs],
                "system_b": [pair[1] for pair in pairs],
                "annotator": [draw(labels) for _ in pairs],
                "winner": [draw(names(["a", "b", "tie", "both_bad"])) for _ in pairs],
                "criterion": [draw(labels) for _ in pairs],
            }
        ),
        "metrics": frame(
            {
                "item_id": [item for item, _ in cells],
                "system": [system for _, system in cells],
                "metric": ["m"] * len(cells),
                "score": [draw(numbers | st.just(float("nan"))) for _ in cells],
            }
        ),
    }


@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(tables=studies())
def test_written_studies_are_read_again(format: str, tables: dict[str, pd.DataFrame]) -> None:
    with tempfile.TemporaryDirectory() as parent:
        study = validate.load(write_study(Path(parent) / "study", tables, format=format))
    read = {
        "items": study.items,
        "outputs": study.outputs,
        "ratings": study.ratings,
        "comparisons": study.comparisons,
        "metrics": study.metric_scores,
    }
    for name, frame in tables.items():
        assert_frame_equal(read[name], frame, check_dtype=False, obj=name)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_any_table_is_read_again(suffix: str, rows: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b"], dtype="str")
    with tempfile.TemporaryDirectory() as parent:
        path = Path(parent) / f"table{suffix}"
        WRITERS[suffix[1:]](frame, path)
        assert_frame_equal(read_table(path), frame, check_dtype=False)
