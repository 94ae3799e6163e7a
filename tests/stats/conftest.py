"""Reference libraries for the tests of statistics, and no deadline for examples that compile a kernel."""

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
    """``library("krippendorff")``: the module; where it is missing, a skip, or a failure under REQUIRE_REFERENCES=1."""

    def load(name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            if os.environ.get("REQUIRE_REFERENCES") == "1":
                raise
            pytest.skip(f"needs the package {name}, which comes with the extra 'crosscheck'")

    return load
