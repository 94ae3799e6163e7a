"""How often intervals of 95 % cover, found by simulation, to be printed beside them.

Measured by ``tests/bench/interval_coverage.py``, which says what the simulated studies are like: 15 systems x 100 items and 6 x 300, 12 designs each of
200 and 80 studies (200 at system level), 320 replicates. The truth is the correlation of other systems and items, many of them.
"""

from __future__ import annotations

from typing import NamedTuple

from validate.schema import COEFFICIENTS
from validate.stats.coefficients import check_coefficient
from validate.stats.grouping import settle
from validate.stats.support import settle_interval

BAND = (93.0, 97.0)
SIZES = {15: 100, 6: 300}  # items by systems


class Coverage(NamedTuple):
    """Per cent, over designs."""

    lowest: float
    mean: float
    highest: float


def coverage_note(
    level: str,
    grouping: str | None,
    unit: str,
    interval: str,
    n_systems: int,
    n_items: int,
    *,
    coefficient: str | None = None,
) -> str:
    """One sentence on how often such an interval covers; empty where it was not simulated.

    Parameters
    ----------
    level, grouping, unit, interval : str
        As in `bootstrap`.
    n_systems, n_items : int
        Of the study; the closer of the two simulated sizes is taken.
    coefficient : {"pearson", "spearman", "kendall"}, optional
        All three together when nothing is said.

    Raises
    ------
    OptionError
        For unknown names.

    Examples
    --------
    >>> coverage_note("system", "none", "systems", "analytic", 15, 100, coefficient="spearman")
    'In simulated studies of 15 systems and 100 items ... % of such 95 % intervals covered the truth (between ... and ... % depending on the design).'
    """
    who = "coverage_note"
    level, grouping = settle(who, level, grouping)
    name = settle_interval(who, interval, level, unit)
    if unit == "annotators":
        return _ANNOTATORS.get(name, "")
    size = min(SIZES, key=lambda n: abs(n - n_systems))
    names = COEFFICIENTS if coefficient is None else (check_coefficient(who, coefficient),)
    cells = [COVERAGE[place] for one in names if (place := (level, grouping, unit, name, size, one)) in COVERAGE]
    if not cells:
        return ""
    lowest, means, highest = zip(*cells, strict=True)
    found = Coverage(min(lowest), sum(means) / len(means), max(highest))
    outside = "too narrow" if found.mean < BAND[0] else "too wide" if found.mean > BAND[1] else ""
    note = (
        f"In simulated studies of {size} systems and {SIZES[size]} items {found.mean:.0f} % of such 95 % intervals covered the truth "
        f"(between {found.lowest:.0f} and {found.highest:.0f} % depending on the design{' and coefficient' if len(cells) > 1 else ''})"
    )
    smaller = n_systems < min(SIZES) or n_items < min(SIZES.values())
    return f"{note}{': they are ' + outside if outside else ''}.{' Smaller studies were not simulated.' if smaller else ''}"


def verdict(note: str) -> str:
    """What a `coverage_note` objects to: "too narrow", "too wide", "too low", or "not simulated" for a study smaller than any simulated one.

    >>> verdict(coverage_note("item", "item", "both", "bca", 6, 300)), verdict(coverage_note("item", "item", "both", "corrected", 15, 100))
    ('too narrow', '')
    """
    return next((one for one in VERDICTS if one in note), "")


VERDICTS = ("too narrow", "too wide", "too low", "not simulated")


