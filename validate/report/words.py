"""The words of the report: names that stand apart from the text around them, and the field's terms in plain English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

COEFFICIENTS = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ-b"}
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
PLACES = {
    ("system", "none"): "System level",
    ("item", "none"): "Item level, pooled",
    ("item", "item"): "Item level, within items",
    ("item", "system"): "Item level, within systems",
}
PURPOSES = {
    ("system", "none"): "rank systems",
    ("item", "none"): "score single outputs",
    ("item", "item"): "choose between outputs for the same item",
    ("item", "system"): "tell the good outputs of one system from its bad ones",
}
UNITS = {"items": "items", "systems": "systems", "both": "systems and items", "annotators": "annotators"}
STATISTICS = {
    "percent": "Percent agreement",
    "krippendorff_alpha": "Krippendorff’s\u00a0α",
    "gwet_ac1": "Gwet’s\u00a0AC1",
    "gwet_ac2": "Gwet’s\u00a0AC2",
    "cohen_kappa": "Cohen’s\u00a0κ",
    "fleiss_kappa": "Fleiss’\u00a0κ",
    "wmt_kappa": "WMT’s\u00a0κ",
    "self_consistency": "Self-consistency (own repeats)",
    "kendall_w": "Kendall’s\u00a0W",
    "icc(1,1)": "ICC(1,1) = ICC(1)",
    "icc(1,k)": "ICC(1,k) = ICC(k)",
    "icc(2,1)": "ICC(2,1) = ICC(A,1)",
    "icc(3,1)": "ICC(3,1) = ICC(C,1)",
    "icc(2,k)": "ICC(2,k) = ICC(A,k)",
}
LISTED = 4


class Name(str):
    """A name that came with the data: shown as it is, isolated from the writing direction of its neighbours.

    >>> Name("<rouge>").__html__()
    Markup('<bdi>&lt;rouge&gt;</bdi>')
    """

    __slots__ = ()

    def __html__(self) -> Markup:
        return Markup("<bdi>{}</bdi>").format(str(self))


def sentence(template: str, *parts: object, **named: object) -> Markup:
    """A sentence whose parts are escaped; names and quantities keep their mark-up."""
    return Markup(template).format(*parts, **named)


def plain(markup: Markup) -> str:
    """The same words without mark-up."""
    return markup.striptags()


def isolated(name: str) -> str:
    """A name for places that know no mark-up, with Unicode's isolates (UAX 9) around it when it may run from right to left.

    >>> isolated("bleu"), len(isolated("מדד"))
    ('bleu', 5)
    """
    return name if name.isascii() else f"\u2068{name}\u2069"


def listing(names: Iterable[str], shown: int = LISTED) -> Markup:
    """Names as a sentence has them: "a, b and c", "a, b, c, d and 3 more".

    >>> plain(listing(["a", "b"])), plain(listing("abcdefg"))
    ('a and b', 'a, b, c, d and 3 more')
    """
    parts: list[Any] = [Name(name) for name in names]
    if len(parts) > shown + 1:
        parts = [*parts[:shown], f"{len(parts) - shown:,} more"]
    if len(parts) < 2:
        return Markup("").join(parts)
    return Markup("{} and {}").format(Markup(", ").join(parts[:-1]), parts[-1])


def coefficient_name(name: str) -> str:
    """``"spearman"`` as people write it."""
    return COEFFICIENTS.get(name, name)


def place_name(level: str, grouping: str) -> str:
    """A level and its grouping, as a heading."""
    return PLACES.get((level, grouping), f"{level.capitalize()} level, by {grouping}")


def purpose(level: str, grouping: str) -> str:
    """What one does with a metric that is good at this level, as an infinitive without "to"."""
    return PURPOSES.get((level, grouping), f"work at the {level} level by {grouping}")


def unit_name(unit: str) -> str:
    """What was resampled, in the plural."""
    return UNITS.get(unit, unit)


def statistic_name(name: str) -> str:
    """A statistic of agreement as people write it."""
    return STATISTICS.get(name, name.replace("_", " "))


def slug(*parts: str) -> str:
    """An identifier for the page out of words of this package or of the data; never empty.

    >>> slug("Item level", "within items"), slug("כותרת")
    ('item-level-within-items', 'x')
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-") or "x"


def only_candidate(choice: Mapping[str, Any]) -> bool:
    """Whether a choice had one metric to choose from, controls and metrics not considered aside: that it comes first says nothing."""
    return bool(choice.get("best")) and not choice.get("equivalent") and not choice.get("worse")


def told(value: Any) -> str:
    """A text out of a table, where nothing said may be None, NaN or an empty cell."""
    return value if isinstance(value, str) else ""


def shorten(text: str, length: int = 60) -> str:
    """The beginning of a long text, cut where a word ends if one does."""
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[length // 2 :] else cut) + "…"


def in_order(values: Iterable[Any], order: Sequence[Any]) -> list[Any]:
    """Values in a canonical order, those unknown to it last and in the order in which they came."""
    seen = list(dict.fromkeys(values))
    return [value for value in order if value in seen] + [value for value in seen if value not in order]
