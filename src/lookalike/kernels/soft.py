"""Sums of Gaussian kernels over all rows, class by class: the native sums and their arrangement."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.distance import searchable
from lookalike.kernels.exact import PANEL, WIDEST, survey
from lookalike.typing import AnyArray, Array, Rows

SHIFT = 128  # codes of rows are kept as unsigned bytes


class SoftSums:
    r"""Rows of known classes, arranged so that sums of kernels run through them in order.

    .. math:: S_{qc} = \sum_{n \in c} w_n \exp\Big(-\frac{\max(0, \|q - x_n\|^2 - m_q)}
              {2 \sigma^2}\Big)

    Every pair is summed in float64, in an order that depends on rows, classes and nothing else.
    Each kernel is within 1e-15 of its value, and a sum within 2e-15 and the rounding of the
    squared distances. Rows of whole numbers that lie within 255 of each other are kept once more
    as bytes: of them, and of queries that are such too, distances are exact integers, found eight
    times as fast.

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
        Threads that look the rows over.
    """

    def __init__(
        self, X: AnyArray, codes: Rows, n_classes: int, weight: Array | None, threads: int
    ) -> None:
        self.X = searchable(X)
        self.codes, self.n_classes, self.weight = codes, n_classes, weight
        self.threads = 1  # when it is made again from a file, which is the same on any machine
        self._row, self._first_panel = _positions(codes, n_classes)
        held = self._row >= 0
        self._weight = np.zeros(len(self._row))
        self._weight[held] = 1.0 if weight is None else weight[self._row[held]]
        self._place = np.empty(len(codes), np.int64)
        self._place[self._row[held]] = np.flatnonzero(held)
        seen = survey(self.X, threads)
        whole = seen.whole and seen.most - seen.least <= 255 and self.X.shape[1] <= WIDEST - 3
        self._least: float | None = seen.least if whole else None
        if whole:
            self._code, self._norm = self._coded(held)

    @property
    def whole(self) -> bool:
        """Whether the rows are kept as bytes too."""
        return self._least is not None

    def sums(
        self, Q: AnyArray, nearest: Array, widths: Array, *, exclude: Rows | None, threads: int
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
            One row a query that is left out.
        threads : int
            Threads to use.
        """
        Q = searchable(Q)
        n_classes = len(self._first_panel) - 1
        found = np.empty((len(Q), len(widths) * n_classes))
        out = np.full(len(Q), -1) if exclude is None else self._place[exclude]
        with np.errstate(over="ignore", divide="ignore"):
            inverse = np.minimum(0.5 / np.square(widths, dtype=np.float64), np.finfo(float).max)
        if not len(Q):
            return found.reshape(0, len(widths), n_classes)
        nearest = np.ascontiguousarray(nearest, np.float64)
        asked = self._queries(Q, threads)
        if asked is None:
            _core.soft_sums(
                self.X,
                self._row,
                self._weight,
                self._first_panel,
                Q,
                nearest,
                out,
                inverse,
                threads,
                found,
            )
        else:
            _core.soft_sums_of_codes(
                self._code,
                self._norm,
                self._row,
                self._weight,
                self._first_panel,
                asked,
                nearest,
                out,
                inverse,
                threads,
                found,
            )
        return found.reshape(len(Q), len(widths), n_classes)

    def _queries(self, Q: AnyArray, threads: int) -> AnyArray | None:
        """Return queries of whole numbers in the range of the rows as codes."""
        if self._least is None:
            return None
        seen = survey(Q, threads)
        if not seen.whole or seen.least < self._least or seen.most > self._least + 255:
            return None
        return _codes(Q, self._least)

    def _coded(self, held: AnyArray) -> tuple[AnyArray, Array]:
        """Return the codes of all positions in panels, and the squared length of each."""
        width = -(-self.X.shape[1] // 4) * 4
        code = np.full((len(self._row), width), SHIFT, np.uint8)
        norm = np.zeros(len(self._row))
        for begin in range(0, len(self._row), 64 * PANEL):
            part = np.flatnonzero(held[begin : begin + 64 * PANEL]) + begin
            codes = _codes(self.X[self._row[part]], float(self._least or 0.0))
            norm[part] = np.einsum("ij,ij->i", codes, codes, dtype=np.int64)
            code[part] = codes.view(np.uint8) ^ np.uint8(SHIFT)
        panels = code.reshape(-1, PANEL, width // 4, 4).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(panels).reshape(-1), norm


def _codes(X: AnyArray, least: float) -> AnyArray:
    """Return whole numbers of a range of 256 as signed bytes, columns filled up to fours."""
    codes = np.zeros((len(X), -(-X.shape[1] // 4) * 4), np.int8)
    codes[:, : X.shape[1]] = X.astype(np.float64) - (least + SHIFT)
    return codes


def _positions(codes: Rows, n_classes: int) -> tuple[Rows, Rows]:
    """Return the row at every position, class by class, and the first panel of each class."""
    counts = np.bincount(codes, minlength=n_classes)
    panels = -(-counts // PANEL)
    first = np.concatenate([[0], np.cumsum(panels)])
    row = np.full(first[-1] * PANEL, -1)
    order = np.argsort(codes, kind="stable")
    rank = np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes[order]]
    row[first[codes[order]] * PANEL + rank] = order
    return row, first
