"""Labels of a closed set: which there are, which was meant and which was given, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from validate.errors import AccordError, plural
from validate.metrics._mean import ratio
from validate.metrics._metric import check_references, check_texts
from validate.schema import Fact, FloatArray, IntArray
from validate.text.corpus import Batch

if TYPE_CHECKING:
    import pandas as pd

NORMALIZATION = ("none", "strip", "lower")
AVERAGES = ("macro", "micro", "weighted")
MAX_LABELS = 1000
OTHER = "(other)"
"""Column of a confusion matrix for outputs that are none of the labels."""


def spelled_label(text: str, normalization: str) -> str:
    """A label as it is compared: as it is, without blanks around it, or in lower case too.

    >>> spelled_label(" Yes\\n", "lower"), spelled_label(" Yes\\n", "none")
    ('yes', ' Yes\\n')
    """
    if normalization == "none":
        return text
    return text.strip().lower() if normalization == "lower" else text.strip()


def label_set(who: str, rows: Sequence[Sequence[str]], normalization: str) -> tuple[str, ...]:
    """The labels that the references name, in the order of their code points.

    Raises
    ------
    AccordError
        When there are more than MAX_LABELS: such texts are no labels.
    """
    labels = sorted({spelled_label(text, normalization) for row in rows for text in row})
    if len(labels) > MAX_LABELS:
        raise AccordError(
            f"{who}: the references name {len(labels):,} different labels; a closed set of at most {MAX_LABELS:,} is allowed; is this free "
            "text? then exact_match or token_f1 is meant"
        )
    return tuple(labels)


def true_and_given(
    batch: Batch, labels: Sequence[str], normalization: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n,) true label and (n,) given label as places in ``labels``; -1 where there is none: no reference, or none of the labels.

    Of several references the one that was given is the true label, else the first.
    """
    place = {label: number for number, label in enumerate(labels)}
    texts = batch.corpus.texts
    needed = np.unique(np.concatenate([batch.outputs, batch.references]))
    of_text = np.full(len(texts), -1, dtype=np.int64)
    of_text[needed] = [place.get(spelled_label(texts[text], normalization), -1) for text in needed.tolist()]
    given, named = of_text[batch.outputs], of_text[batch.references]
    true = np.full(len(batch), -1, dtype=np.int64)
    some = batch.n_references > 0
    true[some] = named[batch.reference_offsets[:-1][some]]
    rows = np.repeat(np.arange(len(batch)), batch.n_references)
    hits = (named == given[rows]) & (given[rows] >= 0)
    true[rows[hits]] = named[hits]
    return true, given


def class_counts(true: IntArray, given: IntArray, n_labels: int) -> FloatArray:
    """(n, 3 · n_labels): for each label whether it was given rightly, given, and true; a row of NaN where no label is true."""
    counts = np.zeros((len(true), 3, n_labels))
    rows = np.arange(len(true))
    counts[rows[given >= 0], 1, given[given >= 0]] = 1
    counts[rows[true >= 0], 2, true[true >= 0]] = 1
    counts[:, 0] = counts[:, 1] * counts[:, 2]
    counts[true < 0] = np.nan
    return counts.reshape(len(true), 3 * n_labels)


def precision_recall_f1(statistics: FloatArray) -> dict[str, FloatArray]:
    """``p``, ``r``, ``f`` (…, n_labels) out of sums (…, 3 · n_labels); 0 where a label was neither given nor true.

    That is scikit-learn's ``zero_division=0``.
    """
    right, given, true = np.moveaxis(statistics.reshape(*statistics.shape[:-1], 3, statistics.shape[-1] // 3), -2, 0)
    missing = np.isnan(right)

    def share(above: FloatArray, below: FloatArray) -> FloatArray:
        return np.where(missing, np.nan, np.nan_to_num(ratio(above, below)))

    return {"p": share(right, given), "r": share(right, true), "f": share(2 * right, given + true)}


def averaged(statistics: FloatArray, average: str) -> FloatArray:
    """F1 over all labels (…,) out of sums (…, 3 · n_labels): mean, mean weighted by how often a label is true, or of pooled counts."""
    right, given, true = np.moveaxis(statistics.reshape(*statistics.shape[:-1], 3, statistics.shape[-1] // 3), -2, 0)
    n_items = true.sum(axis=-1)
    if average == "micro":
        return np.where(n_items == 0, np.nan, ratio(2 * right.sum(axis=-1), given.sum(axis=-1) + n_items))
    f = precision_recall_f1(statistics)["f"]
    if average == "weighted":
        return ratio((f * true).sum(axis=-1), n_items)
    return np.where(n_items > 0, f.sum(axis=-1) / max(f.shape[-1], 1), np.nan)


def confusion(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    labels: Sequence[str] | None = None,
    normalization: str = "none",
    who: str = "confusion",
) -> pd.DataFrame:
    """How often each label was given for each: rows are true labels, columns given ones, the last "(other)" none of the labels.

    Parameters
    ----------
    outputs : list of str, length n
    references : list of list of str, length n
        Items without a reference are left out.
    labels : list of str, optional
        The closed set; by default what the references name.
    normalization : {"none", "strip", "lower"}

    Examples
    --------
    >>> frame = confusion(["cat", "dog", "Dog"], [["cat"], ["cat"], ["dog"]])
    >>> frame.loc["cat"].tolist(), frame.loc["dog"].tolist()
    ([1, 1, 0], [0, 0, 1])
    """
    import pandas as pd

    check_texts(who, "outputs", outputs)
    check_references(who, outputs, references)
    named = tuple(labels) if labels is not None else label_set(who, references, normalization)
    true, given = true_and_given(Batch.of(outputs, references), named, normalization)
    kept = true >= 0
    counts = np.zeros((len(named), len(named) + 1), dtype=np.int64)
    np.add.at(counts, (true[kept], given[kept]), 1)  # -1, none of the labels, is the last column
    return pd.DataFrame(counts, pd.Index(named, name="true"), pd.Index([*named, OTHER], name="given"))


def per_class(statistics: FloatArray, labels: Sequence[str]) -> pd.DataFrame:
    """Precision, recall, F1 and counts of every label out of (n, 3 · n_labels) statistics; undefined rows are left out."""
    import pandas as pd

    sums = statistics[~np.isnan(statistics).any(axis=-1)].sum(axis=0)
    parts = precision_recall_f1(sums)
    _, given, true = sums.reshape(3, -1).astype(np.int64)
    columns = {"precision": parts["p"], "recall": parts["r"], "f1": parts["f"], "n_given": given, "n_true": true}
    return pd.DataFrame(columns, index=pd.Index(labels, name="label"))


def outside(batch: Batch, who: str, labels: Sequence[str], normalization: str) -> list[Fact]:
    """A warning when outputs are none of the labels, with how many of them would be in lower case and without blanks."""
    true, given = true_and_given(batch, labels, normalization)
    strange = (given < 0) & (true >= 0)
    if not strange.any():
        return []
    n = int(strange.sum())
    lowered = {spelled_label(label, "lower") for label in labels}
    texts = [batch.corpus.texts[text] for text in batch.outputs[strange].tolist()]
    near = sum(spelled_label(text, "lower") in lowered for text in texts) if normalization != "lower" else 0
    hint = f"; {near:,} of them would be one under normalization='lower'" if near else ""
    text = f"{who}: {plural(n, 'output')} outside the {plural(len(labels), 'label')} of the references, scored as wrong{hint}"
    return [Fact("outputs-outside-labels", n, text, "warning")]
