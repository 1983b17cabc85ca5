"""Calibrated probabilities: shrunk toward the class shares, then flattened or sharpened.

Both numbers are those of the lowest log loss on rows that the model was not fitted to. The most
probable class stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from lookalike.errors import ShapeError
from lookalike.typing import Array, Rows
from lookalike.validation import shown

MAX_CALIBRATION_ROWS = 5000  # on which the two numbers are chosen
TEMPERATURES_TRIED = (0.5, 0.8, 1.0, 1.5, 2.5)
SHRINKAGES_TRIED = (0.0, 0.01, 0.05, 0.2)  # added to the least one
MAX_SEARCH_STEPS = 60  # of the search from the best of these on
LARGEST_SHRINKAGE = 0.9
TEMPERATURE_RANGE = (0.1, 10.0)
LEAST_PROBABILITY = 1e-300  # whose logarithm is finite


@dataclass(frozen=True)
class TemperatureScaling:
    r"""How probabilities are corrected.

    .. math:: q = (1 - \lambda)\, p + \lambda\, \pi, \qquad
              \hat p_c = q_c^{1/T} \big/ \textstyle\sum_k q_k^{1/T}

    :math:`\pi` are the class shares of the training rows; where these would make another class the
    most probable one, all classes alike.

    Attributes
    ----------
    temperature : float
        T, above 1 of models that are too sure.
    shrinkage : float
        :math:`\lambda`; above 0, no probability is 0.
    prior : ndarray of shape (n_classes,)
        :math:`\pi`.
    """

    temperature: float
    shrinkage: float
    prior: Array

    def __call__(self, shares: Array) -> Array:
        """Return calibrated probabilities, (rows, classes).

        Examples
        --------
        >>> calibrated = TemperatureScaling(2.0, 0.1, np.array([0.5, 0.5]))
        >>> calibrated(np.array([[1.0, 0.0], [0.5, 0.5]])).round(3).tolist()
        [[0.813, 0.187], [0.5, 0.5]]
        """
        if not _are_shares(shares, len(self.prior)):
            raise ShapeError(
                f"shares={shown(shares)} are not probabilities of {len(self.prior)} classes. Give "
                "an array of shape (rows, classes) without negative numbers."
            )
        mixed = (1 - self.shrinkage) * shares + self.shrinkage * self.prior
        best = shares.argmax(axis=1)
        turned = mixed.argmax(axis=1) != best
        if turned.any():
            even = self.shrinkage / shares.shape[1]
            mixed[turned] = (1 - self.shrinkage) * shares[turned] + even
        largest = mixed.max(axis=1, keepdims=True)
        power = (mixed / largest) ** (1 / self.temperature)
        calibrated: Array = power / power.sum(axis=1, keepdims=True)
        return calibrated

    def describe(self) -> str:
        """Return what is done, in words."""
        return f"temperature {self.temperature:.3g}, shrunk by {self.shrinkage:.2g}"


def _are_shares(values: object, n_classes: int) -> bool:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
        return False
    return values.ndim == 2 and values.shape[1] == n_classes and bool((values >= 0).all())


def fit_calibration(shares: Array, codes: Rows, prior: Array) -> TemperatureScaling:
    """Return the calibration of the lowest log loss.

    Where probabilities of 0 or 1 occur, they are shrunk by no less than one row in all would: that
    no row contradicts them says no more [Laplace's rule of succession].

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Probabilities of rows that the model was not fitted to.
    codes : ndarray of shape (n_rows,)
        The place of each row's class.
    prior : ndarray of shape (n_classes,)
        The class shares.
    """
    n_rows = len(codes)
    if n_rows > MAX_CALIBRATION_ROWS:
        sample = np.linspace(0, n_rows - 1, MAX_CALIBRATION_ROWS).astype(np.int64)
        shares, codes = shares[sample], codes[sample]
    least = 1.0 / (n_rows + 1) if (shares <= 0).any() else 0.0

    def made(point: Array) -> TemperatureScaling:
        temperature = float(np.clip(np.exp(point[0]), *TEMPERATURE_RANGE))
        return TemperatureScaling(temperature, min(least + point[1] ** 2, LARGEST_SHRINKAGE), prior)

    def loss(point: Array) -> float:
        pull = float(point[0] ** 2) / n_rows  # a weak one toward 1
        return float(log_losses(made(point)(shares), codes).mean()) + pull

    start = min(
        (np.array([np.log(t), np.sqrt(s)]) for t in TEMPERATURES_TRIED for s in SHRINKAGES_TRIED),
        key=loss,
    )
    search = minimize(loss, start, method="Nelder-Mead", options={"maxiter": MAX_SEARCH_STEPS})
    return made(search.x if search.fun < loss(start) else start)


def log_losses(shares: Array, codes: Rows) -> Array:
    """Return minus the logarithm of the probability of every row's class."""
    true_share = shares[np.arange(len(codes)), codes]
    losses: Array = -np.log(np.maximum(true_share, LEAST_PROBABILITY))
    return losses
