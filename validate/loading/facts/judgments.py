"""Facts about judgments: who judged what, how often, on which side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validate.errors import plural
from validate.loading.checks import has_output, joined
from validate.loading.facts.wording import SHOWN, are, by_size, largest, present, share
from validate.loading.folder import Folder
from validate.loading.layout import UNKNOWN_ANNOTATOR
from validate.loading.tables import Table
from validate.schema import WINNERS, Fact, IntArray

FAR_FROM_EVEN = 3.0
"""Standard errors by which the wins of side a may differ from half before it is a warning."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What each judgment is about: ``unit`` (n,) equal for the same output, or pair, of an item under one criterion."""

    table: Table
    unit: IntArray
    noun: str
    name: str

    @property
    def annotator(self) -> IntArray:
        """(n,) codes of the annotators."""
        return self.table.labels["annotator"].codes

    @property
    def named(self) -> NDArray[np.bool_]:
        """(n,) whether the judgment says whose it is."""
        return self.table.labels["annotator"].where(lambda name: name != UNKNOWN_ANNOTATOR)


def facts(folder: Folder) -> list[Fact]:
    """All facts of this room that are about something."""
    found = [no_judgments(folder), simulated(folder), unused_criteria(folder), undeclared_scales(folder)]
    for judged in (_ratings(folder.tables["ratings"]), _comparisons(folder.tables["comparisons"])):
        if len(judged.table):
            found += [annotators_per_unit(judged), repeated(judged), missing_annotators(judged)]
    found += [*_spread(folder), *_sides(folder.tables["comparisons"]), default_criterion(folder.tables["comparisons"])]
    return present([*found, *_scores_from_elsewhere(folder)])


def _ratings(table: Table) -> Judged:
    columns = [table.labels[name] for name in ("item_id", "system", "criterion")]
    unit = joined([column.codes for column in columns], [len(column.names) for column in columns])
    return Judged(table, unit, "output", "ratings")


def _comparisons(table: Table) -> Judged:
    first, second, systems = pairs(table)
    items, criteria = table.labels["item_id"], table.labels["criterion"]
    codes = [items.codes, criteria.codes, np.minimum(first, second), np.maximum(first, second)]
    unit = joined(codes, [len(items.names), len(criteria.names), len(systems), len(systems)])
    return Judged(table, unit, "pair", "comparisons")


def pairs(table: Table) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """The systems on sides a and b as codes into one tuple of names."""
    names = tuple(dict.fromkeys([*table.labels["system_a"].names, *table.labels["system_b"].names]))
    return table.labels["system_a"].codes_in(names), table.labels["system_b"].codes_in(names), names


def no_judgments(folder: Folder) -> Fact:
    """A study that has outputs and waits for judgments."""
    none = not any(folder.tables[name].exists for name in ("ratings", "comparisons"))
    text = (
        "there are no judgments yet, so there is nothing to validate a metric against; add ratings.* or comparisons.*"
    )
    return Fact("no-judgments", int(none), text, "warning")


def simulated(folder: Folder) -> Fact:
    """study.toml says that a program made the judgments."""
    return Fact("simulated-judgments", int(folder.settings.simulated), "the judgments are simulated", "warning")


def unused_criteria(folder: Folder) -> Fact:
    """Criteria that study.toml declares and no judgment is about: probably misspelt, so that a scale goes unchecked."""
    used = {name for table in ("ratings", "comparisons") for name in folder.tables[table].labels["criterion"].names}
    unused = [name for name in folder.settings.criteria if name not in used] if used else []
    text = f"{are(len(unused), 'criterion', 'criteria')} declared in study.toml and never judged: {', '.join(unused)}; judged: {', '.join(sorted(used))}"
    return Fact("unused-criteria", len(unused), text, "warning", {"criteria": unused})


