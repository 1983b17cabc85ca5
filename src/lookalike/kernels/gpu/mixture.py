r"""The sums of EM of a Gaussian mixture, of rows on a GPU, in float64.

Log densities are linear in the products of columns,

.. math:: \log \pi_k N(x) = c_k + b_k^\top z - \tfrac12 \sum_{i \le j} (2 - \delta_{ij})
          \Lambda_{kij} z_i z_j, \qquad z = x - s - g,

so that all components of a block of rows come from one matrix product, and all their sums from
another. That loses digits where components lie many of their widths from the midst g; there, by
a bound, each component is computed about its own mean instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from lookalike.kernels.gpu.scatter import row_blocks
from lookalike.kernels.mixture import Components
from lookalike.typing import AnyArray, Array

MIXTURE_BLOCK_VALUES = 2**27  # float64 numbers of one temporary
FLOAT64_EPSILON = 2.0**-52
MAX_LOG_DENSITY_ERROR = 1e-8  # of a log density, beyond which components are computed one by one


def expected_sums(
    X: torch.Tensor, weight: AnyArray | None, of: Components, *, nearest: bool = False
) -> tuple[float, Array]:
    """Return the log-likelihood, and the sums of every component about its mean."""
    total = X.new_zeros((), dtype=torch.float64)
    sums: torch.Tensor | float = 0.0
    step = _step(X, of)
    for z, w in _blocks(X, weight, step):
        log_joint = step.log_joint(z)
        if nearest:
            peak = log_joint.logsumexp(0)
            share = _of_the_largest(log_joint) * (1.0 if w is None else w)
        else:
            share, peak = shares(log_joint, w)
        total += peak.sum() if w is None else peak @ w
        sums = step.sums(z, share) + sums
    both = torch.cat([total[None], step.about_means(sums).flatten()]).cpu().numpy()
    return float(both[0]), both[1:].reshape(step.no_sums().shape)


def sums_given(X: torch.Tensor, weight: AnyArray | None, share: Array, of: Components) -> Array:
    """Return the sums of every component for given responsibilities, (n, k)."""
    sums: torch.Tensor | float = 0.0
    step = _step(X, of)
    first = 0
    for z, w in _blocks(X, weight, step):
        part = torch.as_tensor(share[first : first + z.shape[1]].T.copy()).to(X.device)
        sums = step.sums(z, part if w is None else part * w) + sums
        first += z.shape[1]
    out: Array = step.about_means(sums).cpu().numpy()
    return out


def responsibilities(X: torch.Tensor, of: Components) -> tuple[torch.Tensor, torch.Tensor]:
    """Return responsibilities (n, k), which sum to one, and the log density of every row."""
    parts, densities = [], []
    step = _step(X, of)
    for z, _ in _blocks(X, None, step):
        share, peak = shares(step.log_joint(z), None)
        parts.append(share.T)
        densities.append(peak)
    return torch.cat(parts), torch.cat(densities)


def shares(
    log_joint: torch.Tensor, weight: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return responsibilities (k, n), times the weights, and the log density of every row."""
    if log_joint.device.type == "cuda":
        from lookalike.kernels.gpu import mixture_triton

        if len(log_joint) <= mixture_triton.MAX_COMPONENTS_IN_REGISTERS:
            return mixture_triton.shares(log_joint, weight)
    peak = log_joint.logsumexp(0)
    share = (log_joint - peak).exp_()
    return share if weight is None else share.mul_(weight), peak


class _Step:
    """Components about the midst of their means, and the polynomials of their log densities."""

    def __init__(self, of: Components, device: torch.device) -> None:
        shift, mean, self._factor, self._constant = (
            torch.as_tensor(np.ascontiguousarray(part)).to(device) for part in of
        )
        middle = mean.mean(0)
        self.diagonal, self.origin, self._mean = of.diagonal, shift + middle, mean - middle
        self._coefficient, self.sharpness = _polynomial(self._factor, self._constant, self._mean)
        self._terms: torch.Tensor | None = None

    @property
    def width(self) -> int:
        """How many numbers of a row are in memory together."""
        return int(max(self._coefficient.shape[1], 2 * len(self._mean)))

    def no_sums(self) -> torch.Tensor:
        """Return the sums of no rows."""
        k, d = self._mean.shape
        return self._mean.new_zeros((k, 2 if self.diagonal else d + 1, d + 1))


class JointStep(_Step):
    """All components of a block of rows by one matrix product each way."""

    def log_joint(self, z: torch.Tensor) -> torch.Tensor:
        """Return log pi_k N(x), (k, n)."""
        self._terms = terms_of(z, diagonal=self.diagonal)
        return self._coefficient @ self._terms

    def sums(self, z: torch.Tensor, share: torch.Tensor) -> torch.Tensor:
        """Return the sums of all terms of the rows by their shares (k, n)."""
        terms = self._terms
        if terms is None:
            terms = terms_of(z, diagonal=self.diagonal)
        self._terms = None
        return share @ terms.T

    def about_means(self, sums: torch.Tensor) -> torch.Tensor:
        """Return sums about the midst as sums about the means."""
        return _about_means(sums, self._mean, diagonal=self.diagonal)


