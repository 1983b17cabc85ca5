"""The torch twins of the kernels of k-means: the same answers on any device, slowly."""

from __future__ import annotations

from typing import NamedTuple

import torch

from lookalike.kernels.gpu.candidates import CandidateGroups
from lookalike.kernels.gpu.exact_torch import keys

TEMPORARY_CELLS = 2**24  # numbers of one temporary
NO_CENTER_SCORE = 3e38  # the score of no center
LENGTH_ROUNDING_FACTOR = 1 + 1e-9  # more than the rounding of a length
FLOAT32_DISTANCE_ROUNDING = 1e-6  # more than the rounding of distances in float32


class CodeForm(NamedTuple):
    """How centers become codes."""

    mean: torch.Tensor  # of the rows
    size: int  # codes, those of no center included
    width: int  # columns of a code
    scale: torch.Tensor  # (), float64
    largest: float  # value of a code
    per_value: float  # what rounding adds to a residual


class AssignCodes(NamedTuple):
    """Codes of rows and of centers, and what bounds their scores."""

    code: torch.Tensor  # (rows, width) float16, times -2
    norm: torch.Tensor  # (rows,) squared lengths
    own: torch.Tensor  # (rows,) residuals
    centers: torch.Tensor  # (padded centers, width) float16
    height: torch.Tensor  # (padded centers,) squared lengths
    limits: torch.Tensor  # the largest residual and length of a center
    unit: float  # rounding of a score

    def of_rows(self, rows: slice | torch.Tensor) -> AssignCodes:
        """Return the codes of some rows."""
        return self._replace(code=self.code[rows], norm=self.norm[rows], own=self.own[rows])


def encode_centers(C: torch.Tensor, form: CodeForm) -> tuple[torch.Tensor, ...]:
    """Return codes, squared lengths (FAR for no center), the largest residual and length."""
    mean, size, width, scale, largest, per_value = form
    shifted = (C - mean) * scale
    half = shifted.clamp(-largest, largest).half()
    wide = half.double()
    difference = (shifted - wide).square().sum(1).sqrt() + shifted.abs().amax(1) * per_value
    length = wide.square().sum(1)
    code = torch.zeros((size, width), dtype=torch.float16, device=C.device)
    code[: len(C), : C.shape[1]] = half
    height = torch.full((size,), NO_CENTER_SCORE, dtype=torch.float32, device=C.device)
    height[: len(C)] = length.float()
    return (
        code,
        height,
        torch.stack([difference.max(), length.max().sqrt()]) * LENGTH_ROUNDING_FACTOR,
    )


def nearest_certain(codes: AssignCodes) -> torch.Tensor:
    """Return the nearest center of every row where it is certain, -1 elsewhere.

    The number of a center takes the place of the last digits of its score: one minimum gives the
    score and the center.
    """
    n, n_centers = len(codes.code), len(codes.centers)
    out = torch.empty(n, dtype=torch.int32, device=codes.code.device)
    mask, step = number_mask(n_centers), max(1, TEMPORARY_CELLS // n_centers)
    for first in range(0, n, step):
        part = slice(first, first + step)
        two, nearer, further = _least(2, codes.of_rows(part))
        out[part] = torch.where(further[:, 1] > nearer, two[:, 0] & mask, -1)
    return out


def decide(
    codes: AssignCodes, rows: torch.Tensor, X: torch.Tensor, C: torch.Tensor, label: torch.Tensor
) -> None:
    """Give some rows their nearest center in float64, in place, where few centers contend."""
    four, nearer, further = _least(4, codes.of_rows(rows))
    maybe = (further <= nearer[:, None]) & (four.view(torch.float32) < 2e38)
    number = (four & number_mask(len(codes.centers))).clamp(max=len(C) - 1)
    groups = CandidateGroups(number, torch.full_like(label[rows], 4), 1)
    nobody = torch.full((len(rows),), -1, dtype=torch.int64, device=X.device)
    key = keys(X[rows], C, groups, nobody, 4).masked_fill(~maybe, torch.inf)
    least = key.amin(1, keepdim=True)
    best = torch.where(key == least, number, len(C)).amin(1)
    label[rows] = torch.where(maybe[:, 3], -1, best).int()


def _least(count: int, codes: AssignCodes) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the least scores as bits, at least the least distance, and at most each distance.

    The first distance is widened by what codes and rounding may hide: centers beyond it are out.
    """
    code, norm, own, centers, height, limits, unit = codes
    mask = number_mask(len(centers))
    number = torch.arange(len(centers), dtype=torch.int32, device=code.device)
    score = (height[None] + (norm[:, None] + 1.0)) + code.float() @ centers.float().T
    packed = ((score.view(torch.int32) & ~mask) | number).view(torch.float32)
    least = packed.topk(count, dim=1, largest=False, sorted=True).values
    residual, length = limits
    reach = norm.double()
    error = unit * (length * length + 2 * reach.sqrt() * length + reach + 1.0)
    slack, digits = own.double() + residual, (mask + 1) * 2.0**-22
    nearer = (least[:, 0].double() * (1 + digits) + error - 1.0).clamp(min=0).sqrt()
    further = (least.double() * (1 - digits) - error[:, None] - 1.0).clamp(min=0).sqrt()
    limit = nearer * (1 + FLOAT32_DISTANCE_ROUNDING) + 2 * slack * (1 + FLOAT32_DISTANCE_ROUNDING)
    return least.contiguous().view(torch.int32), limit, further * (1 - FLOAT32_DISTANCE_ROUNDING)


def number_mask(padded: int) -> int:
    """Return the bits of a score that hold the number of one of `padded` centers."""
    return (1 << max(1, (padded - 1).bit_length())) - 1
