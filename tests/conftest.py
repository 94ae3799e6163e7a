"""What every test can ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of knowledge and studies beside the project; tests that read it skip where it is missing."""
    if not (SHARED / "README.md").is_file():
        pytest.skip(
            "needs ../shared (worked values and real studies), which lies beside the project only in its own workplace"
        )
    return SHARED


@pytest.fixture(scope="session")
def cases(shared: Path) -> Any:
    """``cases("oracles")``: the cases of one file under ../shared/cases, by id."""

    def read(name: str) -> dict[str, dict[str, Any]]:
        listed = json.loads((shared / "cases" / f"{name}.json").read_text(encoding="utf-8"))["cases"]
        return {case["id"]: case for case in listed}

    return read


@pytest.fixture(scope="session")
def sample() -> Path:
    """The study that the project ships."""
    return ROOT / "data" / "sample"
