"""Random generators of a run: what one stage draws does not depend on what others do."""

from __future__ import annotations

import numpy as np


def generators(seed: int, stage: str, n: int) -> list[np.random.Generator]:
    """Independent generators of a stage: the seed and the stage's name give them, whatever other stages draw."""
    sequence = np.random.SeedSequence([seed, *stage.encode()])
    return [np.random.default_rng(child) for child in sequence.spawn(n)]
