"""What a study's own ``[analysis]`` section asks for: options that hold unless others are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from validate.errors import OptionError, Problem, StudyError
from validate.formats.rows import shown
from validate.loading.settings import FILE, line_of
from validate.schema import Settings, Study
from validate.validation.options import Options, crosscheck_rows

SECTION = "analysis"
CROSSCHECK = "crosscheck"
KEYS = (*(field.name for field in fields(Options) if field.name not in ("metrics", "crosscheck_rows")), CROSSCHECK)


def options_of(study: Study, given: Mapping[str, Any] | None = None) -> Options:
    """The options of a run: what is given, else what study.toml says under ``[analysis]``, else the defaults.

    Raises
    ------
    StudyError
        For keys and values of the section that do not exist, with every problem.
    OptionError
        For those given.
    """
    wrong = analysis_problems(study.settings, study.path)
    if wrong:
        raise StudyError(str(study.path), wrong)
    said = dict(_as_options(key, value) for key, value in study.settings.raw.get(SECTION, {}).items())
    return Options(**{**said, **(given or {})})


def analysis_problems(settings: Settings, path: Path) -> list[Problem]:
    """Everything in the section that cannot be used."""
    file = path / FILE
    return [
        Problem("wrong-setting", str(file), line_of(file, SECTION, key), f"{SECTION}.{key}", value, message, remedy)
        for key, value, message, remedy in _refused(settings.raw.get(SECTION, {}))
    ]


def _refused(section: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for key, value in section.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield key, "", f"is no key of [{SECTION}]{hint}", f"use one of {', '.join(KEYS)}"
            continue
        try:
            Options(**dict([_as_options(key, value)]))
        except (OptionError, TypeError) as error:
            yield key, shown(value), f"cannot be used ({error})", "correct it, or leave it out"


def _as_options(key: str, value: Any) -> tuple[str, Any]:
    """A key of the section as a field of `Options`."""
    if key == CROSSCHECK:
        return "crosscheck_rows", crosscheck_rows(str(value))
    return key, tuple(value) if isinstance(value, list) else value
