"""Mutual information of columns of numbers with a target, by nearest neighbors."""

from __future__ import annotations

import numpy as np

from lookalike import _core
from lookalike.kernels.native_arrays import native_vector
from lookalike.typing import AnyArray, Array, Rows


def information_with_classes(
    X: AnyArray, code: Rows, n_classes: int, k: int, *, threads: int = 0
) -> tuple[Array, Array]:
    r"""Return the information of each column about the classes in nats, and its standard error.

    .. math:: I = \psi(N) + \langle \psi(k_i) - \psi(N_{c_i}) - \psi(m_i) \rangle

    [Ross14]: :math:`m_i` points of any class lie nearer to point i than its k-th neighbor of the
    same class, itself counted. Values are taken to differ, missing ones (NaN) are left out, and
    the estimate is not cut at zero.

    Examples
    --------
    >>> X = np.array([[0.1], [0.2], [0.3], [5.1], [5.2], [5.3]])
    >>> information_with_classes(X, np.array([0, 0, 0, 1, 1, 1]), 2, 2)[0].round(3)
    array([0.783])
    """
    columns = np.ascontiguousarray(X.T, np.float64)
    information = np.zeros((len(columns), 2))
    _core.mutual_information_with_classes(
        columns=columns,
        code=np.ascontiguousarray(code, np.int64),
        classes=n_classes,
        neighbors=k,
        threads=threads,
        information=information,
    )
    return information[:, 0], information[:, 1]


def information_with_numbers(
    X: AnyArray, target: AnyArray, k: int, *, threads: int = 0
) -> tuple[Array, Array]:
    r"""Return the information of each column about a number in nats, and its standard error.

    .. math:: I = \psi(N) + \langle \psi(k_i) - \psi(n_{x,i}) - \psi(n_{y,i}) \rangle

    [Kraskov04, eq. 8]: :math:`n_x` and :math:`n_y` points lie nearer along one axis than the k-th
    neighbor in the maximum norm of both, itself counted. Scales matter: bring columns and
    target to one. Values are taken to differ, missing ones (NaN) are left out, and the estimate is
    not cut at zero.

    Examples
    --------
    >>> x = np.arange(8.0)
    >>> information_with_numbers(x[:, None], -x, 1)[0].round(3)
    array([2.593])
    """
    columns = np.ascontiguousarray(X.T, np.float64)
    information = np.zeros((len(columns), 2))
    _core.mutual_information_with_numbers(
        columns=columns,
        target=native_vector(target),
        neighbors=k,
        threads=threads,
        information=information,
    )
    return information[:, 0], information[:, 1]
