"""RBF networks: ridge regression on radial basis functions around a few centers."""

from __future__ import annotations

from typing import Self

import numpy as np

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ParameterError
from lookalike.kernels.gram import row_blocks
from lookalike.kernels.rbf_features import RadialFeatures, orthonormal_mix
from lookalike.kernels.transform import map_rows
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import require_repeatable
from lookalike.models.rbf.centers import (
    CENTER_METHODS,
    checked_centers,
    default_width,
    find_centers,
    require_room,
    without_duplicates,
)
from lookalike.models.rbf.full_kernel import solve_full_kernel, unweighted_targets
from lookalike.models.rbf.ridge import RidgeSolution, solve
from lookalike.models.scores import R2Mixin
from lookalike.models.targets import missing_target, read_numbers, require_sums
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.reductions.ridge import NumericTargets, OneHotTargets
from lookalike.reductions.wrappers import Checked, WithRowCount
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_float, check_int, check_random_state

WIDTH_FACTORS_TRIED = (0.5, 1.0, 2.0, 4.0, 8.0)  # times the distance of neighboring centers
CENTER_COUNTS_TRIED = (2, 4, 8, 16, 32, 64, 128, 256)  # numbers of centers
PENALTY_KINDS = ("weights", "norm")
ILL_CONDITION_NUMBER = 1e8  # condition number from which weights are called ill determined


