"""Reference libraries for the text tests, and no deadline for examples that compile a kernel."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")


@pytest.fixture(scope="session")
def library() -> Any:
    """``library("nltk.stem.porter")``: the module; where it is missing, a skip, or a failure under REQUIRE_REFERENCES=1."""

    def load(module: str) -> Any:
        if os.environ.get("REQUIRE_REFERENCES") == "1":
            return importlib.import_module(module)
        return pytest.importorskip(module, reason=f"needs {module.split('.')[0]} (extra crosscheck)")

    return load
