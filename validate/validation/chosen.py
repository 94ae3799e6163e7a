"""Which metrics a study is validated with, and what is wrong with what study.toml says of them.

Loading knows no metric, so this part of study.toml is checked here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from validate.errors import MissingExtraError, MissingModelError, OptionError, Problem, StudyError
from validate.formats.rows import shown
from validate.loading.settings import FILE, line_of
from validate.metrics import Metric, get, names
from validate.metrics._spec import DEFAULT, default_specs, expanded, parse
from validate.schema import Settings, Study

DIRECTION = "higher_is_better"


MISSING = (MissingExtraError, MissingModelError)


def chosen_metrics(
    study: Study, specs: Sequence[str] = (), *, missing: dict[str, str] | None = None
) -> dict[str, Metric]:
    """Metrics by their labels: those that are asked for, else those that study.toml names, else the default set.

    Parameters
    ----------
    study : Study
    specs : sequence of str
    missing : dict, optional
        Takes in the reason for every metric that wants a library or model which is not there, so that the others go on.

    Raises
    ------
    OptionError
        For metrics or options that do not exist among those asked for.
    MissingExtraError
        For a library that is not installed, unless ``missing`` takes it in.
    StudyError
        For faults of study.toml, with every problem.
    """
    wrong = metric_problems(study.settings, study.path, set(study.metric_scores["metric"]))
    if wrong:
        raise StudyError(str(study.path), wrong)
    chosen = expanded(list(specs) or list(study.settings.metrics) or [DEFAULT])
    found: dict[str, Metric] = {}
    for spec in chosen:
        try:
            label, metric = parse(spec, study.settings.metric_options, study.path)
            found[label] = metric
        except MISSING as error:
            if missing is None:
                raise
            missing[spec] = str(error)
    return found


def check_specs(specs: Sequence[str], folder: Path) -> None:
    """Refuse metrics and options that do not exist, before anything is read.

    Raises
    ------
    OptionError
    """
    for spec in expanded(specs):
        try:
            parse(spec, folder=folder)
        except MISSING:
            continue  # said when it is left out


def controls_beside(chosen: Collection[Metric]) -> dict[str, Metric]:
    """The controls that are not among the chosen metrics: whatever is chosen must be seen to beat them."""
    there = {metric.name for metric in chosen}
    return {name: metric for name in default_specs() if (metric := get(name)).control and name not in there}


def metric_problems(settings: Settings, path: Path, given: Collection[str] | None) -> list[Problem]:
    """Everything that study.toml says of metrics that do not exist, or of options that they do not have.

    Parameters
    ----------
    settings : Settings
    path : Path
        The study folder.
    given : collection of str or None
        The metrics of the study's own file of scores; None when that could not be read, and a name may be among them.
    """
    file = path / FILE
    refused = [*_refused_options(settings.metric_options, given, path), *_refused_specs(settings, path)]
    return [
        Problem(
            "unknown-metric", str(file), line_of(file, section, key), f"{section}.{key}" if section else key,
            value, message, remedy,
        )
        for section, key, value, message, remedy in refused
    ]  # fmt: skip


Refused = tuple[str, str, str, str, str]
"""Section, key, value, message and remedy of a `Problem`."""


def _refused_options(
    options: Mapping[str, Mapping[str, Any]], given: Collection[str] | None, folder: Path
) -> Iterator[Refused]:
    for name, table in options.items():
        own = {key: value for key, value in table.items() if key != DIRECTION}
        if name in names():
            try:
                parse(name, {name: own}, folder)
            except MISSING:
                continue  # no fault of the study
            except OptionError as error:
                yield "metric_options", name, "", f"cannot be used ({error})", "correct it"
        elif given is not None and name not in given:
            known = [*names(), *given]
            near = get_close_matches(name, known, n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            message = f"is neither a metric of accord nor one of the metrics file{hint}"
            yield "metric_options", name, "", message, "correct the name, or leave the section out"
        elif given is not None:
            for key in own:
                message = f"is no option of a metric whose scores were made elsewhere; allowed: {DIRECTION}"
                yield f"metric_options.{name}", key, shown(table[key]), message, "leave it out"


def _refused_specs(settings: Settings, folder: Path) -> Iterator[Refused]:
    for spec in expanded(settings.metrics):
        try:
            parse(spec, folder=folder)
        except MISSING:
            continue
        except OptionError as error:
            yield (
                "",
                "metrics",
                shown(spec),
                f"cannot be used ({error})",
                "correct it, or leave it out; see: accord metrics",
            )
