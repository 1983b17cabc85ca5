r"""The nearest center of every row on a card, and sums of rows a center: k-means.

Half-precision codes give the two least scores of a row. Where they differ by more than the
residuals of row and centers allow, the nearer center is certain; the few rows left are compared
in float64 (:mod:`lookalike.kernels.gpu.exact`). Sums are additions without rounding, so that
their bits are those of the CPU, in whatever order the card adds.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import NamedTuple

import numpy as np
import torch

from lookalike.kernels.gpu import assign_torch, exact
from lookalike.kernels.gpu.candidates import CandidateGroups
from lookalike.typing import Array

TILE = 128  # centers are padded to a multiple
MOST_CENTERS = 2**14  # whose numbers leave enough digits to a score
FAR = 3e38  # the score of no center
GROUP = 4  # centers of a group where rows are left undecided
KEY_ROWS = 2**21  # rows whose keys are computed at a time
UNDECIDED_ROWS = 2**22  # rows that are compared in float64 at a time


class RowCodes16(NamedTuple):
    """Codes of rows: times -2, centered and scaled, with what bounds their scores."""

    code: torch.Tensor  # (n, width) float16
    norm: torch.Tensor  # (n,) float32, squared length
    residual: torch.Tensor  # (n,) float32, rounded up
    mean: torch.Tensor  # (d,) float64
    scale: float


class CenterCodes(NamedTuple):
    """Codes of centers in the units of the rows."""

    code: torch.Tensor  # (padded k, width) float16
    height: torch.Tensor  # (padded k,) float32, squared length; FAR where there is no center
    residual: float  # the largest
    length: float  # the largest


class CardAssigner:
    """Rows on a card, kept for one assignment after another.

    Parameters
    ----------
    X : tensor of shape (n, d)
        Finite values.
    scale : float
        0 trusts no bound: every row is compared with every center.
    """

    def __init__(self, X: torch.Tensor, scale: float) -> None:
        self.n_rows = len(X)
        self._X, self._trusted = X, scale > 0
        self._codes: RowCodes16 | None = None
        self._squares: tuple[Array, torch.Tensor] | None = None  # with the grid they belong to
        self._weight: tuple[Array, torch.Tensor] | None = None

    def no_labels(self) -> torch.Tensor:
        """Return the labels of rows that have no center yet."""
        return torch.full((self.n_rows,), -1, dtype=torch.int32, device=self._X.device)

    def assign(self, centers: Array, labels: torch.Tensor) -> int:
        """Assign all rows, in place; return how many were compared in float64."""
        X = self._X
        C = torch.as_tensor(np.ascontiguousarray(centers)).to(X.device)
        if not self._trusted or len(C) > MOST_CENTERS or len(C) == 1:
            undecided = torch.arange(self.n_rows, device=X.device)
        else:
            if self._codes is None:
                self._codes = row_codes(X)
            labels.copy_(nearest_certain(self._codes, C))
            undecided = torch.nonzero(labels < 0)[:, 0]
        if len(undecided):
            codes = exact.build_codes(C)
            for some in undecided.split(UNDECIDED_ROWS):
                rows = X if len(some) == self.n_rows else X[some]
                labels[some] = exact.nearest(codes, rows, 1, size=GROUP)[1][:, 0].int()
        return len(undecided)

    def step(
        self,
        centers: Array,
        labels: torch.Tensor,
        weight: Array | None,
        grid: Array,
        sums: tuple[Array, Array],
    ) -> int:
        """Assign all rows and move those that changed between the sums, both in place."""
        before = labels.clone()
        compared = self.assign(centers, labels)
        high, low = self.moved(before, labels, len(centers), weight, grid)
        sums[0][...] += high.cpu().numpy()
        sums[1][...] += low.cpu().numpy()
        return compared

    def moved(
        self,
        before: torch.Tensor,
        labels: torch.Tensor,
        n_centers: int,
        weight: Array | None,
        grid: Array,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what rows that changed their center add to the sums of every center."""
        rows = torch.nonzero(before != labels)[:, 0]
        left = rows[before[rows] >= 0]
        terms = torch.cat([rows, left]) if len(left) else rows
        center = torch.cat([labels[rows], before[left]]) if len(left) else labels[rows]
        high, low = _kernels(self._X).add_terms(
            self._X,
            terms,
            center,
            n_added=len(rows),
            n_centers=n_centers,
            square=self._squares_about(grid),
            weight=self._weights(weight),
            grid=torch.as_tensor(grid).to(self._X.device),
        )
        return high, low

    def keys(self, centers: Array, labels: torch.Tensor) -> torch.Tensor:
        """Return the squared distance of every row to its center, as the reference sums it."""
        C = torch.as_tensor(np.ascontiguousarray(centers)).to(self._X.device)
        kernels = exact.kernels_for(self._X)
        out = torch.empty(self.n_rows, dtype=torch.float64, device=self._X.device)
        for first in range(0, self.n_rows, KEY_ROWS):
            part = slice(first, first + KEY_ROWS)
            label = labels[part]
            one = CandidateGroups(label[:, None].contiguous(), torch.ones_like(label), 1)
            nobody = torch.full((len(label),), -1, dtype=torch.int64, device=label.device)
            out[part] = kernels.keys(self._X[part], C, one, nobody, 1)[:, 0]
        return out

    def _squares_about(self, grid: Array) -> torch.Tensor:
        """Return |x - shift|^2 of every row, summed as the CPU does."""
        if self._squares is None or self._squares[0] is not grid:
            shift = torch.as_tensor(grid[0]).to(self._X.device)
            self._squares = grid, assign_torch.squares(self._X, shift)
        return self._squares[1]

    def _weights(self, weight: Array | None) -> torch.Tensor | None:
        if weight is None:
            return None
        if self._weight is None or self._weight[0] is not weight:
            values = torch.as_tensor(np.ascontiguousarray(weight, np.float64))
            self._weight = weight, values.to(self._X.device)
        return self._weight[1]


