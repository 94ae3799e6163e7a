"""Writes comet.json: scores of unbabel-comet itself for the tiny checkpoints of tests/metrics/tiny_scorers.py.

In an environment of its own, since unbabel-comet goes with neither transformers 5 nor numpy 2:

    python -m venv comet && comet/bin/pip install torch==2.13.0 unbabel-comet==2.2.7 "transformers<5" "numpy<2" "setuptools<81" "sentencepiece<0.2.1"
    comet/bin/python tests/golden/make_comet.py
"""

import datetime
import json
import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "metrics"))

from tiny_scorers import COMET, comet_weights, digest, write_comet  # noqa: E402

ROWS = [
    ["Die Brücke wurde am Montag gesperrt.", "The bridge was closed on Monday.", "On Monday the bridge was closed."],
    ["Die Brücke wurde am Montag gesperrt.", "The bridge was closed on Monday.", "The bridge was closed on Monday."],
    ["Die Brücke wurde am Montag gesperrt.", "", "The bridge was closed on Monday."],
    ["Die Brücke wurde am Montag gesperrt.", "a crack", ""],
    ["", "a crack", "a serious crack"],
    ["", "", ""],
    ["  ", "\t", "\n"],
    ["Мост закрыт.", "The bridge is closed 👍🏽", "大桥关闭。"],
    ["ＡＢＣ ﬁne", "ABC fine", "Ａbc \u00a0 fine"],
    ["a <pad> b", "the <pad> lock", "</s> and <s>"],
    ["the crack " * 3, "nobody in the town knew why " * 9, "because of a crack"],
    ["word " * 60, "The bridge was closed", "different ending " * 40],
    ["x" * 29, "x" * 30, "x" * 31],
    ["An engineer said that", "An engineer said that", "An engineer said that"],
]


def main() -> None:
    """Score all rows under all checkpoints."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    import logging

    import comet

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    found = {}
    for name in COMET:
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = write_comet(Path(folder), name)
            os.chdir(checkpoint)  # pretrained_model is the name of a folder in it
            model = comet.load_from_checkpoint(str(checkpoint / "checkpoints" / "model.ckpt"), strict=True)
            samples = [{"src": source, "mt": output, "ref": reference} for source, output, reference in ROWS]
            scores = model.predict(samples, batch_size=4, gpus=0, progress_bar=False)
            os.chdir(HERE)
        found[name] = {"weights": digest(comet_weights(name)), "scores": scores.scores, "system": scores.system_score}
        print(name, [round(score, 4) for score in scores.scores])
    made = {
        "command": "python tests/golden/make_comet.py", "date": datetime.date.today().isoformat(), "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in ("unbabel-comet", "torch", "transformers", "tokenizers", "entmax", "numpy")},
    }  # fmt: skip
    (HERE / "comet.json").write_text(
        json.dumps({"made": made, "rows": ROWS, "checkpoints": found}, ensure_ascii=False, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
