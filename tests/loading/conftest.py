"""A small whole study that tests break in one place each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

GOOD: dict[str, list[dict[str, Any]]] = {
    "items": [
        {"item_id": "i1", "source": "one", "references": ["uno", "eins"]},
        {"item_id": "i2", "source": "two", "references": ["dos"]},
    ],
    "outputs": [
        {"item_id": "i1", "system": "red", "output": "un"},
        {"item_id": "i1", "system": "blue", "output": "uno!"},
        {"item_id": "i2", "system": "red", "output": "deux"},
        {"item_id": "i2", "system": "blue", "output": "due"},
    ],
    "ratings": [
        {"item_id": "i1", "system": "red", "annotator": "ann", "criterion": "fluency", "score": 1},
        {"item_id": "i1", "system": "blue", "annotator": "ann", "criterion": "fluency", "score": 4},
        {"item_id": "i2", "system": "red", "annotator": "bob", "criterion": "fluency", "score": 2.5},
    ],
    "comparisons": [
        {"item_id": "i1", "system_a": "red", "system_b": "blue", "annotator": "ann", "winner": "b"},
        {"item_id": "i2", "system_a": "blue", "system_b": "red", "annotator": "bob", "winner": "tie"},
    ],
    "metrics": [
        {"item_id": "i1", "system": "red", "metric": "theirs", "score": 0.5},
        {"item_id": "i1", "system": "blue", "metric": "theirs", "score": None},
    ],
}
SETTINGS = '[criteria.fluency]\nscale = [1, 5]\nmeasurement = "ordinal"\n'


def lines(rows: list[dict[str, Any]]) -> str:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """``make({"ratings.jsonl": text or bytes or None})``: the good study with some of its files replaced, added or left out."""

    def write(changes: Mapping[str, str | bytes | None] | None = None, *, only: bool = False) -> Path:
        files: dict[str, str | bytes | None] = {}
        if not only:
            files = {f"{name}.jsonl": lines(rows) for name, rows in GOOD.items()} | {"study.toml": SETTINGS}
        folder = tmp_path / "study"
        folder.mkdir()
        for name, content in (files | dict(changes or {})).items():
            if content is not None:
                raw = content if isinstance(content, bytes) else content.encode()
                (folder / name).write_bytes(raw)
        return folder

    return write
