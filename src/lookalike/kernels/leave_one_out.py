"""Leave-one-out predictions of nearest neighbors, for many sets of columns that differ by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import native_vector
from lookalike.typing import AnyArray, Array, Rows


class _FeatureSets(TypedDict):
    columns: Array
    chosen: Rows
    candidates: Rows
    add: bool
    threads: int


class ColumnSets:
    """The columns of a table, and sets of them: some chosen, with one more or one less.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite numbers whose squares are finite.
    threads : int
        0 means the setting of :func:`lookalike.config`.
    """

    def __init__(self, X: AnyArray, *, threads: int = 0) -> None:
        self.columns: Array = np.ascontiguousarray(X.T, np.float64)
        self.threads = threads

    def classes(
        self,
        chosen: Sequence[int],
        candidates: Sequence[int],
        code: Rows,
        n_classes: int,
        k: int,
        *,
        add: bool = True,
    ) -> Array:
        """Return the class that the `k` nearest other rows vote for, as (candidates, rows).

        Rows as near as the k-th vote too; of level classes the next shells of equally near rows
        decide [Barber, algorithm 14.1]. Bit for bit what a search over the columns of each set,
        in their order, would predict.

        Examples
        --------
        >>> sets = ColumnSets(np.array([[0.0, 5.0], [0.1, 1.0], [9.0, 5.1], [9.1, 1.1]]))
        >>> sets.classes([], [0, 1], np.array([0, 0, 1, 1]), 2, k=1)
        array([[0., 0., 1., 1.],
               [1., 1., 0., 0.]])
        """
        prediction = self._room(candidates)
        _core.leave_one_out_classes(
            **self._sets(chosen, candidates, add),
            code=np.ascontiguousarray(code, np.int64),
            classes=n_classes,
            k=k,
            prediction=prediction,
        )
        return prediction

    def means(
        self,
        chosen: Sequence[int],
        candidates: Sequence[int],
        target: AnyArray,
        k: int,
        *,
        add: bool = True,
    ) -> Array:
        """Return the mean target of the `k` nearest other rows, as (candidates, rows).

        Of equally near rows, those of smaller number.
        """
        prediction = self._room(candidates)
        _core.leave_one_out_means(
            **self._sets(chosen, candidates, add),
            target=native_vector(target),
            k=k,
            prediction=prediction,
        )
        return prediction

    def _sets(self, chosen: Sequence[int], candidates: Sequence[int], add: bool) -> _FeatureSets:
        return {
            "columns": self.columns,
            "chosen": np.array(chosen, np.int64),
            "candidates": np.array(candidates, np.int64),
            "add": add,
            "threads": self.threads,
        }

    def _room(self, candidates: Sequence[int]) -> Array:
        return np.empty((len(candidates), self.columns.shape[1]))
