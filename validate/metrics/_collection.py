"""Metrics that look at a whole collection of references before they score: document frequencies, language models, label sets."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from typing import Self

from validate.errors import ShapeError, plural
from validate.metrics._metric import Metric, check_references
from validate.text.corpus import Batch


class CollectionMetric(Metric):
    """A metric whose item scores depend on a collection of references.

    `fit` names the collection. Without it, the references of whatever is scored are the collection, so that a score depends on its
    neighbours; the signature says which of the two it was. A study is always scored after `fit` on its items, each of which counts
    once however many systems it has.
    """

    _collection: tuple[tuple[str, ...], ...] | None = None

    def fit(self, references: Sequence[Sequence[str]]) -> Self:
        """The same metric, bound to a collection.

        Parameters
        ----------
        references : list of list of str
            One list of references per item; items without any are left out.

        Raises
        ------
        ShapeError
            When that is not one list per item, or no item has a reference.
        """
        check_references(f"{self.name}.fit", references, references)
        rows = tuple(tuple(row) for row in references if row)
        if not rows:
            raise ShapeError(
                f"{self.name}.fit: {plural(len(references), 'item')} without any reference were given; at least one reference is "
                "needed; pass references=[[...], ...]"
            )
        fitted = copy.copy(self)
        fitted._collection = rows
        return fitted

    @property
    def fitted_on(self) -> str:
        """The collection as the signature states it: how many items, and the start of the sha256 of their texts."""
        if self._collection is None:
            return "what is scored"
        digest = hashlib.sha256(repr(self._collection).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{plural(len(self._collection), 'item')} {digest[:8]}"

    @property
    def signature(self) -> str:
        *parts, version = super().signature.split("|")
        return "|".join([*parts, f"fit:{self.fitted_on}", version])

    @property
    def by_blocks(self) -> bool:
        """Only when fitted: without, what is scored is the collection, and must be seen whole."""
        return self._collection is not None

    def collection(self, batch: Batch) -> Batch:
        """The items of the collection as a batch over the same corpus, its outputs empty; the rows of ``batch`` when nothing was fitted.

        Made once for each batch. Ask for it before the corpus is encoded: it may add texts.
        """
        rows = self._collection
        if rows is None:
            return batch
        return batch.once(("collection", rows), lambda: Batch.of([""] * len(rows), rows, corpus=batch.corpus))
