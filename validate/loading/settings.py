"""study.toml: what the study says about itself, every key checked, every one optional."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from validate.errors import Problem
from validate.formats.rows import shown
from validate.loading.cells import LARGEST
from validate.schema import Criterion, Settings
from validate.text.normalization import CASINGS, FORMS

FILE = "study.toml"
MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")
DIRECTIONS = ("higher", "lower")

KEYS = (
    *("name", "task", "language", "description", "simulated", "criteria", "metrics", "metric_options"),
    *("reference_writers", "text", "analysis", "annotation"),
)
TEXT_KEYS = ("normalization", "casing")
CRITERION_KEYS = ("scale", "higher_is_better", "direction", "measurement")

_ALIASES = {"title": "name", "lang": "language", "range": "scale", "level": "measurement", "criterion": "criteria"}
_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)|\s*\(at end of document\)")


def read(path: Path, file: str) -> tuple[Settings, list[Problem]]:
    """The settings in a study.toml, and everything in it that is wrong."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        byte = error.start - raw.rfind(b"\n", 0, error.start)
        found = raw[error.start : error.end].hex(" ").upper()
        message = f"is no UTF-8 at byte {byte} of the line"
        return Settings(), [Problem("not-utf-8", file, line, None, found, message, "save the file as UTF-8")]
    try:
        document = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        return Settings(), [_invalid(file, text, str(error))]
    except (RecursionError, ValueError) as error:  # ValueError: Python reads no number of more than 4,300 digits
        what = "nests too deep" if isinstance(error, RecursionError) else "holds a number that is too long"
        return Settings(), [Problem("invalid-toml", file, None, None, "", what, "write it in a simpler way")]
    reading = _Reading(file, text)
    return reading.settings(document), reading.problems


def line_of(path: Path, section: str, key: str) -> int | None:
    """The line of a study.toml on which a key of a section ("" for none) is given; None where it cannot be told."""
    if not path.is_file():  # settings that were made in Python
        return None
    return _Reading("", path.read_text(encoding="utf-8-sig")).line(section, key)


def _invalid(file: str, text: str, error: str) -> Problem:
    place = _PLACE.search(error)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    message = f"is no valid TOML ({_PLACE.sub('', error)})"
    return Problem("invalid-toml", file, line, None, "", message, 'write key = "value", texts in quotes')