# lowest/mean/highest per cent over 12 designs
_TABLE = """
level  grouping unit     systems coefficient     percentile         basic           bca     corrected      analytic
system none     both          15 pearson         90/93.6/96    76/81.7/86    88/92.4/95    91/94.9/98    92/95.0/97
system none     both          15 spearman       98/98.8/100    84/86.8/92    91/94.8/96    96/97.3/98    93/96.0/98
system none     both          15 kendall        98/98.8/100    88/91.7/95    93/96.3/98   97/98.5/100    88/94.0/96
item   none     both          15 pearson        92/95.9/100    88/93.6/98    88/94.2/98    90/94.0/99             -
item   none     both          15 spearman       93/96.5/100    90/94.2/99    94/95.3/98    91/94.9/98             -
item   none     both          15 kendall        94/96.4/100    92/94.7/99    92/95.3/98    92/94.6/98             -
item   item     both          15 pearson         86/93.2/98    87/95.3/98    92/95.4/98    91/96.1/99             -
item   item     both          15 spearman         8/72.9/98   93/97.2/100    31/83.1/99    92/95.6/99             -
item   item     both          15 kendall        89/97.6/100   94/97.5/100   97/97.8/100    93/96.0/99             -
item   system   both          15 pearson        92/97.2/100   87/96.4/100   91/97.0/100    92/95.5/99             -
item   system   both          15 spearman       93/97.3/100   90/96.9/100   92/97.2/100    92/95.8/99             -
item   system   both          15 kendall        92/97.5/100   92/97.5/100   92/97.2/100    92/95.8/99             -
system none     systems       15 pearson         87/90.2/92    74/80.2/82    88/91.6/93    90/94.5/98    92/94.8/97
system none     systems       15 spearman        94/96.3/99    83/86.2/92    94/95.7/98    95/96.6/98    92/95.8/98
system none     systems       15 kendall         94/95.7/98    90/93.0/96    96/97.3/98   98/98.3/100    88/94.0/96
item   none     systems       15 pearson         86/90.5/94    84/88.1/92    82/86.9/92    92/94.3/98             -
item   none     systems       15 spearman        86/91.0/96    86/88.7/92    84/87.9/92    89/94.2/99             -
item   none     systems       15 kendall         87/90.9/96    86/88.5/92    84/87.3/92    89/94.3/99             -
item   item     systems       15 pearson         69/82.6/92    70/88.6/95    72/84.9/92    88/95.1/98             -
item   item     systems       15 spearman         4/62.2/94    81/92.4/99    12/67.9/94   92/95.4/100             -
item   item     systems       15 kendall         66/90.4/96    84/92.6/97    78/90.6/94    90/95.6/99             -
item   system   systems       15 pearson         88/91.7/95    86/91.0/95    87/91.2/95    92/95.0/98             -
item   system   systems       15 spearman        88/91.4/96    88/91.9/94    88/91.1/94    92/95.2/97             -
item   system   systems       15 kendall         88/91.3/96    88/91.5/94    88/90.8/94    92/95.0/98             -
system none     items         15 pearson         90/93.1/96    90/91.1/92    90/91.4/94    91/93.9/97             -
system none     items         15 spearman        90/93.7/96    72/78.5/82    72/79.2/86    85/89.9/94             -
system none     items         15 kendall         92/94.9/98    70/80.3/84    70/80.6/85    84/90.3/93             -
item   none     items         15 pearson         90/92.8/96    88/92.6/98    90/92.6/96    92/93.8/97             -
item   none     items         15 spearman        90/93.2/98    90/92.4/96    90/92.8/98    91/93.5/98             -
item   none     items         15 kendall         90/92.8/97    91/92.6/96    90/92.8/98    91/93.5/98             -
item   item     items         15 pearson         89/92.7/94    89/92.8/95    89/92.6/95    91/94.0/96             -
item   item     items         15 spearman        89/92.0/95    89/92.4/95    87/91.8/95    90/93.2/96             -
item   item     items         15 kendall         89/92.2/94    88/92.1/94    87/91.8/94    91/93.2/95             -
item   system   items         15 pearson         90/93.1/96    90/92.9/98    90/93.4/97    92/94.0/97             -
item   system   items         15 spearman        72/90.2/96    90/93.0/98    89/92.6/96    90/93.5/96             -
item   system   items         15 kendall         92/93.9/98    91/93.5/98    92/94.0/97    92/94.6/98             -
system none     both           6 pearson         88/90.7/94    62/68.0/72    92/95.2/97    94/96.5/98    93/95.2/98
system none     both           6 spearman       96/98.5/100    64/76.6/90    94/96.8/98   92/97.2/100    94/96.3/98
system none     both           6 kendall        96/98.6/100    61/72.2/90    95/96.9/98   96/98.6/100   95/97.4/100
item   none     both           6 pearson        91/96.5/100    74/88.6/98    81/91.2/98    91/95.2/99             -
item   none     both           6 spearman       94/97.0/100    81/89.2/98    81/91.7/99    92/95.5/99             -
item   none     both           6 kendall        94/96.9/100    79/89.4/98    84/91.5/99    92/95.2/98             -
item   item     both           6 pearson         30/72.9/99    88/94.4/99    55/83.7/98   95/98.6/100             -
item   item     both           6 spearman         1/59.3/98   88/94.5/100    8/72.2/100   88/94.6/100             -
item   item     both           6 kendall        52/93.8/100   95/97.9/100    85/95.5/99   97/98.9/100             -
item   system   both           6 pearson        91/97.7/100   86/96.7/100   92/97.9/100   88/95.7/100             -
item   system   both           6 spearman       95/98.9/100   88/96.7/100   95/98.2/100   95/96.8/100             -
item   system   both           6 kendall        95/98.4/100   90/97.5/100   94/98.5/100   92/96.6/100             -
system none     systems        6 pearson         86/88.0/92    62/67.6/72    90/93.5/97    94/96.3/98    92/95.0/98
system none     systems        6 spearman        87/93.2/97    68/73.2/82    86/93.5/98   92/96.9/100    94/96.8/99
system none     systems        6 kendall         87/93.1/98    66/74.7/86    87/93.8/98   97/98.8/100   94/96.8/100
item   none     systems        6 pearson         81/86.1/93    65/74.0/85    69/77.4/85    92/94.7/98             -
item   none     systems        6 spearman        81/86.5/94    65/74.4/84    69/77.5/89    93/95.5/99             -
item   none     systems        6 kendall         83/87.0/94    68/74.2/82    70/77.8/86    91/95.4/99             -
item   item     systems        6 pearson         26/61.5/90    80/86.1/92    20/66.4/92   95/98.2/100             -
item   item     systems        6 spearman         1/49.3/95    69/87.4/98     4/62.0/98   86/95.0/100             -
item   item     systems        6 kendall         38/84.2/93    85/92.4/99    46/83.9/93   96/98.5/100             -
item   system   systems        6 pearson         79/85.0/90    78/85.2/91    79/84.8/92    89/94.4/99             -
item   system   systems        6 spearman        75/84.6/89    75/85.1/91    75/84.6/89    85/94.2/98             -
item   system   systems        6 kendall         75/84.3/89    80/85.6/91    76/84.7/90    86/94.4/98             -
system none     items          6 pearson         92/93.8/96    87/92.0/94    92/93.2/96    93/94.1/96             -
system none     items          6 spearman        95/97.4/98    70/74.3/80    89/91.6/94    84/88.7/92             -
system none     items          6 kendall        96/98.3/100    78/82.3/88    91/93.5/97    85/89.2/95             -
item   none     items          6 pearson         90/94.3/98    88/92.5/97    91/93.5/98    89/94.5/98             -
item   none     items          6 spearman        90/94.1/97    89/92.7/95    91/93.6/96    91/94.4/99             -
item   none     items          6 kendall         90/94.1/97    89/93.0/96    91/94.0/97    90/94.2/98             -
item   item     items          6 pearson         89/94.0/99    89/94.4/98   89/93.8/100   91/95.1/100             -
item   item     items          6 spearman        90/94.4/98    91/94.6/99    91/94.5/98    92/95.4/98             -
item   item     items          6 kendall         91/94.7/98    91/95.4/98    92/95.2/98    90/95.8/98             -
item   system   items          6 pearson         88/93.3/98    88/93.0/98    89/93.3/98    90/93.9/98             -
item   system   items          6 spearman        89/92.9/96    91/93.3/96    91/93.8/96    89/93.9/96             -
item   system   items          6 kendall         90/93.5/98    90/93.4/96    91/93.6/98    91/94.2/96             -
"""

_ANNOTATORS = {
    "corrected": (
        "It stands for as many other annotators: in simulated studies of 3 and 8 annotators 92 to 100 % of such 95 % intervals covered what "
        "other panels show on average. The mean of more annotators would be less noisy and correlate higher."
    ),
    "percentile": (
        "Resampled panels of annotators are noisier than the one there is, so that percentiles lie too low: in simulated studies of 3 and 8 "
        "annotators 20 to 90 % of such 95 % intervals covered what other panels show on average."
    ),
}


def _read(text: str) -> dict[tuple[str, str, str, str, int, str], Coverage]:
    """Level, grouping, unit, interval, number of systems and coefficient, and what was found."""
    head, *rows = (line.split() for line in text.strip().splitlines())
    return {
        (level, grouping, unit, name, int(size), coefficient): Coverage(*map(float, cell.split("/")))
        for level, grouping, unit, size, coefficient, *cells in rows
        for name, cell in zip(head[5:], cells, strict=True)
        if cell != "-"
    }


COVERAGE = _read(_TABLE)
