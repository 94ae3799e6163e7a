"""Facts about the names in a study: how many there are, and which look like slips."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from validate.errors import listed, plural
from validate.loading.facts.wording import present
from validate.loading.folder import Folder
from validate.loading.layout import UNKNOWN_ANNOTATOR
from validate.schema import Fact

KINDS = {
    "item": ("item_id",),
    "system": ("system", "system_a", "system_b"),
    "annotator": ("annotator",),
    "criterion": ("criterion",),
    "metric": ("metric",),
}
GROUPS_SHOWN = 5

_LABELS = (("items", "item"), ("systems", "system"), ("annotators", "annotator"), ("criteria", "criterion"))
_TABLES = (
    *(("outputs", "outputs", "output"), ("ratings", "ratings", "rating")),
    *(("comparisons", "comparisons", "comparison"), ("metric-scores", "metrics", "score from elsewhere")),
)


def facts(folder: Folder) -> list[Fact]:
    """All facts of this room; those that count are there also at 0."""
    return [*counts(folder), *present([numeric_ids(folder), padded_labels(folder), similar_labels(folder)])]


def names(folder: Folder, kind: str) -> tuple[str, ...]:
    """The labels of a kind over all tables, in the order in which they first occur; the unnamed annotator is none."""
    found: dict[str, None] = {}
    for table in folder.tables.values():
        for column in KINDS[kind]:
            if column in table.labels:
                found |= dict.fromkeys(table.labels[column].names)
    if kind == "annotator":
        found.pop(UNKNOWN_ANNOTATOR, None)
    return tuple(found)


def counts(folder: Folder) -> list[Fact]:
    """How many of each there are."""
    found = [(name, noun, name, len(names(folder, noun))) for name, noun in _LABELS]
    for name, table, noun in _TABLES:
        several = "scores from elsewhere" if table == "metrics" else name
        found.append((name, noun, several, len(folder.tables[table])))
    return [Fact(name, count, plural(count, noun, several)) for name, noun, several, count in found]


def numeric_ids(folder: Folder) -> Fact:
    """Labels that were given as numbers and became text, so that 7 and "7" are the same."""
    per_file = {table.name: sum(found.n_numbers for found in table.labels.values()) for table in folder.tables.values()}
    detail = {name: count for name, count in per_file.items() if count}
    total = sum(detail.values())
    text = f'{plural(total, "label")} given as numbers became text (7 and "7" are the same): {", ".join(detail)}'
    return Fact("numeric-ids", total, text, "note", detail)


def padded_labels(folder: Folder) -> Fact:
    """Labels with white space before or after them; they are kept as they are."""
    found = {kind: [name for name in names(folder, kind) if name != name.strip()] for kind in KINDS}
    detail = {kind: padded for kind, padded in found.items() if padded}
    every = [name for padded in detail.values() for name in padded]
    have = "has white space around it" if len(every) == 1 else "have white space around them"
    text = f"{plural(len(every), 'label')} {have}, which is kept: {listed(every)}"
    return Fact("padded-labels", len(every), text, "warning", detail)


def similar_labels(folder: Folder) -> Fact:
    """Labels of one kind that differ only in white space, Unicode form or (items aside) case, with the rows of each."""
    found = {kind: _alike(names(folder, kind), fold=kind != "item") for kind in KINDS}
    tallies = {kind: _rows_of_each(folder, kind) for kind, groups in found.items() if groups}
    detail = {
        kind: [{name: tally.get(name, 0) for name in group} for group in found[kind]] for kind, tally in tallies.items()
    }
    every = [(kind, group) for kind, groups in detail.items() for group in groups]
    described = "; ".join(f"{kind} {_beside(group)}" for kind, group in every[:GROUPS_SHOWN])
    rest = f"; … ({len(every):,} in all)" if len(every) > GROUPS_SHOWN else ""
    text = (
        f"labels that differ only in case, white space or Unicode form are taken as different: {described}{rest}; "
        "if they mean the same, write them alike"
    )
    return Fact("similar-labels", len(every), text, "warning", detail)


def _beside(group: Mapping[str, int]) -> str:
    """``'ben' (119 rows) and 'ben ' (1 row)``."""
    return " and ".join(f"{name!r} ({plural(count, 'row')})" for name, count in group.items())


def _rows_of_each(folder: Folder, kind: str) -> dict[str, int]:
    """In how many rows of all files each label of a kind stands."""
    tally: dict[str, int] = {}
    given = [table for table in folder.tables.values() if table.exists]
    for column in [table.labels[name] for table in given for name in KINDS[kind] if name in table.labels]:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.names))
        for name, count in zip(column.names, counts.tolist(), strict=True):
            tally[name] = tally.get(name, 0) + count
    return tally


def _alike(labels: Sequence[str], fold: bool) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for label in labels:
        plain = " ".join(unicodedata.normalize("NFKC", label).split())
        groups.setdefault(plain.casefold() if fold else plain, []).append(label)
    return [group for group in groups.values() if len(group) > 1]
