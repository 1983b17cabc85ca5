"""Sums of Gaussian kernels over rows, class by class: the native sums and their arrangement."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from lookalike import _core
from lookalike.kernels.class_codes import require_class_codes
from lookalike.kernels.exact import PANEL_ROWS
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix, value_range
from lookalike.kernels.quantize import (
    find_quantization,
    quantize,
    rounding_quantization,
)
from lookalike.typing import AnyArray, Array, Rows

CODE_OFFSET = 128  # codes of rows are kept as unsigned bytes
KERNEL_ERROR_FLOAT64 = 1e-10  # beyond it, differences are taken instead of products
KERNEL_ERROR_FLOAT32 = 1e-5  # for rows of float32, which are themselves rounded
KERNEL_REACH_SQUARED_WIDTHS = 80.0  # beyond the nearest row: the kernel is below 4e-18
BOUND_ROUNDING_FACTOR = 1 + 1e-12  # more than the rounding of a bound


class _SharedArguments(TypedDict):
    row: Rows
    weight: Array
    first_panel: Rows
    nearest: Array
    exclude: Rows
    inverse: Array
    threads: int


class _RowCodes:
    """All positions as codes: the 256 values least, least + step, and so on, of every column."""

    def __init__(
        self, X: AnyArray, row: Rows, least: Array, step: float, *, exact: bool, threads: int
    ) -> None:
        self.least, self.step = least, step
        self.exact = exact  # whether the rows are of the quantization, but for rounding
        width = -(-X.shape[1] // 4) * 4
        code = np.full((len(row), width), CODE_OFFSET, np.uint8)
        self.norm = np.zeros(len(row))  # sum of the squared codes
        self.off = np.zeros(len(row))  # how far a row is from its codes
        for begin in range(0, len(row), 64 * PANEL_ROWS):
            part = np.flatnonzero(row[begin : begin + 64 * PANEL_ROWS] >= 0) + begin
            codes, self.off[part] = self.quantize(X[row[part]], clip=not exact, threads=threads)
            self.norm[part] = np.einsum("ij,ij->i", codes, codes, dtype=np.int64)
            code[part] = codes.view(np.uint8) ^ np.uint8(CODE_OFFSET)
        panels = code.reshape(-1, PANEL_ROWS, width // 4, 4).transpose(0, 2, 1, 3)
        self.code = np.ascontiguousarray(panels).reshape(-1)

    def quantize(self, X: AnyArray, *, clip: bool, threads: int) -> tuple[AnyArray, Array]:
        """Return rows as codes, and how far each is from them."""
        return quantize(X, self.least, self.step, clip=clip, threads=threads)


class KernelSums:
    r"""Rows of known classes, arranged so that sums of kernels run through them in order.

    .. math:: S_{qc} = \sum_{n \in c} w_n \exp\Big(-\frac{\max(0, \|q - x_n\|^2 - m_q)}
              {2 \sigma^2}\Big)

    Pairs are summed in float64, in an order that depends on rows, classes and nothing else.
    Squared distances come from the quickest of three ways whose error is proven small for the
    query and the widths at hand, whatever queries come with it:

    - Columns of whole numbers of one step, at most 255 of them (bytes, bytes over 255, and what
      one scale and an offset for each column make of them), are bytes, whose products are exact
      integers. Whole numbers are exact so; others are off by the rounding of the rows. Kernels
      are within 1e-10; for rows of float32, which that rounding moves as far, within 1e-5.
    - Where only a `reach` matters, rows rounded to bytes rule out most pairs; of the others,
      differences of float64 are taken.
    - Differences of float64.

    Each kernel is within 1e-15 of the exponential, and a sum within 2e-15 of that of its kernels.

    Parameters
    ----------
    X : matrix of float32, float64, uint8 or int8
        The rows.
    codes : array of shape (n_rows,)
        The class of every row by number.
    n_classes : int
        How many classes there are.
    weight : array of shape (n_rows,), optional
        What every kernel counts.
    threads : int
        Threads that build.
    device : torch.device, optional
        The GPU that sums, where there is one.
    """

    codes: Rows
    n_classes: int
    weight: Array | None

    def __init__(
        self,
        X: AnyArray,
        codes: Rows,
        n_classes: int,
        weight: Array | None,
        threads: int,
        *,
        device: object = None,
    ) -> None:
        self.X = native_matrix(X, NUMBER_TYPES)
        self.codes, self.n_classes, self.weight = codes, n_classes, weight
        require_class_codes(codes, n_classes, "the rows of sums of kernels")
        self.threads = 1  # when it is made again from a file, which is the same on any machine
        self._row, self._first_panel = _positions(codes, n_classes)
        filled = self._row >= 0
        self._weight = np.zeros(len(self._row))
        self._weight[filled] = 1.0 if weight is None else weight[self._row[filled]]
        self._place = np.empty(len(codes), np.int64)
        self._place[self._row[filled]] = np.flatnonzero(filled)
        self._coded = _row_codes(self.X, self._row, threads)
        self._on_gpu = None
        if device is not None:
            from lookalike.kernels.gpu.kernel_sums import GPUKernelSums

            self._on_gpu = GPUKernelSums(self.X, codes, n_classes, weight, device)

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: the rows on a GPU are those in memory."""
        return {**vars(self), "_on_gpu": None}

    @property
    def step(self) -> float | None:
        """The step of which all values are whole numbers; None where there is none."""
        return self._coded.step if self._coded and self._coded.exact else None

    def cycles(self, nearest: Array, width: float, share: float) -> tuple[float, float]:
        """Return about what a pair costs when all are summed, and when those within reach are.

        Parameters
        ----------
        nearest : array
            Squared distances of some usual queries to their nearest row.
        width : float
            The width of the kernels.
        share : float
            The part of the pairs that is within reach.
        """
        if self._on_gpu is not None:
            return 1e-3 * self.X.shape[1], np.inf
        d, off = self.X.shape[1], np.zeros(1) if self._coded is None else self._coded.off
        coded = self.step is not None and self._close(off.max(), nearest, _inverse(width)).all()
        within = 9 + d / 60 + share * (30 + d / 4) if self._coded is not None else np.inf
        return 5 + d / (60 if coded else 6), within

    def sums(
        self,
        Q: AnyArray,
        nearest: Array,
        widths: Array,
        *,
        exclude: Rows | None,
        threads: int,
        reach: float | None = None,
    ) -> Array:
        r"""Return the sums (queries, widths, classes).

        Parameters
        ----------
        Q : matrix
            The queries.
        nearest : array of shape (n_queries,)
            The squared distance from which each query's are measured.
        widths : array
            Each :math:`\sigma`.
        exclude : array of shape (n_queries,), optional
            One row per query that is left out.
        threads : int
            Threads to use.
        reach : float, optional
            Rows whose squared distance exceeds the nearest one's by more may be left out.
        """
        values = native_matrix(Q, NUMBER_TYPES)
        if self._on_gpu is not None:
            on_gpu: Array = self._on_gpu.sums(values, nearest, _inverse(widths), exclude)
            return on_gpu
        nearest, inverse = np.ascontiguousarray(nearest, np.float64), _inverse(widths)
        excluded_position = np.full(len(values), -1) if exclude is None else self._place[exclude]
        codes, good = self._codes_of(values, nearest, inverse, threads)
        sums = np.empty((len(values), len(widths) * self.n_classes))
        coded, others = _all_or_some(good), _all_or_some(~good)
        sums[coded] = self._of_codes(
            codes, self._shared(nearest[coded], excluded_position[coded], inverse, threads)
        )
        sums[others] = self._of_floats(
            values[others],
            reach,
            self._shared(nearest[others], excluded_position[others], inverse, threads),
        )
        return sums.reshape(len(values), len(widths), self.n_classes)

    def _codes_of(
        self, Q: AnyArray, nearest: Array, inverse: Array, threads: int
    ) -> tuple[AnyArray, AnyArray]:
        """Return queries as codes, of those that these are close enough to, and which these are."""
        coded = self._coded
        if coded is None or not coded.exact:
            return np.empty((0, 0), np.int8), np.zeros(len(Q), bool)
        codes, off = coded.quantize(Q, clip=False, threads=threads)
        good = self._close(off, nearest, inverse.max())
        return codes[good], good

    def _of_codes(self, codes: AnyArray, shared: _SharedArguments) -> Array:
        """Return the sums by products of codes."""
        coded, sums = self._coded, self._no_sums(shared)
        if coded is not None and len(sums):
            unit = coded.step**2
            _core.kernel_sums_of_codes(
                code=coded.code, norm=coded.norm, unit=unit, Q=codes, sum=sums, **shared
            )
        return sums

    def _of_floats(self, Q: AnyArray, reach: float | None, shared: _SharedArguments) -> Array:
        """Return the sums by differences; of the rows that codes do not rule out, given a reach."""
        coded, sums = self._coded, self._no_sums(shared)
        if not len(sums):
            return sums
        if coded is None or reach is None:
            _core.kernel_sums(X=self.X, Q=Q, sum=sums, **shared)
            return sums
        codes, off = coded.quantize(Q, clip=True, threads=shared["threads"])
        step = coded.step / BOUND_ROUNDING_FACTOR
        _core.kernel_sums_filtered(
            X=self.X,
            code=coded.code,
            norm=coded.norm,
            off=coded.off / step,
            Q=Q,
            query_code=codes,
            reach=(np.sqrt(shared["nearest"] + reach) + off) / step,
            sum=sums,
            **shared,
        )
        return sums

    def _no_sums(self, shared: _SharedArguments) -> Array:
        return np.empty((len(shared["nearest"]), len(shared["inverse"]) * self.n_classes))

    def _shared(
        self, nearest: Array, place: Rows, inverse: Array, threads: int
    ) -> _SharedArguments:
        """Return the arguments that all three ways share; -1 is the place of no row."""
        return {
            "row": self._row,
            "weight": self._weight,
            "first_panel": self._first_panel,
            "nearest": nearest,
            "exclude": place,
            "inverse": inverse,
            "threads": threads,
        }

    def _close(self, off: Array, nearest: Array, inverse: float) -> AnyArray:
        """Return for which queries, `off` from their codes, codes alone make kernels accurate."""
        largest_offset = off + (np.inf if self._coded is None else self._coded.off.max())
        with np.errstate(over="ignore", invalid="ignore"):
            furthest = (
                np.sqrt(nearest + KERNEL_REACH_SQUARED_WIDTHS * (0.5 / inverse)) + largest_offset
            )
            error = inverse * largest_offset * (2 * furthest)
        good: AnyArray = error <= (
            KERNEL_ERROR_FLOAT32 if self.X.dtype == np.float32 else KERNEL_ERROR_FLOAT64
        )
        return good


