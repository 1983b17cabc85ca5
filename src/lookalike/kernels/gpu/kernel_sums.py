"""Sums of Gaussian kernels over rows on a GPU, class by class, in float64."""

from __future__ import annotations

import numpy as np
import torch

from lookalike.typing import AnyArray, Array, Rows

KERNEL_CELLS = 2**26  # kernels in memory at once
FLOAT64_EPSILON = 2.0**-52
KERNEL_ERROR_FLOAT64 = 1e-10  # beyond it, differences are taken instead of products


class GPUKernelSums:
    """Rows of known classes on a GPU.

    Squared distances come from one product of matrices about the mean of the rows where its
    rounding is proven to change no kernel by more than 1e-10, from differences elsewhere.

    Parameters
    ----------
    X, codes, n_classes, weight
        As in :class:`lookalike.kernels.kernel_sums.KernelSums`.
    device : torch.device
        Where to keep them.
    """

    def __init__(
        self, X: AnyArray, codes: Rows, n_classes: int, weight: Array | None, device: object
    ) -> None:
        rows = torch.as_tensor(np.array(X, np.float64)).to(device)
        self._mean = rows.mean(0)
        self._X = rows - self._mean
        self._norm = self._X.square().sum(1)
        self._length = self._norm.max().sqrt()
        self._share = torch.zeros((len(rows), n_classes), dtype=torch.float64, device=device)
        counted = np.ones(len(rows)) if weight is None else np.asarray(weight, np.float64)
        code_tensor = torch.as_tensor(np.asarray(codes, np.int64)).to(device)
        self._share.scatter_(1, code_tensor[:, None], torch.as_tensor(counted).to(device)[:, None])

    def sums(self, Q: AnyArray, nearest: Array, inverse: Array, exclude: Rows | None) -> Array:
        """Return the sums (queries, widths, classes); `inverse` is 1 / (2 width^2)."""
        device = self._X.device
        queries = torch.as_tensor(np.array(Q, np.float64)).to(device) - self._mean
        first = torch.as_tensor(np.array(nearest, np.float64)).to(device)
        self_rows = (
            None if exclude is None else torch.as_tensor(np.array(exclude, np.int64)).to(device)
        )
        out = torch.empty(
            (len(queries), len(inverse), self._share.shape[1]), dtype=torch.float64, device=device
        )
        step = max(1, KERNEL_CELLS // len(self._X))
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            difference = self._squared(queries[part], float(np.max(inverse))) - first[part, None]
            difference.clamp_(min=0.0)
            if self_rows is not None:
                difference.scatter_(1, self_rows[part, None], torch.inf)
            for width, factor in enumerate(inverse):
                out[part, width] = torch.exp(difference * -float(factor)) @ self._share
        sums: Array = out.cpu().numpy()
        return sums

    def _squared(self, Q: torch.Tensor, inverse: float) -> torch.Tensor:
        """Return squared distances, by products where these are accurate enough."""
        norm = Q.square().sum(1)
        reach = float((norm.max().sqrt() + self._length).square())
        if 4 * FLOAT64_EPSILON * Q.shape[1] ** 0.5 * reach * inverse <= KERNEL_ERROR_FLOAT64:
            return torch.addmm(norm[:, None] + self._norm, Q, self._X.T, alpha=-2.0)
        out = Q.new_zeros((len(Q), len(self._X)))
        for column in range(Q.shape[1]):
            out += (Q[:, column, None] - self._X[:, column]).square_()
        return out