class RBFNetwork(Model):
    """Base of RBF networks: centers, a width, and a ridge regression on the basis functions."""

    _sparse_rows = True
    n_centers: int | str
    centers: object
    width: float | str
    alpha: float | str
    penalty: str
    bias: bool
    normalized: bool
    random_state: object
    choice_: dict[str, AnyArray]
    centers_: Array
    width_: float
    alpha_: float
    loo_mse_: float
    condition_: float
    decisions_: Decisions

    def _fit_network(
        self, source: Source, targets: NumericTargets | OneHotTargets
    ) -> tuple[RidgeSolution, Engine]:
        """Fit centers, width and weights, and set the attributes that depend on them."""
        require_repeatable(source, "A network goes over the rows several times")
        decisions = Decisions()
        engine = self._engine(source, decisions)
        counted = engine.reduce(Checked(WithRowCount(Columns()), source.columns), source)
        summary = Columns().finalize(counted.state)
        best: RidgeSolution | None = None
        tried: list[tuple[int, float, float]] = []
        for centers in self._center_sets(source, engine, counted.rows, decisions):
            require_room(len(centers), counted.rows)
            for width in self._widths(centers, summary):
                solution = self._weights_of((centers, width), source, targets, engine, counted.rows)
                tried.append((len(centers), width, solution.error))
                if best is None or solution.error < best.error:
                    best = solution
        assert best is not None
        self._add_decisions(best, decisions)
        for name in ("choice_", "curve_"):
            self.__dict__.pop(name, None)
        if len(tried) > 1:
            parts = map(np.array, zip(*tried, strict=True))
            self.choice_ = dict(zip(("n_centers", "width", "mse"), parts, strict=True))
        if self.alpha == "cv":
            self.curve_: dict[str, Array] = best.curve
        self.centers_, self.width_ = best.features.centers, float(best.features.basis_width)
        self.alpha_, self.loo_mse_ = best.alpha, best.error
        self._loo_loss = best.loss, best.standard_error
        self.condition_, self.decisions_ = best.condition, decisions
        return best, engine

    def _weights_of(
        self,
        basis: tuple[Array, float],
        source: Source,
        targets: NumericTargets | OneHotTargets,
        engine: Engine,
        n_rows: int,
    ) -> RidgeSolution:
        """Return basis functions around centers with a width, and their weights."""
        alpha = None if self.alpha == "cv" else float(self.alpha)
        if self._every_row_is_a_center(basis[0], n_rows):
            y = unweighted_targets(source)
            if y is not None:
                return solve_full_kernel(*basis, targets, y, alpha=alpha, bias=self.bias)
        features = self._features(*basis)
        return solve(features, targets, engine, source, n_rows=n_rows, alpha=alpha, bias=self.bias)

    def _every_row_is_a_center(self, centers: Array, n_rows: int) -> bool:
        points = isinstance(self.centers, str) and self.centers == "points"
        return points and self.penalty == "norm" and len(centers) == n_rows

    def _features(self, centers: Array, width: float) -> RadialFeatures:
        """Return the basis functions, or of a norm penalty orthonormal sums of them."""
        if self.penalty == "weights":
            return RadialFeatures(centers, width, normalized=self.normalized)
        with single_threaded_blas():
            return RadialFeatures(centers, width, mix=orthonormal_mix(centers, width))

    def _center_sets(
        self, source: Source, engine: Engine, n_rows: int, decisions: Decisions
    ) -> list[Array]:
        """Return the sets of centers to try."""
        if not isinstance(self.centers, str):
            given = checked_centers(self.centers, source.n_features)
            return [without_duplicates(given, decisions)]
        counts = [n_rows]
        if self.centers != "points":
            counts = [int(self.n_centers)] if self.n_centers != "cv" else list(CENTER_COUNTS_TRIED)
            counts = sorted({min(count, n_rows) for count in counts})
            if self.n_centers != "cv" and counts[0] < int(self.n_centers):
                decisions.add("n_centers", counts[0], "there are no more rows")
        require_room(max(counts), n_rows)
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        threads = resolve_threads(self.n_jobs)
        return [
            without_duplicates(
                find_centers(self.centers, count, source, engine, seed=seed, threads=threads),
                decisions,
            )
            for count in counts
        ]

    def _widths(self, centers: Array, summary: ColumnSummary) -> list[float]:
        if not isinstance(self.width, str):
            return [float(self.width)]
        default = default_width(centers, summary)
        return (
            [default]
            if self.width == "scale"
            else [default * times for times in WIDTH_FACTORS_TRIED]
        )

    def _add_decisions(self, solution: RidgeSolution, decisions: Decisions) -> None:
        """Record the hyperparameters, and how well the weights are determined."""
        features = solution.features
        if isinstance(self.width, str):
            why = "distance of neighboring centers" if self.width == "scale" else "lowest error"
            decisions.add("width", f"{features.basis_width:.4g}", why)
        if self.n_centers == "cv" and isinstance(self.centers, str):
            decisions.add("n_centers", features.width, "lowest leave-one-out error")
        if self.alpha == "cv":
            decisions.add("alpha", f"{solution.alpha:.4g}", "lowest leave-one-out error")
        ill = "ill" if solution.condition > ILL_CONDITION_NUMBER else "well"
        decisions.add("condition", f"{solution.condition:.3g}", f"the weights are {ill} determined")
        if solution.dropped:
            decisions.add(
                "directions",
                f"{solution.dropped} left out",
                "weaker than the rounding of the others",
            )

    def _check(self) -> None:
        if self.n_centers != "cv":
            check_int("n_centers", self.n_centers, least=1)
        if isinstance(self.centers, str):
            check_choice("centers", self.centers, CENTER_METHODS)
        if isinstance(self.width, str):
            check_choice("width", self.width, ("scale", "cv"))
        else:
            check_float("width", self.width, least=np.finfo(np.float64).tiny)
        if self.alpha != "cv":
            check_float("alpha", self.alpha, least=0.0)
        check_choice("penalty", self.penalty, PENALTY_KINDS)
        check_choice("bias", self.bias, (True, False))
        if self.penalty == "norm" and self.normalized:
            raise ParameterError(
                "penalty='norm' is that of Gaussian basis functions as they are, and "
                "normalized=True divides them. Choose penalty='weights'."
            )
        check_choice("normalized", self.normalized, (True, False))

    def basis_functions(self, X: object) -> Array:
        """Return the value of every basis function at every row, (n, centers)."""
        check_is_fitted(self)
        return self._weighted_sum(X, np.eye(len(self.centers_)), np.zeros(1))

    def _outputs(self, X: object) -> Array:
        """Return the outputs of the network for every row, (n, outputs)."""
        check_is_fitted(self)
        return self._weighted_sum(X, self._weights, self._bias)

    def _weighted_sum(self, X: object, weights: Array, bias: Array) -> Array:
        source = self._reopen(X)
        features = RadialFeatures(self.centers_, self.width_, normalized=self.normalized)
        columns = source.columns

        def answer(chunk: Chunk) -> Array:
            require_finite(chunk.X, chunk.offset, columns)
            outputs = np.empty((chunk.X.shape[0], weights.shape[1]))
            for part in row_blocks(len(outputs), len(self.centers_)):
                basis = features.each(chunk.X[part])
                outputs[part] = map_rows(basis, weights.T, threads=1) + bias
            return outputs

        return np.concatenate(list(self._engine(source).map(answer, source)))


