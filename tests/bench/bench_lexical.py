"""How long BLEU, chrF, TER, ROUGE and the error rates take, beside sacreBLEU, rouge-score-rs, jiwer and rapidfuzz, in the same run.

    python tests/bench/bench_lexical.py [--million] [--compile]

Processor seconds of one thread for a whole call from raw strings, the least of three, kernels compiled beforehand; peers run on a part
of the texts, with their caches cleared, and are multiplied up. ``--million`` scores a million pairs and reports the peak of memory of
a process of its own. ``--compile`` compiles all kernels anew, in a cache folder of its own. rouge-score-rs is no dependency; it is
compared where it is installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from figures import Peer, Target, heading, line, megabytes, on_one_thread, seconds, times, within

Rows = tuple[list[str], list[list[str]]]

N_PAIRS, N_SUMMARIES, PART = 10_000, 500, 2_000
LEXICAL = ("bleu", "chrf", "chrf++", "rouge1", "rouge2", "rougeL", "rougeLsum", "wer", "cer")
ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SECONDS_TO_COMPILE, MEGABYTES = 15, 1_500
VOWELS, CONSONANTS = "aeiou", "bcdfghklmnprstvw"


def vocabulary(size: int, rng: np.random.Generator) -> Any:
    """Words of two to ten letters, the commoner ones shorter, as in English."""
    lengths = np.minimum(2 + rng.poisson(np.linspace(1, 5, size)), 10)
    letters = [(CONSONANTS, VOWELS)[place % 2] for place in range(10)]
    return np.array(["".join(rng.choice(list(letters[place])) for place in range(length)) for length in lengths])


def study(n_outputs: int, n_references: int, words: int, rng: int = 0, lines: int = 1) -> Rows:
    """Outputs that share about half their words with each reference, in stretches; punctuation as in prose."""
    draw = np.random.default_rng(rng)
    known = vocabulary(6_000, draw)

    weights = (
        1 / (np.arange(len(known)) + 2.7) ** 1.05
    )  # Zipf and Mandelbrot, as in English: the commonest word is one in fourteen
    sums = np.cumsum(weights / weights.sum())

    def drawn(length: int) -> Any:
        return known[np.minimum(np.searchsorted(sums, draw.random(length)), len(known) - 1)]

    def like(text: Any) -> Any:
        """A paraphrase: words changed here and there, two stretches swapped."""
        kept = np.where(draw.random(len(text)) < 0.7, text, drawn(len(text)))
        cut = sorted(draw.integers(0, len(text), 3))
        return np.concatenate([kept[: cut[0]], kept[cut[1] : cut[2]], kept[cut[0] : cut[1]], kept[cut[2] :]])

    def written(text: Any) -> str:
        ends = set(range(11, len(text), 13)) | {len(text) - 1}
        marked = [
            f"{word}." if place in ends else f"{word}," if place % 9 == 4 else word for place, word in enumerate(text)
        ]
        step = -(-len(marked) // lines)
        return "\n".join(" ".join(marked[begin : begin + step]) for begin in range(0, len(marked), step))

    originals = [drawn(int(length)) for length in draw.integers(int(words * 0.7), int(words * 1.3) + 1, n_outputs)]
    references = [[written(like(text)) for _ in range(n_references)] for text in originals]
    return [written(text) for text in originals], references


def together(names: tuple[str, ...], rows: Rows, **options: Any) -> None:
    """Item scores and the corpus score of several metrics from raw strings, which they share."""
    from validate import metrics
    from validate.text.corpus import Batch

    batch = Batch.of(*rows)
    for name in names:
        metric = metrics.get(name, **options)
        statistics = metric.count(batch)
        metric.divide(statistics)
        metric.corpus_score(statistics)


def ours(name: str, rows: Rows, **options: Any) -> Callable[[], Any]:
    from validate import metrics

    return lambda: metrics.get(name, **options).score(*rows)


def part_of(rows: Rows, size: int) -> Rows:
    return rows[0][:size], rows[1][:size]


def peer(name: str, work: Callable[[Rows], Any], rows: Rows, part: int) -> Peer:
    """A peer's time for all rows, from its time for the first of them."""
    part = min(part, len(rows[0]))
    factor = len(rows[0]) / part
    how = "" if factor == 1 else f"{part:,} rows, times {factor:g}"
    return Peer(name, seconds(lambda: work(part_of(rows, part))) * factor, how)


def cleared() -> Any:
    """sacreBLEU with nothing remembered of an earlier run."""
    import gc

    import sacrebleu

    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("sacrebleu"):
            for thing in vars(module).values():
                for method in vars(thing).values() if isinstance(thing, type) else [thing]:
                    if hasattr(method, "cache_clear"):
                        method.cache_clear()
    gc.collect()
    return sacrebleu


def sentences(kind: str, **options: Any) -> Callable[[Rows], Any]:
    def work(rows: Rows) -> None:
        scorer = getattr(cleared(), kind)(**options)
        for output, row in zip(*rows, strict=True):
            scorer.sentence_score(output, row)

    return work


def corpus(kind: str, **options: Any) -> Callable[[Rows], Any]:
    return lambda rows: getattr(cleared(), kind)(**options).corpus_score(rows[0], list(zip(*rows[1], strict=True)))


def rapidfuzz_batch(split: bool) -> Callable[[Rows], Any]:
    """Its batch call for pairs, words split beforehand as its users do."""

    def work(rows: Rows) -> Any:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        first = [row[0] for row in rows[1]]
        texts = [[text.split() for text in side] if split else side for side in (first, rows[0])]
        return cpdist(*texts, scorer=Levenshtein.distance, workers=1)

    return work


