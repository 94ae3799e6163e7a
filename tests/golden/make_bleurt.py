"""Writes bleurt.json: scores of bleurt-pytorch itself for the tiny checkpoints of tests/metrics/tiny_scorers.py.

In an environment of its own, since bleurt-pytorch does not go with transformers 5:

    python -m venv bleurt && bleurt/bin/pip install torch==2.13.0 bleurt-pytorch==0.0.1 "transformers==4.57.*" sentencepiece protobuf
    bleurt/bin/python tests/golden/make_bleurt.py

Its fast tokenizer, for checkpoints with a vocab.txt, cuts a pair otherwise than the original program where both texts are too long: these
rows are scored on token ids that are cut by the original's rule, with bleurt-pytorch's model.
"""

import base64
import datetime
import io
import json
import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "metrics"))

from tiny_scorers import BLEURT_POSITIONS, PIECES, SENTENCES, bleurt_weights, digest, word_pieces, write_bleurt  # noqa: E402

ROWS = [  # reference, output
    ["The bridge was closed on Monday.", "On Monday the bridge was closed."],
    ["The bridge was closed on Monday.", "The bridge was closed on Monday."],
    ["The bridge was closed on Monday.", ""],
    ["", "a crack"],
    ["", ""],
    [" \n", "\t"],
    ["大桥关闭。", "The bridge is closed 👍🏽"],
    ["Ａbc \u00a0 fine", "ABC  fine"],
    ["a crack", "because of a crack " * 20],
    ["because of a crack " * 20, "a crack"],
    ["the lock " * 40, "nobody in the town knew why " * 20],
    ["nobody in the town knew why " * 20, "the lock " * 40],
    ["the lock " * 23, "the canal " * 23],
]


def cut(first: list, second: list, most: int) -> None:
    """The original's rule: the last token of the longer text goes, of two as long the second's."""
    while len(first) + len(second) > most:
        (first if len(first) > len(second) else second).pop()


def trained() -> str:
    """A small SentencePiece model with the pieces that BLEURT-20's has for special tokens, in base64."""
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_writer=model, vocab_size=PIECES, model_type="unigram", pad_id=0, unk_id=1, bos_id=2, eos_id=3,
        pad_piece="[PAD]", unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]", control_symbols=["[MASK]"], normalization_rule_name="identity",
        minloglevel=2,
    )  # fmt: skip
    return base64.b64encode(model.getvalue()).decode()


def scored(folder: Path) -> list:
    """The score of every row."""
    import torch
    from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

    model = BleurtForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = BleurtTokenizer.from_pretrained(folder)
    scores = []
    for reference, output in ROWS:
        first, second = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (reference, output))
        cut(first, second, BLEURT_POSITIONS - 3)
        ids = [tokenizer.cls_token_id, *first, tokenizer.sep_token_id, *second, tokenizer.sep_token_id]
        given = {
            "input_ids": ids,
            "token_type_ids": [0] * (len(first) + 2) + [1] * (len(second) + 1),
            "attention_mask": [1] * len(ids),
        }
        theirs = tokenizer([reference], [output], truncation="longest_first", max_length=BLEURT_POSITIONS)
        for key, value in given.items():
            same = theirs[key] == [value]
            assert same or (tokenizer.is_fast and len(first) > 2 and len(second) > 2), (reference, output, key)
        padded = {key: torch.tensor([value + [0] * (BLEURT_POSITIONS - len(value))]) for key, value in given.items()}
        with torch.no_grad():
            scores.append(model(**padded).logits.item())
    return scores


def main() -> None:
    """Score all rows under both forms."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    spm = trained()
    found = {}
    for form in ("bert", "rembert"):
        with tempfile.TemporaryDirectory() as folder:
            scores = scored(write_bleurt(Path(folder) / form, form, spm))
        n_pieces = len(word_pieces()) if form == "bert" else PIECES
        found[form] = {"weights": digest(bleurt_weights(form, n_pieces)), "scores": scores}
        print(form, [round(score, 4) for score in scores])
    made = {
        "command": "python tests/golden/make_bleurt.py", "date": datetime.date.today().isoformat(), "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in ("bleurt-pytorch", "torch", "transformers", "tokenizers", "sentencepiece", "numpy")},
    }  # fmt: skip
    whole = {"made": made, "sentencepiece": spm, "rows": ROWS, "checkpoints": found}
    (HERE / "bleurt.json").write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
