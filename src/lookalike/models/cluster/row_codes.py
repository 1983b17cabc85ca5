"""Short codes of rows that rule out most centers of k-means; when they pay is measured."""

from __future__ import annotations

import numpy as np

from lookalike.data.chunk import Matrix
from lookalike.decisions import Decisions
from lookalike.interrupt import interruptible
from lookalike.kernels.assign import Assigner
from lookalike.settings import settings
from lookalike.typing import Array

MAX_COLUMNS_CODED = 128  # columns up to which they are coded themselves
MAX_CODED_DIRECTIONS = 128
MIN_PRODUCTS_FOR_CODES = 1e6  # multiplications of an iteration from which codes pay
CYCLES_PER_COMPARED_COLUMN = 0.3  # cycles a column of a distance in float64
FLOAT_LANES = 16.0  # multiplications of a cycle, in float32
SHORT_LANES = 32.0  # and of short codes


class RowCodes:
    """Short codes of rows in memory, made after the first iteration, and again when they age.

    They code the columns, or the directions in which the centers differ: across these the centers
    hardly differ, so that a bound rules out almost all of them. The labels stay exact.
    """

    def __init__(self, rows: Assigner, X: Matrix, scale: float, decisions: Decisions) -> None:
        self._rows, self._shape, self._scale, self._decisions = rows, X.shape, scale, decisions
        self._possible = scale > 0 and isinstance(X, np.ndarray)
        self._kind = "none"
        self._round = 0
        self._centers = 0
        self._poor = False
        self._fresh: float | None = None  # cycles spent on undecided rows just after coding
        self._excess = 0.0  # and beyond that since

    def prepare(self, centers: Array) -> None:
        """Code the rows where that pays."""
        n, d = self._shape
        self._round += 1
        if not self._possible or self._kind == "columns" or len(centers) == 1:
            return
        if n * len(centers) * d < MIN_PRODUCTS_FOR_CODES:
            return
        if d <= MAX_COLUMNS_CODED or self._poor:
            self._code(centers, None)
        elif self._kind == "none" and self._round == 1:
            return  # the first centers are far from where the next ones will be
        elif self._kind == "none" or self._excess > n * d * MAX_CODED_DIRECTIONS / FLOAT_LANES / 2:
            self._code(centers, spanning(centers - centers.mean(axis=0)))

    def learn(self, distances: int) -> None:
        """Note how many distances the bounds left to be computed."""
        if self._kind != "directions":
            return
        n, d = self._shape
        cycles = distances * CYCLES_PER_COMPARED_COLUMN * d
        if self._fresh is None:
            self._fresh = cycles
            self._poor = cycles > n * d * self._centers / SHORT_LANES  # columns would cost less
        self._excess += cycles - self._fresh

    def _code(self, centers: Array, directions: Array | None) -> None:
        n, d = self._shape
        width = d if directions is None else len(directions)
        if 2 * n * width > settings().memory // 2:
            self._possible = False
            self._decisions.put("codes", "none", "they would take more than half the memory budget")
            return
        middle = centers.mean(axis=0)
        if directions is None:
            self._rows.code(middle, self._scale)
            self._kind = "columns"
        elif width > 0:
            self._rows.code_projected(middle, self._scale, directions)
            self._kind = "directions"
        self._centers, self._fresh, self._excess = len(centers), None, 0.0
        reason = f"16 bits of {width} values a row rule out centers"
        self._decisions.put("codes", self._kind, reason)


def spanning(differences: Array) -> Array:
    """Return orthonormal directions in which centers differ most, turned at random.

    Turned, so that all coordinates of a row have about the same spread.
    """
    _, length, axes = interruptible(np.linalg.svd, differences, full_matrices=False)
    kept = int(np.count_nonzero(length > 1e-10 * length[0])) if length[0] > 0 else 0
    axes = axes[: min(kept, MAX_CODED_DIRECTIONS)]
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((len(axes), len(axes))))[0]
    turned: Array = turn @ axes
    return turned