def jiwer_rate(kind: str) -> Callable[[Rows], Any]:
    def work(rows: Rows) -> Any:
        import jiwer

        return getattr(jiwer, kind)([row[0] for row in rows[1]], rows[0])

    return work


def rouge_rs(stem: bool) -> Callable[[Rows], Any] | None:
    try:
        from rouge_score_rs.rouge_scorer import RougeScorer
    except ImportError:
        return None
    scorer = RougeScorer(list(ROUGE), use_stemmer=stem)
    return lambda rows: scorer.score_batch([row[0] for row in rows[1]], rows[0])


def pairs() -> None:
    rows = study(N_PAIRS, 1, 21)
    heading(f"{N_PAIRS:,} pairs of about 21 words")
    contests: list[tuple[str, str, dict[str, Any], Callable[[Rows], Any], str, Target]] = [
        ("bleu, items", "bleu", {}, sentences("BLEU", effective_order=True), "sacreBLEU", times(25)),
        ("bleu, corpus", "bleu", {}, corpus("BLEU"), "sacreBLEU", times(25)),
        ("chrf", "chrf", {}, sentences("CHRF"), "sacreBLEU", times(40)),
        ("chrf++", "chrf++", {}, sentences("CHRF", word_order=2), "sacreBLEU", times(30)),
        ("ter", "ter", {}, sentences("TER"), "sacreBLEU", times(15)),
        ("wer", "wer", {}, jiwer_rate("wer"), "jiwer", times(15)),
        ("wer", "wer", {}, rapidfuzz_batch(split=True), "rapidfuzz cpdist", times(1)),
        ("cer", "cer", {}, jiwer_rate("cer"), "jiwer", times(15)),
        ("cer", "cer", {}, rapidfuzz_batch(split=False), "rapidfuzz cpdist", times(1)),
    ]
    for work, name, options, reference, library, target in contests:
        ours(name, part_of(rows, 10), **options)()
        taken = seconds(ours(name, rows, **options), 3)
        line(work, taken, peer=peer(library, reference, rows, N_PAIRS if target.amount == 1 else PART), target=target)


def summaries() -> None:
    rows = study(N_SUMMARIES, 1, 57, lines=3)
    heading(f"{N_SUMMARIES:,} summaries of about 57 words in three lines")
    for stem in (False, True):
        together(ROUGE, part_of(rows, 10), stem=stem)
        taken = seconds(lambda stem=stem: together(ROUGE, rows, stem=stem), 5)
        reference = rouge_rs(stem)
        beside = None if reference is None else Peer("rouge-score-rs", seconds(partial(reference, rows), 5))
        line(f"rouge1, 2, L and Lsum{', stemmed' * stem}", taken, peer=beside, target=times(1) if beside else None)
    if rouge_rs(False) is None:
        print("  rouge-score-rs is not installed: pip install rouge-score-rs")


def whole_study() -> None:
    outputs, references = study(1_600, 11, 60)
    heading("A study of 16 systems, 100 items and 11 references: 1,600 outputs of about 60 words")
    references = [references[row % 100] for row in range(1_600)]
    rows = (outputs, references)
    together((*LEXICAL, "ter"), part_of(rows, 10))
    line("all of " + ", ".join(LEXICAL), seconds(lambda: together(LEXICAL, rows)), target=within(5))
    line("ter", seconds(lambda: together(("ter",), rows)), target=within(8))
    distinct = study(1_600, 11, 60)
    line("ter, outputs like their references", seconds(lambda: together(("ter",), distinct)), target=within(8))


def million() -> None:
    heading("1,000,000 pairs of about 21 words, in a process of its own (the texts themselves are in the peak)")
    for name in ("bleu", "chrf", "rouge1", "rougeL"):
        said = subprocess.run(
            [sys.executable, __file__, "--score", name], check=True, capture_output=True, text=True
        ).stdout.split()
        line(f"{name}: seconds", float(said[0]))
        line(
            f"{name}: peak, of which {float(said[1]):,.0f} MB are texts",
            float(said[2]),
            target=megabytes(MEGABYTES),
            unit="MB",
        )


def score_a_million(name: str) -> None:
    """Print processor seconds, the memory in use before and the peak, in megabytes."""
    outputs, references = study(10_000, 1, 21)
    outputs = [f"{text} {copy}" for copy in range(100) for text in outputs]
    references = [[f"{row[0]} {copy}"] for copy in range(100) for row in references]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    taken = seconds(ours(name, (outputs, references)))
    print(taken, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def compile_all() -> None:
    heading("All kernels of all metrics, compiled in an empty cache folder")
    with tempfile.TemporaryDirectory() as folder:
        for work in ("first call of every metric, compiling", "first call of every metric, compiled before"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, __file__, "--first"]
            said = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
            line(work, float(said), target=within(SECONDS_TO_COMPILE))


def first_calls() -> None:
    """Print processor seconds of the first call of every metric that needs nothing but outputs and references."""
    from validate import metrics
    from validate.errors import AccordError

    begun = time.process_time()
    for name in metrics.names():
        try:
            metrics.get(name).score(["a b. c", "d e"], [["a b d", "b c d"], ["e f"]], ["a", "b"])
        except AccordError:
            continue
    print(time.process_time() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--score", help=argparse.SUPPRESS)
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.score:
        score_a_million(given.score)
    elif given.first:
        first_calls()
    else:
        on_one_thread()
        pairs()
        summaries()
        whole_study()
        if given.million:
            million()
        if given.compile:
            compile_all()


if __name__ == "__main__":
    main()
