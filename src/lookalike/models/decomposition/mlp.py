"""Networks that are trained to give back what they are given."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from lookalike.errors import ParameterError
from lookalike.progress import progress
from lookalike.typing import AnyArray, Array

ACTIVATIONS: dict[str, Callable[[AnyArray], AnyArray]] = {
    "identity": lambda a: a,
    "logistic": expit,
    "relu": lambda a: np.maximum(a, 0),
    "tanh": np.tanh,
}
LBFGS_FALL = 2.220446049250313e-9  # a smaller fall of the loss ends SciPy's L-BFGS


class Network(NamedTuple):
    """Weights and biases, layer by layer; all layers but the last are followed by `activation`."""

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: str

    def run(self, X: AnyArray, first: int = 0, last: int | None = None) -> AnyArray:
        """Return what the layers from `first` up to, not including, `last` make of the rows."""
        for layer in range(len(self.weights))[first:last]:
            X = X @ self.weights[layer] + self.biases[layer]
            if layer < len(self.weights) - 1:
                X = ACTIVATIONS[self.activation](X)
        return X


class Plan(NamedTuple):
    """How a network is built and trained; the names are those of scikit-learn's MLP."""

    units: tuple[int, ...]  # of the layers between input and output
    activation: str
    solver: str
    alpha: float
    batch_size: int | str
    learning_rate_init: float
    max_iter: int
    tol: float
    n_iter_no_change: int
    seed: int


class Training(NamedTuple):
    """A trained network, and how it came about."""

    network: Network
    losses: list[float]  # a round
    validation_errors: list[float]  # a round, mean squared error of the rows set aside
    rounds: int
    settled: bool  # whether it stopped before the rounds were used up


class Epochs(Protocol):
    """A network under training that goes through all rows once a step."""

    def step(self) -> float:
        """Go through the rows, and return the loss on the way."""
        ...

    def network(self) -> Network:
        """Return the network as it is now."""
        ...


def train_at_once(X: Array, plan: Plan) -> Training:
    """Train on all rows at once by L-BFGS: for few rows, and to the last digit.

    It stops when no slope exceeds `tol`, or when a round lowers the loss by less than its square.
    """
    losses: list[float] = []
    mlp = _Scaled(**_parameters(plan), max_fun=20 * plan.max_iter)
    mlp.factor = min(LBFGS_FALL / max(plan.tol, 1e-10) ** 2, 1e12)
    mlp.tol = plan.tol * mlp.factor
    with progress("evaluations", None) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said by the model, in its words

        def record(loss: float) -> None:
            losses.append(loss)
            advance(1)

        mlp.record = record
        mlp.fit(X, _targets(X))
    rounds = int(mlp.n_iter_)
    return Training(_network(mlp), losses, [], rounds, rounds < plan.max_iter)


def train_by_epochs(epochs: Epochs, plan: Plan, aside: Array | None) -> Training:
    """Train until the loss, or the error of the rows set `aside`, has stopped falling.

    With rows aside, the network that did best on them is returned.
    """
    losses: list[float] = []
    errors: list[float] = []
    best, since, kept = np.inf, 0, None
    with progress("rounds", plan.max_iter) as advance:
        while len(losses) < plan.max_iter and since < plan.n_iter_no_change:
            value = epochs.step()
            losses.append(value)
            if aside is not None:
                network = epochs.network()
                value = float(np.mean((network.run(aside) - aside) ** 2))
                errors.append(value)
                kept = network if value < best else kept
            _require_finite(value, plan)
            since = 0 if value < best - plan.tol else since + 1
            best = min(best, value)
            advance(1)
    settled = since >= plan.n_iter_no_change
    return Training(kept or epochs.network(), losses, errors, len(losses), settled)


class SklearnEpochs:
    """scikit-learn's MLP, one epoch at a time."""

    def __init__(self, X: Array, plan: Plan) -> None:
        self._X, self._y = X, _targets(X)
        self._mlp = MLPRegressor(**_parameters(plan))
        if isinstance(plan.batch_size, int):
            self._mlp.set_params(batch_size=min(plan.batch_size, len(X)))

    def step(self) -> float:
        """Go through the rows, and return the loss on the way."""
        with warnings.catch_warnings():
            # it would take Ctrl-C for the end of training
            warnings.filterwarnings("error", "Training interrupted by user")
            try:
                self._mlp.partial_fit(self._X, self._y)
            except UserWarning as interrupted:
                raise KeyboardInterrupt from interrupted
        return float(self._mlp.loss_)

    def network(self) -> Network:
        """Return the network as it is now."""
        return _network(self._mlp)


class _Scaled(MLPRegressor):  # type: ignore[misc]
    """An MLP whose loss L-BFGS sees multiplied by `factor`, and `record` as it is.

    SciPy takes a fall of the loss by 2e-9 for none, and scikit-learn has no parameter for it.
    """

    factor: float
    record: Callable[[float], None]

    def _loss_grad_lbfgs(self, *args: Any) -> Any:
        loss, gradient = super()._loss_grad_lbfgs(*args)
        self.record(float(loss))
        return loss * self.factor, gradient * self.factor


def _parameters(plan: Plan) -> dict[str, Any]:
    return {
        "hidden_layer_sizes": plan.units,
        "activation": plan.activation,
        "solver": plan.solver,
        "alpha": plan.alpha,
        "batch_size": plan.batch_size,
        "learning_rate_init": plan.learning_rate_init,
        "max_iter": plan.max_iter,
        "tol": plan.tol,
        "random_state": plan.seed,
    }


def _targets(X: Array) -> Array:
    """Return the rows as the MLP wants its targets: one column is a vector."""
    return X[:, 0] if X.shape[1] == 1 else X


def _network(mlp: MLPRegressor) -> Network:
    weights, biases = copy.deepcopy((mlp.coefs_, mlp.intercepts_))
    return Network(tuple(weights), tuple(biases), mlp.activation)


def _require_finite(value: float, plan: Plan) -> None:
    if not np.isfinite(value):
        raise ParameterError(
            f"Training left the range of numbers with learning_rate_init="
            f"{plan.learning_rate_init}. Give a smaller one."
        )
