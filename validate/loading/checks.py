"""The rules that hold between the cells and the tables of a study, each in a function of its own.

Every rule takes the whole folder and gives the problems it finds. A rule that asks whether something is in another
table is silent where rows of that table are lost, because then its absence proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from validate.errors import SHOWN_PER_KIND, Problem
from validate.formats.rows import shown
from validate.loading.folder import Folder
from validate.loading.settings import FILE
from validate.loading.tables import Table
from validate.schema import WINNERS, IntArray

HINTED_AMONG = 5_000
"""The nearest right name is looked for among so many at most; difflib takes about 10 µs for each."""

WINNER_WORDS = {
    **dict.fromkeys(("model_a", "system_a", "left", "first"), "a"),
    **dict.fromkeys(("model_b", "system_b", "right", "second"), "b"),
    **dict.fromkeys(("draw", "equal", "same"), "tie"),
    **dict.fromkeys(("bothbad", "tie (bothbad)", "both bad", "both-bad"), "both_bad"),
}
"""Words of other tools for a winner. Digits are not among them: 1 is the first side for some and the second for others."""


def problems(folder: Folder) -> list[Problem]:
    """Everything that any rule finds, rule by rule."""
    return [problem for rule in RULES for problem in rule(folder)]


def no_data(folder: Folder) -> list[Problem]:
    """A folder with neither outputs nor judgments holds nothing to work on."""
    if folder.problems or any(folder.tables[name].exists for name in ("outputs", "ratings", "comparisons")):
        return []
    message = "has no outputs, no ratings and no comparisons"
    remedy = "add ratings.* or comparisons.* (judgments), or outputs.* (texts to be judged); or begin with accord init"
    return [Problem("no-data", str(folder.path), None, None, "", message, remedy)]


def repeated_rows(folder: Folder) -> list[Problem]:
    """An item twice in items, an (item, system) twice in outputs, a score twice in metrics."""
    return [problem for table in folder.tables.values() if table.layout.key for problem in _repeated(table)]


def _repeated(table: Table) -> list[Problem]:
    columns = [table.labels[name] for name in table.layout.key]
    key = joined([column.codes for column in columns], [len(column.names) for column in columns])
    known = np.logical_and.reduce([column.codes >= 0 for column in columns])
    rows = np.flatnonzero(pd.Series(key).duplicated().to_numpy() & known)
    if not len(rows):
        return []
    first = dict(zip(key[::-1].tolist(), table.lines[::-1].tolist(), strict=True))

    def describe(row: int) -> tuple[str, str, str]:
        value = ", ".join(shown(table.label(name, row)) for name in table.layout.key)
        return value, f"is given already on line {first[int(key[row])]}", "keep one of the two"

    return table.problems(rows, "repeated-row", ", ".join(table.layout.key), describe)


def unknown_items(folder: Folder) -> list[Problem]:
    """An item that is not in items; without such a table, one that is not in outputs."""
    origin = _origin_of_items(folder)
    if not origin.exists or not origin.complete:
        return []
    return [
        problem
        for table in folder.tables.values()
        if table is not origin
        for problem in _unknown(table, "item_id", origin, "item_id", "unknown-item", "item")
    ]


def unknown_systems(folder: Folder) -> list[Problem]:
    """A system that is not in outputs, where there are outputs."""
    outputs = folder.tables["outputs"]
    if not outputs.exists or not outputs.complete:
        return []
    return [
        problem
        for table in folder.tables.values()
        if table is not outputs
        for column in table.layout.system_columns
        for problem in _unknown(table, column, outputs, "system", "unknown-system", "system")
    ]


def unknown_writers(folder: Folder) -> list[Problem]:
    """A system that study.toml names as a writer of references and that has no outputs."""
    outputs, writers = folder.tables["outputs"], folder.settings.reference_writers
    if not outputs.exists or not outputs.complete or isinstance(writers, str):
        return []
    names = outputs.labels["system"].names
    unknown = [writer for writer in writers if writer not in names]
    hint = _hints(unknown, names)
    file = str(folder.path / FILE)
    message = f"no such system in {outputs.name}"
    return [
        Problem("unknown-system", file, None, "reference_writers", shown(name), message, hint(name) + "leave it out")
        for name in unknown
    ]


def _unknown(table: Table, column: str, origin: Table, origin_column: str, kind: str, what: str) -> list[Problem]:
    found, known = table.labels[column], origin.labels[origin_column].names
    rows = np.flatnonzero((found.codes >= 0) & (found.codes_in(known) < 0))
    hint = _hints([found.names[code] for code in pd.unique(found.codes[rows])], known)

    def describe(row: int) -> tuple[str, str, str]:
        name = table.label(column, row)
        return shown(name), f"no such {what} in {origin.name}", f"{hint(name)}add it there, or remove this row"

    return table.problems(rows, kind, column, describe)


def _hints(unknown: Sequence[str], known: Sequence[str]) -> Callable[[str], str]:
    """What to say about a name: the nearest known one, for as many names as are shown."""
    hints = {}
    if len(known) <= HINTED_AMONG:
        for name in unknown[:SHOWN_PER_KIND]:
            near = get_close_matches(name, known, n=1, cutoff=0.7)
            hints[name] = f"did you mean {near[0]!r}? otherwise " if near else ""
    return lambda name: hints.get(name, "")


def _origin_of_items(folder: Folder) -> Table:
    return folder.tables["items"] if folder.tables["items"].exists else folder.tables["outputs"]


def missing_outputs(folder: Folder) -> list[Problem]:
    """A judged (item, system) without an output, where there are outputs and both names are known."""
    outputs = folder.tables["outputs"]
    if not outputs.exists or not outputs.complete:
        return []
    return [
        problem
        for name in ("ratings", "comparisons")
        for column in folder.tables[name].layout.system_columns
        for problem in _without_output(folder.tables[name], column, outputs, _origin_of_items(folder))
    ]


def _without_output(table: Table, column: str, outputs: Table, items: Table) -> list[Problem]:
    item_known = table.labels["item_id"].codes_in(items.labels["item_id"].names) >= 0
    if not items.complete:
        item_known = table.labels["item_id"].codes >= 0
    system_known = table.labels[column].codes_in(outputs.labels["system"].names) >= 0
    rows = np.flatnonzero(item_known & system_known & ~has_output(table, column, outputs))

    def describe(row: int) -> tuple[str, str, str]:
        message = f"has no output for item {shown(table.label('item_id', row))} in {outputs.name}"
        return shown(table.label(column, row)), message, "add the output (it may be empty), or remove the judgment"

    return table.problems(rows, "missing-output", column, describe)


def has_output(table: Table, column: str, outputs: Table) -> NDArray[np.bool_]:
    """(n,) whether the item and the system of each row have an output."""
    items, systems = outputs.labels["item_id"], outputs.labels["system"]
    sizes = [len(items.names), len(systems.names)]
    there = joined([items.codes, systems.codes], sizes)
    wanted = [table.labels["item_id"].codes_in(items.names), table.labels[column].codes_in(systems.names)]
    return np.isin(joined(wanted, sizes), there) & (wanted[0] >= 0) & (wanted[1] >= 0)


def joined(codes: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """Several columns of codes, each -1 ≤ code < size, as one: equal exactly where all of them are."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key = key * (size + 1) + code + 1
    return key


