"""Share of labels that are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from validate.metrics import _labels, _options
from validate.metrics._mean import MeanMetric
from validate.metrics._metric import Metric
from validate.metrics._registry import NoCounterpart, Reference, register
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

if TYPE_CHECKING:
    import pandas as pd


class Accuracy(MeanMetric):
    """1 where the output is the label of a reference, else 0; the corpus value is the share of right labels.

    Parameters
    ----------
    normalization : {"none", "strip", "lower"}
        "strip" passes over blanks around a label, "lower" over its case as well. Outputs that are none of the labels are wrong, and a
        warning counts them.

    References
    ----------
    Any text on classification; see Sokolova and Lapalme (2009), doi:10.1016/j.ipm.2009.03.002, table 3.

    Examples
    --------
    >>> metric = Accuracy()
    >>> metric.score(["cat", "dog", "cat"], [["cat"], ["cat"], ["dog"]]).items.tolist()
    [1.0, 0.0, 0.0]
    >>> metric.confusion(["cat", "dog", "cat"], [["cat"], ["cat"], ["dog"]]).loc["cat", "dog"].item()
    1
    """

    source = "Sokolova and Lapalme 2009, doi:10.1016/j.ipm.2009.03.002, table 3"
    checked_against = "scikit-learn"
    summary = "label is right"

    def __init__(self, *, name: str = "accuracy", normalization: str = "none") -> None:
        self.name = name
        self.normalization = _options.one_of(name, "normalization", normalization, _labels.NORMALIZATION)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"normalization": self.normalization}

    def item_scores(self, batch: Batch) -> FloatArray:
        true, given = _labels.true_and_given(batch, self._labels_of(batch), self.normalization)
        return np.where(true < 0, np.nan, true == given)

    def confusion(self, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> pd.DataFrame:
        """How often each label was given for each: rows true, columns given; see `validate.metrics._labels.confusion`."""
        return _labels.confusion(outputs, references, normalization=self.normalization, who=self.name)

    def notes(self, batch: Batch) -> list[Fact]:
        """Warns of outputs that are none of the labels."""
        return _labels.outside(batch, self.name, self._labels_of(batch), self.normalization)

    def _labels_of(self, batch: Batch) -> tuple[str, ...]:
        labels: tuple[str, ...] = batch.once(("labels", self.normalization), lambda: self._named(batch))
        return labels

    def _named(self, batch: Batch) -> tuple[str, ...]:
        texts = [batch.corpus.texts[text] for text in np.unique(batch.references).tolist()]
        return _labels.label_set(self.name, [texts], self.normalization)


def _sklearn(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    assert isinstance(metric, Accuracy)
    from sklearn.metrics import accuracy_score

    given, true = single_labels(outputs, references, metric.normalization)
    items = np.array([accuracy_score([one], [other]) for one, other in zip(true, given, strict=True)])
    return items, float(accuracy_score(true, given))


def single_labels(
    outputs: Sequence[str], references: Sequence[Sequence[str]], normalization: str
) -> tuple[list[str], list[str]]:
    """Given and true labels as scikit-learn takes them, which knows one true label an item."""
    if any(len(row) != 1 for row in references):
        raise NoCounterpart("scikit-learn knows exactly one true label an item")
    given = [_labels.spelled_label(text, normalization) for text in outputs]
    return given, [_labels.spelled_label(row[0], normalization) for row in references]


register("accuracy", Accuracy, reference=Reference("scikit-learn", _sklearn), default=False)
