"""Swapped signs: whether two cells agree with people is bilinear in their two masks (see `validate.stats._swaps`).

Kendall's tau-b in small groups, a polynomial of the masks that holds for all lanes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validate._compile import kernel
from validate.schema import FloatArray
from validate.stats._swaps import TIED, VANISHING, Bytes, Layout, Ordered, minus


@kernel
def _sign(difference: int) -> float:
    return 1.0 if difference > 0 else -1.0 if difference < 0 else 0.0


@kernel
def _form(
    stay: NDArray[np.int32],
    come: NDArray[np.int32],
    weight: FloatArray,
    constant: FloatArray,
    linear: FloatArray,
    quadratic: FloatArray,
) -> None:
    """A sum over pairs of cells as a polynomial of their masks: ``weight`` (n, n) times the sign of the difference of scores, or 1 where they differ.

    stay, come (n,): the codes without and with a swap, -1 for none. constant (2,), linear (2, n), quadratic (2, n, n): first signs, then
    1 for each pair not tied.
    """
    n = len(stay)
    constant[:], linear[:], quadratic[:] = 0.0, 0.0, 0.0
    for c in range(n):
        if stay[c] < 0:
            continue
        for d in range(c):
            if stay[d] < 0:
                continue
            for kind in range(2):
                s00 = _sign(stay[c] - stay[d])
                s10 = _sign(come[c] - stay[d]) if come[c] >= 0 else s00
                s01 = _sign(stay[c] - come[d]) if come[d] >= 0 else s00
                s11 = _sign(come[c] - come[d]) if come[c] >= 0 and come[d] >= 0 else s10 if come[c] >= 0 else s01
                scale = weight[c, d]
                if kind == 1:
                    s00, s10, s01, s11, scale = abs(s00), abs(s10), abs(s01), abs(s11), 1.0
                constant[kind] += scale * s00
                linear[kind, c] += scale * (s10 - s00)
                linear[kind, d] += scale * (s01 - s00)
                quadratic[kind, c, d] = scale * (s11 - s10 - s01 + s00)


@kernel
def _value(
    constant: float, linear: FloatArray, quadratic: FloatArray, masks: FloatArray, inner: FloatArray, out: FloatArray
) -> None:
    """out (n_lanes,): the polynomial at the masks (n, n_lanes); each pair of cells once."""
    out[:] = constant
    for c in range(len(linear)):
        mask = masks[c]
        inner[:] = linear[c]
        for d in range(c):
            factor = quadratic[c, d]
            if factor != 0.0:
                other = masks[d]
                for lane in range(len(out)):
                    inner[lane] += factor * other[lane]
        for lane in range(len(out)):
            out[lane] += mask[lane] * inner[lane]


@kernel
def _even(layout: Layout, codes: tuple[NDArray[np.int32], NDArray[np.int32]], flags: Bytes) -> bool:
    """Whether both metrics have the same cells and no group can become undefined."""
    even = True
    for group in range(len(flags)):
        even = even and not flags[group] & VANISHING
    for c in layout.cell:
        even = even and (codes[0][c] >= 0) == (codes[1][c] >= 0)
    return even


@kernel
def _gather(
    layout: Layout,
    group: int,
    codes: tuple[NDArray[np.int32], NDArray[np.int32]],
    row_of: NDArray[np.int32],
    masks: Bytes,
    stay: NDArray[np.int32],
    come: NDArray[np.int32],
    weight: FloatArray,
    swapped: FloatArray,
) -> int:
    """How many cells of the group have a score, their codes in a and in b, the human sign of each two of them, and their masks."""
    n, start = 0, layout.starts[group]
    for p in range(start, layout.starts[group + 1]):
        c = layout.cell[p]
        if codes[0][c] < 0 and codes[1][c] < 0:
            continue
        stay[n], come[n] = codes[0][c], codes[1][c]
        swapped[n] = masks[row_of[c]]
        m = 0
        for q in range(start, p):
            d = layout.cell[q]
            if codes[0][d] >= 0 or codes[1][d] >= 0:
                weight[n, m] = _sign(layout.human[c] - layout.human[d])
                m += 1
        n += 1
    return n


@kernel
def _linear(constant: float, steps: FloatArray, masks: FloatArray, out: FloatArray) -> None:
    """out (n_lanes,) = constant + steps (n,) @ masks (n, n_lanes)."""
    out[:] = constant
    for c in range(len(steps)):
        step, mask = steps[c], masks[c]
        for lane in range(len(out)):
            out[lane] += step * mask[lane]


@kernel
def _scale(size: float, untied: float) -> float:
    """What tau-b divides by when nothing is tied in the metric; ``untied`` counts in both orders."""
    return np.sqrt(size * (size - 1.0) * untied) / 2.0


@kernel
def kendall_difference(
    layout: Layout,
    codes: tuple[NDArray[np.int32], NDArray[np.int32]],
    sides: tuple[Ordered, Ordered],
    flags: Bytes,
    row_of: NDArray[np.int32],
    masks: Bytes,
    out: FloatArray,
) -> None:
    """out (n_lanes,): the mean tau-b of A over groups minus that of B, NaN where a mean is over nothing; ``codes`` (n_cells,) of a and b, -1 for none.

    Where nothing is tied and both metrics have the same cells, the quadratic parts of A and B are one and cancel: the difference is
    linear in the masks. That serves when every group stays defined in every lane.
    """
    n_lanes, most = masks.shape[1], 0
    for group in range(len(flags)):
        most = max(most, layout.starts[group + 1] - layout.starts[group])
    stay, come, weight = np.empty(most, np.int32), np.empty(most, np.int32), np.empty((most, most))
    constant, linear, quadratic = np.empty((2, 2)), np.empty((2, 2, most)), np.empty((2, 2, most, most))
    swapped, inner, cross, own = np.empty((most, n_lanes)), np.empty(n_lanes), np.empty(n_lanes), np.empty(n_lanes)
    total, count = np.zeros((2, n_lanes)), np.zeros((2, n_lanes))
    even = _even(layout, codes, flags)
    for group in range(len(flags)):
        n = _gather(layout, group, codes, row_of, masks, stay, come, weight, swapped)
        _form(stay[:n], come[:n], weight, constant[0], linear[0], quadratic[0])
        _form(come[:n], stay[:n], weight, constant[1], linear[1], quadratic[1])
        tied = flags[group] & TIED
        if even and not tied:
            if sides[0].sizes[group] >= 2.0 and sides[0].untied[group] > 0.0:
                steps = linear[0, 0, :n] - linear[1, 0, :n]
                _linear(constant[0, 0] - constant[1, 0], steps, swapped, inner)
                total[0] += inner / _scale(sides[0].sizes[group], sides[0].untied[group])
                count += 1.0
            continue
        for side in range(2):
            size, untied = sides[side].sizes[group], sides[side].untied[group]
            if size < 2.0 or untied == 0.0:
                continue
            _value(constant[side, 0], linear[side, 0, :n], quadratic[side, 0], swapped, inner, cross)
            own[:] = size * (size - 1.0) / 2.0
            if tied:
                _value(constant[side, 1], linear[side, 1, :n], quadratic[side, 1], swapped, inner, own)
            for lane in range(n_lanes):
                if own[lane] > 0.0:
                    total[side, lane] += cross[lane] / np.sqrt(own[lane] * untied / 2.0)
                    count[side, lane] += 1.0
    minus(total[0], count[0], total[1], count[1], out)
