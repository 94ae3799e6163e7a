"""Which points of a scatter plot get their name written beside them: those that fit without lying over each other."""

from __future__ import annotations

from collections.abc import Sequence

PLOT = (215.0, 180.0)  # pixels that the points of a panel span, on narrow screens too
LINE = 12.0  # height of a line of text
LETTER = 6.2  # mean width of a letter
WIDEST = 150.0  # longer names are cut
GAP = 6.0  # between a point and its label
SIDES = ("right", "left", "above", "below")
Box = tuple[float, float, float, float]


def placed(x: Sequence[float], y: Sequence[float], names: Sequence[str], first: Sequence[int]) -> list[str]:
    """The side on which each point is labelled, or ``""``.

    Parameters
    ----------
    x, y : sequences of float
        In any units; they are stretched over the panel.
    names : sequence of str
    first : sequence of int
        The points in the order in which they may claim room.

    Examples
    --------
    >>> placed([0, 0, 1], [0, 0.01, 1], ["one", "two", "three"], [0, 1, 2])
    ['right', '', 'left']
    """
    across, down = _stretched(x, PLOT[0]), _stretched(y, PLOT[1])
    taken: list[Box] = [(a - 4, d - 4, a + 4, d + 4) for a, d in zip(across, down, strict=True)]
    sides = [""] * len(names)
    for j in first:
        others = taken[:j] + taken[j + 1 :]
        for side in SIDES:
            box = _box(across[j], down[j], min(len(names[j]) * LETTER, WIDEST), side)
            if _inside(box) and not any(_overlap(box, other) for other in others):
                sides[j] = side
                taken.append(box)
                break
    return sides


def _stretched(values: Sequence[float], length: float) -> list[float]:
    low, high = min(values), max(values)
    return [length * (value - low) / (high - low) if high > low else length / 2 for value in values]


def _box(x: float, y: float, width: float, side: str) -> Box:
    """Left, bottom, right, top of a label beside a point."""
    if side == "right":
        return x + GAP, y - LINE / 2, x + GAP + width, y + LINE / 2
    if side == "left":
        return x - GAP - width, y - LINE / 2, x - GAP, y + LINE / 2
    bottom = y + GAP if side == "above" else y - GAP - LINE
    return x - width / 2, bottom, x + width / 2, bottom + LINE


def _inside(box: Box) -> bool:
    return box[0] >= -GAP and box[2] <= PLOT[0] + GAP and box[1] >= -LINE and box[3] <= PLOT[1] + LINE


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
