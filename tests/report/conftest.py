"""Results made by a program, of any size and as hostile as texts can be, for the report to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from validate.results import Results, table

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    '=HYPERLINK("http://example.invalid")',
    "מערכת <b>אחת</b>",
    "a-system-with-a-name-that-is-far-longer-than-any-column-of-any-table-would-like-it-to-be-v2.13-final",
    "{{ 7 * 7 }} &amp; 'quotes' \"here\" \u2028 end",
)
LEVELS = (("system", "none"), ("item", "none"), ("item", "item"), ("item", "system"))
COEFFICIENTS = ("pearson", "spearman", "kendall")
CONTROLS = ("length", "random")


def names(kind: str, n: int, hostile: bool) -> list[str]:
    """``n`` names, the first of them hostile."""
    plain = [f"{kind}{j:02d}" for j in range(n)]
    if not hostile:
        return plain
    return [f"{bad} {kind}" for bad in HOSTILE[:n]] + plain[len(HOSTILE) :]


class Maker:
    """Draws every table of a study with ``n`` systems, items, metrics, criteria and annotators, from one seed."""

    def __init__(
        self, systems: int, items: int, metrics: int, criteria: int, annotators: int, hostile: bool, seed: int
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.systems = names("system", systems, hostile)
        self.items = [f"item{j}" for j in range(items)]
        self.metrics = [*names("metric", metrics, hostile), *CONTROLS[: 2 if metrics > 1 else 0]]
        self.criteria = names("criterion", criteria, hostile)
        self.annotators = names("annotator", annotators, hostile)
        self.text = " ".join(HOSTILE) if hostile else "The ferry to the island leaves at noon."

    def interval(self, value: float, width: float) -> dict[str, float]:
        low, high = value - width * self.rng.uniform(0.3, 0.7), value + width * self.rng.uniform(0.3, 0.7)
        return {"estimate": value, "low": float(np.clip(low, -1, 1)), "high": float(np.clip(high, -1, 1))}

    def places(self) -> Iterator[dict[str, str]]:
        for criterion, (level, grouping), coefficient in product(self.criteria, LEVELS, COEFFICIENTS):
            yield {"criterion": criterion, "level": level, "grouping": grouping, "coefficient": coefficient}

    def correlations(self) -> Iterator[dict[str, Any]]:
        for place, (j, metric) in product(self.places(), enumerate(self.metrics)):
            undefined = j == 2 and place["grouping"] == "item"
            strength = 0.05 if metric in CONTROLS else 0.75 - 0.6 * j / len(self.metrics)
            values = self.interval(float(strength + self.rng.normal(0, 0.03)), 0.3)
            if undefined:
                values = dict.fromkeys(values, float("nan"))
            yield {
                **place, "metric": metric, **values, "n_systems": len(self.systems), "n_items": len(self.items),
                "n_groups": len(self.items) if place["grouping"] == "item" else 1, "n_undefined": 3 if undefined else 0,
                "unit": "both", "resamples": 1000, "seed": 0, "reason": "the metric is the same for all <systems>" if undefined else "",
            }  # fmt: skip

    def significance(self) -> Iterator[dict[str, Any]]:
        for place, (j, metric) in product(self.places(), enumerate(self.metrics[1:])):
            gap = self.interval(0.02 * (j + 1), 0.08)
            yield {
                **place, "metric_a": self.metrics[0], "metric_b": metric, "difference": gap["estimate"], "low": gap["low"],
                "high": gap["high"], "p": float(1 / (1 + 40 * j)), "p_adjusted": float(1 / (1 + 20 * j)), "test": "bootstrap (both)",
            }  # fmt: skip

    def metric_ranks(self) -> Iterator[dict[str, Any]]:
        for place, (j, metric) in product(self.places(), enumerate(self.metrics)):
            yield {**place, "metric": metric, "rank": np.nan if j == 2 else 1 + j // 3}

    def pairwise(self) -> Iterator[dict[str, Any]]:
        statistics = [
            ("system", "none", "soft_pairwise_accuracy"), ("item", "item", "pairwise_accuracy"), ("item", "none", "pairwise_accuracy"),
            ("item", "item", "pairwise_difference_pearson"),
        ]  # fmt: skip
        for criterion, (j, metric), (level, grouping, statistic) in product(
            self.criteria, enumerate(self.metrics), statistics
        ):
            yield {
                "criterion": criterion, "metric": metric, "level": level, "grouping": grouping, "statistic": statistic,
                "estimate": 0.7 - 0.03 * j, "low": np.nan, "high": np.nan, "n": len(self.items) * len(self.systems),
                "threshold": 0.00125 if statistic == "pairwise_accuracy" else np.nan, "reason": "",
            }  # fmt: skip

    def attenuation(self) -> Iterator[dict[str, Any]]:
        for row in self.correlations():
            if row["coefficient"] != "kendall":
                ends = {end: row[end] / 0.9 for end in ("low", "high")}
                place = {name: row[name] for name in ("criterion", "metric", "level", "grouping", "coefficient")}
                yield {
                    **place, "estimate": row["estimate"], "corrected": row["estimate"] / 0.9, **ends, "reliability": 0.81,
                    "reason": row["reason"],
                }  # fmt: skip

    def repeats(self) -> Iterator[dict[str, Any]]:
        for criterion, (j, annotator) in product(self.criteria, enumerate(self.annotators)):
            yield {
                "criterion": criterion, "annotator": annotator, "n": 10 + j, "same": 0.9 - 0.1 * j, "difference": 0.2, "n_swapped": 4,
                "same_swapped": 0.75, "first_side": 0.25, "second_side": 0.0,
            }  # fmt: skip

    def agreement(self) -> Iterator[dict[str, Any]]:
        for j, (criterion, statistic) in enumerate(
            product(self.criteria, ("percent", "krippendorff_alpha", "gwet_ac1"))
        ):
            yield {
                "criterion": criterion, "statistic": statistic, "measurement": "interval", **self.interval(0.55 + 0.01 * j, 0.1),
                "n_units": 300, "n_annotators": len(self.annotators), "n_dropped": 4, "reason": "",
            }  # fmt: skip

    def ranking(self) -> Iterator[dict[str, Any]]:
        n = len(self.systems)
        for criterion, (j, system) in product(self.criteria, enumerate(self.systems)):
            value = 4.5 - 3 * j / n
            yield {
                "criterion": criterion, "system": system, "estimate": value, "low": value - 0.2, "high": value + 0.15,
                "rank_low": max(1, j), "rank_high": min(n, j + 2), "method": "mean", "n": 100,
            }  # fmt: skip

    def annotator_rows(self) -> Iterator[dict[str, Any]]:
        for criterion, (j, annotator) in product(self.criteria, enumerate(self.annotators)):
            careless = j == len(self.annotators) - 1
            agreement = 0.11 if careless else float(self.rng.uniform(0.62, 0.71))
            yield {
                "criterion": criterion, "annotator": annotator, "n": 120 + j, "mean": 3.1, "sd": 0.9, "n_shared": 90, "bias": 0.05 * j,
                "loo_correlation": agreement, "same": 0.4, "agreement": agreement, "agreement_with": "Pearson's r with the mean of the others",
            }  # fmt: skip

    def ceilings(self) -> Iterator[dict[str, Any]]:
        for place in self.places():
            yield {
                **place,
                **self.interval(0.7, 0.12),
                "n_annotators": 5,
                "method": f"leave one annotator out, {place['coefficient']}, {place['level']} level; items resampled, percentile",
                "reason": "",
            }
        for place in self.places():
            if place["coefficient"] != "kendall":
                yield {
                    **place, **self.interval(0.81, 0.1), "n_annotators": 5,
                    "method": f"split half (mean of 10 splits), Spearman-Brown, {place['coefficient']}", "reason": "",
                }  # fmt: skip

    def scores(self, first: str, labels: list[str]) -> Iterator[dict[str, Any]]:
        for label, (j, system), item in product(labels, enumerate(self.systems), self.items):
            yield {
                first: label,
                "system": system,
                "item_id": item,
                "score": float(4.5 - 3 * j / len(self.systems) + self.rng.normal(0, 0.3)),
            }

    def system_scores(self) -> Iterator[dict[str, Any]]:
        for (k, metric), (j, system) in product(enumerate(self.metrics), enumerate(self.systems)):
            score = 40.0 - j + float(self.rng.normal(0, 1 + k))
            yield {
                "metric": metric,
                "system": system,
                "score": score,
                "low": score - 1,
                "high": score + 1,
                "signature": f"{metric}|v:1",
            }

    def choices(self) -> Iterator[dict[str, Any]]:
        best = {"metric": self.metrics[0], "estimate": 0.7512, "low": 0.61, "high": 0.86, "share_first": 0.71}
        control = {"metric": "length", "estimate": 0.05, "low": -0.1, "high": 0.2} if "length" in self.metrics else None
        for criterion, (level, grouping) in product(self.criteria, LEVELS):
            yield {
                "criterion": criterion, "level": level, "grouping": grouping, "coefficient": "spearman", "verdict": "likely",
                "best": best, "equivalent": self.metrics[1:3], "worse": max(len(self.metrics) - 5, 0), "best_control": control,
                "beats_controls": None if control is None else True, "ceiling": 0.8, "n_systems": len(self.systems), "n_items": len(self.items),
                "unit": "both", "reason": "",
            }  # fmt: skip

    def cases(self) -> list[dict[str, Any]]:
        return [
            {
                "criterion": self.criteria[0], "metric": self.metrics[0], "item_id": item, "system": self.systems[0],
                "output": "" if j == 0 else self.text, "references": [self.text] * (1 + j % 3), "source": self.text * (12 if j % 2 else 1),
                "human": 4.6, "metric_score": 0.12, "human_percentile": 97.3, "metric_percentile": 3.1 + j, "gap": -94.2 + j,
            }
            for j, item in enumerate(self.items[:10])
        ]  # fmt: skip

    def run(self) -> dict[str, Any]:
        counts = {
            "items": len(self.items),
            "systems": len(self.systems),
            "ratings": 1500,
            "annotators": len(self.annotators),
        }
        return {
            "accord": "0.1.0", "python": "3.11.7", "platform": "Linux", "packages": {"numpy": "2.4.6"},
            "command": f"accord validate 'study' --out {self.text[:40]}",
            "study": {"name": "Ferries", "task": "announcements", "language": "en", "description": self.text, "simulated": False},
            "options": {"seed": 0, "resamples": 1000, "confidence": 0.95, "unit": "both", "references": "all"}, "seed": 0,
            "created": "2031-02-03T04:05:06+00:00", "inputs": {"items.jsonl": "ab" * 32}, "counts": counts,
            "metrics": [
                {"name": name, "signature": f"{name}|v:1", "higher_is_better": True, "bounds": [0, None], "needs": ["references"],
                 "source": "", "origin": "accord", "summary": self.text[:60], "control": name in CONTROLS} for name in self.metrics
            ],
            "criteria": [
                {"name": name, "kind": "ratings", "scale": [1, 5], "higher_is_better": True, "n_annotators": len(self.annotators),
                 "n_judgments": 1500} for name in self.criteria
            ],
            "intervals": [
                {**place, "unit": "both", "interval": "corrected", "n_systems": len(self.systems), "n_items": len(self.items),
                 "coverage": "In simulated studies 92 % of such 95 % intervals covered the truth: they are too narrow.",
                 "verdict": "too narrow"} if place["coefficient"] == "spearman" else
                {**place, "unit": "both", "interval": "corrected", "n_systems": len(self.systems), "n_items": len(self.items),
                 "coverage": "In simulated studies 95 % of such 95 % intervals covered the truth.", "verdict": ""}
                for place in self.places()
            ],
            "skipped": [{"what": "bleu", "reason": self.text, "n": 12}],
            "held_out": [{"system": self.systems[0], "n_outputs": 5, "n_left_out": 1, "policy": "all"}],
            "facts": [{"name": "empty-outputs", "count": 1, "text": "1 empty output " + self.text, "weight": "note", "detail": {self.systems[0]: 1}}],
            "warnings": [{"text": "few items " + self.text, "weight": 2}],
            "stages": [{"stage": "scores", "seconds": 1.234, "peak_memory_mb": 210.5}],
        }  # fmt: skip

    def make(self) -> Results:
        rows: dict[str, Iterator[dict[str, Any]]] = {
            "correlations": self.correlations(), "significance": self.significance(), "agreement": self.agreement(), "ranking": self.ranking(),
            "metric_ranks": self.metric_ranks(), "pairwise": self.pairwise(), "attenuation": self.attenuation(), "repeats": self.repeats(),
            "system_scores": self.system_scores(), "ceiling": self.ceilings(), "annotators": self.annotator_rows(),
            "scores": self.scores("metric", self.metrics[:1]), "human_scores": self.scores("criterion", self.criteria),
        }  # fmt: skip
        held = {
            "reference": "sacrebleu",
            "version": "2.6.0",
            "n": 50,
            "max_abs_difference": 1.4e-14,
            "tolerance": 1e-12,
            "status": "equal",
        }
        none = {
            "reference": "",
            "version": "",
            "n": 0,
            "max_abs_difference": np.nan,
            "tolerance": np.nan,
            "status": "no reference library",
        }
        checked = [{"metric": name, **(none if name in CONTROLS else held)} for name in self.metrics]
        choice = {
            "primary": {"criterion": self.criteria[0], "level": "system", "grouping": "none"},
            "coefficient": "spearman",
            "choices": list(self.choices()),
        }
        tables = {name: table(name, list(listed)) for name, listed in rows.items()}
        return Results(
            **tables, crosscheck=table("crosscheck", checked), choice=choice, run=self.run(), cases=self.cases()
        )


@pytest.fixture(scope="session")
def make_results() -> Callable[..., Results]:
    """``make_results(systems=60, hostile=True)``: results of that size."""

    def make(
        *,
        systems: int = 6,
        items: int = 20,
        metrics: int = 5,
        criteria: int = 2,
        annotators: int = 5,
        hostile: bool = False,
        seed: int = 1,
    ) -> Results:
        return Maker(systems, items, metrics, criteria, annotators, hostile, seed).make()

    return make


@pytest.fixture(scope="session")
def judgments_only(make_results: Callable[..., Results]) -> Results:
    """A study without outputs: no metric, no case, no choice."""
    whole = make_results()
    empty = (
        "correlations",
        "significance",
        "metric_ranks",
        "pairwise",
        "attenuation",
        "system_scores",
        "crosscheck",
        "scores",
    )
    run = {
        **whole.run,
        "metrics": [],
        "intervals": [],
        "skipped": [{"what": "bleu", "reason": "the study has no outputs, only judgments", "n": 0}],
    }
    choice: dict[str, Any] = {"primary": None, "coefficient": "spearman", "choices": []}
    return replace(whole, **{name: table(name, []) for name in empty}, choice=choice, run=run, cases=[])
