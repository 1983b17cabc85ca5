r"""The nearest center of every row on a GPU, and sums of rows a center: k-means.

Half-precision codes give the two least scores of a row. Where they differ by more than the
residuals of row and centers allow, the nearer center is certain; the few rows left are compared
in float64 (:mod:`lookalike.kernels.gpu.exact`). Sums are additions without rounding, so that
their bits are those of the CPU, in whatever order the GPU adds.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import torch

from lookalike.kernels.gpu import assign_torch, exact, exact_sums_torch
from lookalike.kernels.gpu.candidates import CandidateGroups
from lookalike.kernels.gpu.exact_sums_torch import SumTerms
from lookalike.typing import Array

CENTER_TILE = 128  # centers are padded to a multiple
MOST_CENTERS = 2**14  # whose numbers leave enough digits to a score
NO_CENTER_SCORE = 3e38  # the score of no center
CENTERS_PER_GROUP = 4  # centers of a group where rows are left undecided
KEY_ROWS = 2**21  # rows whose keys are computed at a time
MAX_PAIRS_IN_FLOAT64 = 2**24  # of rows and centers that are all compared in float64
ROWS_PER_MOVED_ROW = 2  # where one row in this many changes its center, all are summed again
UNDECIDED_ROWS = 2**22  # rows that are compared in float64 at a time


class GPUAssigner:
    """Rows on a GPU, kept for one assignment after another.

    Parameters
    ----------
    X : tensor of shape (n, d)
        Finite values.
    scale : float
        0 trusts no bound: every row is compared with every center.
    """

    def __init__(self, X: torch.Tensor, scale: float) -> None:
        self.n_rows: int = len(X)
        self._X, self._trusted = X, scale > 0
        self._codes: tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None = None
        self._kept: tuple[Array, Array | None, dict[str, Any]] | None = None

    def no_labels(self) -> torch.Tensor:
        """Return the labels of rows that have no center yet."""
        return torch.full((self.n_rows,), -1, dtype=torch.int32, device=self._X.device)

    def assign(self, centers: Array, labels: torch.Tensor) -> int:
        """Assign all rows, in place; return how many were compared in float64."""
        X = self._X
        C = torch.as_tensor(np.ascontiguousarray(centers)).to(X.device)
        if not self._trusted or len(C) > MOST_CENTERS or len(C) == 1:
            compared, undecided = 0, torch.arange(self.n_rows, device=X.device)
        else:
            compared, undecided = self._assign_by_codes(C, labels)
        if len(undecided) == 0:
            return compared
        if len(undecided) * len(C) <= MAX_PAIRS_IN_FLOAT64:
            labels[undecided] = _nearest_of_all(X[undecided], C)
        else:
            codes = exact.build_codes(C)
            for block in undecided.split(UNDECIDED_ROWS):
                rows = X if len(block) == self.n_rows else X[block]
                labels[block] = exact.nearest(codes, rows, 1, size=CENTERS_PER_GROUP)[1][:, 0].int()
        return max(compared, len(undecided))

    def _assign_by_codes(self, C: torch.Tensor, labels: torch.Tensor) -> tuple[int, torch.Tensor]:
        """Assign the rows of few contenders; return how many had several, and the rows left."""
        if self._codes is None:
            self._codes, self._mean, self._scale = row_codes(self._X)
        kernels, width = _kernels(self._X), self._codes[0].shape[1]
        code, height, limits = center_codes(C, width, self._mean, self._scale)
        unit = (C.shape[1] + 16) * 2.0**-22  # as in search
        codes = assign_torch.AssignCodes(*self._codes, code, height, limits, unit)
        labels.copy_(kernels.nearest_certain(codes))
        several = torch.nonzero(labels < 0)[:, 0]
        if len(several) == 0:
            return 0, several
        for block in several.split(UNDECIDED_ROWS):
            kernels.decide(codes, block, self._X, C, labels)
        return len(several), several[labels[several] < 0]

    def step(
        self,
        centers: Array,
        labels: torch.Tensor,
        weight: Array | None,
        grid: Array,
        sums: Array,
    ) -> int:
        """Assign all rows and move those that changed between the sums, both in place."""
        before = labels.clone()
        compared = self.assign(centers, labels)
        changed = torch.nonzero(before != labels)[:, 0]
        again = (
            ROWS_PER_MOVED_ROW * len(changed) >= self.n_rows
        )  # fewer terms than taking away and adding
        if again:
            high, low = self.sums(labels, len(centers), weight, grid)
            sums[0][...], sums[1][...] = 0.0, 0.0
        else:
            high, low = self.moved(
                changed, before, labels, n_centers=len(centers), weight=weight, grid=grid
            )
        sums[0][...] += high.cpu().numpy()
        sums[1][...] += low.cpu().numpy()
        return compared

    def sums(
        self, labels: torch.Tensor, n_centers: int, weight: Array | None, grid: Array
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums of the rows of every center, on the coarse and the fine grid."""
        given = self._given(weight, grid)
        terms = SumTerms(self._X, None, labels, self.n_rows, n_centers, **given)
        high, low = _sum_kernels(self._X).add_terms(terms)
        return high, low

    def moved(
        self,
        rows: torch.Tensor,
        before: torch.Tensor,
        labels: torch.Tensor,
        *,
        n_centers: int,
        weight: Array | None,
        grid: Array,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what rows that changed their center add to the sums of every center."""
        left = rows[before[rows] >= 0]
        row, center = torch.cat([rows, left]), torch.cat([labels[rows], before[left]])
        given = self._given(weight, grid)
        terms = SumTerms(self._X, row, center, len(rows), n_centers, **given)
        high, low = _sum_kernels(self._X).add_terms(terms)
        return high, low

    def _given(self, weight: Array | None, grid: Array) -> dict[str, Any]:
        """Return grid, squared lengths and weights on the GPU, kept for the next round."""
        if self._kept is None or self._kept[0] is not grid or self._kept[1] is not weight:
            device = self._X.device
            on_gpu = torch.as_tensor(grid).to(device)
            w = None if weight is None else like_rows(self._X, np.asarray(weight, np.float64))
            squares = exact_sums_torch.squares(self._X, on_gpu[0])
            self._kept = grid, weight, {"grid": on_gpu, "square": squares, "weight": w}
        return self._kept[2]

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

    def all_keys(self, centers: Array) -> torch.Tensor:
        """Return the squared distance of every center to every row, (centers, n)."""
        C = torch.as_tensor(np.ascontiguousarray(centers)).to(self._X.device)
        out = torch.empty((len(C), self.n_rows), dtype=torch.float64, device=self._X.device)
        step = max(1, MAX_PAIRS_IN_FLOAT64 // len(C))
        for first in range(0, self.n_rows, step):
            rows = self._X[first : first + step]
            out[:, first : first + step] = _keys_of_all(rows, C)[:, : len(C)].T
        return out


def like_rows(X: torch.Tensor, rows: Array) -> torch.Tensor:
    """Return rows on the device where `X` lies."""
    return torch.as_tensor(np.ascontiguousarray(rows)).to(X.device)


def row_codes(
    X: torch.Tensor,
) -> tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor, torch.Tensor]:
    """Return rows as codes: times -2, centered and scaled; and the mean and the scale.

    With the codes (n, width) float16 come what bounds their scores: squared lengths (n,) float32,
    and residuals (n,) float32, rounded up.
    """
    d = X.shape[1]
    mean, scale, _ = exact.mean_and_scale(X)
    code, (norm, residual, _) = exact.kernels_for(X).encode(
        X,
        mean,
        exact.padded_width(d),
        scale=scale,
        largest=exact.LARGEST_QUERY_CODE,
        residual=0.0,
        length=0.0,
        unit=0.0,
        per_value=math.sqrt(d) * 2.0**-50,
    )
    return (code, norm.float(), (residual * (1 + 1e-6)).float()), mean, scale


def center_codes(
    C: torch.Tensor, width: int, mean: torch.Tensor, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return centers in the units of the rows: codes, squared lengths, and two limits.

    Codes are (padded k, width) float16; squared lengths (padded k,) float32, FAR where there is no
    center; the limits are the largest residual and the largest length.
    """
    size = -(-len(C) // CENTER_TILE) * CENTER_TILE
    per_value = math.sqrt(C.shape[1]) * 2.0**-50
    form = assign_torch.CodeForm(mean, size, width, scale, exact.LARGEST_QUERY_CODE, per_value)
    code, height, limits = _kernels(C).encode_centers(C, form)
    return code, height, limits


def _nearest_of_all(X: torch.Tensor, C: torch.Tensor) -> torch.Tensor:
    """Return the nearest center of every row by float64 keys of all, the lowest of equals."""
    key = _keys_of_all(X, C)
    number = torch.arange(key.shape[1], dtype=torch.int32, device=X.device)
    least = key.amin(1, keepdim=True)
    return torch.where(key == least, number, key.shape[1]).amin(1).int()


def _keys_of_all(X: torch.Tensor, C: torch.Tensor) -> torch.Tensor:
    """Return the squared distance of every row to every center; columns beyond are infinite."""
    size = min(64, 1 << (len(C) - 1).bit_length())
    number = -(-len(C) // size)
    all_centers = torch.arange(number, dtype=torch.int32, device=X.device).repeat(len(X), 1)
    count = torch.full((len(X),), number, dtype=torch.int32, device=X.device)
    nobody = torch.full((len(X),), -1, dtype=torch.int64, device=X.device)
    keys: torch.Tensor = exact.kernels_for(X).keys(
        X, C, CandidateGroups(all_centers, count, size), nobody, number
    )
    return keys


def _kernels(X: torch.Tensor) -> ModuleType:
    """Return the Triton kernels for a GPU, their twins elsewhere."""
    if X.device.type != "cuda":
        return assign_torch
    from lookalike.kernels.gpu import assign_triton

    return assign_triton


def _sum_kernels(X: torch.Tensor) -> ModuleType:
    if X.device.type != "cuda":
        return exact_sums_torch
    from lookalike.kernels.gpu import exact_sums_triton

    return exact_sums_triton
