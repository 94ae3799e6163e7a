"""Word information preserved."""

from __future__ import annotations

from typing import ClassVar

from validate.metrics._registry import register
from validate.metrics._word_match import REFERENCE, WordMatch, preserved
from validate.schema import FloatArray


class Wip(WordMatch):
    """Share of the reference's words that are hits, times share of the output's; options as in `WordMatch`.

    References
    ----------
    Morris, Maier and Green (2004), doi:10.21437/Interspeech.2004-668, section 3: H/(H + S + D) · H/(H + S + I).

    Examples
    --------
    Two of three words of the reference are hits, and two of four of the output.

    >>> round(Wip(name="wip").score(["b c d e"], [["a b c"]]).system, 4)
    0.3333
    """

    higher_is_better: ClassVar[bool] = True
    summary = "share of the reference's words kept, times share of the output's"

    def rate(self, counts: FloatArray) -> FloatArray:
        return preserved(counts)


register("wip", Wip, reference=REFERENCE, default=False)
