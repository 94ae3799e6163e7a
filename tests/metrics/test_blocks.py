"""Many outputs are counted in blocks: no number hangs on where a block ends, and no more is remembered than one needs."""

from __future__ import annotations

import numpy as np
import pytest

from validate import metrics
from validate.errors import AccordWarning
from validate.metrics import _metric

OUTPUTS = ["the cat sat", "a dog", "", "the mat", "on the mat the cat", "dog", "мост"]
REFERENCES = [["the cat sat down"], ["the dog", "a dog"], ["x"], [], ["the cat on the mat"], ["dogs"], ["мост"]]


@pytest.mark.filterwarnings("ignore::validate.errors.AccordWarning")
@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("name", ["bleu", "chrf++", "ter", "rouge2", "rougeLsum", "wer", "cider"])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    metric = metrics.get(name)
    whole = metric.score(OUTPUTS, REFERENCES)
    monkeypatch.setattr(_metric, "BLOCK", size)
    apart = metric.score(OUTPUTS, REFERENCES)
    np.testing.assert_array_equal(apart.statistics, whole.statistics)
    np.testing.assert_array_equal(apart.items, whole.items)
    assert apart.system == whole.system
    np.testing.assert_array_equal(metric.statistics(OUTPUTS, REFERENCES), whole.statistics)


def test_no_outputs_are_one_empty_block() -> None:
    assert metrics.get("bleu").score([], []).statistics.shape == (0, 10)


def test_a_warning_is_given_once_with_its_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_metric, "BLOCK", 1)
    with pytest.warns(AccordWarning) as caught:
        metrics.get("rouge1").score(["мост", "a", "大桥"], [["мост"], ["a"], ["b"]])
    (warning,) = caught
    assert str(warning.message).startswith("rouge1: 1 of 1 texts hold letters or digits but have no tokens")
    assert str(warning.message).endswith("(in the first block of outputs with such texts; 2 in all)")


def test_a_collection_that_was_not_fitted_is_seen_whole() -> None:
    assert not metrics.get("cider").by_blocks
    assert metrics.get("cider").fit([["a b"], ["c d"]]).by_blocks
    assert metrics.get("bleu").by_blocks
