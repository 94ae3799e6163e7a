"""Facts about the names in a study: how many there are, and which look like slips."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

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
                given = table.labels[column]
                unnamed = {UNKNOWN_ANNOTATOR} if kind == "annotator" and given.n_filled else set()
                found |= dict.fromkeys(name for name in given.names if name not in unnamed)
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
    verb = "has" if len(every) == 1 else "have"
    text = f"{plural(len(every), 'label')} {verb} white space around it, which is kept: {listed(every)}"
    return Fact("padded-labels", len(every), text, "warning", detail)


def similar_labels(folder: Folder) -> Fact:
    """Labels of one kind that differ only in white space, Unicode form or (items aside) case."""
    found = {kind: _alike(names(folder, kind), fold=kind != "item") for kind in KINDS}
    detail = {kind: groups for kind, groups in found.items() if groups}
    every = [group for groups in detail.values() for group in groups]
    described = "; ".join(" / ".join(map(repr, group)) for group in every[:5])
    text = f"{plural(len(every), 'group')} of labels that differ only in case, white space or Unicode form: {described}"
    return Fact("similar-labels", len(every), text, "warning", detail)


def _alike(labels: Sequence[str], fold: bool) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for label in labels:
        plain = " ".join(unicodedata.normalize("NFKC", label).split())
        groups.setdefault(plain.casefold() if fold else plain, []).append(label)
    return [group for group in groups.values() if len(group) > 1]
