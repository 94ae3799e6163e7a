"""Every function that takes ``workers`` gives the same digits with one, two and three; one that is added without a case here fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from validate import stats
from validate.schema import FloatArray, Ratings
from validate.stats.planning import assumed_world

rng = np.random.default_rng(8)
HUMAN = rng.integers(0, 6, size=(5, 20)).astype(float)
METRICS = {name: HUMAN + scale * rng.normal(size=HUMAN.shape) for name, scale in {"a": 1, "b": 2, "c": 3}.items()}
MANY = {"resamples": 300, "rng": 5}  # several blocks


def ratings() -> Ratings:
    annotator, system, item = (axis.ravel() for axis in np.indices((4, 5, 20)))
    score = HUMAN[system, item] + np.random.default_rng(9).integers(-1, 2, size=len(item))
    names = [tuple(f"{kind}{n}" for n in range(size)) for kind, size in zip("asi", (4, 5, 20), strict=True)]
    return Ratings("c", *names, annotator, system, item, score)


def all_places(work: Callable[..., Any]) -> list[Any]:
    places = [("system", "none"), ("item", "none"), ("item", "item"), ("item", "system")]
    return [work(level=level, grouping=grouping) for level, grouping in places]


def digits(values: FloatArray) -> bytes:
    return np.ascontiguousarray(values).tobytes()


ALL = {"coefficients": ["pearson", "spearman", "kendall"]}
CASES: dict[str, Callable[[int], Any]] = {
    "resample": lambda n: all_places(
        lambda **at: digits(stats.resample(METRICS, HUMAN, interval="corrected", workers=n, **ALL, **MANY, **at).values)
    ),
    "bootstrap": lambda n: all_places(
        lambda **at: stats.bootstrap(METRICS, HUMAN, workers=n, **ALL, **MANY, **at).to_csv()
    ),
    "permute": lambda n: all_places(
        lambda **at: digits(stats.permute(METRICS, HUMAN, workers=n, **ALL, **MANY, **at).p)
    ),
    "compare": lambda n: [
        stats.compare(METRICS, HUMAN, test=test, workers=n, **MANY).to_csv() for test in ("permutation", "bootstrap")
    ],
    "noise_ceiling": lambda n: [
        stats.noise_ceiling(ratings(), method=method, workers=n, **MANY) for method in ("leave-one-out", "split-half")
    ],
    "plan": lambda n: (
        lambda found: found.needed.to_csv() + found.curve.to_csv()
    )(stats.plan(assumed_world(rho=0.7), n_systems=8, n_items=30, simulations=100, workers=n)),
}  # fmt: skip


def test_every_function_with_workers_has_a_case() -> None:
    public = {name: getattr(stats, name) for name in stats.__all__}
    taking = {
        name
        for name, function in public.items()
        if inspect.isfunction(function) and "workers" in inspect.signature(function).parameters
    }
    assert taking == set(CASES)


@pytest.mark.parametrize("name", sorted(CASES))
def test_workers_change_no_digit(name: str) -> None:
    one = CASES[name](1)
    assert CASES[name](2) == one
    assert CASES[name](3) == one


def test_people_drawn_by_several_workers() -> None:
    found = [
        digits(stats.resample(METRICS, ratings(), unit="annotators", workers=n, resamples=130).values)
        for n in (1, 2, 3)
    ]
    assert found[0] == found[1] == found[2]
