"""What every dissimilarity states and offers, and how keys and distances belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from lookalike import _core
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.metrics.rows import (
    MetricRows,
    SparseRows,
    sparse_rows,
)
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.typing import AnyArray, Array

NONNEGATIVITY_AXIOM = "nonnegative"
IDENTITY_AXIOM = "identity"
SYMMETRY_AXIOM = "symmetry"
TRIANGLE_AXIOM = "triangle"
METRIC_AXIOMS = frozenset({NONNEGATIVITY_AXIOM, IDENTITY_AXIOM, SYMMETRY_AXIOM, TRIANGLE_AXIOM})
SEMIMETRIC_AXIOMS = frozenset({NONNEGATIVITY_AXIOM, SYMMETRY_AXIOM})


MetricForm = _core.MetricForm
_WEIGHTED_FORMS = (
    MetricForm.HAMMING,
    MetricForm.NAN_EUCLIDEAN,
    MetricForm.GOWER,
)  # others weigh the rows on their way in


class Metric:
    """A dissimilarity of two rows.

    A search compares *keys*, of which the smaller is the nearer; `distance` turns keys into what
    is reported and never decreases. `axioms` are those that hold for all rows that are accepted.

    Attributes
    ----------
    name : str
    axioms : frozenset of {"nonnegative", "identity", "symmetry", "triangle"}
    indexes : frozenset of {"exact", "kd_tree", "lsh", "scan"}
        The indexes that can search by it. For "exact" there is an `embed`: Euclidean distance
        between embedded rows gives the same keys, bit for bit.
    degree : int
        By which power of s distances grow when all rows are multiplied by s; 0 for another law.
    signed : bool
        Whether distances may be negative; any radius is then a radius.
    most_queries : int or None
        How many queries `pairs` takes at once.
    """

    name: str
    form: MetricForm
    axioms: frozenset[str] = METRIC_AXIOMS
    indexes: frozenset[str] = frozenset({"scan"})
    degree: int = 0
    signed: bool = False
    p: float = 2.0  # of MetricForm.MINKOWSKI
    w: Array | None = None  # weights of the columns
    address: int = 0  # of MetricForm.FUNCTION
    expected: Array | None = None  # of MetricForm.GOWER: for columns that a row lacks
    min_shared: float = 0.0  # of MetricForm.GOWER
    most_queries: ClassVar[int | None] = None

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return `X`, checked, as `pairs` wants it."""
        return native_rows(X, what).values

    def pairs(self, Q: MetricRows, X: MetricRows, scale: float = 1.0) -> _core.Pairs:
        """Return the native pairs of prepared queries and rows, both times `scale`."""
        if isinstance(X, SparseRows) and isinstance(Q, SparseRows):
            left, right = (rows.value if scale == 1 else rows.value * scale for rows in (Q, X))
            return _core.sparse_pairs(
                query_start=Q.start,
                query_column=Q.column,
                query_value=left,
                start=X.start,
                column=X.column,
                value=right,
                cols=X.shape[1],
                form=self.form,
            )
        assert not isinstance(X, SparseRows), "rows and queries are of one layout"
        assert not isinstance(Q, SparseRows), "rows and queries are of one layout"
        weight = np.empty(0) if self.w is None or self.form not in _WEIGHTED_FORMS else self.w
        return _core.dense_pairs(
            queries=Q,
            rows=X,
            form=self.form,
            power=self.p,
            scale=scale,
            weight=weight,
            call=self.address,
            expected=np.empty(0) if self.expected is None else self.expected,
            min_shared=self.min_shared,
        )

    def distance(self, key: Array) -> Array:
        """Return the distances that the keys stand for."""
        return key

    def limit(self, radius: Array) -> Array:
        """Return the largest key whose distance is at most each radius."""
        if self.signed:
            return radius
        if np.any(radius < 0):
            raise ParameterError(
                f"radius={radius[radius < 0][0]} is negative, and distances start at 0. "
                "Give radius >= 0."
            )
        return _last_key(self.distance, radius)

    def __repr__(self) -> str:
        return f"<metric {self.name}>"


class Embedded(Metric):
    """A dissimilarity that is Euclidean distance between rows changed by `embed`."""

    form = MetricForm.SQUARED

    def embed(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return rows whose squared Euclidean distances are the keys."""
        raise NotImplementedError

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the embedded rows."""
        return self.embed(X, what=what)


def dense_or_sparse(X: RowsLike, *, what: str) -> MetricRows:
    """Return checked rows of either layout."""
    return sparse_rows(X, what=what) if sp.issparse(X) else native_rows(X, what).values


def check_weight(weight: ArrayLike, *, what: str = "w") -> Array:
    """Return feature weights as float64: finite, none below zero, not all zero."""
    weight = np.array(weight, dtype=np.float64)
    if weight.ndim != 1:
        raise ShapeError(f"{what} has {weight.ndim} dimensions. Give one weight per column.")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if bad.size:
        raise ParameterError(f"{what}[{bad[0]}]={weight[bad[0]]}. Weights are finite and >= 0.")
    if not weight.any():
        raise ParameterError(f"{what} is zero everywhere: all rows would be equal. Raise one.")
    checked: Array = weight
    return checked


def check_columns(n_columns: int, wanted: Sequence[object] | AnyArray, what: str, by: str) -> None:
    """Raise unless rows have as many columns as a parameter has entries."""
    if n_columns != len(wanted):
        raise ShapeError(
            f"{what} has {n_columns} columns and {by} is for {len(wanted)}. Make them agree."
        )


def lane_sum(terms: Array) -> float:
    """Return the sum of a vector in the order of the native keys."""
    lanes = np.concatenate([terms, np.zeros(-len(terms) % 8)]).reshape(-1, 8).cumsum(axis=0)[-1]
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return float(lanes[0])


def _last_key(distance: Callable[[Array], Array], radius: Array) -> Array:
    """Bisect the floats from 0 to infinity: as whole numbers their bits keep their order."""
    low = np.zeros(radius.shape, np.int64)
    high = np.full(radius.shape, np.array(np.inf).view(np.int64))
    while np.any(low < high):
        middle = high - (high - low) // 2
        inside = distance(middle.view(np.float64)) <= radius
        low = np.where(inside, middle, low)
        high = np.where(inside, high, middle - 1)
    keys: Array = low.view(np.float64)
    return keys
