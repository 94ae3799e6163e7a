"""The main job from start to end: seconds, seconds and memory per stage, and what the reference libraries alone would take.

Runs on realsumm (25 systems × 100 items) where ../shared lies beside the project, else on the sample. Every metric is scored,
stemmed variants too; three coefficients, four places, both axes resampled 1,000 times, report and all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REALSUMM = ROOT.parent / "shared" / "data" / "realsumm"
STEMMED = ["rouge1(stem=yes)", "rouge2(stem=yes)", "rougeL(stem=yes)", "rougeLsum(stem=yes)"]


def main() -> None:
    from validate.metrics._spec import default_specs

    study = REALSUMM if REALSUMM.is_dir() else ROOT / "data" / "sample"
    specs = ", ".join([*default_specs(), *STEMMED])
    with tempfile.TemporaryDirectory() as folder:
        for crosscheck in ("500", "none"):
            out = Path(folder) / crosscheck
            arguments = ["validate", study, "--out", out, "--metrics", specs, "--crosscheck", crosscheck, "--quiet"]
            began = time.perf_counter()
            code = "import sys; from validate.cli import main; main(sys.argv[1:])"
            subprocess.run([sys.executable, "-c", code, *map(str, arguments)], check=True, cwd=ROOT)
            seconds = time.perf_counter() - began
            run = json.loads((out / "run.json").read_text(encoding="utf-8"))
            print(
                f"{study.name}: {len(run['metrics'])} metrics, cross-check of {crosscheck}: {seconds:.1f} s from start to end"
            )
            for stage in run["stages"]:
                print(f"  {stage['stage']:<42} {stage['seconds']:>6.2f} s  {stage['peak_memory_mb']:>6.0f} MB")
            print(f"  report.html {(out / 'report.html').stat().st_size / 2**20:.2f} MB")


if __name__ == "__main__":
    main()
