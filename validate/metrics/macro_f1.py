"""F1 of labels, averaged over the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from validate.errors import AccordError, listed
from validate.metrics import _labels, _options
from validate.metrics._collection import CollectionMetric
from validate.metrics._metric import Level, Metric
from validate.metrics._registry import Reference, register
from validate.metrics.accuracy import single_labels
from validate.schema import Fact, FloatArray
from validate.text.corpus import Batch

if TYPE_CHECKING:
    import pandas as pd


class MacroF1(CollectionMetric):
    """F1 of every label, averaged over the labels that the references name.

    The corpus value is a property of the whole: an item by itself scores 1 where its label is right, else 0. An output that is none of
    the labels lowers the recall of the true one and is no class of its own.

    Parameters
    ----------
    average : {"macro", "micro", "weighted"}
        "macro": each label counts the same; "weighted": each as often as it is true; "micro": F1 of the pooled counts, which is
        the accuracy as long as every output is one of the labels. A label that is neither given nor true counts as 0.
    normalization : {"none", "strip", "lower"}
        "strip" passes over blanks around a label, "lower" over its case as well.

    Notes
    -----
    Equal to scikit-learn's ``f1_score(true, given, labels=L, average=average, zero_division=0)`` with L the labels of the
    references that `fit` was given. Without ``labels``, scikit-learn counts every output outside L as one more class whose
    F1 is 0. Statistics are, for each label, how often it was given rightly, given, and true: all sums.

    References
    ----------
    Sokolova and Lapalme (2009), doi:10.1016/j.ipm.2009.03.002, table 3; Opitz and Burst (2019), arXiv:1911.03347, where the
    mean of F1 scores taken here is equation 3.

    Examples
    --------
    ``cat``: P = 1/2, R = 1/2, F1 = 1/2. ``dog``: F1 = 0. Mean 1/4.

    >>> MacroF1().score(["cat", "dog", "cat"], [["cat"], ["cat"], ["dog"]]).system
    0.25
    """

    source = "Sokolova and Lapalme 2009, doi:10.1016/j.ipm.2009.03.002, table 3"
    checked_against = "scikit-learn"
    summary = "F1 of labels, averaged over the classes"

    def __init__(self, *, name: str = "macro_f1", average: str = "macro", normalization: str = "none") -> None:
        self.name = name
        self.average = _options.one_of(name, "average", average, _labels.AVERAGES)
        self.normalization = _options.one_of(name, "normalization", normalization, _labels.NORMALIZATION)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"average": self.average, "normalization": self.normalization}

    def count(self, batch: Batch) -> FloatArray:
        """(n, 3 · n_labels): for each label whether it was given rightly, given, true."""
        labels = self._labels_of(batch)
        true, given = _labels.true_and_given(batch, labels, self.normalization)
        self._refuse_unknown(batch, true)
        return _labels.class_counts(true, given, len(labels))

    def divide(self, statistics: FloatArray, *, level: Level = "item") -> FloatArray:
        return _labels.averaged(statistics, "micro" if level == "item" else self.average)

    def confusion(self, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> pd.DataFrame:
        """How often each label was given for each: rows true, columns given; see `validate.metrics._labels.confusion`."""
        labels = self._labels_of(self._batch(outputs, references, None))
        return _labels.confusion(outputs, references, labels=labels, normalization=self.normalization, who=self.name)

    def per_class(self, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> pd.DataFrame:
        """Precision, recall, F1, how often given and how often true, one row a label.

        >>> frame = MacroF1().per_class(["cat", "dog", "cat"], [["cat"], ["cat"], ["dog"]])
        >>> frame.loc["cat"].tolist()
        [0.5, 0.5, 0.5, 2.0, 2.0]
        """
        batch = self._batch(outputs, references, None)
        return _labels.per_class(self.count(batch), self._labels_of(batch))

    def notes(self, batch: Batch) -> list[Fact]:
        """Warns of outputs that are none of the labels."""
        return _labels.outside(batch, self.name, self._labels_of(batch), self.normalization)

    def _labels_of(self, batch: Batch) -> tuple[str, ...]:
        if self._collection is not None:
            return _labels.label_set(self.name, self._collection, self.normalization)
        texts = [batch.corpus.texts[text] for text in np.unique(batch.references).tolist()]
        return _labels.label_set(self.name, [texts], self.normalization)

    def _refuse_unknown(self, batch: Batch, true: Any) -> None:
        rows = np.flatnonzero((true < 0) & (batch.n_references > 0))
        if len(rows):
            strange = {batch.corpus.texts[batch.references[batch.reference_offsets[row]]] for row in rows.tolist()}
            raise AccordError(
                f"{self.name}: the references name labels that are not in the fitted collection ({listed(sorted(strange))}); its labels are "
                "allowed; fit on all references"
            )


def _sklearn(metric: Metric, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[FloatArray, float]:
    assert isinstance(metric, MacroF1)
    from sklearn.metrics import accuracy_score, f1_score

    given, true = single_labels(outputs, references, metric.normalization)
    labels = _labels.label_set(metric.name, metric._collection or references, metric.normalization)
    items = np.array([accuracy_score([one], [other]) for one, other in zip(true, given, strict=True)])
    score = f1_score(true, given, labels=list(labels), average=metric.average, zero_division=0)
    return items, float(score)


register(
    "macro_f1",
    MacroF1,
    reference=Reference(
        "scikit-learn",
        _sklearn,
        differs="an output that is none of the labels is no class; scikit-learn is given the labels of the references",
    ),
    default=False,
)
