"""RBF networks for classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from lookalike.data.batches import gather
from lookalike.data.source import Source
from lookalike.engines import Engine
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ParameterError
from lookalike.models.estimator import with_callbacks
from lookalike.models.labels import require_two_classes
from lookalike.models.rbf.network import RBFNetwork
from lookalike.models.rbf.ridge import RidgeSolution
from lookalike.models.scores import AccuracyMixin
from lookalike.models.state import replace_state
from lookalike.models.targets import given_labels
from lookalike.reductions.by_class import ClassColumns
from lookalike.reductions.logistic import LogisticGradient
from lookalike.reductions.ridge import OneHotTargets
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

MAX_LOGISTIC_ITERATIONS = 200  # iterations of the search for the logistic weights


class RBFNetworkClassifier(AccuracyMixin, RBFNetwork):
    r"""RBF network classifier: weighted sums of radial basis functions around a few centers.

    .. math:: h_c(x) = w_{0c} + \sum_{j=1}^K w_{jc}\, \phi\Big(\frac{\|x - \mu_j\|}{r}\Big)

    [UGR]. With ``output="linear"`` the weights are those of least squares for class indicators;
    with "logistic" those of multinomial logistic regression, from the same decomposition.

    Parameters
    ----------
    n_centers, centers, width, alpha, penalty, bias, normalized, random_state, engine, n_jobs
        As in :class:`lookalike.RBFNetworkRegressor`. `alpha` is that of the same penalty,
        :math:`\frac{\alpha}{2} \|w\|^2` next to half the squared error or to the logistic loss.
        Choices are made by the leave-one-out error of the linear output; where that chooses
        `alpha`, the logistic output has a quarter of it, as its loss has at most a quarter of the
        curvature.
    output : {"linear", "logistic"}, default="linear"
        Least squares on class indicators, or logistic regression.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in sorted order.
    centers_, width_, alpha_, coef_, intercept_, loo_mse_, condition_, decisions_
        As in :class:`lookalike.RBFNetworkRegressor`; one row of `coef_` a class.

    Examples
    --------
    >>> from lookalike import RBFNetworkClassifier
    >>> X = [[0.0], [0.1], [0.9], [1.0], [2.0], [2.1]]
    >>> y = ["low", "low", "high", "high", "low", "low"]
    >>> RBFNetworkClassifier(3, random_state=0).fit(X, y).predict([[0.05], [0.95], [2.05]])
    array(['low', 'high', 'low'], dtype='<U4')
    """

    classes_: AnyArray
    coef_: Array
    intercept_: Array

    def __init__(
        self,
        n_centers: int | str = 10,
        *,
        centers: object = "kmeans",
        width: float | str = "scale",
        alpha: float | str = "cv",
        penalty: str = "weights",
        bias: bool = True,
        output: str = "linear",
        normalized: bool = False,
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.alpha = alpha
        self.penalty = penalty
        self.bias = bias
        self.output = output
        self.normalized = normalized
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Fit centers, width and weights to rows and their classes.

        `X` is any table that can be read again; `y` is the class of each row, unless the source
        holds it. A row of weight two counts as that row twice.
        """
        self._check()
        check_choice("output", self.output, ("linear", "logistic"))
        self._solved(self._open(X, given_labels(self, X, y), sample_weight))
        return self

    def _solved(self, source: Source) -> RidgeSolution:
        """Fit to a source; return the weights of a linear output."""
        classes = self._classes(source)
        targets = OneHotTargets(classes)
        solution, engine = self._fit_network(source, targets)
        weights, bias = solution.weights, solution.bias
        if self.output == "logistic":
            weights, bias = self._logistic(solution, targets, engine, source)
        self.classes_, self._weights, self._bias = classes, weights, bias
        self.coef_, self.intercept_ = weights.T, bias
        return solution

    def decision_function(self, X: object) -> AnyArray:
        """Return h of every class; with two classes, how far the second is ahead."""
        outputs = self._outputs(X)
        return outputs[:, 1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs

    def predict(self, X: object) -> AnyArray:
        """Return the class of largest h for every row, the first of equals."""
        best = self._outputs(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class: softmax, or h clipped to [0, 1] and normalized."""
        return self._shares(self._outputs(X))

    @replace_state
    def leave_one_out_proba(self, X: object, y: object) -> Array:
        """Fit, and return the probability of every class for each row by the weights without it.

        Of ``output="linear"``: these weights have a closed form. Centers, width and penalty are
        those of all rows.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return self._left_out_proba(X, y)()

    def _left_out_proba(self, X: object, y: object) -> Callable[[], Array]:
        """Fit, and return a function that computes what `leave_one_out_proba` returns."""
        if self.output != "linear":
            raise ParameterError("output='logistic' has no leave-one-out weights. Choose 'linear'.")
        self._check()
        source = self._open(X, given_labels(self, X, y))
        solution = self._solved(source)
        return lambda: self._shares(solution.left_out(gather(source)))

    def _shares(self, outputs: Array) -> Array:
        """Return the probabilities of classes by their outputs."""
        if self.output == "logistic":
            return np.asarray(softmax(outputs, axis=1))
        clipped = np.clip(outputs, 0.0, 1.0)
        total = clipped.sum(axis=1, keepdims=True)
        best = outputs == outputs.max(axis=1, keepdims=True)
        shares = np.divide(clipped, total, out=best.astype(float), where=total > 0)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _classes(self, source: Source) -> AnyArray:
        gathered = Checked(ClassColumns(), source.columns)
        classes = self._engine(source).reduce(gathered, source).classes
        require_two_classes(classes)
        return np.asarray(classes)

    def _logistic(
        self, solution: RidgeSolution, targets: OneHotTargets, engine: Engine, source: Source
    ) -> tuple[Array, Array]:
        """Return weights and bias of maximum likelihood (L-BFGS).

        The search runs in the directions of the decomposition, scaled so that the loss has a
        similar curvature along each.
        """
        features, path, c = solution.features, solution.path, targets.n_outputs
        if self.alpha == "cv":
            self.alpha_: float = solution.alpha / 4
            reason = "a quarter of that of the linear output, as is the curvature of the loss"
            self.decisions_.add("alpha", f"{self.alpha_:.4g}", reason)
        penalty = max(self.alpha_, 1e-12 * float(path.strength.max(initial=1.0)) / 4)
        unit = 1 / np.sqrt(path.strength / 4 + penalty)
        turn = np.diag(unit) if path.directions is None else path.directions * unit  # (K, m)
        size = len(unit) * c

        def objective(flat: Array) -> tuple[float, Array]:
            theta, bias = flat[:size].reshape(-1, c), flat[size:]
            weights = turn @ theta
            offset = bias - path.mean @ weights
            reduction = LogisticGradient(features, targets, weights, offset)
            loss, by_weights, by_bias = engine.reduce(reduction, source)
            inner = by_weights - np.outer(path.mean, by_bias)
            scaled = unit[:, None] * theta
            grad = turn.T @ inner + penalty * unit[:, None] * scaled
            free = by_bias if self.bias else np.zeros(c)
            loss += penalty * float((scaled**2).sum()) / 2
            return loss, np.concatenate([grad.ravel(), free])

        with single_threaded_blas():
            search = minimize(
                objective,
                np.zeros(size + c),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": MAX_LOGISTIC_ITERATIONS, "gtol": 1e-5},
            )
        self.decisions_.add("logistic", f"{search.nit} rounds", str(search.message))
        weights = turn @ search.x[:size].reshape(-1, c)
        return features.unmixed(weights), search.x[size:] - path.mean @ weights
