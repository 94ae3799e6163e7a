"""How long CIDEr-D, NIST, GLEU, MER and WIL take, beside pycocoevalcap, NLTK and jiwer, in the same run.

    python tests/bench/bench_cider.py

Processor seconds of one thread for a whole call from raw strings, the best of three, kernels compiled beforehand. Texts are drawn by
Zipf's law: captions of 6 to 14 words with five references, sentences of 15 to 35 words with two.
"""

from __future__ import annotations

import os

for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[library] = "1"

import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from validate import metrics  # noqa: E402

SIZES = (100, 1_000, 10_000)
Rows = tuple[list[str], list[list[str]]]


def rows(n_items: int, shortest: int, longest: int, n_references: int) -> Rows:
    """Outputs and references, three words in four of an output taken over from its first reference."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(8_000)])

    def drawn() -> Any:
        return words[rng.zipf(1.3, size=rng.integers(shortest, longest)) % len(words)]

    references = [[drawn() for _ in range(n_references)] for _ in range(n_items)]
    outputs = [np.where(rng.random(len(row[0])) < 0.75, row[0], words[rng.integers(len(words))]) for row in references]
    return [" ".join(text) for text in outputs], [[" ".join(text) for text in row] for row in references]


def seconds(work: Callable[[], Any]) -> float:
    def once() -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return min(once() for _ in range(3))


def pycocoevalcap(outputs: list[str], references: list[list[str]]) -> None:
    from pycocoevalcap.cider.cider import Cider

    Cider().compute_score(dict(enumerate(references)), dict(enumerate([output] for output in outputs)))


def nltk_nist(outputs: list[str], references: list[list[str]]) -> None:
    from nltk.translate.nist_score import corpus_nist

    corpus_nist([[text.split() for text in row] for row in references], [text.split() for text in outputs])


def nltk_gleu(outputs: list[str], references: list[list[str]]) -> None:
    """NLTK has no function for the scores of many sentences and the corpus at once, as ours gives; this is the corpus alone."""
    from nltk.translate.gleu_score import corpus_gleu

    corpus_gleu([[text.split() for text in row] for row in references], [text.split() for text in outputs])


def jiwer_words(outputs: list[str], references: list[list[str]]) -> None:
    """Of the first reference: jiwer knows no several."""
    import jiwer

    jiwer.process_words([row[0] for row in references], outputs)


CAPTIONS, SENTENCES = (6, 15, 5), (15, 36, 2)
CONTESTS: tuple[tuple[str, dict[str, str], tuple[int, int, int], Callable[..., None], str, float | None], ...] = (
    ("cider", {"tokenizer": "whitespace"}, CAPTIONS, pycocoevalcap, "pycocoevalcap", 20),
    ("nist", {"tokenizer": "none"}, SENTENCES, nltk_nist, "NLTK", None),
    ("gleu", {"tokenizer": "none"}, SENTENCES, nltk_gleu, "NLTK", None),
    ("mer", {}, (*SENTENCES[:2], 1), jiwer_words, "jiwer", None),
    ("wil", {}, (*SENTENCES[:2], 1), jiwer_words, "jiwer", None),
)


def main() -> None:
    for name, options, shape, peer, library, target in CONTESTS:
        metric = metrics.get(name, **options)
        metric.score(*rows(3, *shape))
        for n_items in SIZES:
            texts = rows(n_items, *shape)
            ours = seconds(lambda t=texts, m=metric: m.score(*t))  # type: ignore[misc]
            theirs = seconds(lambda t=texts, p=peer: p(*t))  # type: ignore[misc]
            line = f"{name}, {n_items:,} items: {1e3 * ours:.1f} ms; {library} {1e3 * theirs:.0f} ms; {theirs / ours:.1f} x"
            if target is not None:
                line += f" (target {target:g} x: {'met' if theirs >= target * ours else 'not met'})"
            print(line, flush=True)


if __name__ == "__main__":
    main()