class _Reading:
    """Takes values out of the document one by one; a value that does not fit is noted and its default is taken."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        self.problems: list[Problem] = []

    def settings(self, document: Mapping[str, Any]) -> Settings:
        self.known("", document, KEYS)
        return Settings(
            **{key: self.text(document, key) for key in ("name", "task", "language", "description")},
            simulated=self.value("", document, "simulated", False, _is_bool, "true or false"),
            criteria=self.criteria(document.get("criteria", {})),
            metrics=tuple(
                self.value(
                    "", document, "metrics", [], _is_some_names, 'a list of names: ["bleu", "chrf"], or leave it out'
                )
            ),
            metric_options=self.metric_options(document),
            reference_writers=self.reference_writers(document),
            **self.text_settings(document),
            raw=self.sections(document),
        )

    def known(self, section: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                alias = _ALIASES.get(key)
                near = [alias] if alias in keys else get_close_matches(key, keys, n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]}?" if near else ""
                remedy = f"use one of {', '.join(keys)}"
                self.problem("unknown-setting", section, key, "", f"is no key of study.toml{hint}", remedy)

    def value(
        self,
        section: str,
        table: Mapping[str, Any],
        key: str,
        default: Any,
        fits: Callable[[Any], bool],
        allowed: str,
    ) -> Any:
        if key not in table:
            return default
        if fits(table[key]):
            return table[key]
        self.problem("wrong-setting", section, key, shown(table[key]), "is not allowed here", f"give {allowed}")
        return default

    def text(self, document: Mapping[str, Any], key: str) -> str:
        return self.value("", document, key, "", lambda value: isinstance(value, str), "a text in quotes")

    def sections(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        for key in ("analysis", "annotation"):
            self.value("", document, key, {}, _is_table, f"a section [{key}]")
        return document

    def criteria(self, given: Any) -> dict[str, Criterion]:
        if _is_names(given):
            return {name: Criterion(name) for name in given}
        if not _is_table(given):
            remedy = "give sections [criteria.NAME], or a list of names"
            self.problem("wrong-setting", "", "criteria", shown(given), "is not allowed here", remedy)
            return {}
        return {name: self.criterion(name, table) for name, table in given.items()}

    def criterion(self, name: str, table: Any) -> Criterion:
        section = f"criteria.{name}"
        if not _is_table(table):
            remedy = f"give a section [{section}]"
            self.problem("wrong-setting", "criteria", name, shown(table), "is not allowed here", remedy)
            return Criterion(name)
        self.known(section, table, CRITERION_KEYS)
        scale = self.value(section, table, "scale", None, _is_scale, "[lowest, highest], two numbers, the lower first")
        measurement = self.value(
            section, table, "measurement", "interval", MEASUREMENTS.__contains__, f"one of {', '.join(MEASUREMENTS)}"
        )
        ends = None if scale is None else (float(scale[0]), float(scale[1]))
        return Criterion(name, ends, self.higher_is_better(section, table), measurement)

    def higher_is_better(self, section: str, table: Mapping[str, Any]) -> bool:
        """From ``higher_is_better`` or, as a word, from ``direction``."""
        if "direction" in table and "higher_is_better" in table:
            message = "is given beside higher_is_better, which says the same"
            self.problem("wrong-setting", section, "direction", shown(table["direction"]), message, "keep one of both")
        fits = DIRECTIONS.__contains__
        word = self.value(section, table, "direction", "higher", fits, '"higher" or "lower": which end is better')
        return self.value(section, table, "higher_is_better", word == "higher", _is_bool, "true or false")

    def metric_options(self, document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        sections = self.value("", document, "metric_options", {}, _is_table, "sections [metric_options.NAME]")
        options = {
            name: self.value("metric_options", sections, name, {}, _is_table, f"a section [metric_options.{name}]")
            for name in sections
        }
        for name, given in options.items():
            self.value(f"metric_options.{name}", given, "higher_is_better", True, _is_bool, "true or false")
        return options

    def reference_writers(self, document: Mapping[str, Any]) -> tuple[str, ...] | str:
        allowed = '"auto", "none" or a list of systems'
        given = self.value("", document, "reference_writers", "auto", _is_writers, allowed)
        return "auto" if given == "auto" else () if given == "none" else tuple(given)

    def text_settings(self, document: Mapping[str, Any]) -> dict[str, str]:
        """What is done to every text before it is scored."""
        section = self.value("", document, "text", {}, _is_table, "a section [text]")
        self.known("text", section, TEXT_KEYS)
        return {
            key: self.value("text", section, key, "none", allowed.__contains__, f"one of {', '.join(allowed)}")
            for key, allowed in zip(TEXT_KEYS, (FORMS, tuple(CASINGS)), strict=True)
        }

    def problem(self, kind: str, section: str, key: str, value: str, message: str, remedy: str) -> None:
        name = f"{section}.{key}" if section else key
        self.problems.append(Problem(kind, self.file, self.line(section, key), name, value, message, remedy))

    def line(self, section: str, key: str) -> int | None:
        """The line on which a key is given; None where it cannot be told (an inline table)."""
        here = ""
        quoted = rf"\s*[\"']?{re.escape(key)}[\"']?"
        for number, line in enumerate(self.lines, start=1):
            if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
                here = header[1].replace('"', "").replace("'", "")
                if here == (f"{section}.{key}" if section else key):
                    return number
            elif here == section and re.match(rf"{quoted}\s*[.=]", line):
                return number
        return None


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)


def _is_some_names(value: Any) -> bool:
    return _is_names(value) and len(value) > 0


def _is_writers(value: Any) -> bool:
    return value in ("auto", "none") or _is_names(value)


def _is_scale(value: Any) -> bool:
    if not (isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))):
        return False
    return value[0] < value[1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
