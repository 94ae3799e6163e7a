"""Tables about what was done: what was left out, how each metric is signed, versions, inputs, cost."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from validate.report.numbers import count_text, exact_text, memory_text, number_text, seconds_text
from validate.report.reading import Reading
from validate.report.tables._table import Column, Table, number, text, without_empty
from validate.report.words import Name, coefficient_name, listing, place_name, sentence


def skipped(reading: Reading) -> Table:
    """Metrics, groups and outputs that were left out, a row a reason."""
    columns = [Column("Reason", "name"), number("Outputs"), Column("Left out", "prose")]
    names: dict[tuple[str, Any], list[str]] = {}
    for one in reading.run.get("skipped") or []:
        names.setdefault((str(one.get("reason", "")), one.get("n")), []).append(str(one.get("what", "")))
    rows = [(Name(reason), count_text(n), listing(left, len(left))) for (reason, n), left in names.items()]
    return Table("Left out, and why", *without_empty(columns, rows))


def held_out(reading: Reading) -> Table:
    """Systems that wrote references: what their outputs were held against."""
    columns = [
        Column("System", "name"), number("Outputs that are references"), number("Left out for want of another reference"),
        text("References for the other systems"),
    ]  # fmt: skip
    policies = {"all": "all", "equal": "equally many"}
    rows = [
        (
            Name(str(one["system"])),
            count_text(one.get("n_outputs")),
            count_text(one.get("n_left_out")),
            policies.get(str(one.get("policy")), str(one.get("policy", ""))),
        )
        for one in reading.run.get("held_out") or []
    ]
    return Table(
        "Outputs that are references of their own item, scored against the remaining references",
        *without_empty(columns, rows),
    )


def intervals(reading: Reading) -> Table:
    """What kind of interval stands where, and how often such intervals covered in simulation."""
    columns = [
        Column("Level", "name"), text("Coefficient"), Column("Interval", "word"), text("Criteria"), Column("Coverage", "prose"),
    ]  # fmt: skip
    names: dict[tuple[str, ...], list[str]] = {}
    for one in reading.run.get("intervals") or []:
        key = (
            place_name(one["level"], one["grouping"]),
            coefficient_name(one["coefficient"]),
            one["interval"],
            one["coverage"],
        )
        names.setdefault(key, []).append(one["criterion"])
    rows = [
        (Name(level), coefficient, interval, listing(criteria, 8), note or "not simulated")
        for (level, coefficient, interval, note), criteria in names.items()
    ]
    return Table("Intervals of correlations, and how often such intervals cover", *without_empty(columns, rows))


def signatures(reading: Reading) -> Table:
    """How each metric can be had again."""
    columns = [
        Column("Metric", "name"), text("Better"), text("Range"), text("From"), Column("Signature", "code"), Column("What it measures", "prose"),
    ]  # fmt: skip
    rows = [
        (
            Name(f"{name} (control)" if one.get("control") else name),
            "higher" if reading.higher_is_better(name) else "lower",
            _bounds(one.get("bounds")),
            "the study’s own file" if one.get("origin") == "study" else str(one.get("source") or "accord"),
            str(one.get("signature") or ""),
            str(one.get("summary") or ""),
        )
        for name, one in reading.metric_facts.items()
    ]
    return Table("Metrics, with their signatures", *without_empty(columns, rows))


def _bounds(bounds: Any) -> str:
    """The ends of a metric's range; an open end is unbounded."""
    if not bounds:
        return "–"
    low, high = bounds
    return f"{'−∞' if low is None else exact_text(low)} to {'∞' if high is None else exact_text(high)}"


def inputs(reading: Reading) -> Table:
    """The sha256 of every file that was read."""
    rows = [(Name(name), str(digest)) for name, digest in (reading.run.get("inputs") or {}).items()]
    return Table("Inputs", [Column("File", "name"), Column("sha256", "code")], rows)


def versions(reading: Reading) -> Table:
    """What computed the numbers."""
    run = reading.run
    listed = {
        "accord": run.get("accord"),
        "Python": run.get("python"),
        "Platform": run.get("platform"),
        **(run.get("packages") or {}),
    }
    rows = [(Name(name), str(version)) for name, version in listed.items() if version]
    return Table("Versions", [Column("Package", "name"), text("Version")], rows)


def options(reading: Reading) -> Table:
    """The options of the run."""
    rows = [(Name(name), _UNSET.get((name, str(value)), _option(value))) for name, value in reading.options.items()]
    if "seed" not in reading.options and reading.run.get("seed") is not None:
        rows.append((Name("seed"), str(reading.run["seed"])))
    return Table("Options", [Column("Option", "name"), text("Value")], rows)


_UNSET = {  # values that stand for something else
    ("metrics", "[]"): "those that study.toml names, else the default set",
    ("crosscheck_rows", "None"): "all",
    ("crosscheck_rows", "0"): "none",
}


def _option(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "–"
    if isinstance(value, float):
        return exact_text(value)
    return "–" if value is None else str(value)


def stages(reading: Reading) -> Table:
    """What each stage cost."""
    columns = [Column("Stage", "name"), number("Time"), number("Most memory in use")]
    rows = [
        (Name(str(one["stage"])), seconds_text(one.get("seconds")), memory_text(one.get("peak_memory_mb")))
        for one in reading.run.get("stages") or []
    ]
    return Table("Time and memory", *without_empty(columns, rows))


def criteria(reading: Reading) -> Table:
    """What people were asked."""
    columns = [
        Column("Criterion", "name"), text("Judged by"), text("Scale"), text("Better"), number("Annotators"), number("Judgments"),
        number("Systems"),
        number("Items"),
        number("Mean over systems"),
    ]  # fmt: skip
    kinds = {"ratings": "ratings", "comparisons": "comparisons of two outputs"}
    rows = []
    for name, one in reading.criterion_facts.items():
        means = list(reading.human_means(name).values())
        rows.append(
            (
                Name(name),
                kinds.get(str(one.get("kind")), str(one.get("kind") or "")),
                _bounds(one.get("scale")) if one.get("scale") else "–",
                "higher" if one.get("higher_is_better", True) else "lower",
                count_text(one.get("n_annotators")),
                count_text(one.get("n_judgments")),
                count_text(one.get("n_systems")),
                count_text(one.get("n_items")),
                number_text(sum(means) / len(means)) if means else "–",
            )
        )
    return Table("What people judged", *without_empty(columns, rows), note=_repeated(reading))


def _repeated(reading: Reading) -> Markup:
    """Why fewer judgments count than were read."""
    read = reading.run.get("counts") or {}
    notes = []
    for kind in ("ratings", "comparisons"):
        counted = sum(
            int(one.get("n_judgments") or 0) for one in reading.criterion_facts.values() if one.get("kind") == kind
        )
        if rule := _KEPT.get(str(reading.options.get("duplicates"))) if counted < int(read.get(kind) or 0) else None:
            text = "Of {} {} count: of several by one annotator about the same thing, {}."
            notes.append(sentence(text, count_text(read[kind], kind[:-1]), count_text(counted), rule))
    return Markup(" ").join(notes)


_KEPT = {"last": "the last does", "first": "the first does"}
