"""Word information lost."""

from __future__ import annotations

from validate.metrics._registry import register
from validate.metrics._word_match import REFERENCE, WordMatch, preserved
from validate.schema import FloatArray


class Wil(WordMatch):
    """1 minus word information preserved (see `wip`); options as in `WordMatch`.

    Notes
    -----
    torchmetrics takes the words of the longer text less the edits for hits: 11/12 for the example below.

    References
    ----------
    Morris, Maier and Green (2004), doi:10.21437/Interspeech.2004-668, section 3.

    Examples
    --------
    Two of three words of the reference are hits, and two of four of the output: 1 - 1/3.

    >>> round(Wil(name="wil").score(["b c d e"], [["a b c"]]).system, 4)
    0.6667
    """

    summary = "1 minus word information preserved"

    def rate(self, counts: FloatArray) -> FloatArray:
        return 1 - preserved(counts)


register("wil", Wil, reference=REFERENCE, default=False)
