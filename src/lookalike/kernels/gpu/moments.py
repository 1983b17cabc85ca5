"""Count, mean, scatter, smallest and largest value of every column of rows on a GPU."""

from __future__ import annotations

import torch

from lookalike.kernels.compensated import two_sum
from lookalike.kernels.gpu.scatter import row_blocks
from lookalike.typing import AnyArray, Array


def column_moments(
    X: torch.Tensor, weight: AnyArray | None = None
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return count, mean, tail of the mean, scatter, least and most; NaN and no weight left out."""
    d = X.shape[1]
    anchor = _first_present(X)
    count, total, square = X.new_zeros((3, d), dtype=torch.float64)
    least = torch.full_like(count, torch.inf)
    most = -least
    for rows, w in row_blocks(X, weight):
        values = rows.double()
        present = ~values.isnan()
        counted = present if w is None else present & (w > 0)[:, None]
        share = present.double() if w is None else present * w[:, None]
        difference = torch.where(present, values - anchor, 0.0)
        count += share.sum(0)
        total += (share * difference).sum(0)
        square += (share * difference * difference).sum(0)
        least = torch.minimum(least, torch.where(counted, values, torch.inf).amin(0))
        most = torch.maximum(most, torch.where(counted, values, -torch.inf).amax(0))
    drift = torch.where(count > 0, total / count.clamp(min=torch.finfo(torch.float64).tiny), 0.0)
    scatter = (square - count * drift * drift).clamp(min=0.0)
    mean, tail = two_sum(*(part.cpu().numpy() for part in (anchor, drift)))
    ends = (part.cpu().numpy() for part in (scatter, least, most))
    return count.cpu().numpy(), mean, tail, *ends


def _first_present(X: torch.Tensor) -> torch.Tensor:
    """Return a value of every column that is not missing, 0 where there is none."""
    if not X.dtype.is_floating_point:
        return X[0].double() if len(X) else X.new_zeros(X.shape[1], dtype=torch.float64)
    present = ~X.isnan()
    first_row = present.to(torch.uint8).argmax(0)
    value = X.gather(0, first_row[None])[0].double()
    return torch.where(present.any(0), value, 0.0)
