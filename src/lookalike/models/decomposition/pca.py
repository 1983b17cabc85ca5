"""Principal component analysis: the directions of largest variance."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.kernels.gaussian_missing import by_missing
from lookalike.kernels.transform import map_rows
from lookalike.models.decomposition.n_components import PCASpectrum, cv_prediction_errors
from lookalike.models.decomposition.pca_plan import PCAPlan
from lookalike.models.decomposition.pca_solvers import product_dtype, require_degrees
from lookalike.models.decomposition.pca_updates import PCAUpdates
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, as_transformed
from lookalike.models.linalg.magnitude import (
    MIN_SQUARES_FLOAT64,
    require_range,
    require_shared_magnitude,
    squared_units,
)
from lookalike.typing import AnyArray, Array, TableLike

if TYPE_CHECKING:
    from sklearn.utils import Tags


class PCA(ClassNamePrefixFeaturesOutMixin, Transformer, PCAUpdates):
    r"""Project rows onto the directions in which they vary most.

    .. math:: S u_j = \lambda_j u_j, \qquad z_j = u_j^\top (x - \bar x)

    [Barber, algorithm 15.1; Bishop95, eq. 8.22]. The covariance :math:`S` is gathered in one
    pass over the rows, in pieces that any engine can join, and is right at any common offset.
    Every solver and every engine gives the same directions: each is turned so that its largest
    entry is positive, of equally large ones that in the lowest column.

    Parameters
    ----------
    n_components : int, float or {"knee", "parallel", "mle", "cv"}, optional
        Number of components: all of them (None), a number, as many as explain more than this
        fraction of the variance (1.0: all of it, which are as many as the rank), those before
        the knee of the scree plot, parallel analysis [Horn65], the maximum-likelihood number
        [Minka00], or the number that predicts held-out values best (cross-validation).
    copy : bool, default=True
        For compatibility with scikit-learn: the rows given are never changed.
    whiten : bool, default=False
        Whether scores are divided by their deviation. Directions without variance score zero.
    svd_solver : {"auto", "covariance_eigh", "gram", "full", "leading", "arpack", "randomized"}
        ``"covariance_eigh"`` takes one pass and d x d numbers; ``"gram"`` holds the rows and
        n x n numbers; ``"full"`` is the singular value decomposition of all rows, which alone
        resolves variances below 1e-13 of the largest; ``"leading"`` is a block Krylov iteration
        for a few directions, with a pass over the rows a block. ``"arpack"`` and
        ``"randomized"`` are scikit-learn's. ``"auto"`` says in `decisions_` what it chose.
    tol : float, default=0.0
        Residual at which ``"leading"`` and ``"arpack"`` stop; 0 means as small as is sensible.
    iterated_power, n_oversamples, power_iteration_normalizer
        Options of ``"randomized"``, as in scikit-learn.
    random_state : int, RandomState or None
        Seed of ``"parallel"`` and of iterative solvers. None means 0: equal rows, equal results.
    ddof : {1, 0}, default=1
        Whether the covariance divides by N - 1 [Barber] or by N [Bishop95].
    missing : {"error", "em"}, default="error"
        Whether NaN is an error, or stands for a value that is missing at random: the model is
        then learned by EM [TippingBishop], in several passes.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, by falling variance.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the scores, and its share of the total; zero for rows that are all equal.
    singular_values_ : ndarray of shape (n_components,)
        :math:`\sqrt{(N - \mathrm{ddof}) \lambda_j}`.
    spectrum_ : ndarray of shape (min(n_rows, n_features),)
        The variance along every direction, kept or not; of ``"leading"``, ``"arpack"`` and
        ``"randomized"`` the kept ones alone.
    mean_ : ndarray of shape (n_features,)
        Mean of the rows.
    noise_variance_ : float
        Mean variance of the directions left out.
    reconstruction_error_ : float
        :math:`(N - 1) \sum_{j > M} \lambda_j` [Barber, eq. 15.2.19], what `inverse_transform`
        misses of the rows, squared and summed.
    n_components_ : int
        Directions kept.
    rank_ : int
        Directions in which the rows vary at all, as far as `spectrum_` goes.
    n_samples_ : int or float
        Rows, or their weight.
    cv_errors_ : ndarray
        With ``n_components="cv"``, the squared error of predicting held-out values with 0, 1,
        2, … components.
    moments_ : CountedState or None
        Rows, weight, mean and scatter, to which `partial_fit` and `merge` join others; None
        where the solver did without.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    The worked example of [LUMS]:

    >>> from lookalike import PCA
    >>> X = [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0],
    ...      [2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
    >>> pca = PCA(n_components=1, ddof=0).fit(X)
    >>> pca.mean_.round(2), pca.explained_variance_.round(4)
    (array([1.81, 1.91]), array([1.1556]))
    """

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: object = None,
        ddof: int = 1,
        missing: str = "error",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.ddof = ddof
        self.missing = missing
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the directions in which the rows of `X`, any table, vary most; `y` is ignored.

        A row of weight two counts as that row twice.
        """
        plan = PCAPlan(self)
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        engine = self._engine(source, decisions)
        (solution, moments, folds), scale = plan.solve(source, engine, decisions)
        require_degrees(solution.weight, self.ddof)
        apart = float(np.sqrt(solution.total * max(solution.weight, 1.0))) / scale
        require_shared_magnitude(source, apart, "the other components")
        errors = None if folds is None else cv_prediction_errors(folds)
        kept = plan.n_kept(solution, decisions, errors)
        self._products = product_dtype(source)
        self._settle(solution, kept, moments, source.dtype)
        if errors is not None:
            self.cv_errors_ = errors
        if scale != 1.0:
            self._unscale(scale)
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> TableLike:
        """Return the scores of the rows of `X`."""
        check_is_fitted(self)
        return self._map_rows(self._lean()._scores, X, self.get_feature_names_out())

    def inverse_transform(self, X: object) -> TableLike:
        r"""Return the rows :math:`\bar x + \sum_j z_j u_j` that have the scores `X`."""
        check_is_fitted(self)
        Z = as_transformed(X, self.n_components_, "scores")
        rows = (Z * self._deviation(zero=0.0)) @ self.components_ + self.mean_
        return like(X, rows.astype(Z.dtype, copy=False), list(feature_names(self)))

    def reconstruction_error(self, X: object) -> Array:
        r"""Return :math:`\|x - \tilde x\|^2` for every row of `X` [Barber, eq. 15.2.2].

        With ``missing="em"``, summed over the values present.
        """
        check_is_fitted(self)
        return self._map_chunks(self._lean()._row_errors, X)

    @property
    def choices_(self) -> dict[str, int]:
        """What each rule would keep; empty where only leading directions are known.

        ``"cv"`` is among them with ``n_components="cv"``. Computed at the first access.
        """
        check_is_fitted(self)
        if "_choices" not in vars(self):
            require_range(self.spectrum_, least=MIN_SQUARES_FLOAT64 if self.rank_ else 0.0)
            spectrum = PCASpectrum(self.spectrum_, self._n_rows, self.ddof, self._column_variance)
            errors = getattr(self, "cv_errors_", None)
            self._choices = spectrum.by_all_rules(PCAPlan(self).rng(), errors)
        return dict(self._choices)

    def _unscale(self, scale: float) -> None:
        """Bring the attributes of rows that were multiplied by `scale` to the units of the rows.

        Variances that float64 cannot hold become infinite or zero; deviations are kept for that.
        """
        self._deviations = np.sqrt(self.explained_variance_) / scale
        self.mean_, self.singular_values_ = self.mean_ / scale, self.singular_values_ / scale
        for name in ("explained_variance_", "spectrum_", "_column_variance", "cv_errors_"):
            if hasattr(self, name):
                setattr(self, name, squared_units(getattr(self, name), scale))
        for name in ("noise_variance_", "reconstruction_error_"):
            setattr(self, name, float(squared_units(getattr(self, name), scale)))

    def _scores(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        X, dtype = self._complete(columns, chunk)
        if sp.issparse(X):
            scores = X @ self.components_.T - self.mean_ @ self.components_.T
        else:
            scores = map_rows(X, self.components_, self.mean_)
        scores /= self._deviation(zero=np.inf).astype(scores.dtype)
        return np.asarray(scores, dtype)

    def _lean(self) -> Self:
        """Return the model without its moments, which need not travel to where rows lie."""
        lean = copy.copy(self)
        lean.moments_ = None
        return lean

    def _complete(self, columns: tuple[Column, ...], chunk: Chunk) -> tuple[Any, np.dtype]:
        """Return the rows with missing values as expected, and the type of the result."""
        incomplete = self.missing == "em"
        require_finite(chunk.X, chunk.offset, columns, allow_nan=incomplete)
        X = as_floats(chunk.X)
        if not incomplete or sp.issparse(X) or not np.isnan(X).any():
            return X, X.dtype
        filled = np.empty(X.shape)
        for rows, _, completed, *_ in by_missing(X, *self._gaussian()):
            filled[rows] = completed
        return filled, X.dtype

    def _row_errors(self, columns: tuple[Column, ...], chunk: Chunk) -> Array:
        X, _ = self._complete(columns, chunk)
        C = self.components_.astype(np.float64)
        if sp.issparse(X):
            along = X @ C.T - self.mean_ @ C.T
            size = X.multiply(X).sum(axis=1) - 2 * (X @ self.mean_) + self.mean_ @ self.mean_
            left = np.asarray(size).ravel() - (along**2).sum(axis=1)
            return np.asarray(np.maximum(left, 0.0))
        difference = X - self.mean_
        missed = difference - (difference @ C.T) @ C
        if self.missing == "em":
            missed[np.isnan(chunk.X)] = 0.0
        return np.asarray((missed**2).sum(axis=1))

    def _deviation(self, *, zero: float) -> Array:
        """Return what scores are divided by; `zero` stands where the rows do not vary."""
        if not self.whiten:
            return np.ones(self.n_components_)
        deviations = getattr(self, "_deviations", None)
        if deviations is None:
            deviations = np.sqrt(self.explained_variance_)
        return np.where(deviations > 0, deviations, zero)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        incomplete = self.missing == "em"
        tags.input_tags.sparse = not incomplete and self.svd_solver not in ("full", "randomized")
        tags.input_tags.allow_nan = incomplete
        return tags


def without_moments(model: PCA) -> PCA:
    """Return a fitted model that transforms alike, without what `partial_fit` goes on from."""
    return model._lean()
