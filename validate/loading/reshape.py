"""Somebody else's table becomes the tables of a study, each row with the line it came from.

The results are `Rows` in the columns of a study, so that everything a study is checked for is checked here too, and
every problem names the line of the file that was given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from validate.errors import plural
from validate.formats.rows import Rows, shown
from validate.loading import cells
from validate.loading.checks import WINNER_WORDS
from validate.loading.intake import LONG, METADATA_ROLE, PAIRS, WIDE, Understanding, mapping
from validate.schema import WINNERS

BLANK_IS_EMPTY = (".csv", ".tsv", ".xlsx")
"""Formats in which a cell without a text cannot be told from one with an empty text; it is taken as empty."""

ONLY_CRITERION = "overall"
"""The criterion of scores that stand in a single column without a name for what they judge."""


def reshape(rows: Rows, found: Understanding) -> dict[str, Rows]:
    """The tables of the study that a file holds, by name; conflicts between rows are problems of their tables."""
    making = _Making(rows, found)
    {LONG: making.long, WIDE: making.wide, PAIRS: making.pairs}[found.form]()
    making.place_metadata()
    return {name: making.rows_of(name) for name in making.tables if making.tables[name]}


class _Making:
    """The records of each table so far. A record is a mapping of columns to values, with the row it came from."""

    def __init__(self, rows: Rows, found: Understanding) -> None:
        self.rows = rows
        self.found = found
        suffix = Path(rows.file).suffix.lower()
        self.blank = "" if suffix in BLANK_IS_EMPTY else None
        self.is_sheet = suffix == ".xlsx"
        self.tables: dict[str, list[tuple[int, dict[str, Any]]]] = {
            name: [] for name in ("items", "outputs", "ratings", "comparisons", "metrics")
        }
        self.conflicts: dict[str, Rows] = {name: Rows(rows.file) for name in self.tables}
        self.first: dict[tuple[str, Any], tuple[int, dict[str, Any]]] = {}
        self.ids = self._ids()

    # what a cell holds

    def cell(self, row: int, role: str) -> Any:
        """The value of the column with a role; None where there is no such column."""
        column = self.found.column(role)
        return None if column is None else self.rows.columns[column][row]

    def text(self, value: Any) -> Any:
        """A text; in a sheet also a number, as it would be shown."""
        if value is None:
            return self.blank
        is_number = self.is_sheet and isinstance(value, int | float) and not isinstance(value, bool)
        return f"{value:.15g}" if is_number else value

    def references(self, row: int) -> Any:
        """The references of all columns that hold some; a cell may hold one text or a list."""
        found: list[Any] = []
        for column in self.found.columns("references"):
            value = self.rows.columns[column][row]
            listed = _json_list(value) if self.blank is not None else value
            if isinstance(listed, list):
                found += listed
            elif value not in (None, ""):
                found.append(self.text(value))
        return found

    def _ids(self) -> list[Any]:
        """The item of each row: as named, or else one item per row (wide) or per distinct source."""
        column = self.found.column("item_id")
        if column is not None:
            given, _ = cells.labels(self.rows.columns[column], None)
            return [
                raw if code < 0 else given.names[code]
                for code, raw in zip(given.codes.tolist(), self.rows.columns[column], strict=True)
            ]
        if self.found.form == WIDE:
            self.found.notes.append("no column names the items: they are numbered by their rows")
            return [str(number) for number in range(1, len(self.rows) + 1)]
        self.found.notes.append("no column names the items: rows with one source are one item")
        numbers: dict[str, str] = {}
        keys = [
            json.dumps([self.cell(row, "source"), self.references(row)], default=str) for row in range(len(self.rows))
        ]
        return [numbers.setdefault(key, str(len(numbers) + 1)) for key in keys]

    # what a table gets

    def add(self, table: str, row: int, record: dict[str, Any]) -> None:
        self.tables[table].append((row, record))

    def add_once(self, table: str, key: tuple[Any, ...], row: int, record: dict[str, Any]) -> None:
        """Add a record that other rows may repeat; one that says something else under the same key is a problem."""
        earlier = self.first.get((table, key))
        if earlier is None:
            self.first[table, key] = (row, record)
            self.add(table, row, record)
            return
        for column, value in record.items():
            if value != earlier[1][column]:
                self.conflicts[table].problem(
                    "conflicting-rows",
                    self.rows.lines[row],
                    f"is another {column} of {', '.join(map(shown, key))} than on line {self.rows.lines[earlier[0]]}",
                    self.remedy,
                    column=column,
                    value=shown(value),
                )

    @cached_property
    def remedy(self) -> str:
        """What to do about rows that contradict each other; a column that would tell their items apart is named."""
        remedy = "a row with other texts needs an item or a system of its own"
        finer = next((name for name in self.found.columns(METADATA_ROLE) if self.tells_items(name)), None)
        return (
            remedy if finer is None else f"{remedy}; if {finer!r} names the items: --map {mapping('item_id', [finer])}"
        )

    def tells_items(self, column: str) -> bool:
        """Whether with the items named by this column no row contradicts another, and some item has several systems."""
        texts: dict[Any, Any] = {}
        systems: dict[str, set[str]] = {}
        for row, value in enumerate(self.rows.columns[column]):
            item = str(value)
            said: list[tuple[Any, Any]] = [((item, None), [self.cell(row, "source"), self.references(row)])]
            for side in ("", "_a", "_b"):
                system = str(self.cell(row, f"system{side}"))
                said.append(((item, system), self.cell(row, f"output{side}")))
                systems.setdefault(item, set()).add(system)
            if value in (None, "") or any(texts.setdefault(key, text) != text for key, text in said):
                return False
        return len(systems) < len(self.ids) and any(len(of_item - {"None"}) > 1 for of_item in systems.values())

    def add_item(self, row: int) -> None:
        record = {"item_id": self.ids[row], "source": self.text(self.cell(row, "source")) or ""}
        self.add_once("items", (self.ids[row],), row, record | {"references": self.references(row)})

    # the three forms

    def wide(self) -> None:
        blanks = 0
        systems = self.found.columns("systems")
        for row, item in enumerate(self.ids):
            references = self.references(row)
            source = self.text(self.cell(row, "source")) or ""
            self.add("items", row, {"item_id": item, "source": source, "references": references})
            for column in systems:
                output = self.text(self.rows.columns[column][row])
                blanks += output in (None, "")
                if output is not None:
                    self.add("outputs", row, {"item_id": item, "system": column.strip(), "output": output})
        self.note_blanks(blanks)

    def long(self) -> None:
        judged = self.found.has("score") or self.found.has("scores")
        has_output = self.found.has("output")
        blanks = 0
        for row, item in enumerate(self.ids):
            self.add_item(row)
            system = self.cell(row, "system")
            if has_output:
                output = self.text(self.cell(row, "output"))
                blanks += output in (None, "")
                record = {"item_id": item, "system": system, "output": output}
                if judged:  # several judgments of one output repeat it
                    self.add_once("outputs", (item, system), row, record)
                else:
                    self.add("outputs", row, record)
            self.add_scores(row, {"item_id": item, "system": system})
        self.note_blanks(blanks)

    def add_scores(self, row: int, output: dict[str, Any]) -> None:
        """The ratings of one row (or its scores by a metric); an empty cell is no judgment."""
        if self.found.has("metric"):
            self.add("metrics", row, output | {"metric": self.cell(row, "metric"), "score": self.cell(row, "score")})
            return
        for criterion, score in self.scores(row):
            if score not in (None, ""):
                judgment = {"annotator": self.cell(row, "annotator"), "criterion": criterion, "score": score}
                self.add("ratings", row, output | judgment)

    def scores(self, row: int) -> Iterator[tuple[Any, Any]]:
        if self.found.has("score"):
            criterion = self.cell(row, "criterion") if self.found.has("criterion") else ONLY_CRITERION
            yield criterion, self.cell(row, "score")
        for column in self.found.columns("scores"):
            yield column.strip(), self.rows.columns[column][row]

    def pairs(self) -> None:
        for row, item in enumerate(self.ids):
            self.add_item(row)
            systems = {side: self.cell(row, f"system_{side}") for side in "ab"}
            for side, system in systems.items():
                if self.found.has(f"output_{side}"):
                    output = self.text(self.cell(row, f"output_{side}"))
                    record = {"item_id": item, "system": system, "output": output}
                    self.add_once("outputs", (item, system), row, record)
            judgment = {
                "item_id": item,
                "system_a": systems["a"],
                "system_b": systems["b"],
                "annotator": self.cell(row, "annotator"),
                "winner": _winner(self.cell(row, "winner"), systems),
            }
            if self.found.has("criterion"):
                judgment["criterion"] = self.cell(row, "criterion")
            self.add("comparisons", row, judgment)

    def note_blanks(self, count: int) -> None:
        if count:
            taken = "taken as empty outputs" if self.blank == "" else "taken as missing outputs"
            self.found.notes.append(f"{plural(count, 'empty cell')} where an output could be: {taken}")

    # the rest

    def place_metadata(self) -> None:
        """Put each further column into the first table in which one value a record says it all."""
        keys: dict[str, Callable[[dict[str, Any]], Any]] = {
            "items": lambda record: record["item_id"],
            "outputs": lambda record: (record["item_id"], record["system"]),
        }
        for column in self.found.columns(METADATA_ROLE):
            values = self.rows.columns[column]
            home = next((name for name in keys if self.tables[name] and self.says_all(name, values)), None)
            home = home or next((name for name in ("ratings", "comparisons", "metrics") if self.tables[name]), "items")
            for row, record in self.tables[home]:
                if column not in record:
                    record[column] = values[row]

    def says_all(self, table: str, values: list[Any]) -> bool:
        """Whether a further column has one value for each item, or each output."""
        if table == "outputs" and self.found.form != LONG:
            return False
        system = self.found.column("system") if table == "outputs" else None
        seen: dict[Any, Any] = {}
        for row, item in enumerate(self.ids):
            key = (item, None if system is None else self.rows.columns[system][row])
            if seen.setdefault(key, values[row]) != values[row]:
                return False
        return True

    def rows_of(self, table: str) -> Rows:
        """The records of a table as rows, on the lines of the file that was given."""
        made = Rows(self.rows.file, textual=self.rows.textual, problems=self.conflicts[table].problems)
        made.extend(
            [record for _, record in self.tables[table]], [self.rows.lines[row] for row, _ in self.tables[table]]
        )
        return made


def _json_list(value: Any) -> Any:
    """A list of texts written as JSON in a cell; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if isinstance(parsed, list) and all(isinstance(text, str) for text in parsed):
            return parsed
    return value


def _winner(value: Any, systems: dict[str, Any]) -> Any:
    """A winner as one of the four words where it is another tool's word for it, or the name of one of the two systems."""
    for side, system in systems.items():
        if value == system and system is not None:
            return side
    plain = str(value).strip().lower()
    return plain if plain in WINNERS else WINNER_WORDS.get(plain, value)
