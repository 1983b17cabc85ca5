"""Dissimilarities that count: unequal categories, and sets."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning

from lookalike import _core
from lookalike.kernels.metrics.base import (
    IDENTITY_AXIOM,
    METRIC_AXIOMS,
    SEMIMETRIC_AXIOMS,
    TRIANGLE_AXIOM,
    Metric,
    MetricForm,
    check_columns,
    check_weight,
    lane_sum,
)
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.typing import AnyArray, Array


class Hamming(Metric):
    r"""The share of columns in which two rows differ, for numbers or codes of categories.

    .. math:: d(x, y) = \frac{\sum_j w_j [x_j \ne y_j]}{\sum_j w_j}

    [UGR].
    """

    axioms: frozenset[str]

    name = "hamming"
    form = MetricForm.HAMMING
    indexes: frozenset[str] = frozenset({"lsh", "scan"})

    def __init__(self, w: ArrayLike) -> None:
        self.w: Array = check_weight(w)
        self.axioms = METRIC_AXIOMS if self.w.all() else METRIC_AXIOMS - {IDENTITY_AXIOM}
        self.total: float = lane_sum(self.w)

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows, any numbers."""
        rows = native_rows(X, what).values
        check_columns(rows.shape[1], self.w, what, "w")
        return rows

    def distance(self, key: Array) -> Array:
        """Return the share of the weights."""
        return key / self.total


class BinaryMetric(Metric):
    r"""How rows of true and false differ, by one of the formulas of scikit-learn and scipy.

    Of two rows, a columns are true in both, b in the first alone, c in the second alone, and d in
    neither. What would be 0 / 0 is 0.

    .. math:: \text{dice} = \frac{b + c}{2a + b + c}, \qquad
              \text{rogerstanimoto} = \text{sokalmichener} = \frac{2(b + c)}{a + 2(b + c) + d}

    .. math:: \text{russellrao} = \frac{b + c + d}{a + b + c + d}, \qquad
              \text{sokalsneath} = \frac{2(b + c)}{a + 2(b + c)}, \qquad
              \text{yule} = \frac{2bc}{ad + bc}

    Rows hold True or 1 for what is true; of other numbers all but 0 count as true, with a warning.
    """

    axioms: frozenset[str]
    set_form: _core.SetForm

    def __init__(self, name: str) -> None:
        self.name = name
        self.set_form, self.axioms = BINARY_FORMS[name]
        self._columns = 0

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows as bits, 64 columns a word."""
        rows = native_rows(X, what).values
        self._columns = rows.shape[1]
        return _bits(rows, what, self.name)

    def pairs(self, Q: MetricRows, X: MetricRows, _scale: float = 1.0) -> _core.Pairs:
        """Return the native pairs of rows."""
        assert isinstance(Q, np.ndarray) and isinstance(X, np.ndarray), "sets are bits"  # noqa: PT018
        return _core.set_pairs(queries=Q, rows=X, form=self.set_form, cols=self._columns)


BINARY_FORMS = {
    "dice": (_core.SetForm.DICE, SEMIMETRIC_AXIOMS | {IDENTITY_AXIOM}),
    "rogerstanimoto": (_core.SetForm.ROGERS_TANIMOTO, METRIC_AXIOMS),
    "russellrao": (_core.SetForm.RUSSELL_RAO, SEMIMETRIC_AXIOMS | {TRIANGLE_AXIOM}),
    "sokalmichener": (_core.SetForm.ROGERS_TANIMOTO, METRIC_AXIOMS),
    "sokalsneath": (_core.SetForm.SOKAL_SNEATH, METRIC_AXIOMS),
    "yule": (_core.SetForm.YULE, SEMIMETRIC_AXIOMS),
}


class Jaccard(Metric):
    r"""One minus the share that two sets have in common of what either has.

    .. math:: d(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|}, \qquad d(\emptyset, \emptyset) = 0

    [UGR]. Rows hold True or 1 for members; of other numbers all but 0 count as members, with a
    warning.
    """

    name = "jaccard"
    indexes: frozenset[str] = frozenset({"lsh", "scan"})

    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows as bits, 64 members a word."""
        return _bits(native_rows(X, what).values, what, self.name)

    def pairs(self, Q: MetricRows, X: MetricRows, _scale: float = 1.0) -> _core.Pairs:
        """Return the native pairs of sets."""
        assert isinstance(Q, np.ndarray) and isinstance(X, np.ndarray), "sets are bits"  # noqa: PT018
        form = _core.SetForm.JACCARD
        return _core.set_pairs(queries=Q, rows=X, form=form, cols=64 * X.shape[1])


def _bits(rows: AnyArray, what: str, name: str) -> AnyArray:
    """Return rows of 0 and 1 as bits, 64 columns a word."""
    _warn_of_numbers(rows, what, name)
    words = np.zeros((len(rows), -(-rows.shape[1] // 64) * 8), np.uint8)
    for start in range(0, len(rows), 1024):
        chunk = rows[start : start + 1024]
        packed = np.packbits(chunk != 0, axis=1, bitorder="little")
        words[start : start + 1024, : packed.shape[1]] = packed
    return words.view(np.uint64)


def _warn_of_numbers(rows: AnyArray, what: str, name: str) -> None:
    """Warn where rows hold other numbers than 0 and 1, with the first of them."""
    for start in range(0, len(rows), 1024):
        chunk = rows[start : start + 1024]
        odd = np.argwhere((chunk != 0) & (chunk != 1))
        if odd.size:
            row, column = odd[0]
            warnings.warn(
                f"Data was converted to boolean for metric {name}: {what} is {chunk[row, column]} "
                f"at row {start + row}, column {column}. Give 0/1 or booleans, such as "
                f"{what} != 0.",
                DataConversionWarning,
                stacklevel=2,
            )
            return
