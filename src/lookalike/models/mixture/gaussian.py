"""Gaussian mixtures, fitted by expectation-maximization."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.mixture import Components, densities, most_responsible, responsibilities
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import require_dense, require_repeatable
from lookalike.models.linalg.magnitude import too_large
from lookalike.models.mixture.covariance_types import (
    COVARIANCE_TYPES,
    covariance_limits,
    directions_at_floor,
    precisions_of,
    raise_to_floor,
)
from lookalike.models.mixture.em import (
    EM,
    EMRun,
    Mixture,
    as_components,
    collapsed,
    rescue_collapsed,
)
from lookalike.models.mixture.initialization import (
    MIXTURE_STARTS,
    checked_parameters,
    first_mixture,
    n_parameters,
)
from lookalike.models.mixture.validation import COMPONENT_CRITERIA, grow
from lookalike.models.sklearn_bases import DensityMixin
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.reductions.wrappers import Checked, WithRowCount
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_float, check_int, check_random_state

LARGEST_MIXTURE_VALUE = 1e140  # magnitude whose square, times many rows, stays in float64


class GaussianMixture(DensityMixin, Model):
    r"""Fit a mixture of Gaussians.

    .. math:: p(x) = \sum_{k=1}^K \pi_k\, N(x | \mu_k, \Sigma_k)

    [UGR]. Fitted by EM in the log domain, with Cholesky factors; every iteration is one pass over
    the rows, on any engine. The likelihood never falls. Parameters are those of scikit-learn's
    class; `prior`, `engine`, `n_jobs`, ``n_components="bic" | "cv"`` and weights are added.

    Parameters
    ----------
    n_components : int, "bic" or "cv", default=1
        Components; "bic" splits them one by one while the Bayesian information criterion falls,
        "cv" while the likelihood of held-out rows rises, in five folds.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance each, one for all, variances of the columns, or one variance.
    tol : float, default=1e-3
        Rise of the log-likelihood a row below which EM ends.
    reg_covar : float, default=1e-6
        The minimum variance of a component along any direction, as a part of the variance of the
        columns: a floor, which costs nothing where it is not reached and knows no unit. 0 means
        none; then a component that collapses is an error.
    max_iter : int, default=100
        Maximum number of iterations.
    n_init : int, default=1
        Number of runs, of which the best is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        The initial means: clusters or rows of a sample; or random responsibilities.
    weights_init, means_init, precisions_init : array, optional
        Initial parameters that are given.
    prior : float, optional
        Shrinks every covariance towards that of the columns divided by
        :math:`K^{2/d}`, as if this many rows more had been seen by each component. `lower_bound_`
        then counts the prior in.
    random_state : int or RandomState, optional
        Seed of the initialization.
    warm_start : bool, default=False
        Whether `fit` continues from the last fit.
    verbose, verbose_interval : int
        Whether, and every how many iterations, a line is printed.
    engine, n_jobs
        As in :class:`lookalike.KMeans`.

    Attributes
    ----------
    weights_, means_, covariances_ : ndarray
        :math:`\pi`, :math:`\mu` and :math:`\Sigma`, the last in the form of `covariance_type`.
    precisions_, precisions_cholesky_ : ndarray
        Inverse covariances, and their factors.
    converged_ : bool
        Whether EM converged within `max_iter` iterations.
    n_iter_ : int
        Iterations of the best run.
    lower_bound_, lower_bounds_ : float, list of float
        Log-likelihood a unit of weight, last and before every iteration.
    curve_ : dict of str to ndarray
        With ``n_components="bic"`` or "cv".
    decisions_ : Decisions
        What was chosen automatically, such as the handling of collapsed components, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike import GaussianMixture
    >>> X = np.array([[0.0, 2], [1, 4], [2, 0], [9, 2], [10, 4], [11, 0]])
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> sorted(model.means_[:, 0].round(6).tolist())
    [1.0, 10.0]
    """

    weights_: Array
    means_: Array
    n_iter_: int
    lower_bounds_: list[float]
    lower_bound_: float
    decisions_: Decisions

    def __init__(
        self,
        n_components: int | str = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: object = None,
        means_init: object = None,
        precisions_init: object = None,
        prior: float | None = None,
        random_state: object = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.prior = prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the components of `X`, any table that can be read again; `y` is ignored.

        A row whose `sample_weight` is two counts as that row twice.
        """
        require_dense(X, "every component is dense")
        source = self._open(X, None, sample_weight)
        return self._learn(source)

    def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> AnyArray:
        """Fit, and return the most responsible component of each row."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: object) -> AnyArray:
        """Return the component most responsible for each row, the lowest of equals."""
        return self._map_components(lambda X, of, n: most_responsible(X, of, threads=n), X)

    def predict_proba(self, X: object) -> AnyArray:
        r"""Return :math:`\gamma(z_{nk})`: finite and of sum one, however far off a row lies."""
        return self._map_components(lambda X, of, n: responsibilities(X, of, threads=n)[0], X)

    def score_samples(self, X: object) -> AnyArray:
        """Return log p(x) of every row; where it overflows, the least finite number."""
        return self._map_components(lambda X, of, n: densities(X, of, threads=n), X)

    def score(self, X: object, y: object = None) -> float:
        """Return the mean of log p(x)."""
        return float(self.score_samples(X).mean())

    def bic(self, X: object) -> float:
        """Return the Bayesian information criterion on `X`; less is better."""
        each = self.score_samples(X)
        return float(-2 * each.sum() + self._n_parameters() * np.log(len(each)))

    def aic(self, X: object) -> float:
        """Return the Akaike information criterion on `X`; less is better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self._n_parameters())

    def sample(self, n_samples: int = 1) -> tuple[Array, AnyArray]:
        """Draw rows from the mixture; returned with their components, by component."""
        check_is_fitted(self)
        if not 1 <= n_samples < 2**31:
            raise ParameterError(f"Invalid value for 'n_samples': {n_samples}. Draw 1 or more.")
        random = check_random_state(self.random_state)
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        (k, d), kind = self.means_.shape, COVARIANCE_TYPES[self.covariance_type]
        wide = kind.of_each(self.covariances_, k, d)
        wide = np.linalg.cholesky([np.diag(each) if kind.diagonal else each for each in wide])
        drawn = [
            mean + random.standard_normal((count, d)) @ factor.T
            for mean, factor, count in zip(self.means_, wide, counts, strict=True)
        ]
        return np.vstack(drawn), np.repeat(np.arange(k), counts)

    def _learn(self, source: Source, variances: Array | None = None) -> Self:
        """Fit; the scale of the data is given where these rows are a part of them."""
        self._check()
        require_repeatable(source, "EM reads the rows many times")
        decisions = Decisions()
        engine = self._engine(source, decisions)
        counted = engine.reduce(Checked(WithRowCount(Columns()), source.columns), source)
        summary = Columns().finalize(counted.state)
        self._check_rows(counted.rows, summary, source, least=2 if variances is None else 1)
        scale = summary.variance if variances is None else variances
        kind = COVARIANCE_TYPES[self.covariance_type]
        floor, prior_variance = covariance_limits(
            kind,
            scale,
            summary.mean,
            1 if self.n_components in COMPONENT_CRITERIA else int(self.n_components),
            reg_covar=self.reg_covar,
            decisions=decisions,
        )
        em = EM(
            engine,
            engine.resident(source),
            kind,
            floor=floor,
            prior_count=float(self.prior or 0.0),
            prior_variance=prior_variance,
            shift=summary.mean,
            decisions=decisions,
            threads=resolve_threads(self.n_jobs),
            log=self._log_iteration,
        )
        curve: dict[str, AnyArray] | None = None
        weight = float(summary.count[0])
        try:
            with single_threaded_blas():  # once for all iterations
                if self.n_components in COMPONENT_CRITERIA:
                    how = str(self.n_components)
                    run, curve = grow(em, how, source, weight, max_iter=self.max_iter, tol=self.tol)
                else:
                    run = self._best(em)
        except np.linalg.LinAlgError:
            raise too_large(source, "its component has no covariance in float64") from None
        self._keep(em, run, curve)
        return self

    def _n_parameters(self) -> int:
        return n_parameters(COVARIANCE_TYPES[self.covariance_type], *self.means_.shape)

    def _map_components(
        self, function: Callable[[AnyArray, Components, int], AnyArray], X: object
    ) -> AnyArray:
        require_dense(X, "every component is dense")
        check_is_fitted(self)
        components, threads = self._components(), resolve_threads(self.n_jobs)

        def of_chunk(columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
            require_finite(chunk.X, chunk.offset, columns)
            return function(chunk.X, components, threads)

        vars(of_chunk)["on_gpu"] = True
        return self._map_chunks(of_chunk, X)

    def _components(self) -> Components:
        """Return the fitted mixture as the kernels take it, counted from its first mean."""
        shift = np.asarray(self.means_[0], np.float64)
        kind, size = COVARIANCE_TYPES[self.covariance_type], self.means_.shape
        factors = kind.of_each(np.asarray(self.precisions_cholesky_, np.float64), *size)
        weights = np.asarray(self.weights_, np.float64)
        return as_components(weights, self.means_ - shift, factors, shift)

    def _check(self) -> None:
        if self.n_components in COMPONENT_CRITERIA:
            for name in ("weights_init", "means_init", "precisions_init"):
                if getattr(self, name) is not None:
                    raise ParameterError(
                        f"n_components={self.n_components!r} has its own initialization: leave out "
                        f"{name}."
                    )
        else:
            check_int("n_components", self.n_components, least=1)
        check_choice("covariance_type", self.covariance_type, tuple(COVARIANCE_TYPES))
        check_choice("init_params", self.init_params, MIXTURE_STARTS)
        check_float("tol", self.tol, least=0.0)
        check_float("reg_covar", self.reg_covar, least=0.0)
        check_int("max_iter", self.max_iter, least=0)
        check_int("n_init", self.n_init, least=1)
        check_int("verbose", self.verbose, least=0)
        check_int("verbose_interval", self.verbose_interval, least=1)
        if self.prior is not None:
            check_float("prior", self.prior, least=0.0)

    def _check_rows(
        self, n_rows: int, summary: ColumnSummary, source: Source, *, least: int
    ) -> None:
        if n_rows < least:
            raise ShapeError(
                f"Found array with {n_rows} sample(s) (shape=({n_rows}, {source.n_features})) "
                "while a minimum of 2 is required: one row has no spread. Give more rows."
            )
        if self.n_components not in COMPONENT_CRITERIA and n_rows < int(self.n_components):
            raise ShapeError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {n_rows}. Choose fewer components."
            )
        require_squares(summary, source)

    def _best(self, em: EM) -> EMRun:
        k, d = int(self.n_components), len(em.shift)
        if self.warm_start and hasattr(self, "converged_") and self.means_.shape == (k, d):
            each = raise_to_floor(em.covariance_type.of_each(self.covariances_, k, d), em.floor)
            before = Mixture(self.weights_, self.means_ - em.shift, each)
            return em.run(before, self.max_iter, self.tol, self.lower_bound_)
        given = checked_parameters(
            self.weights_init, self.means_init, self.precisions_init, em.covariance_type, (k, d)
        )
        random = check_random_state(self.random_state)
        runs: list[EMRun] = []
        for trial in range(self.n_init):
            if self.verbose:
                sys.stdout.write(f"Initialization {trial}\n")
            seed = int(random.randint(2**31 - 1))
            start = first_mixture(em, self.init_params, k, given, seed)
            run = em.run(start, self.max_iter, self.tol)
            runs.append(rescue_collapsed(em, run, self.max_iter, self.tol))
        return max(runs, key=lambda run: (-len(collapsed(em, run)), run.bound))

    def _keep(self, em: EM, run: EMRun, curve: dict[str, AnyArray] | None) -> None:
        """Warn of problems of the best run, and set the attributes."""
        decisions, mixture = em.decisions, run.mixture
        at_floor = directions_at_floor(mixture.covariances, em.floor)
        if at_floor.any():
            listed = ", ".join(map(str, np.flatnonzero(at_floor)))
            decisions.add(
                "covariance",
                f"minimum variance for components {listed}",
                "their rows do not vary along a direction",
            )
            warnings.warn(
                f"The rows of components {listed} do not vary along some direction: reg_covar="
                f"{self.reg_covar:g} sets their minimum variance. Use fewer components or columns.",
                UserWarning,
                stacklevel=4,
            )
        if not run.converged and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, "
                "or increase max_iter, tol, or check for degenerate data.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.__dict__.pop("curve_", None)
        if curve is not None:
            self.curve_ = curve
        self.weights_, self.means_ = mixture.weights, mixture.means + em.shift
        self.covariances_: Array = em.covariance_type.public(mixture.covariances)
        self.precisions_cholesky_: Array = em.covariance_type.public(mixture.factors)
        self.precisions_: Array = em.covariance_type.public(precisions_of(mixture.factors))
        self.converged_: bool = run.converged
        self.n_iter_, self.lower_bounds_ = len(run.bounds), run.bounds
        self.lower_bound_, self.decisions_ = run.bound, decisions

    def _log_iteration(self, number: int, change: float) -> None:
        if self.verbose and number % self.verbose_interval == 0:
            more = "" if self.verbose < 2 else f"\t ll change {change:.5f}"
            sys.stdout.write(f"  Iteration {number}{more}\n")


def require_squares(summary: ColumnSummary, source: Source) -> None:
    """Raise where the square of a value overflows, with its row and column."""
    size = np.maximum(np.abs(summary.least), np.abs(summary.most))
    if size.max(initial=0.0) > LARGEST_MIXTURE_VALUE:
        raise too_large(
            source, f"more than {LARGEST_MIXTURE_VALUE:g}, so that its square overflows float64"
        )
