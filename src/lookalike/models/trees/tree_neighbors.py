"""Bases of the neighbors that trees find: rows as trees compare them, and classes of rows."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.decisions import Decisions
from lookalike.models.estimator import Model
from lookalike.models.inputs import as_floats, require_dense
from lookalike.models.labels import require_two_classes
from lookalike.models.scores import accuracy
from lookalike.models.sklearn_bases import ClassifierMixin
from lookalike.models.targets import given_labels
from lookalike.models.trees.float32_rows import as_float32, float32_map
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

TreeKernel = Callable[[Any, AnyArray, int], AnyArray]
DENSE_ROWS_REASON = "trees split on columns of dense rows"


class TreeNeighbors(Model):
    """Training rows that trees group: read into memory, as float32; NaN is a missing value."""

    _missing_values = True
    _shift: Array
    _scale: Array

    @abstractmethod
    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        """Return the targets given with `X`; None where `X` is a source that brings them."""

    @property
    @abstractmethod
    def _ensemble(self) -> object:
        """The trees that were grown."""

    def _training_rows(
        self, X: object, y: object, sample_weight: object, decisions: Decisions
    ) -> tuple[Chunk, AnyArray, tuple[Array, Array]]:
        """Return all rows with their targets, then as trees compare them, and by which map."""
        source = self._open(X, y, sample_weight)
        chunk = gather(source)
        require_finite(chunk.X, columns=source.columns, allow_nan=True)
        shift, scale = float32_map(as_floats(chunk.X), decisions)
        return chunk, as_float32(chunk.X, shift, scale), (shift, scale)

    def _map_trees(self, kernel: TreeKernel, X: object) -> AnyArray:
        """Return what `kernel`, a method of the trees, computes of the rows of `X`."""
        return self._map_chunks(functools.partial(self._of_chunk, kernel), X)

    def _of_chunk(self, kernel: TreeKernel, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_dense(chunk.X, DENSE_ROWS_REASON)
        require_finite(chunk.X, chunk.offset, columns, allow_nan=True)
        rows = self._compare(as_float32(chunk.X, self._shift, self._scale))
        return kernel(self._ensemble, rows, self._threads())

    def _compare(self, rows: AnyArray) -> AnyArray:
        """Return float32 rows as the trees compare them."""
        return rows

    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)


class TreeArrays(NamedTuple):
    """What a fitted model by trees predicts with."""

    trees: Any  # a Forest or BoostedTrees
    shift: Array  # subtracted from every column before it is float32
    scale: Array  # by which it is multiplied then
    statistics: Any  # what replaces columns of categories; None where nothing does
    one_output: bool  # whether a prediction is one number, not a row of them


def tree_arrays(model: TreeNeighbors) -> TreeArrays:
    """Return the trees of a fitted model, and what rows become before they are compared."""
    return TreeArrays(
        model._ensemble,
        model._shift,
        model._scale,
        getattr(model, "_statistics", None),
        getattr(model, "_flat", True),
    )


class TreeClassifierMixin(ClassifierMixin):
    """Gives classifiers by trees their labels, and the class of the largest probability."""

    classes_: AnyArray
    score = accuracy

    def predict(self, X: object) -> AnyArray:
        """Return the most probable class of every row of `X`, the first of equals."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @abstractmethod
    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class, of shape (n_rows, n_classes)."""

    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        return given_labels(self, X, y)

    def _coded(self, y: Any) -> tuple[AnyArray, Rows]:
        """Return the classes in sorted order, two at least, and the place of each row's."""
        classes, codes = np.unique(y, return_inverse=True)
        require_two_classes(classes)
        return classes, codes.astype(np.int64)
