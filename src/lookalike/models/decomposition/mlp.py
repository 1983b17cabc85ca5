"""Multilayer perceptrons trained to reproduce their input."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from lookalike.errors import ParameterError
from lookalike.kernels.transform import map_rows
from lookalike.progress import progress
from lookalike.typing import AnyArray, Array

ACTIVATION_FUNCTIONS: dict[str, Callable[[AnyArray], AnyArray]] = {
    "identity": lambda a: a,
    "logistic": expit,
    "relu": lambda a: np.maximum(a, 0),
    "tanh": np.tanh,
}
LBFGS_FALL = 2.220446049250313e-9  # a smaller fall of the loss ends SciPy's L-BFGS


Layers = tuple[tuple[Array, ...], tuple[Array, ...]]  # the weights and the biases of each
# The network; the losses and the mean squared errors of the validation rows, an epoch each; the
# number of iterations, and whether training stopped before max_iter.
Training = tuple[Layers, list[float], list[float], int, bool]


def forward(
    X: AnyArray, layers: Layers, activation: str, first: int = 0, last: int | None = None
) -> AnyArray:
    """Return what the layers from `first` up to, not including, `last` make of the rows.

    All layers but the last of the network are followed by `activation`. A row gives the same bits
    alone and among others.
    """
    weights, biases = layers
    for layer in range(len(weights))[first:last]:
        X = map_rows(X, weights[layer].T) + biases[layer]
        if layer < len(weights) - 1:
            X = ACTIVATION_FUNCTIONS[activation](X)
    return X


class Epochs(Protocol):
    """A network under training that goes through all rows once a step."""

    def step(self) -> float:
        """Train for one epoch, and return the loss."""
        ...

    def layers(self) -> Layers:
        """Return the network as it is now."""
        ...


def train_at_once(X: Array, config: MLPRegressor) -> Training:
    """Train on all rows at once by L-BFGS: for few rows, and to the last digit.

    The network is of the parameters of `config`, an MLP of scikit-learn that is not fitted.
    It stops when no slope exceeds `tol`, or when an iteration lowers the loss by less than the
    square of `tol`.
    """
    losses: list[float] = []
    mlp = _Scaled(**config.get_params()).set_params(max_fun=20 * config.max_iter)
    mlp.factor = min(LBFGS_FALL / max(config.tol, 1e-10) ** 2, 1e12)
    mlp.tol = config.tol * mlp.factor
    with progress("evaluations", None) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # warned of by the model

        def record(loss: float) -> None:
            losses.append(loss)
            advance(1)

        mlp.record = record
        mlp.fit(X, _targets(X))
    n_iter = int(mlp.n_iter_)
    return _layers(mlp), losses, [], n_iter, n_iter < config.max_iter


def train_by_epochs(epochs: Epochs, config: MLPRegressor, validation: Array | None) -> Training:
    """Train until the loss, or the error of the rows of `validation`, has stopped falling.

    With validation rows, the network of lowest error on them is returned.
    """
    losses: list[float] = []
    errors: list[float] = []
    best, since, kept = np.inf, 0, None
    with progress("epochs", config.max_iter) as advance:
        while len(losses) < config.max_iter and since < config.n_iter_no_change:
            value = epochs.step()
            losses.append(value)
            if validation is not None:
                layers = epochs.layers()
                output = forward(validation, layers, config.activation)
                value = float(np.mean((output - validation) ** 2))
                errors.append(value)
                kept = layers if value < best else kept
            _require_finite(value, config)
            since = 0 if value < best - config.tol else since + 1
            best = min(best, value)
            advance(1)
    converged = since >= config.n_iter_no_change
    return kept or epochs.layers(), losses, errors, len(losses), converged


class SklearnEpochs:
    """scikit-learn's MLP, one epoch at a time."""

    def __init__(self, X: Array, config: MLPRegressor) -> None:
        self._X, self._y = X, _targets(X)
        self._mlp = clone(config)
        if isinstance(config.batch_size, int):
            self._mlp.set_params(batch_size=min(config.batch_size, len(X)))

    def step(self) -> float:
        """Train for one epoch, and return the loss."""
        with warnings.catch_warnings():
            # it would take Ctrl-C for the end of training
            warnings.filterwarnings("error", "Training interrupted by user")
            try:
                self._mlp.partial_fit(self._X, self._y)
            except UserWarning as interrupted:
                raise KeyboardInterrupt from interrupted
        return float(self._mlp.loss_)

    def layers(self) -> Layers:
        """Return the network as it is now."""
        return _layers(self._mlp)


class _Scaled(MLPRegressor):
    """An MLP whose loss L-BFGS sees multiplied by `factor`, and `record` as it is.

    SciPy takes a fall of the loss by 2e-9 for none, and scikit-learn has no parameter for it.
    """

    factor: float
    record: Callable[[float], None]

    def _loss_grad_lbfgs(self, *args: object) -> tuple[float, Array]:
        loss, gradient = super()._loss_grad_lbfgs(*args)
        self.record(float(loss))
        return loss * self.factor, gradient * self.factor


def _targets(X: Array) -> Array:
    """Return the rows as the MLP wants its targets: one column is a vector."""
    return X[:, 0] if X.shape[1] == 1 else X


def _layers(mlp: MLPRegressor) -> Layers:
    weights, biases = copy.deepcopy((mlp.coefs_, mlp.intercepts_))
    return tuple(weights), tuple(biases)


def _require_finite(value: float, config: MLPRegressor) -> None:
    if not np.isfinite(value):
        raise ParameterError(
            f"Training diverged with learning_rate_init="
            f"{config.learning_rate_init}. Give a smaller one."
        )
