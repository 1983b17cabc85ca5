"""Autoencoders: networks trained to reproduce their input through a narrow middle layer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import open_source
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.rescale import scale_of
from lookalike.models.decomposition.mlp import (
    ACTIVATION_FUNCTIONS,
    SklearnEpochs,
    Training,
    forward,
    train_at_once,
    train_by_epochs,
)
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, as_transformed, require_dense
from lookalike.models.linalg.magnitude import column_deviations, require_span
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import (
    check_choice,
    check_float,
    check_int,
    check_random_state,
    check_sequence,
)

TRAINING_BACKENDS = ("sklearn", "torch")
TRAINING_SOLVERS = ("auto", "lbfgs", "adam")
MAX_VALUES_TRAINED_AT_ONCE = 1_000_000  # up to this many in X, all rows are trained on at once


class AutoEncoder(ClassNamePrefixFeaturesOutMixin, Transformer):
    r"""Describe each row by the few numbers from which a network can give it back.

    .. math:: E = \frac12 \sum_n \sum_k \{y_k(x^n) - x^n_k\}^2

    [Bishop95, eq. 8.24]. The network has the input as its target and a layer of `n_components`
    units in its middle, whose values are the codes. Linear, or with the middle alone, even a
    non-linear one, it spans the same space as principal components [Bishop95, fig. 8.12]; with
    non-linear layers on both sides of the middle it follows curved surfaces [Bishop95,
    section 8.6.2].

    Parameters
    ----------
    n_components : int, default=2
        Units of the middle layer.
    hidden : sequence of int, default=(16, 16)
        Units of the layers before the middle; those after it mirror them. ``()`` means the
        middle alone.
    activation : {"tanh", "logistic", "relu", "identity"}, default="tanh"
        What follows each layer but the last.
    linear : bool or None, default=None
        Whether all layers are linear, whatever `activation`; None makes the middle alone linear,
        and networks with `hidden` layers non-linear.
    standardize : bool, default=True
        Whether each column is divided by its own deviation; False divides all by one number,
        which keeps angles and the relative size of columns.
    solver : {"auto", "lbfgs", "adam"}, default="auto"
        L-BFGS trains on all rows at once, Adam on batches; auto takes the first for up to a
        million numbers, the second beyond, with early stopping, or with torch.
    alpha : float, default=0.0001
        Penalty on the squares of the weights.
    batch_size, learning_rate_init
        Of Adam, as scikit-learn's ``MLPRegressor`` has them.
    max_iter : int, default=2000
        Rounds at most.
    tol : float, default=1e-5
        L-BFGS stops when no slope exceeds it or a round lowers the loss by less than its
        square; Adam when `n_iter_no_change` rounds have not lowered the loss by it.
    early_stopping : bool, default=False
        Whether Adam stops by the error of the `validation_fraction` of rows that it sets aside.
    n_init : int, default=1
        Trainings from different starts, of which the one with the lowest loss is kept.
    random_state : int, RandomState or None, default=0
        Draws the starting weights and the batches; the same number gives the same network.
    backend : {"sklearn", "torch"}, default="sklearn"
        What trains: scikit-learn's MLP, or PyTorch, on a GPU where there is one.

    Attributes
    ----------
    coefs_, intercepts_ : tuple of ndarray
        Weights and biases, layer by layer, of standardized rows.
    mean_, scale_ : ndarray of shape (n_features,)
        What is subtracted from each column, and what it is divided by.
    loss_curve_ : list of float
        The loss each round of Adam, each evaluation of L-BFGS.
    validation_errors_ : list of float
        With `early_stopping`: mean squared error of the rows set aside, each round.
    loss_ : float
        The last loss.
    n_iter_ : int
        Rounds.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    A circle is described by one number:

    >>> import numpy as np
    >>> from lookalike import AutoEncoder
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> coder = AutoEncoder(n_components=1, alpha=0.0, tol=1e-4).fit(circle)
    >>> bool(coder.score(circle) > 0.95)
    True
    """

    mean_: Array
    scale_: Array
    coefs_: tuple[Array, ...]
    intercepts_: tuple[Array, ...]
    loss_curve_: list[float]
    loss_: float
    validation_errors_: list[float]
    n_iter_: int

    engine = "auto"  # the rows lie in memory: no other engine is offered
    n_jobs = None

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = (16, 16),
        activation: str = "tanh",
        linear: bool | None = None,
        standardize: bool = True,
        solver: str = "auto",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate_init: float = 0.001,
        max_iter: int = 2000,
        tol: float = 1e-5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        n_init: int = 1,
        random_state: object = 0,
        backend: str = "sklearn",
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.activation = activation
        self.linear = linear
        self.standardize = standardize
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.n_init = n_init
        self.random_state = random_state
        self.backend = backend

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Train the network to reproduce the rows of `X`; `y` is ignored."""
        require_dense(X, "the network takes every column")
        decisions = Decisions()
        source = self._open(X)
        self._check_parameters(source.n_features)
        rows = np.concatenate(
            [np.array(chunk.X, dtype=np.float64) for chunk in map(Chunk.in_memory, source.chunks())]
        )
        memory = open_source(rows)
        engine = self._engine(memory)
        columns = engine.reduce(Checked(Columns(), source.columns), memory)
        require_span(columns.least, columns.most, source)
        deviation = column_deviations(columns, memory, engine)
        mean, scale = columns.mean, self._scale_of(columns.mean, deviation)
        config = self._config(rows.size, decisions)
        rows -= mean
        rows /= scale
        layers, losses, errors, n_iter, converged = self._best_of(rows, config, decisions)
        if not converged:
            advice = f"max_iter={self.max_iter} iterations were used up. Raise max_iter or tol"
            decisions.add("max_iter", "reached", "the loss may still fall")
            warnings.warn(f"{advice}: the loss may still fall.", ConvergenceWarning, stacklevel=4)
        self.mean_, self.scale_ = mean, scale
        (self.coefs_, self.intercepts_), self._activation = layers, config.activation
        self.loss_curve_, self.loss_ = losses, losses[-1]
        self.validation_errors_, self.n_iter_ = errors, n_iter
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> TableLike:
        """Return the codes of the rows: what the middle layer makes of them."""
        check_is_fitted(self)
        require_dense(X, "the network takes every column")
        return self._map_rows(self._codes, X, self.get_feature_names_out())

    def inverse_transform(self, X: object) -> TableLike:
        """Return the rows that the network makes of the codes `X`."""
        check_is_fitted(self)
        Z = as_transformed(X, self._n_features_out, "codes")
        rows = self._decoded(Z.astype(np.float64, copy=False))
        return like(X, rows.astype(Z.dtype, copy=False), list(feature_names(self)))

    def reconstruction_error(self, X: object) -> Array:
        r"""Return :math:`\|y(x) - x\|^2` for every row, in the units of `X`."""
        check_is_fitted(self)
        return np.concatenate([error for error, _ in self._errors(X)])

    def score(self, X: object, y: object = None) -> float:
        r"""Return the part of the variation about `mean_` that the network gives back.

        .. math:: 1 - \sum_n \|y(x^n) - x^n\|^2 / \sum_n \|x^n - \bar x\|^2
        """
        check_is_fitted(self)
        parts = self._errors(X)
        error = sum(float(errors.sum()) for errors, _ in parts)
        total = sum(float(squares.sum()) for _, squares in parts)
        return 1 - error / total if total > 0 else 1.0

    def _config(self, numbers: int, decisions: Decisions) -> MLPRegressor:
        """Return the layers and the training, for this many `numbers` in X."""
        middle = int(self.n_components)
        several = isinstance(self.hidden, Iterable) and getattr(self.hidden, "ndim", 1) == 1
        sizes = self.hidden if several else (self.hidden,)
        before = tuple(check_int("hidden", size, least=1) for size in sizes)
        linear = not before if self.linear is None else self.linear
        if linear and self.activation != "identity":
            decisions.add("activation", "identity", "the network is linear")
        solver = self.solver
        if solver == "auto":
            few = numbers <= MAX_VALUES_TRAINED_AT_ONCE
            by_epochs = self.early_stopping or self.backend == "torch" or not few
            solver = "adam" if by_epochs else "lbfgs"
            decisions.add("solver", solver, f"{numbers} numbers, backend {self.backend}")
        if solver == "lbfgs" and (self.early_stopping or self.backend == "torch"):
            raise ParameterError(
                "solver='lbfgs' trains on all rows at once, and has neither early_stopping nor "
                "backend='torch'. Give solver='adam'."
            )
        return MLPRegressor(
            hidden_layer_sizes=(*before, middle, *before[::-1]),
            activation="identity" if linear else self.activation,
            solver=solver,
            alpha=float(self.alpha),
            batch_size=self.batch_size,
            learning_rate_init=float(self.learning_rate_init),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            n_iter_no_change=int(self.n_iter_no_change),
        )

    def _check_parameters(self, n_features: int) -> None:
        check_choice("activation", self.activation, tuple(ACTIVATION_FUNCTIONS))
        check_choice("backend", self.backend, TRAINING_BACKENDS)
        check_choice("solver", self.solver, TRAINING_SOLVERS)
        check_choice("linear", self.linear, (None, False, True))
        for name in ("standardize", "early_stopping"):
            check_choice(name, getattr(self, name), (False, True))
        for name in ("max_iter", "n_iter_no_change", "n_init"):
            check_int(name, getattr(self, name), least=1)
        if self.batch_size != "auto":
            check_int("batch_size", self.batch_size, least=1)
        for size in check_sequence("hidden", self.hidden, "whole numbers such as (16,), or ()"):
            check_int("hidden", size, least=1)
        for name, least in (("alpha", 0.0), ("tol", 0.0), ("learning_rate_init", 1e-300)):
            check_float(name, getattr(self, name), least=least)
        if not 0.0 < self.validation_fraction < 1.0:
            raise ParameterError(
                f"validation_fraction={self.validation_fraction} is out of range. "
                "Give a number between 0 and 1."
            )
        if check_int("n_components", self.n_components, least=1) > n_features:
            raise ParameterError(
                f"n_components={self.n_components} exceeds n_features={n_features}. "
                f"Choose n_components <= {n_features}."
            )

    def _scale_of(self, mean: Array, deviation: Array) -> Array:
        spread = deviation
        if not self.standardize:
            unit = scale_of(float(deviation.max()))  # so that no square overflows
            spread = np.full_like(spread, np.sqrt(((deviation * unit) ** 2).mean()) / unit)
        constant = spread <= 10 * np.finfo(float).eps * np.abs(mean)
        return np.where(constant | (spread == 0), 1.0, spread)

    def _best_of(self, rows: Array, config: MLPRegressor, decisions: Decisions) -> Training:
        """Return the training with the lowest loss of `n_init`."""
        rng = check_random_state(self.random_state)
        with single_threaded_blas():
            trainings = [
                self._train(
                    rows, config.set_params(random_state=int(rng.randint(2**31 - 1))), decisions
                )
                for _ in range(self.n_init)
            ]
        return min(trainings, key=_final)

    def _train(self, rows: Array, config: MLPRegressor, decisions: Decisions) -> Training:
        if config.solver == "lbfgs":
            return train_at_once(rows, config)
        validation = None
        if self.early_stopping:
            n_validation = max(1, round(self.validation_fraction * len(rows)))
            if n_validation >= len(rows):
                raise ShapeError(
                    f"n_samples={len(rows)} leaves no row to train on besides the validation rows. "
                    "Give more rows, or early_stopping=False."
                )
            order = np.random.default_rng(config.random_state).permutation(len(rows))
            validation, rows = rows[order[:n_validation]], rows[order[n_validation:]]
            decisions.add(
                "early_stopping", f"{n_validation} validation rows", "their error decides"
            )
        if self.backend == "torch":
            from lookalike.models.decomposition.mlp_torch import TorchEpochs

            epochs = TorchEpochs(rows, config)
            decisions.add("backend", f"torch on {epochs.device}", "the device that torch has")
            return train_by_epochs(epochs, config, validation)
        return train_by_epochs(SklearnEpochs(rows, config), config, validation)

    def _codes(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        return self._encoded(chunk.X).astype(as_floats(chunk.X[:0]).dtype, copy=False)

    def _encoded(self, X: object) -> AnyArray:
        rows = (np.asarray(X, dtype=np.float64) - self.mean_) / self.scale_
        layers = self.coefs_, self.intercepts_
        return forward(rows, layers, self._activation, last=len(self.coefs_) // 2)

    def _decoded(self, codes: AnyArray) -> AnyArray:
        layers = self.coefs_, self.intercepts_
        rows = forward(codes, layers, self._activation, first=len(self.coefs_) // 2)
        return rows * self.scale_ + self.mean_

    def _errors(self, X: object) -> list[tuple[Array, Array]]:
        """Return squared error and squared distance from the mean of each row, chunk by chunk."""
        require_dense(X, "the network takes every column")
        source = self._reopen(X)

        def errors(chunk: Chunk) -> tuple[Array, Array]:
            require_finite(chunk.X, chunk.offset, source.columns)
            rows = np.asarray(chunk.X, dtype=np.float64)
            rest = self._decoded(self._encoded(rows)) - rows
            return (rest**2).sum(axis=1), ((rows - self.mean_) ** 2).sum(axis=1)

        return list(self._engine(source).map(errors, source))

    @property
    def _n_features_out(self) -> int:
        return int(self.coefs_[len(self.coefs_) // 2].shape[0])


def _final(training: Training) -> float:
    _, losses, errors, *_ = training
    return min(errors or losses[-1:])
