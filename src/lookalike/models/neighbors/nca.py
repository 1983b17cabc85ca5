"""Neighborhood components analysis: a linear map in which near rows have the same target."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Self

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError, ParameterError, ShapeError
from lookalike.kernels.transform import map_rows
from lookalike.models.estimator import (
    Model,
    check_is_fitted,
    feature_names,
    in_our_errors,
    with_callbacks,
)
from lookalike.models.inputs import as_floats, require_dense
from lookalike.models.linalg.magnitude import require_shared_magnitude
from lookalike.models.neighbors.fit_log import FitLog, write_start
from lookalike.models.neighbors.nca_start import NCA_STARTS, first_map, first_weights
from lookalike.models.neighbors.softmax_objective import AllPairs, NearPairs, choose_pairs
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from lookalike.models.targets import (
    TASK_CHOICES,
    classes_without_fractions,
    coded_labels,
    read_target,
)
from lookalike.progress import progress
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, TableLike
from lookalike.validation import (
    check_choice,
    check_float,
    check_int,
    check_random_state,
    is_function,
)

NCA_ALGORITHMS = ("auto", "exact", "neighbors")
MAX_ROWS_FOR_ALL_PAIRS = 400  # rows of which every pair is looked at
ITERATIONS_PER_SEARCH = 10  # iterations after which neighbors are found again
NCA_NEIGHBORS = 50  # neighbors of each row with algorithm="neighbors"
LARGEST_NCA_VALUE = 1e75  # whose squares, and their sums, stay far inside float64


class NeighborhoodComponentsAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Model):
    r"""Learn a linear map, or a weight of every feature, for nearest neighbors.

    .. math:: \max_A \sum_i \sum_{j : y_j = y_i} p_{ij}, \qquad
              p_{ij} = \frac{e^{-\|A x_i - A x_j\|^2}}{\sum_{k \ne i} e^{-\|A x_i - A x_k\|^2}}

    the expected number of rows whose randomly drawn neighbor is of their class [Goldberger et al.
    2004, NIPS 17]. Of targets that are numbers, the squared leave-one-out
    error of the mean with the same weights is minimized, :math:`\sum_i (y_i - \sum_j p_{ij}
    y_j)^2` [Weinberger & Tesauro 2007, AISTATS].

    Name, parameters and results are those of scikit-learn, with weights of features, targets that
    are numbers, and pairs of near rows alone where the others have no share.

    Parameters
    ----------
    n_components : int, optional
        Rows of the map A; as many as features when None.
    init : {"auto", "pca", "lda", "identity", "random"} or array, default="auto"
        The map to begin with. "auto" is that of discriminant analysis where it has this many
        directions, that of PCA where it has, and the identity otherwise. With `diagonal`, one, or
        an array of weights.
    warm_start : bool, default=False
        Whether to begin with the map of the last fit.
    max_iter : int, default=50
        Iterations of L-BFGS.
    tol : float, default=1e-5
        Change of the objective, and of its gradient, at which it has converged.
    callback : callable, optional
        Called as ``callback(map, iteration)`` after every iteration; the map is flat.
    verbose : int, default=0
        Whether iterations are printed.
    random_state : int, RandomState instance or None, default=None
        Of ``init="random"``.
    diagonal : bool, default=False
        Whether A is diagonal: a weight of every feature, which overfits less. With many
        iterations either comes to separate the training rows by any means; fewer generalize better.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" takes fractions for numbers, and any other target for classes.
    algorithm : {"auto", "exact", "neighbors"}, default="auto"
        "exact" looks at every pair of rows. "neighbors" looks at the nearest rows of each, found
        again every 10 iterations. "auto" looks at every pair of up to 400 rows; of more, at 64
        neighbors where these leave out 1% of the softmax weight at most, on average, else at 256;
        where these leave out more, at every pair of up to 3,000 rows.
    n_neighbors : int, default=50
        Neighbors of each row of ``algorithm="neighbors"``.
    max_samples : int, optional
        Rows that the map is learned from at most, drawn at random; all when None.
    engine, n_jobs
        As in :class:`lookalike.NearestNeighbors`. The rows of fit are read into memory.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    feature_weights_ : ndarray of shape (n_features,)
        The share of each feature in squared distances between rows of unit difference: the squares
        of its column of A.
    objective_ : float
        The mean of :math:`\sum_{j: y_j = y_i} p_{ij}`, or the leave-one-out mean squared error.
    left_out_ : float
        A bound for the mean softmax weight of the pairs that were not looked at.
    n_iter_ : int
        Iterations.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike import NeighborhoodComponentsAnalysis
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))  # the first column decides, the others are noise
    >>> learned = NeighborhoodComponentsAnalysis(diagonal=True).fit(X, X[:, 0] > 0)
    >>> int(learned.feature_weights_.argmax())
    0
    """

    _requires_target = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: object = "auto",
        warm_start: bool = False,
        max_iter: int = 50,
        tol: float = 1e-5,
        callback: Callable[[Array, int], object] | None = None,
        verbose: int = 0,
        random_state: object = None,
        diagonal: bool = False,
        task: str = "auto",
        algorithm: str = "auto",
        n_neighbors: int = NCA_NEIGHBORS,
        max_samples: int | None = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state
        self.diagonal = diagonal
        self.task = task
        self.algorithm = algorithm
        self.n_neighbors = n_neighbors
        self.max_samples = max_samples
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the map of `X`, any table of numbers, best of one scale.

        `y` is the class, or the number, of each row; None where a source holds it.
        """
        self._check_parameters()
        require_dense(X, "rows are mapped as dense ones")
        decisions = Decisions()
        asker, infer = type(self).__name__, classes_without_fractions
        y, task = read_target(asker, X, y, self.task, decisions, infer=infer)
        source = self._open(X, y)
        chunk = gather(source)
        require_finite(chunk.X, columns=source.columns)
        X, y = self._sampled(as_floats(chunk.X), np.asarray(chunk.y), decisions)
        classes = task == "classification"
        rows = self._centered(X)
        label = coded_labels(y, len(X))[1] if classes else None
        begin = time.perf_counter()
        start = self._first_map(rows, label)
        if self.verbose:
            write_start(self.init, time.perf_counter() - begin)
        targets = np.asarray(y, np.float64) if label is None else label
        search = _Search(self, rows, targets, decisions, classes=classes)
        components, self.n_iter_ = search.run(start)
        self.components_ = components
        self.feature_weights_ = (components**2).sum(axis=0)
        loss, self.left_out_ = search.final(components)
        self.objective_: float = (-loss if classes else loss) / len(rows)
        self.decisions_ = decisions
        if self.verbose:
            took = time.perf_counter() - begin
            sys.stdout.write(f"[{type(self).__name__}] Training took {took:8.2f}s.\n")
        return self

    def transform(self, X: object) -> TableLike:
        """Return the rows of `X`, mapped: :math:`A x`."""
        check_is_fitted(self)
        return self._map_rows(self._mapped, X, self.get_feature_names_out())

    def _mapped(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_dense(chunk.X, "rows are mapped as dense ones")
        require_finite(chunk.X, chunk.offset, columns)
        X = as_floats(chunk.X)
        return map_rows(X, self.components_, threads=1).astype(X.dtype, copy=False)

    @in_our_errors
    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the columns of `transform`: those of fit where they have weights."""
        check_is_fitted(self)
        if self.diagonal:
            return feature_names(self, input_features)
        names: AnyArray = super().get_feature_names_out(input_features)
        return names

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _sampled(self, X: AnyArray, y: AnyArray, decisions: Decisions) -> tuple[AnyArray, AnyArray]:
        """Return the rows and targets that the map is learned from."""
        if self.max_samples is None or len(X) <= self.max_samples:
            return X, y
        random = check_random_state(self.random_state)
        sample = np.sort(random.choice(len(X), self.max_samples, replace=False))
        drawn = f"{self.max_samples:,} of {len(X):,}, at random"
        decisions.add("rows", drawn, f"max_samples={self.max_samples}")
        return X[sample], y[sample]

    def _centered(self, X: AnyArray) -> Array:
        """Return centered rows; distances do not change."""
        if len(X) < 2:
            raise ShapeError(
                f"Found array with {len(X)} sample(s) (shape={X.shape}) while a minimum of 2 is "
                "required by NeighborhoodComponentsAnalysis. Give more rows."
            )
        rows = X.astype(np.float64)
        largest = np.abs(rows).max()
        if largest > LARGEST_NCA_VALUE:
            row, column = np.unravel_index(np.abs(rows).argmax(), rows.shape)
            raise MagnitudeError(
                f"X holds {rows[row, column]:.3g} at row {row}, column {column}, whose square "
                "overflows float64. Scale the columns, for example by StandardScaler."
            )
        require_shared_magnitude(open_source(rows), float(largest), "the map of the other rows")
        return np.ascontiguousarray(rows - rows.mean(axis=0))

    def _first_map(self, rows: Array, label: Rows | None) -> Array:
        """Return the map to begin with."""
        random = check_random_state(self.random_state)
        if self.diagonal:
            return first_weights(self.init, rows.shape[1])
        if self.warm_start and hasattr(self, "components_"):
            if self.components_.shape[1] != rows.shape[1]:
                raise ShapeError(
                    f"The new inputs dimensionality ({rows.shape[1]}) does not match the input "
                    f"dimensionality of the previously learned transformation "
                    f"({self.components_.shape[1]}). Give warm_start=False."
                )
            return np.asarray(self.components_)
        return first_map(self.init, self.n_components, rows, label, random)

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            check_int("n_components", self.n_components, least=1)
        if self.diagonal and self.n_components is not None:
            raise ParameterError(
                f"n_components={self.n_components} sets the size of a transformation, and "
                "diagonal=True gives a weight for each feature. Leave out one of them."
            )
        if isinstance(self.init, str):
            check_choice("init", self.init, NCA_STARTS)
        check_int("max_iter", self.max_iter, least=1)
        check_float("tol", self.tol, least=0.0)
        check_choice("task", self.task, TASK_CHOICES)
        check_choice("algorithm", self.algorithm, NCA_ALGORITHMS)
        check_int("n_neighbors", self.n_neighbors, least=1)
        if self.max_samples is not None:
            check_int("max_samples", self.max_samples, least=2)
        check_int("verbose", self.verbose, least=0)
        for name in ("diagonal", "warm_start"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ParameterError(f"{name}={getattr(self, name)!r} is neither True nor False.")
        if self.callback is not None and not is_function(self.callback):
            raise ParameterError(f"callback={self.callback!r} cannot be called. Give a function.")


class _Search:
    """The search for the map by L-BFGS, with neighbors found again from time to time."""

    def __init__(
        self,
        model: NeighborhoodComponentsAnalysis,
        rows: Array,
        targets: AnyArray,
        decisions: Decisions,
        *,
        classes: bool,
    ) -> None:
        self._model, self._rows, self._targets, self._classes = model, rows, targets, classes
        self._decisions, self._threads = decisions, resolve_threads(model.n_jobs)
        self._done = 0
        self._log = FitLog(model)
        self._advance: Callable[[int], None] = lambda _: None

    def run(self, start: Array) -> tuple[Array, int]:
        """Return the map, and the number of iterations."""
        model = self._model
        flat = np.diag(start).copy() if model.diagonal else start.ravel().copy()
        converged = False
        with progress("iterations", model.max_iter) as self._advance:
            while self._done < model.max_iter and not converged:
                steps = model.max_iter - self._done
                if not self._exact:  # other pairs may come to matter, or cease to
                    steps = min(ITERATIONS_PER_SEARCH, steps)
                result = self._descend(self._pairs(self._map(flat)), flat, steps)
                flat = result.x
                converged = result.nit == 0 or (bool(result.success) and result.nit < steps)
        if not converged:
            warnings.warn(
                f"[{type(model).__name__}] NCA did not converge: {self._done} iterations. Raise "
                "max_iter.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return self._map(flat), self._done

    def final(self, components: Array) -> tuple[float, float]:
        """Return the loss at the map, and the share of what was left out; note it."""
        pairs = self._pairs(components)
        if isinstance(pairs, AllPairs):
            self._decisions.add("pairs", "all pairs of rows", "the objective is exact")
        else:
            self._decisions.add(
                "pairs",
                f"the {pairs.n_neighbors} nearest rows of each",
                f"all others have at most {pairs.left_out:.2g} of the softmax weight, on average",
            )
        return pairs(self._rows @ components.T)[0], pairs.left_out

    @property
    def _exact(self) -> bool:
        algorithm = self._model.algorithm
        return algorithm == "exact" or (
            algorithm == "auto" and len(self._rows) <= MAX_ROWS_FOR_ALL_PAIRS
        )

    def _pairs(self, components: Array) -> AllPairs | NearPairs:
        if self._exact:
            return AllPairs(self._targets, classes=self._classes, threads=self._threads)
        wanted = self._model.n_neighbors if self._model.algorithm == "neighbors" else None
        Z = np.ascontiguousarray(self._rows @ components.T)
        return choose_pairs(
            Z, self._targets, classes=self._classes, n_neighbors=wanted, threads=self._threads
        )

    def _descend(self, pairs: AllPairs | NearPairs, flat: Array, steps: int) -> OptimizeResult:
        tol = self._model.tol

        def objective(flat: Array) -> tuple[float, Array]:
            components, begin = self._map(flat), time.perf_counter()
            loss, by_row = pairs(np.ascontiguousarray(self._rows @ components.T))
            self._log.write_step(self._done, abs(loss), time.perf_counter() - begin)
            if self._model.diagonal:
                return loss, np.einsum("ij,ij->j", by_row, self._rows)
            return loss, (by_row.T @ self._rows).ravel()

        return minimize(
            objective,
            flat,
            jac=True,
            method="L-BFGS-B",
            tol=tol,
            options={"maxiter": steps},
            callback=self._after_iteration,
        )

    def _after_iteration(self, flat: Array) -> None:
        self._done += 1
        self._advance(1)
        if self._model.callback is not None:
            self._model.callback(flat, self._done)

    def _map(self, flat: Array) -> Array:
        if self._model.diagonal:
            return np.diag(flat)
        return flat.reshape(-1, self._rows.shape[1])
