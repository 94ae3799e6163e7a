"""Facts about the references of the items."""

from __future__ import annotations

from collections import Counter

from validate.errors import plural
from validate.loading.facts.wording import are, present, share
from validate.loading.folder import Folder
from validate.schema import Fact


def facts(folder: Folder) -> list[Fact]:
    """All facts of this room that are about something."""
    lists = folder.tables["items"].references
    return present([without(lists), per_item(lists), empty(lists), repeated(lists)])


def without(lists: list[list[str]]) -> Fact:
    """Items for which nothing was written to compare with."""
    count = sum(not texts for texts in lists)
    rest = "; metrics that need references are skipped" if count == len(lists) else ""
    text = f"{are(count, 'item')} without references ({share(count, len(lists))}){rest}"
    return Fact("items-without-references", count, text, "warning" if 0 < count < len(lists) else "note")


def per_item(lists: list[list[str]]) -> Fact:
    """How many references the items have that have any."""
    counts = sorted(Counter(len(texts) for texts in lists if texts).items())
    described = ", ".join(f"{plural(items, 'item')} with {size}" for size, items in counts)
    n_items = sum(items for _, items in counts)
    detail = {str(size): items for size, items in counts}
    return Fact("references-per-item", n_items, f"references per item: {described}", "note", detail)


def empty(lists: list[list[str]]) -> Fact:
    """References of nothing but white space."""
    count = sum(not text.strip() for texts in lists for text in texts)
    return Fact("empty-references", count, f"{are(count, 'reference')} empty or white space", "warning")


def repeated(lists: list[list[str]]) -> Fact:
    """Items one of whose references is given twice: it counts as two wherever references are averaged or held out."""
    count = sum(len(set(texts)) < len(texts) for texts in lists)
    verb = "repeats" if count == 1 else "repeat"
    return Fact("repeated-references", count, f"{plural(count, 'item')} {verb} a reference", "note")
