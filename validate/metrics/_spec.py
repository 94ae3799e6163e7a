"""How a metric with options is written on one line: ``rouge1(stem=yes, part=r)``; its label in every table is the same line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from validate.errors import OptionError
from validate.metrics._metric import Metric, spelled
from validate.metrics._registry import entries, get

_SPEC = re.compile(r"\s*(?P<name>[^\s(),]+)\s*(?:\((?P<options>[^()]*)\))?\s*")
_WORDS = {"yes": True, "true": True, "no": False, "false": False, "none": None}
_NO_NUMBERS = ("nan", "inf", "infinity")  # float() reads them as numbers; no option takes one, and "nan" names a policy


DEFAULT = "default"
FILES = ("schema", "baseline", "model")  # options whose value can be a path


def parse(
    spec: str, defaults: Mapping[str, Mapping[str, Any]] | None = None, folder: Path | None = None
) -> tuple[str, Metric]:
    """The label and the metric behind one line.

    Parameters
    ----------
    spec : str
        A name, or a name with options in brackets.
    defaults : mapping of metric name to options, optional
        Options of the study, which the line overrides.
    folder : Path, optional
        The study's: where a file or model that an option names is looked for first.

    Examples
    --------
    >>> parse("rouge1( stem = yes )")[0]
    'rouge1(stem=yes)'
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise OptionError(
            f"metrics: {spec!r} cannot be read; a name or name(option=value, …) is allowed, such as rouge1(stem=yes)"
        )
    name, given = match["name"], _options(spec, match["options"] or "")
    inherited = {key: value for key, value in (defaults or {}).get(name, {}).items() if key != "higher_is_better"}
    label = name if not given else f"{name}({', '.join(f'{key}={spelled(value)}' for key, value in given.items())})"
    options = {**inherited, **given}
    return label, get(name, **{key: _placed(key, value, folder) for key, value in options.items()})


def _placed(key: str, value: Any, folder: Path | None) -> Any:
    """The path of a file that lies in the study's folder; every other value as it is."""
    if folder is None or key not in FILES or not isinstance(value, str):
        return value
    return str(folder / value) if value and (folder / value).exists() else value


def split(line: str) -> list[str]:
    """The specs of a comma-separated line; commas inside brackets belong to the options.

    Examples
    --------
    >>> split("bleu, rouge1(stem=yes, part=r),chrf")
    ['bleu', 'rouge1(stem=yes, part=r)', 'chrf']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", line) if part.strip()]


def expanded(specs: Iterable[str]) -> list[str]:
    """The specs with ``default`` spelled out as the metrics that are validated when the user names none; each once.

    Examples
    --------
    >>> "bleu" in expanded(["default", "bleu(tokenizer=intl)", "bleu"]), expanded(["bleu", "chrf", "bleu"])
    (True, ['bleu', 'chrf'])
    """
    spelled_out = (default_specs() if spec.strip() == DEFAULT else [spec] for spec in specs)
    return list(dict.fromkeys(spec for specs in spelled_out for spec in specs))


def default_specs() -> list[str]:
    """The metrics that are validated when the user names none."""
    return [name for name, entry in entries().items() if entry.default]


def _options(spec: str, text: str) -> dict[str, Any]:
    options = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise OptionError(f"metrics: the option {part!r} in {spec!r} has no value; write option=value")
        if key.strip() in options:
            raise OptionError(
                f"metrics: the option {key.strip()!r} stands twice in {spec!r}; once is allowed; keep one"
            )
        options[key.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text.lower().lstrip("+-") in _NO_NUMBERS:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("'\"")
