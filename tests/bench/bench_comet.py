"""How long COMET takes on studies whose systems share sources and references, beside unbabel-comet's own predict in the same run.

    COMET_PYTHON=comet/bin/python python tests/bench/bench_comet.py [n_systems n_items]

COMET_PYTHON names the interpreter of an environment that has unbabel-comet, which goes with neither transformers 5 nor numpy 2; see
tests/golden/make_comet.py for how it is made. Without it only our own seconds are printed. The checkpoint is drawn from a seed: 6 layers of 384
dimensions, with a small vocabulary. Both sides have loaded their model beforehand; nothing is read from or left in the cache on disk. All times
are processor seconds of one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from figures import Peer, heading, line, on_one_thread, seconds, times

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "metrics"))

SIZES = [(1, 100), (8, 40), (16, 25)]
TARGET = 2

# Runs where unbabel-comet is installed: reads samples, prints the seconds of predict, the scores, and the versions.
UNBABEL = """
import json, logging, os, sys, time, warnings
from importlib import metadata
warnings.filterwarnings("ignore")
import comet, torch
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
torch.set_num_threads(1)
os.chdir(sys.argv[1])
model = comet.load_from_checkpoint("checkpoints/model.ckpt")
samples = json.load(open(sys.argv[2]))
model.predict(samples[:2], gpus=0, progress_bar=False)
begun = time.process_time()
scores = model.predict(samples, gpus=0, progress_bar=False).scores
spent = time.process_time() - begun
versions = {name: metadata.version(name) for name in ("unbabel-comet", "torch", "transformers")}
print(json.dumps({"seconds": spent, "scores": scores, "versions": versions}))
"""


def main() -> None:
    """Print a line for each size."""
    on_one_thread()
    import torch

    from validate import metrics

    torch.set_num_threads(1)
    sizes = [(int(sys.argv[1]), int(sys.argv[2]))] if len(sys.argv) > 2 else SIZES
    heading("COMET, raw strings to scores")
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = written(Path(folder) / "comet")
        metric = metrics.get("comet", model=str(checkpoint), device="cpu", cache=False)
        for n_systems, n_items in sizes:
            rows = study(n_systems, n_items)
            sources, outputs, references = (list(side) for side in zip(*rows, strict=True))
            given = outputs, [[text] for text in references], sources
            metric.score(*(side[:2] for side in given))
            found = []
            mine = seconds(lambda: found.append(metric.score(*given)))  # noqa: B023
            theirs = unbabel(checkpoint, rows)
            peer = None
            if theirs is not None:
                apart = float(np.abs(found[0].items - np.array(theirs["scores"])).max())
                peer = Peer(
                    "unbabel-comet",
                    theirs["seconds"],
                    f"same rows, scores at most {apart:.1e} apart, {spelled(theirs['versions'])}",
                )
            shared = n_systems > 1
            line(
                f"{n_systems} systems x {n_items} items",
                mine,
                peer=peer,
                target=times(TARGET) if peer and shared else None,
            )


def written(folder: Path) -> Path:
    """A checkpoint of the size at which the encoder takes nearly all of the time."""
    import tiny_scorers

    tiny_scorers.HIDDEN, tiny_scorers.INNER, tiny_scorers.LAYERS, tiny_scorers.HEADS = 384, 1_536, 6, 6
    tiny_scorers.POSITIONS = 514
    tiny_scorers.COMET["bench"] = {"hidden_sizes": [1_152, 384]}
    drawn = tiny_scorers.drawn
    tiny_scorers.drawn = lambda seed, shapes: {
        name: value / 8 if value.ndim > 1 else value for name, value in drawn(seed, shapes).items()
    }
    return tiny_scorers.write_comet(folder, "bench")


def study(n_systems: int, n_items: int) -> list[list[str]]:
    """Rows of source, output and reference: all outputs differ, sources and references are shared by the systems."""
    import tiny_scorers

    rng = np.random.default_rng(0)
    words = sorted({word for sentence in tiny_scorers.SENTENCES for word in sentence.split()})

    def sentence() -> str:
        return " ".join(rng.choice(words, rng.integers(5, 30)))

    items = [(sentence(), sentence()) for _ in range(n_items)]
    return [[source, sentence(), reference] for _ in range(n_systems) for source, reference in items]


def unbabel(checkpoint: Path, rows: list[list[str]]) -> dict | None:  # type: ignore[type-arg]
    """Seconds and scores of unbabel-comet, None where no environment has it."""
    interpreter = os.environ.get("COMET_PYTHON")
    if not interpreter:
        return None
    samples = [{"src": source, "mt": output, "ref": reference} for source, output, reference in rows]
    file = checkpoint.parent / "samples.json"
    file.write_text(json.dumps(samples), encoding="utf-8")
    quiet = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    ran = subprocess.run(
        [interpreter, "-c", UNBABEL, str(checkpoint), str(file)], capture_output=True, text=True, check=True, env=quiet
    )
    return json.loads(ran.stdout.splitlines()[-1])


def spelled(versions: dict[str, str]) -> str:
    """Versions in one line."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())


if __name__ == "__main__":
    main()
