"""How facts are put into words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validate.errors import plural
from validate.schema import Fact

SHOWN = 5


def share(count: int, total: int) -> str:
    """A share in per cent with the digits it deserves.

    >>> share(1, 3), share(0, 7), share(1, 10_000)
    ('33%', '0%', '0.01%')
    """
    percent = 100 * count / total if total else 0.0
    return f"{percent:.0f}%" if percent >= 10 or percent == 0 else f"{percent:.2g}%"


def largest(counts: Mapping[str, int]) -> str:
    """The largest counts with their names.

    >>> largest({"bart": 1, "human": 100})
    'human 100, bart 1'
    """
    ordered = by_size(counts)
    text = ", ".join(f"{name} {count:,}" for name, count in list(ordered.items())[:SHOWN])
    return text if len(ordered) <= SHOWN else f"{text}, …"


def by_size(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts that are not 0, largest first, equal ones in their order."""
    return dict(sorted(((name, n) for name, n in counts.items() if n), key=lambda entry: -entry[1]))


def present(facts: Iterable[Fact]) -> list[Fact]:
    """Those that are about something."""
    return [fact for fact in facts if fact.count]


def are(count: int, noun: str, plural_noun: str | None = None) -> str:
    """``1 output is``, ``2 outputs are``."""
    return f"{plural(count, noun, plural_noun)} {'is' if count == 1 else 'are'}"
