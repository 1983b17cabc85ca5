"""Wrong numbers: how probable it is that a number is wrong, from those of the neighbors."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln

from lookalike.confidence import OF_MEDIAN
from lookalike.typing import AnyArray, Array

LEAST_FREEDOM, MOST_FREEDOM = 3.0, 1e4  # of Student's t: beyond, it is normal
MOST_NOISE = 0.5  # more wrong values than right ones could not be distinguished
# Of scale, w, freedom, noise and the width of wrong values: much noise, and little.
NUMBER_ERROR_STARTS = (
    (0.0, 0.0, 2.0, -2.0, 0.0),
    (0.0, 0.0, 2.0, -6.0, 0.0),
)
SMALLEST_DENSITY = np.finfo(np.float64).tiny


def number_errors(near: Array, y: Array) -> tuple[Array, Array, float, Array]:
    r"""Return how probable it is that each value is wrong.

    The model: around row i values have the median :math:`m_i` of the K neighbors, and Student's t
    distribution with :math:`\nu \ge 3` degrees of freedom and the scale

    .. math:: s_i^2 = \sigma^2 \bigl(w + (1 - w)\, r_i^2 / \overline{r^2}\bigr),

    where :math:`r_i` is 1.4826 times the median distance of the neighbors' values from
    :math:`m_i`: values may scatter more in some places than in others. A value is wrong with
    probability :math:`\rho`, wherever it stands, and is then any number: Cauchy's law c about the
    median of all values, whose scale is their robust deviation or more, so that values of other
    rows and slips by powers of ten are both expected. :math:`\sigma, w, \nu, \rho` and that scale
    are those of the largest likelihood over all rows. Then

    .. math:: P(\text{wrong} | y_i) = \frac{\rho\, c(y_i)}
              {\rho\, c(y_i) + (1 - \rho)\, t_\nu\bigl((y_i - m_i) / s_i\bigr) / s_i}.

    A wrong value that is plausible where it stands cannot be detected, so that fewer are flagged
    than there are; right values with heavy tails are not flagged, for then the tails belong to
    the distribution. Where all values are above 0 and their logarithms make the values more
    probable by this model, it is that of the logarithms, as for prices and incomes.

    Parameters
    ----------
    near : array of shape (n_rows, k)
        The neighbors' values, the row itself left out; NaN where there are fewer.
    y : array of shape (n_rows,)
        The values.

    Returns
    -------
    probability, suggested : ndarray of shape (n_rows,)
        That the value is wrong, and the median of the neighbors.
    noise : float
        Share of all values that are wrong.
    deviation : ndarray of shape (n_rows,)
        Of the values from `suggested`, in deviations usual there.
    """
    middle, spread = _around(near, y)
    residual = y - middle
    if not residual.any():
        return np.zeros(len(y)), middle, 0.0, np.zeros(len(y))
    loss, (right, wrong, scale, noise) = _Mixture(y, residual, spread).fitted()
    if (y > 0).all():
        log_middle, log_spread = _around(np.log(near), np.log(y))
        log_gap = np.log(y) - log_middle
        log_loss, parts = _Mixture(np.log(y), log_gap, log_spread).fitted()
        if log_loss + np.log(y).mean() < loss:  # densities of y, not of its logarithm
            residual, (right, wrong, scale, noise) = log_gap, parts
    return expit(wrong - right), middle, noise, residual / scale


def differing(first: AnyArray, y: Array, least: float) -> AnyArray:
    """Tell for every row whether values of its group differ by more than `least`."""
    low, high = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    np.minimum.at(low, first, y)
    np.maximum.at(high, first, y)
    differ: AnyArray = (high - low)[first] > least
    return differ


def usual_gap(y: Array, suggested: Array) -> float:
    """Return the robust deviation of values from the medians of their neighbors."""
    return _robust(y - suggested)


def _around(near: Array, y: Array) -> tuple[Array, Array]:
    """Return median and robust spread of the neighbors, of all values where there are none."""
    alone = np.isnan(near).all(axis=1, keepdims=True)
    near = np.where(alone, np.median(y), near)
    middle = np.nanmedian(near, axis=1)
    return middle, OF_MEDIAN * np.nanmedian(np.abs(near - middle[:, None]), axis=1)


def _robust(residual: Array) -> float:
    """Return the deviation of most gaps: of the median one, of the mean one where that is 0."""
    size = np.abs(residual)
    return float(OF_MEDIAN * np.median(size) or 1.2533 * np.mean(size) or 1.0)


class _Mixture:
    """The mixture of right and wrong values: log densities of each component."""

    def __init__(self, y: Array, gap: Array, spread: Array) -> None:
        self._gap, self._usual = gap, _robust(gap)
        self._from_all = y - np.median(y)
        self._wide = _robust(self._from_all)
        square = spread**2
        self._local = square / (np.minimum(square, np.quantile(square, 0.95)).mean() or 1.0)

    def fitted(self) -> tuple[float, tuple[Array, Array, Array, float]]:
        """Return minus the mean log likelihood, and right, wrong, scale and noise at its least.

        It is found by a simplex search.
        """
        options = {"maxiter": 1200, "xatol": 1e-3, "fatol": 1e-8}
        tried = [
            minimize(
                self._negative_log_likelihood,
                np.array(start),
                method="Nelder-Mead",
                options=options,
            )
            for start in NUMBER_ERROR_STARTS
        ]
        best = min(tried, key=lambda fit: fit.fun)
        return float(best.fun), self._parts(best.x)

    def _negative_log_likelihood(self, t: Array) -> float:
        right, wrong, *_ = self._parts(t)
        return -float(np.logaddexp(right, wrong).mean())

    def _parts(self, t: Array) -> tuple[Array, Array, Array, float]:
        share = float(np.clip(expit(t[1]), 1e-6, 1.0))  # nowhere do values not scatter at all
        mixed = np.sqrt(share + (1.0 - share) * self._local)
        scale = self._usual * np.exp(np.clip(t[0], -30.0, 30.0)) * mixed
        freedom = min(LEAST_FREEDOM + np.exp(min(t[2], 50.0)), MOST_FREEDOM)
        noise = float(MOST_NOISE * expit(t[3]))
        right = np.log1p(-noise) + _log_student(self._gap / scale, freedom) - np.log(scale)
        wide = self._wide * (1.0 + np.exp(min(t[4], 50.0)))
        anywhere = -np.log(np.pi * wide) - np.log1p((self._from_all / wide) ** 2)
        return right, np.log(noise + SMALLEST_DENSITY) + anywhere, scale, noise


def _log_student(z: Array, freedom: float) -> Array:
    half = (freedom + 1) / 2
    scale = gammaln(half) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi)
    density: Array = scale - half * np.log1p(z * z / freedom)
    return density