def self_comparisons(folder: Folder) -> list[Problem]:
    """A system that is compared with itself."""
    table = folder.tables["comparisons"]
    first, second = table.labels["system_a"], table.labels["system_b"]
    rows = np.flatnonzero((first.codes >= 0) & (second.codes_in(first.names) == first.codes))

    def describe(row: int) -> tuple[str, str, str]:
        return shown(table.label("system_b", row)), "is compared with itself", "name two systems, or remove the row"

    return table.problems(rows, "self-comparison", "system_b", describe)


def unknown_winners(folder: Folder) -> list[Problem]:
    """A winner that is none of the four words."""
    table = folder.tables["comparisons"]
    rows = np.flatnonzero(table.labels["winner"].where(lambda word: word not in WINNERS))

    def describe(row: int) -> tuple[str, str, str]:
        word = table.label("winner", row)
        plain = word.strip().lower()
        near = plain if plain in WINNERS else WINNER_WORDS.get(plain)
        hint = f"; did you mean {near}?" if near else ""
        return shown(word), f"is no winner{hint}", f"write one of {', '.join(WINNERS)}"

    return table.problems(rows, "unknown-winner", "winner", describe)


def scores_outside_scale(folder: Folder) -> list[Problem]:
    """A score below or above the ends that study.toml declares for its criterion."""
    table = folder.tables["ratings"]
    return [
        problem
        for name, criterion in folder.settings.criteria.items()
        if criterion.scale is not None
        for problem in _outside(table, name, criterion.scale)
    ]


def _outside(table: Table, criterion: str, scale: tuple[float, float]) -> list[Problem]:
    low, high = scale
    outside = (table.score < low) | (table.score > high)
    rows = np.flatnonzero(table.labels["criterion"].where(lambda name: name == criterion) & outside)

    def describe(row: int) -> tuple[str, str, str]:
        message = f"lies outside the scale of {criterion!r}, {low:g} to {high:g} ({FILE})"
        return f"{table.score[row]:g}", message, "correct the score, or the scale"

    return table.problems(rows, "score-outside-scale", "score", describe)


RULES: tuple[Callable[[Folder], list[Problem]], ...] = (
    no_data,
    repeated_rows,
    unknown_items,
    unknown_systems,
    unknown_writers,
    missing_outputs,
    self_comparisons,
    unknown_winners,
    scores_outside_scale,
)
