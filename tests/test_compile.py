"""Kernels are compiled once and then lie on disk, wherever that may be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from numba.core.caching import FunctionCache

from validate import _compile

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import numpy as np
from validate import stats
from validate._compile import compiled_before
import validate.stats._kernels
before = compiled_before()
stats.spearman([1, 2, 3], [1, 3, 2])
human = np.arange(12.0).reshape(3, 4)
stats.bootstrap({"m": human ** 2}, human, resamples=10)
print(before, compiled_before())
"""


def test_the_second_run_finds_the_kernels_of_the_first(tmp_path):
    """A cache folder of its own stands for an installation that cannot be written."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["False True", "True True"]


READ_ONLY = """
import os, sys
import validate
from validate._compile import compiled_before
from validate.text import alignment
from validate.text.corpus import Batch
from validate.text.tokenizers import get
alignment.edit_distances(Batch.of(["a b"], [["a c"]]), get("codepoint"))
print(os.path.dirname(validate.__file__), alignment._edit_distances.stats.cache_path, compiled_before(), sep="\\n")
"""


def test_an_installation_that_cannot_be_written_keeps_its_kernels_in_the_users_cache_folder(tmp_path):
    """A copy of the package in which the folders for caches cannot be made, not by root either: files stand in their place."""
    site, home = tmp_path / "site", tmp_path / "home"
    shutil.copytree(ROOT / "validate", site / "validate", ignore=shutil.ignore_patterns("__pycache__"))
    home.mkdir()
    for folder in [site / "validate", *(site / "validate").rglob("*")]:
        if folder.is_dir():
            (folder / "__pycache__").touch(mode=0o444)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", READ_ONLY]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=site)
    where, cache, compiled = run.stdout.splitlines()
    assert where == str(site / "validate")
    assert cache.startswith(str(home))
    assert compiled == "True"
    assert not list(site.rglob("*.nbi"))
    kept = {file: file.stat().st_mtime_ns for file in home.rglob("*.nbc")}
    assert kept
    subprocess.run(command, capture_output=True, check=True, env=environment, cwd=site)
    assert {file: file.stat().st_mtime_ns for file in home.rglob("*.nbc")} == kept  # read, not compiled again


def test_without_any_place_for_the_cache_kernels_are_compiled_all_the_same(monkeypatch):
    """A read-only installation and a user without a folder of their own, as in a container."""
    monkeypatch.setattr(FunctionCache._impl_class, "_locator_classes", [])
    monkeypatch.setattr(_compile, "_kernels", [])

    @_compile.kernel
    def twice(number: float) -> float:
        return 2 * number

    assert twice(1.5) == 3.0
    assert not _compile.compiled_before()
