"""Components of a Gaussian mixture: responsibilities, densities, and the sums of the M-step."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np

from lookalike import _core
from lookalike.errors import ShapeError
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix, native_vector
from lookalike.typing import AnyArray, Array, Rows, is_tensor, to_host

RESPONSIBILITY_ROWS = 4096  # rows whose responsibilities are in memory at once


class Components(NamedTuple):
    r"""Component k has :math:`\log \pi_k N(x) = a_k - \frac12 \|W_k (x - s - m_k)\|^2`."""

    shift: Array  # (d,), s
    mean: Array  # (k, d), m
    factor: Array  # (k, d, d) lower triangular, or (k, d) diagonal: W
    constant: Array  # (k,), a

    @property
    def diagonal(self) -> bool:
        """Return whether the columns are independent within a component."""
        return self.factor.ndim == 2


def expected_sums(
    X: AnyArray, weight: Array | None, of: Components, *, nearest: bool = False, threads: int = 0
) -> tuple[float, Array]:
    r"""Return the log-likelihood of the rows, and the sums of every component.

    .. math:: S_k = \sum_n w_n r_{nk} z_{nk} z_{nk}^\top, \qquad
              z_{nk} = \begin{pmatrix} x_n - s - m_k \\ 1 \end{pmatrix}

    as (k, d + 1, d + 1), the lower triangle; for diagonal components (k, 2, d + 1), the sums of
    :math:`z` and of its squares. With `nearest`, a row is wholly of its most dense component.
    """
    if is_tensor(X):
        from lookalike.kernels.gpu import mixture

        return mixture.expected_sums(X, weight, of, nearest=nearest)
    sums = _no_sums(of)
    log_likelihood = _core.mixture_sums(
        X=native_matrix(X, NUMBER_TYPES),
        weight=_weights(weight),
        **_density(of),
        nearest=nearest,
        threads=threads,
        sums=sums,
    )
    return log_likelihood, _trim(sums, of)


def sums_given(
    X: AnyArray, weight: Array | None, share: Array, of: Components, *, threads: int = 0
) -> Array:
    """Return the sums of every component for given responsibilities, (n, k)."""
    if is_tensor(X):
        from lookalike.kernels.gpu import mixture

        return mixture.sums_given(X, weight, share, of)
    sums = _no_sums(of)
    centers: _Centers = {"shift": of.shift, "mean": of.mean, "diagonal": of.diagonal}
    _core.mixture_sums_given(
        X=native_matrix(X, NUMBER_TYPES),
        weight=_weights(weight),
        responsibility=share,
        **centers,
        threads=threads,
        sums=sums,
    )
    return _trim(sums, of)


def densities(X: AnyArray, of: Components, *, threads: int = 0) -> Array:
    """Return the logarithm of the density at every row, finite wherever the row lies."""
    if is_tensor(X):
        return responsibilities(X, of)[1]
    log_density = np.empty(len(X))
    _write_responsibilities(X, of, np.empty((0, 0)), log_density, threads)
    return log_density


def responsibilities(X: AnyArray, of: Components, *, threads: int = 0) -> tuple[Array, Array]:
    """Return the responsibilities of every row, (n, k), which sum to one, and its log density."""
    if is_tensor(X):
        from lookalike.kernels.gpu import mixture

        on_gpu = mixture.responsibilities(X, of)
        return to_host(on_gpu[0]), to_host(on_gpu[1])
    share, log_density = np.empty((len(X), len(of.mean))), np.empty(len(X))
    _write_responsibilities(X, of, share, log_density, threads)
    return share, log_density


def most_responsible(X: AnyArray, of: Components, *, threads: int = 0) -> Rows:
    """Return the component most responsible for every row, the lowest of equals.

    Responsibilities of a tile of rows are in memory at a time.
    """
    if is_tensor(X):
        return np.asarray(responsibilities(X, of)[0].argmax(axis=1), np.int64)
    best = np.empty(len(X), np.int64)
    for begin in range(0, len(X), RESPONSIBILITY_ROWS):
        part = slice(begin, begin + RESPONSIBILITY_ROWS)
        best[part] = responsibilities(X[part], of, threads=threads)[0].argmax(axis=1)
    return best


def _write_responsibilities(
    X: AnyArray, of: Components, share: Array, log_density: Array, threads: int
) -> None:
    _require_one_shape(of, X.shape[1])
    _core.mixture_responsibilities(
        X=native_matrix(X, NUMBER_TYPES),
        **_density(of),
        threads=threads,
        responsibility=share,
        log_density=log_density,
    )


def _require_one_shape(of: Components, n_features: int) -> None:
    """Raise where the parts of the components do not fit together, as in a stranger's file."""
    shape = (len(of.constant), n_features)
    fits = of.mean.shape == shape and of.shift.shape == (n_features,)
    if not fits or of.factor.shape not in (shape, (*shape, n_features)):
        raise ShapeError(
            f"The components are of shapes {of.mean.shape}, {of.factor.shape} and "
            f"{of.constant.shape}, and rows have {n_features} columns. Fit the model again."
        )


class _Centers(TypedDict):
    shift: Array
    mean: Array
    diagonal: bool


class _Density(_Centers):
    factor: Array
    constant: Array


def _density(of: Components) -> _Density:
    """Return the components as arguments of native functions."""
    factor = of.factor.reshape(-1, of.mean.shape[1])
    return {
        "shift": of.shift, "mean": of.mean, "factor": factor, "constant": of.constant,
        "diagonal": of.diagonal,
    }  # fmt: skip


def _no_sums(of: Components) -> Array:
    n_components, cols = of.mean.shape
    height = 2 if of.diagonal else cols + 1
    return np.zeros((n_components * height, _core.mixture_sums_width(cols=cols)))


def _trim(sums: Array, of: Components) -> Array:
    n_components, cols = of.mean.shape
    return np.ascontiguousarray(sums.reshape(n_components, -1, sums.shape[1])[:, :, : cols + 1])


def _weights(weight: Array | None) -> Array:
    return np.empty(0) if weight is None else native_vector(weight)
