"""Leakage over all rows: texts that name the class of their row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.missing import is_missing
from lookalike.studies.analyze.leak_columns import ClassNames
from lookalike.studies.analyze.leakage import COLUMN_LOSS_SHARE
from lookalike.typing import AnyArray, Array

# Of the rows of the sample, that may not name their class, to be looked at.
MAX_SHARE_WITHOUT_CLASS_NAME = 0.2


class TextCopies:
    """A reduction: rows, and of each suspected column those that do not name their class.

    Parameters
    ----------
    columns : mapping
        The texts of the columns in the sample, by name, in the order of the chunks.
    classes : sequence
        The classes, in the order of their numbers in the chunks.
    y : array
        The classes of the sample, as numbers.
    documents : str, optional
        A column that is not a suspect: the documents that are classified.
    """

    def __init__(
        self,
        columns: Mapping[str, AnyArray],
        classes: list[object],
        y: Array,
        documents: str | None = None,
    ) -> None:
        self.classes: list[object] = list(classes)
        self._names = ClassNames(self.classes)
        named = self._names.few and all(isinstance(label, str) for label in self.classes)
        n_unlike = self._n_unlike(list(columns.values()), y) if named else []
        self.suspects: dict[str, int] = {
            name: index
            for index, (name, count) in enumerate(zip(columns, n_unlike, strict=False))
            if count <= MAX_SHARE_WITHOUT_CLASS_NAME * len(y) and name != documents
        }

    def init(self, n_features: int) -> Array:  # noqa: ARG002 - columns are those suspected
        """Return no rows."""
        return np.zeros(1 + len(self.suspects))

    def update(self, state: Array, chunk: Chunk) -> Array:
        """Add the rows of `chunk`, whose y holds texts and, last, the numbers of the classes."""
        if not self.suspects or chunk.y is None or chunk.y.ndim == 1:
            return state
        columns = [chunk.y[:, column] for column in self.suspects.values()]
        unlike = self._n_unlike(columns, chunk.y[:, -1].astype(np.float64))
        return state + np.array([len(chunk.y), *unlike], np.float64)

    def merge(self, left: Array, right: Array) -> Array:
        """Add two groups of rows."""
        return left + right

    def finalize(self, state: Array) -> tuple[str, ...]:
        """Return the columns in which at most 2% of the rows do not name their class."""
        most = COLUMN_LOSS_SHARE * state[0]
        counted = zip(self.suspects, state[1:], strict=True)
        return tuple(name for name, count in counted if count <= most and state[0])

    def _n_unlike(self, columns: list[AnyArray], y: Array) -> list[int]:
        labels = [self.classes[int(j)] if j < len(self.classes) else "" for j in y.tolist()]
        texts = [
            ["" if is_missing(cell) else str(cell).strip() for cell in column.tolist()]
            for column in columns
        ]
        return [self._names.n_unlike(cells, labels) for cells in texts]
