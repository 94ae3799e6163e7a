"""What every test can ask for."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Kernels may be compiled inside an example, so that no single one has a deadline. A continuous integration run draws the same
# examples every time; a developer's run looks for new ones.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Embeddings that tests compute do not go to the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCORD_CACHE", str(tmp_path_factory.mktemp("accord-cache")))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of knowledge and studies beside the project; tests that read it skip where it is missing."""
    if not (SHARED / "README.md").is_file():
        pytest.skip(
            "needs ../shared (worked values and real studies), which lies beside the project only in its own workplace"
        )
    return SHARED


@pytest.fixture(scope="session")
def library() -> Any:
    """``library("nltk.stem.porter")``: a module of the extra crosscheck; where it is missing, a skip, or a failure under REQUIRE_REFERENCES=1."""

    def load(module: str) -> Any:
        if os.environ.get("REQUIRE_REFERENCES") == "1":
            return importlib.import_module(module)
        return pytest.importorskip(
            module, reason=f"needs {module.split('.')[0]}, which comes with the extra crosscheck"
        )

    return load


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


@pytest.fixture(scope="session")
def make_study() -> Any:
    """``make_study(items=…, outputs=…, …)``: a checked study out of lists of tuples, without files."""
    import pandas as pd

    from validate.schema import Settings, Study

    columns = {
        "items": ["item_id", "source", "references"],
        "outputs": ["item_id", "system", "output"],
        "ratings": ["item_id", "system", "annotator", "criterion", "score"],
        "comparisons": ["item_id", "system_a", "system_b", "annotator", "winner", "criterion"],
        "metric_scores": ["item_id", "system", "metric", "score"],
    }

    def make(settings: Settings | None = None, **rows: list[tuple[Any, ...]]) -> Study:
        frames = {name: pd.DataFrame(rows.get(name, []), columns=names) for name, names in columns.items()}
        seen: dict[str, None] = {}
        for name in ("outputs", "ratings", "metric_scores"):
            seen.update(dict.fromkeys(frames[name]["system"]))
        seen.update(dict.fromkeys([*frames["comparisons"]["system_a"], *frames["comparisons"]["system_b"]]))
        items = dict.fromkeys(item for frame in frames.values() for item in frame["item_id"])
        criteria = dict.fromkeys([*frames["ratings"]["criterion"], *frames["comparisons"]["criterion"]])
        return Study(
            path=Path("study"),
            settings=settings or Settings(),
            systems=tuple(seen),
            criteria=tuple(criteria),
            item_ids=tuple(items),
            **frames,
        )

    return make
