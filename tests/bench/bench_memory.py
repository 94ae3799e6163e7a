"""How much memory correlations and their tests take, and how long for a million outputs.

    python tests/bench/bench_memory.py [n_metrics ...]

Every line is a process of its own, whose peak (resource.getrusage) is shown, libraries and data included. Peaks at B = 100 and 5,000 show that memory does not
grow with the number of replicates. The million are 10 systems x 100,000 items, pooled, with human scores that never occur twice (the hard case for
Kendall), 1 and 5 metrics (or as many as given), B = 1,000, all cores: seconds on the clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from figures import heading, line, load, megabytes, on_one_thread

MOST = 1_000  # megabytes

STUDY = """
import json, resource, sys, time
import numpy as np
from validate import stats
options = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
human = rng.normal(size=(options["n_systems"], options["n_items"]))
metrics = [human + rng.normal(size=human.shape) for _ in range(options["n_metrics"])]
begun = time.perf_counter()
getattr(stats, options["work"])(metrics, human, coefficients=(options["coefficient"],), level="item", grouping=options["grouping"],
                                resamples=options["resamples"], workers=options["workers"])
print(json.dumps([time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""  # fmt: skip


def run(**options: object) -> tuple[float, float]:
    """Seconds on the clock and peak megabytes of one call in a process of its own."""
    given = [sys.executable, "-c", STUDY, json.dumps(options)]
    out = subprocess.run(given, capture_output=True, text=True, check=True).stdout
    taken, peak = json.loads(out)
    return float(taken), float(peak)


def growth() -> None:
    """B = 100 beside 5,000."""
    heading("15 systems x 1,500 items x 20 metrics, peak of the process, one worker")
    for work in ("resample", "permute"):
        for grouping in ("none", "item"):
            for coefficient in ("pearson", "spearman", "kendall"):
                if (work, grouping, coefficient) == ("permute", "none", "kendall"):
                    continue  # minutes
                peaks = [
                    run(
                        work=work, n_systems=15, n_items=1500, n_metrics=20, coefficient=coefficient, grouping=grouping,
                        resamples=resamples, workers=1,
                    )[1]
                    for resamples in (100, 5_000 if work == "resample" else 1_000)
                ]  # fmt: skip
                more = "5,000" if work == "resample" else "1,000"
                told = f"{work}, {'pooled' if grouping == 'none' else 'by item'}, {coefficient.title()}"
                line(f"{told}, B = 100", peaks[0], unit="MB")
                line(f"{told}, B = {more}", peaks[1], unit="MB", target=megabytes(round(1.1 * peaks[0] + 10)))


def million(n_metrics: int) -> None:
    heading(f"10 systems x 100,000 items x {n_metrics} metrics, pooled, B = 1,000, all cores, {load()}")
    for coefficient in ("pearson", "spearman", "kendall"):
        taken, peak = run(
            work="resample", n_systems=10, n_items=100_000, n_metrics=n_metrics, coefficient=coefficient,
            grouping="none", resamples=1000, workers=os.cpu_count(),
        )  # fmt: skip
        line(f"{coefficient.title()}, on the clock", taken)
        line(f"{coefficient.title()}, peak of the process", peak, unit="MB", target=megabytes(MOST))


def main() -> None:
    on_one_thread()
    growth()
    for n_metrics in [int(n) for n in sys.argv[1:]] or [1, 5]:
        million(n_metrics)


if __name__ == "__main__":
    main()