def _inverse(widths: Any) -> Any:
    """Return 1 / (2 width^2), or the largest number."""
    with np.errstate(over="ignore", divide="ignore"):
        return np.minimum(0.5 / np.square(widths, dtype=np.float64), np.finfo(float).max)


def _all_or_some(which: AnyArray) -> Any:
    """Return a mask, or what takes all without a copy where it is true throughout."""
    return slice(None) if which.all() else which


def _row_codes(X: AnyArray, row: Rows, threads: int) -> _RowCodes | None:
    """Return codes of the quantization of the rows, else of a grid; None where there is neither."""
    for quantization, exact in (
        (find_quantization(X, whole=value_range(X, threads).whole), True),
        (rounding_quantization(X), False),
    ):
        if quantization is not None:
            coded = _RowCodes(X, row, *quantization, exact=exact, threads=threads)
            if np.isfinite(coded.off).all():
                return coded
    return None


def _positions(codes: Rows, n_classes: int) -> tuple[Rows, Rows]:
    """Return the row at every position, class by class, and the first panel of each class."""
    counts = np.bincount(codes, minlength=n_classes)
    panels = -(-counts // PANEL_ROWS)
    first = np.concatenate([[0], np.cumsum(panels)])
    row = np.full(first[-1] * PANEL_ROWS, -1)
    order = np.argsort(codes, kind="stable")
    rank = np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes[order]]
    row[first[codes[order]] * PANEL_ROWS + rank] = order
    return row, first
