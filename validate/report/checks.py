"""What the reference libraries said of the scores: which are equal, which differ, which were never asked about."""

from __future__ import annotations

from dataclasses import dataclass

from validate.report.reading import Reading
from validate.report.words import told

ALONE = "no reference library"


@dataclass(frozen=True, slots=True)
class Checks:
    """Metrics by what their cross-check came to, each in one list; controls only where there was something to compare.

    ``skipped`` holds the metrics by the reason for which their library was not asked; ``absent`` are those of a run without a
    cross-check, ``alone`` those that no library has, ``given`` those whose scores the study brought along.
    """

    equal: list[str]
    differing: list[str]
    skipped: dict[str, list[str]]
    absent: list[str]
    alone: list[str]
    given: list[str]

    @classmethod
    def of(cls, reading: Reading) -> Checks:
        """Sort the metrics of a run."""
        status = {
            str(row.metric): told(row.status) or ALONE for row in reading.results.crosscheck.itertuples(index=False)
        }
        skipped: dict[str, list[str]] = {}
        for name, one in status.items():
            if one.startswith("skipped"):
                skipped.setdefault(one.removeprefix("skipped: "), []).append(name)
        given = [name for name, one in reading.metric_facts.items() if one.get("origin") == "study"]
        return cls(
            equal=[name for name, one in status.items() if one == "equal"],
            differing=[name for name, one in status.items() if one.startswith(("differs", "error"))],
            skipped=skipped,
            absent=[name for name in reading.metric_facts if name not in {*status, *given, *reading.controls}],
            alone=[name for name, one in status.items() if one == ALONE and name not in reading.controls],
            given=given,
        )

    @property
    def unasked(self) -> list[str]:
        """Metrics of which no library was asked in this run, though one may have them."""
        return [*self.absent, *(name for names in self.skipped.values() for name in names)]
