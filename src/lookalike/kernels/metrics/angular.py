"""Dissimilarities of direction: cosine, correlation, and the inner product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike import _core
from lookalike.errors import ParameterError
from lookalike.kernels.metrics.base import (
    SEMIMETRIC_AXIOMS,
    SYMMETRY_AXIOM,
    Embedded,
    Metric,
    MetricForm,
    dense_or_sparse,
)
from lookalike.kernels.metrics.rows import MetricRows, SparseRows, largest_size
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.threads import default_threads
from lookalike.typing import Array

_LARGEST_FACTOR = 1e150  # beyond it a product of two values may overflow


class Cosine(Embedded):
    r"""One minus the cosine of the angle between two rows, from 0 to 2.

    .. math:: d(x, y) = 1 - \frac{x^\top y}{\|x\| \|y\|}
              = \tfrac12 \Big\| \frac{x}{\|x\|} - \frac{y}{\|y\|} \Big\|^2

    The right-hand form is computed: 0 exactly for equal rows, and precise for small angles, where
    the left one cancels. A row of zeros has no direction: an error, unless ``zero="far"``, which
    puts it at distance 1 from every row but another row of zeros, at distance 0 of it.
    """

    axioms = SEMIMETRIC_AXIOMS
    indexes: frozenset[str] = frozenset({"exact", "kd_tree", "lsh", "scan"})
    _center = False

    def __init__(self, zero: str = "error") -> None:
        if zero not in ("error", "far"):
            raise ParameterError(f"zero={zero!r} is not known. Give 'error' or 'far'.")
        self.name = "cosine"
        self.zero = zero

    def embed(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows divided by their lengths.

        With ``zero="far"`` a column follows: 0 for other rows and 1 for rows of zeros, whose
        squared distance to any unit row is then 1 + 1, and the distance 1 to the last bit or two.
        """
        rows = dense_or_sparse(X, what=what) if not self._center else native_rows(X, what).values
        norm = np.empty(rows.shape[0])
        if isinstance(rows, SparseRows):
            value = np.empty_like(rows.value)
            _core.normalize_sparse_rows(**rows.native(), out=value, norm=norm)
            unit: MetricRows = rows._replace(value=value)
        else:
            unit = np.empty(rows.shape)
            _core.normalize_rows(
                X=rows, center=self._center, threads=default_threads(), out=unit, norm=norm
            )
        empty = np.flatnonzero(norm == 0)
        if self.zero == "far":
            return _with_zero_flag(unit, norm == 0)
        if empty.size:
            raise ParameterError(
                f"{what} is {'constant' if self._center else 'zero'} in row {empty[0]}: "
                f"{self.name} has no direction there. Drop such rows, or give "
                "metric_params={'zero': 'far'} to put them at distance 1 from all others."
            )
        return unit

    def distance(self, key: Array) -> Array:
        """Return half the keys, kept within 2."""
        return np.minimum(key / 2, 2.0)


class Correlation(Cosine):
    r"""Cosine dissimilarity of rows from which their own mean is taken away.

    .. math:: d(x, y) = 1 - \frac{(x - \bar x)^\top (y - \bar y)}{\|x - \bar x\| \|y - \bar y\|}
    """

    _center = True

    def __init__(self, zero: str = "error") -> None:
        super().__init__(zero)
        self.name = "correlation"


class InnerProduct(Metric):
    r"""The inner product with its sign turned: the largest product is the nearest.

    .. math:: d(x, y) = -x^\top y
    """

    name = "inner_product"
    form = MetricForm.DOT
    axioms: frozenset[str] = frozenset({SYMMETRY_AXIOM})
    signed = True

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows, whose products must stay finite."""
        rows = dense_or_sparse(X, what=what)
        if largest_size(rows) > _LARGEST_FACTOR:
            raise ParameterError(
                f"{what} holds values beyond {_LARGEST_FACTOR:g}, whose products overflow. Rescale "
                f"{what}."
            )
        return rows


def _with_zero_flag(unit: MetricRows, empty: NDArray[np.bool_]) -> MetricRows:
    if not isinstance(unit, SparseRows):
        return np.concatenate([unit, empty[:, None]], axis=1, dtype=np.float64)
    lengths = np.diff(unit.start) + empty  # rows of zeros store nothing of their own
    column = np.full(lengths.sum(), unit.shape[1], np.int32)
    value = np.ones(lengths.sum())
    not_empty = ~np.repeat(empty, lengths)
    column[not_empty], value[not_empty] = unit.column, unit.value
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return SparseRows(start, column, value, (unit.shape[0], unit.shape[1] + 1))
