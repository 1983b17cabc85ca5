"""Distances that divide the gaps of the columns by the sizes of the values."""

from __future__ import annotations

from lookalike.errors import ParameterError
from lookalike.kernels.metrics.base import (
    METRIC_AXIOMS,
    TRIANGLE_AXIOM,
    Metric,
    MetricForm,
)
from lookalike.kernels.metrics.rows import MetricRows, largest_size
from lookalike.kernels.native_arrays import RowsLike, native_rows

LARGEST_SUMMED = 1e300  # value of which a million sizes still have a sum


class _Ratio(Metric):
    def rows(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the rows, of which the sums of sizes must stay finite."""
        rows = native_rows(X, what).values
        if largest_size(rows) > LARGEST_SUMMED:
            raise ParameterError(
                f"{what} holds values beyond {LARGEST_SUMMED:g}, whose sums overflow. Rescale "
                f"{what}: {self.name} is the same for all rows times a number."
            )
        return rows


class Canberra(_Ratio):
    r"""The gap of every column in shares of the sizes of both values, added up.

    .. math:: d(x, y) = \sum_j \frac{|x_j - y_j|}{|x_j| + |y_j|}

    A column of two zeros adds nothing.
    """

    name = "canberra"
    form = MetricForm.CANBERRA
    axioms = METRIC_AXIOMS


class BrayCurtis(_Ratio):
    r"""The sum of the gaps in shares of the sum of the sizes, from 0 to 1.

    .. math:: d(x, y) = \frac{\sum_j |x_j - y_j|}{\sum_j |x_j| + |y_j|}

    Two rows of zeros are at distance 0.
    """

    name = "braycurtis"
    form = MetricForm.BRAY_CURTIS
    axioms: frozenset[str] = METRIC_AXIOMS - {TRIANGLE_AXIOM}
