"""The signatures that sacreBLEU prints beside the numbers that ours equal, so that papers can state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validate.errors import bad_value
from validate.metrics._metric import spelled

EQUALLED = "2.6.0"  # whose numbers ours are, where sacreBLEU itself is not installed


def version() -> str:
    """The sacreBLEU that is installed, and that the cross-check compares to; else the one that ours were made equal to."""
    from importlib import metadata

    try:
        return metadata.version("sacrebleu")
    except metadata.PackageNotFoundError:
        return EQUALLED


def case(lowercase: bool) -> str:
    """How sacreBLEU spells lowercasing."""
    return "lc" if lowercase else "mixed"


def n_refs(who: str, n_references: int | str | Sequence[Sequence[str]]) -> int | str:
    """How many references outputs have: a number, or ``var`` where some have more than others.

    >>> n_refs("bleu", [["a", "b"], ["c", "d"]]), n_refs("bleu", [["a"], ["c", "d"]]), n_refs("bleu", 3)
    (2, 'var', 3)
    """
    if isinstance(n_references, str):
        if n_references != "var":
            raise bad_value(
                who, "n_references", n_references, "a whole number, 'var', or one list of references per output"
            )
        return "var"
    if isinstance(n_references, int):
        return n_references
    counts = {len(row) for row in n_references}
    return counts.pop() if len(counts) == 1 else "var"


def signature(who: str, n_references: int | str | Sequence[Sequence[str]], fields: Mapping[str, object]) -> str:
    """``nrefs:1|…|version:2.6.0`` with the fields in their order between."""
    everything = {"nrefs": n_refs(who, n_references), **fields, "version": version()}
    return "|".join(f"{key}:{spelled(value)}" for key, value in everything.items())