class ComponentwiseStep(_Step):
    """Components of a block of rows one by one, each about its own mean."""

    def log_joint(self, z: torch.Tensor) -> torch.Tensor:
        """Return log pi_k N(x), (k, n)."""
        out = z.new_empty((len(self._mean), z.shape[1]))
        for k, mean in enumerate(self._mean):
            difference = z - mean[:, None]
            factor = self._factor[k]
            image = factor[:, None] * difference if self.diagonal else factor @ difference
            out[k] = self._constant[k] - 0.5 * image.square_().sum(0)
        return out

    def sums(self, z: torch.Tensor, share: torch.Tensor) -> torch.Tensor:
        """Return the sums of the rows by their shares (k, n)."""
        out = self.no_sums()
        d = len(z)
        for k, mean in enumerate(self._mean):
            difference = z - mean[:, None]
            weighted = difference * share[k]
            if self.diagonal:
                out[k, 0, :d], out[k, 0, d] = weighted.sum(1), share[k].sum()
                out[k, 1, :d], out[k, 1, d] = (weighted * difference).sum(1), share[k].sum()
            else:
                out[k, :d, :d] = weighted @ difference.T
                out[k, d, :d], out[k, d, d] = weighted.sum(1), share[k].sum()
        return out

    def about_means(self, sums: torch.Tensor) -> torch.Tensor:
        """Return the sums, which are about the means already."""
        return sums


def _step(X: torch.Tensor, of: Components) -> JointStep | ComponentwiseStep:
    """Return how components are computed: together where that loses no digits that matter."""
    step = JointStep(of, X.device)
    least, most = torch.aminmax(X, dim=0)
    difference = torch.maximum((most - step.origin).abs(), (least - step.origin).abs())
    reach = float(difference.square().sum() * step.sharpness)
    good = 4 * FLOAT64_EPSILON * step.width**0.5 * reach <= MAX_LOG_DENSITY_ERROR  # NaN: one by one
    return step if good else ComponentwiseStep(of, X.device)


def _blocks(
    X: torch.Tensor, weight: AnyArray | None, step: JointStep | ComponentwiseStep
) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """Give shifted rows (d, n), and their weights."""
    size = max(1, MIXTURE_BLOCK_VALUES // step.width)
    for rows, w in row_blocks(X, weight):
        for first in range(0, len(rows), size):
            part = slice(first, first + size)
            z = (rows[part].T - step.origin[:, None]).contiguous()
            yield z, None if w is None else w[part]


def _polynomial(
    factor: torch.Tensor, constant: torch.Tensor, u: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log densities as coefficients of products, columns and one, (k, terms).

    `u` are the means less the midst g. The second is a bound of the largest eigenvalue of a
    precision.
    """
    d = u.shape[1]
    if factor.ndim == 2:  # diagonal
        precision = factor.square()
        square = -0.5 * precision
        linear = precision * u
        sharpness = precision.max()
    else:
        precision = factor.transpose(1, 2) @ factor
        row, column = torch.triu_indices(d, d, device=u.device)
        square = -precision[:, row, column]
        square[:, row == column] *= 0.5
        linear = (precision @ u[:, :, None])[:, :, 0]
        sharpness = precision.square().sum((1, 2)).sqrt().max()
    constant = constant - 0.5 * (u * linear).sum(1)
    coefficient = torch.cat([square, linear, constant[:, None]], 1)
    return coefficient, sharpness


def terms_of(z: torch.Tensor, *, diagonal: bool) -> torch.Tensor:
    """Return the products of columns, the columns and ones, (terms, n)."""
    d, n = z.shape
    if diagonal:
        return torch.cat([z * z, z, z.new_ones((1, n))])
    terms = z.new_empty((d * (d + 1) // 2 + d + 1, n))
    terms[-1 - d : -1] = z
    terms[-1] = 1.0
    if z.device.type == "cuda":
        from lookalike.kernels.gpu import mixture_triton

        mixture_triton.products(z, terms)
        return terms
    first = 0
    for i in range(d):
        torch.mul(z[i], z[i:], out=terms[first : first + d - i])
        first += d - i
    return terms


def _about_means(totals: torch.Tensor, mean: torch.Tensor, *, diagonal: bool) -> torch.Tensor:
    """Return sums of terms about the midst as sums about the means."""
    k, d = mean.shape
    count, first = totals[:, -1:], totals[:, -1 - d : -1]
    moved = first - count * mean
    if diagonal:
        square = totals[:, :d] - 2 * mean * first + count * mean * mean
        upper = torch.cat([moved, count], 1)
        return torch.stack([upper, torch.cat([square, count], 1)], 1)
    out = totals.new_zeros((k, d + 1, d + 1))
    row, column = torch.triu_indices(d, d, device=mean.device)
    out[:, column, row] = totals[:, : len(row)]
    cross = first[:, :, None] * mean[:, None, :]
    cross = cross + cross.transpose(1, 2)
    out[:, :d, :d] -= cross - count[:, :, None] * mean[:, :, None] * mean[:, None, :]
    out[:, d, :d], out[:, d, d] = moved, count[:, 0]
    return out


def _of_the_largest(log_joint: torch.Tensor) -> torch.Tensor:
    """Return ones where a component is the most dense at a row, the first of equals."""
    share = torch.zeros_like(log_joint)
    return share.scatter_(0, log_joint.argmax(0, keepdim=True), 1.0)
