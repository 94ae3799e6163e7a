"""How a study is validated: the options of a run, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from validate.errors import bad_value, unknown_name
from validate.human import DUPLICATES
from validate.schema import COEFFICIENTS
from validate.stats.resampling import RESAMPLED
from validate.validation.references import POLICIES, Policy

INTERVALS = ("auto", "corrected", "bca", "percentile", "basic")
TESTS = ("bootstrap", "permutation")
SWAPPED = {"both": "systems", "systems": "systems", "items": "items"}
"""What exchanging the scores of two metrics is chance for, by what the results shall generalise to.

New systems: whole systems, since metrics favour some of them, and single outputs or items would then find differences where there
are none (`validate.stats.permutation` has the figures). New items with these same systems: whole items.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """How a study is validated; the defaults are what a report should use.

    Parameters
    ----------
    metrics : tuple of str
        ``rouge1(stem=yes)`` and the like; empty: those of study.toml, else the default set.
    resamples : int
        Bootstrap replicates behind every interval.
    confidence : float
    unit : {"both", "items", "systems", "annotators"}
        What the correlations' intervals generalise to: new items and systems, new ones of one kind only, or other annotators of the
        same outputs.
    interval : {"auto", "corrected", "bca", "percentile", "basic"}
        "auto" takes the one that covers best by simulation, see ``validate.stats.intervals``; "percentile" over both axes is the plain
        bootstrap, which is too wide.
    test : {"bootstrap", "permutation"}
        Where p of a difference between two metrics comes from. "bootstrap": from where its interval comes, so that both say the same.
        "permutation": from exchanging the scores of the two metrics, of whole systems, or of whole items with ``unit="items"``; the
        interval stays the bootstrap's.
    seed : int
    human : {"mean", "z-score"}
        How ratings become scores.
    duplicates : {"last", "first", "all", "error"}
        What counts when an annotator judged one thing several times.
    references : {"all", "equal"}
        How other systems are treated where a writer of references is among the systems; see ``validate.validation.scoring.rows_of``.
    crosscheck_rows : int or None
        At most how many outputs are scored by the reference libraries as well, drawn by the seed, fewer where they are long; None:
        all, however long it takes; 0: none.
    """

    metrics: tuple[str, ...] = ()
    resamples: int = 1000
    confidence: float = 0.95
    unit: str = "both"
    interval: str = "auto"
    test: str = "bootstrap"
    seed: int = 0
    human: str = "mean"
    duplicates: str = "last"
    references: Policy = "all"
    crosscheck_rows: int | None = 500
    coefficients: tuple[str, ...] = field(default=COEFFICIENTS)

    def __post_init__(self) -> None:
        named: list[tuple[str, str, Sequence[str]]] = [
            ("unit", self.unit, RESAMPLED),
            ("interval", self.interval, INTERVALS),
            ("test", self.test, TESTS),
            ("way to turn ratings into scores", self.human, ("mean", "z-score")),
            ("rule for duplicates", self.duplicates, DUPLICATES),
            ("policy for references", self.references, POLICIES),
            *(("coefficient", coefficient, COEFFICIENTS) for coefficient in self.coefficients),
        ]
        for what, got, allowed in named:
            if got not in allowed:
                raise unknown_name("validate", what, got, allowed)
        if self.test == "permutation" and self.unit not in SWAPPED:
            raise bad_value(
                "validate", "test", self.test, f"'bootstrap' where {self.unit} are resampled, who are not exchanged"
            )
        _at_least("resamples", self.resamples, 2)
        _at_least("seed", self.seed, 0)
        _at_least("crosscheck_rows", self.crosscheck_rows or 0, 0)
        if not isinstance(self.confidence, int | float) or not 0 < self.confidence < 1:
            raise bad_value("validate", "confidence", self.confidence, "between 0 and 1, such as 0.95")

    @property
    def drawn_for(self) -> str:
        """The interval that the replicates must serve: differences want the corrected one beside analytic correlations."""
        return "corrected" if self.interval == "auto" else self.interval

    @property
    def alpha(self) -> float:
        """From which p down two metrics are told apart: what the confidence leaves."""
        return round(1 - self.confidence, 12)


def crosscheck_rows(said: str) -> int | None:
    """How many outputs the reference libraries score, as a user says it.

    >>> crosscheck_rows("all"), crosscheck_rows("none"), crosscheck_rows("20")
    (None, 0, 20)
    """
    words = {"all": None, "none": 0}
    if said in words:
        return words[said]
    if not (said.isascii() and said.isdigit()):
        raise bad_value("validate", "crosscheck", said, "a number of outputs, 'all' or 'none'")
    return int(said)


def _at_least(option: str, got: object, least: int) -> None:
    if isinstance(got, bool) or not isinstance(got, int | np.integer) or got < least:
        raise bad_value("validate", option, got, f"a whole number, {least} or more")