class RBFNetworkRegressor(R2Mixin, RBFNetwork):
    r"""RBF network regressor: a weighted sum of radial basis functions around a few centers.

    .. math:: h(x) = w_0 + \sum_{j=1}^K w_j\, \phi\Big(\frac{\|x - \mu_j\|}{r}\Big), \qquad
              \phi(z) = e^{-z^2 / 2}

    [UGR]. The weights minimize the squared error plus :math:`\alpha \sum_j w_j^2`; one
    decomposition serves every :math:`\alpha`, and the leave-one-out error has a closed form. With
    ``centers="points"``, ``bias=False`` and ``alpha=0`` every row has its basis function, and the
    curve passes through the data and goes to zero far away.

    Parameters
    ----------
    n_centers : int or "cv", default=10
        K; "cv" tries 2, 4, 8 … 256 and keeps the one of lowest leave-one-out error.
    centers : {"kmeans", "kcenter", "sample", "points"} or array, default="kmeans"
        Means of clusters, farthest-first rows, random rows, all rows, or given centers.
    width : "scale", "cv" or float, default="scale"
        r: the median distance of a center to the nearest other, 1/K on an even grid of [0, 1];
        the one of lowest leave-one-out error among multiples of it; or a number above 0.
    alpha : "cv" or float, default="cv"
        L2 penalty; "cv" is the one of lowest leave-one-out error.
    penalty : {"weights", "norm"}, default="weights"
        What :math:`\alpha` multiplies: the squared weights, or the squared norm
        :math:`\sum_{ij} w_i w_j \phi(\|\mu_i - \mu_j\| / r)` of the function that they make. With
        the latter and ``centers="points"`` this is kernel ridge regression; with "sample", its
        Nyström approximation.
    bias : bool, default=True
        Whether there is a :math:`w_0`, which has no penalty.
    normalized : bool, default=False
        Whether the basis functions of a row are divided by their sum. Far from all centers the
        nearest one then decides; otherwise the output goes to the bias.
    random_state : int or RandomState, optional
        Random seed of k-means.
    engine, n_jobs
        As in :class:`lookalike.GaussianMixture`.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        Centers of the basis functions.
    width_, alpha_ : float
        r and the penalty used.
    coef_, intercept_ : ndarray
        The weights of the basis functions and the bias, for each output.
    loo_mse_ : float
        Leave-one-out mean squared error.
    condition_ : float
        Condition number: by how much the weights may amplify an error of the data.
    curve_, choice_ : dict of str to ndarray
        Leave-one-out errors of all hyperparameters tried.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike import RBFNetworkRegressor
    >>> x = np.linspace(0, 1, 40)[:, None]
    >>> model = RBFNetworkRegressor(8, random_state=0).fit(x, np.sin(6 * x[:, 0]))
    >>> bool(abs(model.predict([[0.5]])[0] - np.sin(3)) < 0.01)
    True
    """

    _several_outputs = True

    def __init__(
        self,
        n_centers: int | str = 10,
        *,
        centers: object = "kmeans",
        width: float | str = "scale",
        alpha: float | str = "cv",
        penalty: str = "weights",
        bias: bool = True,
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
        self.normalized = normalized
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Fit centers, width and weights to `X`, any table that can be read again.

        `y` are the targets, one or several per row, unless the source holds them. A row of weight
        two counts as that row twice.
        """
        self._check()
        flat = True
        if y is not None:
            y, flat = read_numbers(y)
            require_sums(y)
        source = self._open(X, y, sample_weight)
        first = next(map(Chunk.in_memory, source.chunks(1)), None)
        if first is None or first.y is None:
            raise missing_target(type(self).__name__)
        n_outputs = int(np.prod(np.shape(first.y)[1:], dtype=int))
        flat = flat and np.ndim(first.y) <= 1 if y is None else flat
        solution, _ = self._fit_network(source, NumericTargets(n_outputs))
        weights = solution.weights
        self._weights, self._bias, self._flat = weights, solution.bias, flat
        self.coef_: Array = weights[:, 0] if flat else weights.T
        self.intercept_: float | Array = float(solution.bias[0]) if flat else solution.bias
        return self

    def predict(self, X: object) -> AnyArray:
        """Return h(x) for every row of `X`."""
        outputs = self._outputs(X)
        return outputs[:, 0] if self._flat else outputs
