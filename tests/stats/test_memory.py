"""Peak memory of whole processes: it does not grow with replicates, and little with outputs and workers. A million outputs are in bench_memory.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs /proc/self/status, Linux's"),
]

# The peak of this process image; ru_maxrss would hold that of the process that started it as well (Linux: exec keeps it).
CALL = """
from pathlib import Path
import numpy as np
from validate import stats
rng = np.random.default_rng(0)
human = rng.normal(size=(10, {n_items}))
metrics = [human + rng.normal(size=human.shape) for _ in range({n_metrics})]
stats.resample(metrics, human, coefficients=["{coefficient}"], grouping="none", resamples={resamples}, workers={workers})
(peak,) = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
print(int(peak) / 1024)
"""


def peak(**options: object) -> float:
    """Megabytes of a process of its own, libraries and data included."""
    run = [sys.executable, "-c", CALL.format(**options)]
    return float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_replicates_cost_no_memory(coefficient: str) -> None:
    """100 and 3,000 replicates; values themselves take 24 kB of the difference. Found: within 2 MB."""
    options = {"n_items": 2_000, "n_metrics": 1, "coefficient": coefficient, "workers": 1}
    assert peak(resamples=3_000, **options) < peak(resamples=100, **options) + 15


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_many_outputs_and_workers_stay_small(coefficient: str) -> None:
    """10 systems x 25,000 items, no human score twice, four blocks of replicates at once; a million outputs: 0.6 GB with two workers."""
    assert peak(n_items=25_000, n_metrics=1, coefficient=coefficient, resamples=256, workers=16) < 500
