"""One reading of the results: what the parts of the page ask of the tables again and again, worked out once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from validate.report import words
from validate.report.numbers import real
from validate.results import LEAVE_ONE_OUT, SPLIT_HALF, Results


class Place(NamedTuple):
    """Where a metric is held against people: for which criterion, at which level, grouped how."""

    criterion: str
    level: str
    grouping: str

    @property
    def name(self) -> str:
        """The level and grouping as a heading."""
        return words.place_name(self.level, self.grouping)


class Range(NamedTuple):
    """A number with the ends of its interval; NaN where undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Reading:
    """The results, with names instead of filters.

    Parameters
    ----------
    results : Results
    """

    results: Results

    @property
    def run(self) -> dict[str, Any]:
        return self.results.run

    @cached_property
    def study(self) -> Mapping[str, Any]:
        return self.run.get("study") or {}

    @cached_property
    def options(self) -> Mapping[str, Any]:
        return self.run.get("options") or {}

    @cached_property
    def simulated(self) -> bool:
        return bool(self.study.get("simulated"))

    @property
    def title(self) -> str:
        """The study's name, or that of its folder."""
        return str(self.study.get("name") or self.study.get("path") or "Study")

    @property
    def about(self) -> str:
        """What the study is, in its own words."""
        named = {key: str(self.study.get(key) or "").strip().rstrip(".") for key in ("description", "task", "language")}
        return " ".join(
            f"{text}." if key == "description" else f"{key.capitalize()}: {text}."
            for key, text in named.items()
            if text
        )

    @property
    def when(self) -> str:
        """The day of the run, or nothing where that was not kept."""
        created = str(self.run.get("created") or "")
        return f"on {created[:10]}" if created else ""

    @property
    def people(self) -> str:
        """Whom the metrics are held against."""
        return "the simulated annotators" if self.simulated else "people"

    @cached_property
    def choices(self) -> dict[Place, dict[str, Any]]:
        """What choice.json says of each place."""
        listed = self.results.choice.get("choices") or []
        return {Place(one["criterion"], one["level"], one["grouping"]): one for one in listed}

    @cached_property
    def coefficient(self) -> str:
        """The coefficient that decides."""
        return str(self.results.choice.get("coefficient") or self.coefficients[0])

    @cached_property
    def coefficients(self) -> list[str]:
        return words.in_order(self.results.correlations["coefficient"], list(words.COEFFICIENTS)) or ["spearman"]

    @cached_property
    def primary(self) -> Place | None:
        """The place that answers the study's question first; None when no metric was held against people."""
        named = self.results.choice.get("primary")
        if named:
            return Place(named["criterion"], named["level"], named["grouping"])
        return next(iter(self.choices), None) or next(iter(self.places), None)

    @cached_property
    def places(self) -> list[Place]:
        """Every place that has correlations: criteria in the study's order, the primary one first, levels from system down."""
        frame = self.results.correlations[["criterion", "level", "grouping"]].drop_duplicates()
        found = {(row.criterion, row.level, row.grouping) for row in frame.itertuples()}
        levels = words.in_order([(level, grouping) for _, level, grouping in sorted(found)], list(words.PLACES))
        return [Place(name, *level) for name in self.criteria for level in levels if (name, *level) in found]

    @cached_property
    def criteria(self) -> list[str]:
        """All criteria, the one of the primary choice first."""
        named = [str(one["name"]) for one in self.run.get("criteria") or []]
        for frame in (self.results.correlations, self.results.human_scores, self.results.ranking):
            named += [str(name) for name in frame["criterion"].unique()]
        first = self.results.choice.get("primary")
        return list(dict.fromkeys([*([str(first["criterion"])] if first else []), *named]))

    @cached_property
    def criterion_facts(self) -> dict[str, dict[str, Any]]:
        return {str(one["name"]): one for one in self.run.get("criteria") or []}

    @cached_property
    def metric_facts(self) -> dict[str, dict[str, Any]]:
        return {str(one["name"]): one for one in self.run.get("metrics") or []}

    @cached_property
    def controls(self) -> frozenset[str]:
        return frozenset(name for name, one in self.metric_facts.items() if one.get("control"))

    @cached_property
    def metrics(self) -> list[str]:
        """Every metric that was held against people, controls among them."""
        return [str(name) for name in self.results.correlations["metric"].unique()]

    @cached_property
    def rivals(self) -> list[str]:
        """The metrics that could be chosen: all but the controls."""
        return [name for name in self.metrics if name not in self.controls]

    def higher_is_better(self, metric: str) -> bool:
        return bool(self.metric_facts.get(metric, {}).get("higher_is_better", True))

    @cached_property
    def _cells(self) -> dict[tuple[str, ...], dict[str, Any]]:
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in self.results.correlations.itertuples(index=False):
            found.setdefault((row.criterion, row.level, row.grouping, row.coefficient), {})[str(row.metric)] = row
        return found

    def correlations(self, place: Place, coefficient: str) -> Mapping[str, Any]:
        """The rows of the table of correlations at one place, by metric; empty where there are none."""
        return self._cells.get((*place, coefficient), {})

    def correlation(self, place: Place, coefficient: str, metric: str) -> Range:
        """One correlation; NaN where there is none."""
        row = self.correlations(place, coefficient).get(metric)
        return Range(real(row.estimate), real(row.low), real(row.high)) if row else Range(*[float("nan")] * 3)

    def ranked(self, place: Place, coefficient: str | None = None) -> list[str]:
        """Metrics from the highest correlation at this place down, unfit and undefined ones last, equal ones by name."""
        rows = self.correlations(place, coefficient or self.coefficient)
        estimates = {name: _to_twelve(real(row.estimate)) for name, row in rows.items()}
        unfit = self.unfit(place)
        return sorted(estimates, key=lambda name: (name in unfit, _last_if_undefined(-estimates[name]), name))

    def equals(self, place: Place, metric: str, coefficient: str | None = None) -> list[str]:
        """The other metrics considered at this place that correlate with people exactly as ``metric`` does (to 12 digits), by name."""
        name = coefficient or self.coefficient
        own = _to_twelve(self.correlation(place, name, metric).value)
        considered = [
            one for one in self.ranked(place, name) if one not in {metric, *self.controls, *self.unfit(place)}
        ]
        return [one for one in considered if _to_twelve(self.correlation(place, name, one).value) == own]

    def unfit(self, place: Place) -> frozenset[str]:
        """The metrics that are constant in most groups of a place, so that they were not considered for the choice."""
        return frozenset((self.choices.get(place) or {}).get("unfit") or ())

    def leading_place(self, criterion: str) -> Place | None:
        """The place that answers for one criterion: at the level of the primary choice where it can."""
        here = [place for place in self.places if place.criterion == criterion]
        alike = [place for place in here if self.primary and place[1:] == self.primary[1:]]
        return next(iter(alike + here), None)

    def place(self, criterion: str, level: str, grouping: str = "none") -> Place | None:
        """That place if it has correlations."""
        wanted = Place(criterion, level, grouping)
        return wanted if wanted in self.places else None

    def not_told_apart(self, place: Place, coefficient: str) -> set[str]:
        """The best metric of a place and those that cannot be told from it; empty where that was not tested."""
        chosen = self.choices.get(place)
        if chosen and chosen.get("coefficient", self.coefficient) == coefficient:
            best = chosen.get("best")
            return {best["metric"], *(chosen.get("equivalent") or [])} if best else set()
        best_name = next((name for name in self.ranked(place, coefficient) if name not in self.controls), None)
        against = {other: difference for other, difference, *_ in self.differences(place, coefficient, best_name or "")}
        return {str(best_name), *(name for name, gap in against.items() if not gap.low > 0)} if against else set()

    def differences(self, place: Place, coefficient: str, best: str) -> list[tuple[str, Range, float, float, str]]:
        """Paired differences of ``best`` and each other metric: (other, best minus other, p, p adjusted, test)."""
        rows = self._pairs.get((*place, coefficient), [])
        found = []
        for row in rows:
            gap = Range(real(row.difference), real(row.low), real(row.high))
            if row.metric_b == best:
                gap = Range(-gap.value, -gap.high, -gap.low)
            if best in (row.metric_a, row.metric_b):
                other = row.metric_b if row.metric_a == best else row.metric_a
                found.append((str(other), gap, real(row.p), real(row.p_adjusted), words.told(row.test)))
        return sorted(found, key=lambda one: (_last_if_undefined(one[1].value), one[0]))

    @cached_property
    def _pairs(self) -> dict[tuple[str, ...], list[Any]]:
        keys = ["criterion", "level", "grouping", "coefficient"]
        groups = self.results.significance.groupby(keys, sort=False)
        return {key: list(part.itertuples(index=False)) for key, part in groups}

    @cached_property
    def _ceilings(self) -> dict[tuple[str, ...], Range]:
        """By the way in which they were found, and the place and coefficient; what is undefined is left out."""
        return {
            (way, row.criterion, row.level, row.grouping, row.coefficient): Range(row.estimate, row.low, row.high)
            for row in self.results.ceiling.itertuples(index=False)
            for way in (LEAVE_ONE_OUT, SPLIT_HALF)
            if row.method.startswith(way) and not math.isnan(real(row.estimate))
        }

    def ceiling(self, place: Place, coefficient: str) -> Range | None:
        """How well one annotator agrees with the others there; None where that is unknown."""
        return self._ceilings.get((LEAVE_ONE_OUT, *place, coefficient))

    def reliability(self, place: Place, coefficient: str) -> Range | None:
        """The reliability of the mean of all annotators there, by split halves; None where that is unknown."""
        return self._ceilings.get((SPLIT_HALF, *place, coefficient))

    @cached_property
    def _people(self) -> pd.DataFrame:
        """Mean human score by system (rows) and criterion (columns)."""
        frame = self.results.human_scores
        return frame.groupby(["system", "criterion"], sort=False)["score"].mean().unstack("criterion")

    def human_means(self, criterion: str) -> dict[str, float]:
        """What people give each system on average, over the outputs they judged."""
        if criterion not in self._people.columns:
            return {}
        return {str(system): float(score) for system, score in self._people[criterion].dropna().items()}

    @cached_property
    def _system_scores(self) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for row in self.results.system_scores.itertuples(index=False):
            if not math.isnan(real(row.score)):
                found.setdefault(str(row.metric), {})[str(row.system)] = real(row.score)
        return found

    def system_scores(self, metric: str) -> Mapping[str, float]:
        """The corpus scores of one metric by system, without undefined ones."""
        return self._system_scores.get(metric, {})

    def system_ranks(self, metric: str, systems: list[str]) -> dict[str, int]:
        """Competition ranks (1, 2, 2, 4) among ``systems`` by a metric; scores equal to 12 digits share a rank."""
        turn = 1.0 if self.higher_is_better(metric) else -1.0
        scores = {name: float(f"{turn * score:.12g}") for name, score in self.system_scores(metric).items()}
        within = {name: scores[name] for name in systems if name in scores}
        return {name: 1 + sum(other > score for other in within.values()) for name, score in within.items()}

    def human_ranking(self, criterion: str) -> pd.DataFrame:
        """The ranking of systems by people, best first, by the first method that was used."""
        rows = self.results.ranking[self.results.ranking["criterion"] == criterion]
        return rows[rows["method"] == rows["method"].iloc[0]] if len(rows) else rows


def _to_twelve(value: float) -> float:
    """Without the last digits, which are the rounding of floats."""
    return float(f"{value:.12g}")


def _last_if_undefined(value: float) -> float:
    """A key by which NaN sorts last."""
    return math.inf if math.isnan(value) else value