def like_rows(X: torch.Tensor, rows: Array) -> torch.Tensor:
    """Return rows on the device where `X` lies."""
    return torch.as_tensor(np.ascontiguousarray(rows)).to(X.device)


def row_codes(X: torch.Tensor) -> RowCodes16:
    """Return the codes of rows."""
    d = X.shape[1]
    mean, scale, _ = exact.mean_and_scale(X)
    code, (norm, residual, _) = exact.kernels_for(X).encode(
        X,
        mean,
        exact.padded_width(d),
        scale=scale,
        largest=exact.LARGEST_QUERY,
        residual=0.0,
        length=0.0,
        unit=0.0,
        per_value=math.sqrt(d) * 2.0**-50,
    )
    return RowCodes16(code, norm.float(), (residual * (1 + 1e-6)).float(), mean, scale)


def center_codes(codes: RowCodes16, C: torch.Tensor) -> CenterCodes:
    """Return the codes of centers."""
    shifted = (C - codes.mean) * codes.scale
    half = shifted.clamp(-exact.LARGEST_QUERY, exact.LARGEST_QUERY).half()
    wide = half.double()
    gap = (shifted - wide).square().sum(1).sqrt()
    gap += shifted.abs().amax(1) * math.sqrt(C.shape[1]) * 2.0**-50
    length = wide.square().sum(1)
    size = -(-len(C) // TILE) * TILE
    code = torch.zeros((size, codes.code.shape[1]), dtype=torch.float16, device=C.device)
    code[: len(C), : C.shape[1]] = half
    height = torch.full((size,), FAR, dtype=torch.float32, device=C.device)
    height[: len(C)] = length.float()
    residual, longest = torch.stack([gap.max(), length.max().sqrt()]).tolist()
    return CenterCodes(code, height, residual * (1 + 1e-9), longest * (1 + 1e-9))


def nearest_certain(codes: RowCodes16, C: torch.Tensor) -> torch.Tensor:
    """Return the nearest center of every row where the codes prove it, -1 elsewhere."""
    centers = center_codes(codes, C)
    label: torch.Tensor = _kernels(codes.code).nearest_certain(
        codes.code,
        codes.norm,
        codes.residual,
        centers.code,
        centers.height,
        residual=centers.residual,
        length=centers.length,
        unit=(C.shape[1] + 16) * 2.0**-22,  # as in exact search
    )
    return label


def _kernels(X: torch.Tensor) -> ModuleType:
    """Return the Triton kernels for a card, their twins elsewhere."""
    if X.device.type != "cuda":
        return assign_torch
    from lookalike.kernels.gpu import assign_triton

    return assign_triton