def undeclared_scales(folder: Folder) -> Fact:
    """Rated criteria without ends in study.toml, so that a 6 on a scale to 5 would pass; with the scores found."""
    table, declared = folder.tables["ratings"], folder.settings.criteria
    codes, names = table.labels["criterion"].codes, table.labels["criterion"].names
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    np.minimum.at(low, codes, table.score)
    np.maximum.at(high, codes, table.score)
    detail = {
        name: [float(low[code]), float(high[code])]
        for code, name in enumerate(names)
        if name not in declared or declared[name].scale is None
    }
    found = ", ".join(f"{name} (found {ends[0]:g} to {ends[1]:g})" for name, ends in list(detail.items())[:SHOWN])
    more = ", …" if len(detail) > SHOWN else ""
    verb = "has" if len(detail) == 1 else "have"
    text = (
        f"{plural(len(detail), 'criterion', 'criteria')} {verb} no scale in study.toml, so no score can lie outside it: "
        f"{found}{more}"
    )
    return Fact("undeclared-scales", len(detail), text, "note", detail)


def annotators_per_unit(judged: Judged) -> Fact:
    """How many annotators judged each unit that one with a name judged (several judgments of one count once)."""
    size = len(judged.table.labels["annotator"].names)
    named = judged.named
    if not named.any():
        return Fact(f"annotators-per-{judged.noun}", 0, "")
    distinct = np.unique(joined([judged.unit[named], judged.annotator[named]], [0, size]))
    per_unit = np.unique(distinct // (size + 1), return_counts=True)[1]
    low, high, median = int(per_unit.min()), int(per_unit.max()), float(np.median(per_unit))
    span = plural(low, "annotator") if low == high else f"{low} to {high} annotators (median {median:g})"
    alone = "; agreement between annotators cannot be computed" if high == 1 else ""
    text = f"{span} per {judged.noun} and criterion, over {len(per_unit):,} that were judged{alone}"
    values, counts = np.unique(per_unit, return_counts=True)
    distribution = {str(value): int(count) for value, count in zip(values, counts, strict=True)}
    detail = {"min": low, "median": median, "max": high, "distribution": distribution}
    weight = "warning" if high == 1 else "note"
    return Fact(f"annotators-per-{judged.noun}", len(per_unit), text, weight, detail)


def repeated(judged: Judged) -> Fact:
    """Annotators who judged one unit more than once; judgments without an annotator cannot be told apart and are left out."""
    found, named = judged.table.labels["annotator"], judged.named
    key = joined([judged.unit[named], judged.annotator[named]], [0, len(found.names)])
    keys, counts = np.unique(key, return_counts=True)
    several = counts > 1
    annotators = found.names
    who, times = np.unique(keys[several] % (len(annotators) + 1) - 1, return_counts=True)
    detail = by_size({annotators[code]: int(n) for code, n in zip(who, times, strict=True)})
    n_repeated = int(several.sum())
    text = (
        f"{plural(n_repeated, 'time')} an annotator judged the same {judged.noun} more than once "
        f"({int(counts[several].sum()):,} judgments): {largest(detail)}"
    )
    return Fact(f"repeated-{judged.name}", n_repeated, text, "warning", detail)


def missing_annotators(judged: Judged) -> Fact:
    """Judgments that name no annotator: nobody knows whether two of them are by one person or by two."""
    count = int((~judged.named).sum())
    text = (
        f"{count:,} of {len(judged.table):,} {judged.name} name no annotator ({UNKNOWN_ANNOTATOR!r} stands for it): their "
        "agreement cannot be measured, and each counts, because none can be told to repeat another; "
        "add a column 'annotator' if you know who judged"
    )
    return Fact("missing-annotators", count, text, "warning", {judged.table.name: count})


def _spread(folder: Folder) -> Iterator[Fact]:
    """How unevenly judgments are spread over systems and annotators."""
    systems: dict[str, int] = {}
    annotators: dict[str, int] = {}
    for name in ("ratings", "comparisons"):
        table = folder.tables[name]
        for column in table.layout.system_columns:
            _tally(systems, table, column)
        _tally(annotators, table, "annotator")
    annotators.pop(UNKNOWN_ANNOTATOR, None)  # missing-annotators counts those
    for noun, counts in (("system", systems), ("annotator", annotators)):
        sizes = list(counts.values()) or [0]
        low, high = min(sizes), max(sizes)
        per = f"{plural(high, 'judgment')} per {noun}"
        span = per if low == high else f"{low:,} to {per} (median {np.median(sizes):,.6g})"
        text = f"{span}: {largest(by_size(counts))}"
        yield Fact(f"judgments-per-{noun}", len(counts), text, "note", by_size(counts))


def _tally(counts: dict[str, int], table: Table, column: str) -> None:
    found = table.labels[column]
    for name, count in zip(found.names, np.bincount(found.codes, minlength=len(found.names)), strict=True):
        counts[name] = counts.get(name, 0) + int(count)


def _sides(table: Table) -> list[Fact]:
    """How often side a won, and pairs that were always shown the same way round."""
    found = table.labels["winner"]
    tally = dict(zip(found.names, np.bincount(found.codes, minlength=len(found.names)).tolist(), strict=True))
    wins = {word: tally.get(word, 0) for word in WINNERS}
    return [_side_balance(wins), _fixed_sides(table)]


def _side_balance(wins: Mapping[str, int]) -> Fact:
    decided = wins["a"] + wins["b"]
    # A fair coin's number of heads has the standard error sqrt(n)/2, so (a - b)/sqrt(n) is its distance from n/2 in those.
    uneven = decided > 0 and abs(wins["a"] - wins["b"]) > FAR_FROM_EVEN * decided**0.5
    text = f"side a won {wins['a']:,} of {decided:,} decided comparisons ({share(wins['a'], decided)})"
    text += f"; {plural(wins['tie'], 'tie')}, {wins['both_bad']:,} both bad"
    text += "; more uneven than chance: never read the side as a preference" if uneven else ""
    return Fact("side-balance", sum(wins.values()), text, "warning" if uneven else "note", dict(wins))


def _fixed_sides(table: Table) -> Fact:
    first, second, names = pairs(table)
    n = len(names)
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair, inverse, counts = np.unique(low * n + high, return_inverse=True, return_counts=True)
    swapped = np.bincount(inverse, weights=first > second, minlength=len(pair))
    several = counts > 1
    fixed = int((several & ((swapped == 0) | (swapped == counts))).sum())
    every = fixed == int(several.sum())
    text = (
        f"{fixed:,} of {plural(int(several.sum()), 'pair')} of systems compared more than once always had the same "
        "system as a, so a preference for a side cannot be told from one for the system"
    )
    return Fact("fixed-sides", fixed, text, "warning" if every else "note")


def default_criterion(table: Table) -> Fact:
    """Comparisons without a criterion among others that have one."""
    found = table.labels["criterion"]
    count = found.n_filled if found.n_filled < len(table) else 0
    text = f"{plural(count, 'comparison')} without a criterion, beside others that have one, got 'preference'"
    return Fact("default-criterion", count, text, "warning")


def _scores_from_elsewhere(folder: Folder) -> Iterator[Fact]:
    table, outputs = folder.tables["metrics"], folder.tables["outputs"]
    metrics = table.labels["metric"]
    missing = np.isnan(table.score)
    counts = np.bincount(metrics.codes[missing], minlength=len(metrics.names))
    detail = by_size(dict(zip(metrics.names, counts.tolist(), strict=True)))
    count = int(missing.sum())
    verb = "is" if count == 1 else "are"
    text = f"{plural(count, 'score')} from elsewhere {verb} missing ({share(count, len(table))}): {largest(detail)}"
    yield Fact("missing-metric-scores", count, text, "note", detail)
    alone = 0 if not outputs.exists else int((~has_output(table, "system", outputs)).sum())
    yield Fact("scores-without-output", alone, f"{plural(alone, 'score')} from elsewhere without an output", "warning")
