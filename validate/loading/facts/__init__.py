"""What is true and worth knowing of a study and is no error, each fact in a function of its own.

| name | counts |
|---|---|
| items, outputs, systems, annotators, criteria, ratings, comparisons, metric-scores | how many there are |
| empty-outputs | outputs of nothing but white space |
| outputs-equal-to-a-reference | outputs that are, to the character, one of their item's references |
| identical-outputs | outputs that repeat another system's output for the same item (empty ones aside) |
| missing-outputs | cells (item, system) without an output, of all there could be |
| unjudged-outputs | outputs that no judgment is about |
| items-without-references, empty-references, repeated-references, references-per-item | the references |
| different-script | outputs in another script than all references of their item |
| mixed-unicode-forms | texts that are not in composed form (NFC), where others are |
| nul-characters | texts that hold a NUL; they are kept as they are |
| annotators-per-output, annotators-per-pair | units that named annotators judged, and how many each has |
| judgments-per-system, judgments-per-annotator | how unevenly judgments are spread |
| repeated-ratings, repeated-comparisons | (annotator, unit) with more than one judgment |
| missing-annotators | judgments that name no annotator: no agreement, no repetitions |
| default-criterion | comparisons that name no criterion while others do |
| side-balance | comparisons; the detail has how many each side won |
| fixed-sides | pairs of systems that were compared more than once and always with the same one as a |
| missing-metric-scores, scores-without-output | scores from elsewhere that are missing, or about no output |
| unused-criteria | criteria of study.toml that no judgment is about |
| undeclared-scales | rated criteria whose scale study.toml does not give |
| no-judgments, simulated-judgments | 1 |
| numeric-ids | labels that were given as numbers |
| padded-labels | labels with white space around them |
| similar-labels | groups of labels that differ only in case, white space or Unicode form |
| byte-order-marks, crlf-line-ends, extra-columns, unread-files | the files |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from validate.loading.facts import files, judgments, labels, references, texts
from validate.loading.folder import Folder
from validate.schema import Fact

COUNTS = ("items", "systems", "annotators", "criteria", "outputs", "ratings", "comparisons", "metric-scores")
"""The facts that only say how many there are."""

SOURCES: tuple[Callable[[Folder], Iterable[Fact]], ...] = (
    labels.facts,
    texts.facts,
    references.facts,
    judgments.facts,
    files.facts,
)


def gather(folder: Folder) -> tuple[Fact, ...]:
    """Every fact about a folder whose rows are all sound, room by room."""
    return tuple(fact for source in SOURCES for fact in source(folder))
