"""A fitted PCA: the scores of rows, and rows that join and leave it by their moments."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source, open_features
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.gaussian_missing import by_missing
from lookalike.kernels.scatter import Moments
from lookalike.kernels.transform import map_rows
from lookalike.models.decomposition.n_components import PCASpectrum, cv_prediction_errors
from lookalike.models.decomposition.pca_plan import PCAPlan
from lookalike.models.decomposition.pca_solvers import (
    PCASolution,
    by_covariance,
    product_dtype,
    require_degrees,
)
from lookalike.models.decomposition.ppca import ProbabilisticScores
from lookalike.models.estimator import check_is_fitted, feature_names
from lookalike.models.inputs import as_floats, as_sample_weight, as_transformed
from lookalike.models.linalg.magnitude import (
    MIN_SQUARES_FLOAT64,
    require_range,
    require_shared_magnitude,
    squared_units,
)
from lookalike.models.state import replace_state
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked, CountedState, WithRowCount
from lookalike.typing import AnyArray, Array, TableLike


class PCAModel(ProbabilisticScores):
    """What PCA and IncrementalPCA share: all but their parameters."""

    n_components: Any
    whiten: bool
    copy: bool
    svd_solver: str
    tol: Any
    iterated_power: Any
    n_oversamples: int
    power_iteration_normalizer: str
    random_state: object
    ddof: int
    get_feature_names_out: Any
    _map_rows: Any
    moments_: CountedState[Moments] | None
    singular_values_: Array
    _products: np.dtype
    _n_rows: int
    _column_variance: Array
    mean_: Array
    spectrum_: Array
    n_components_: int
    rank_: int
    explained_variance_ratio_: Array
    decisions_: Decisions

    def _fit(self, X: object, sample_weight: object) -> None:
        """Find the directions in which the rows of `X` vary most."""
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

    @available_if(lambda self: PCAPlan(self).require_mergeable())
    @replace_state
    def partial_fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Join more rows; the result is that of a fit on all of them, however they came.

        The columns of `X` are those of the rows before; `y` and `sample_weight` are as for `fit`.
        """
        if not hasattr(self, "components_"):
            source = self._open(X, sample_weight=sample_weight)
            self._products = product_dtype(source)
            return self._resettle(self._gather(source), source.dtype)
        before = self._continue()
        more = self._gather_more(X, sample_weight)
        return self._resettle(
            WithRowCount(Covariance()).merge(before, more), self.components_.dtype
        )

    @replace_state
    def merge(self, other: PCAModel) -> Self:
        """Join the rows that `other` was fitted on, without seeing them."""
        check_is_fitted(self)
        check_is_fitted(other)
        if other.n_features_in_ != self.n_features_in_:
            raise ShapeError(
                f"The other model has {other.n_features_in_} features, this one "
                f"{self.n_features_in_}. Give one that was fitted on the same columns."
            )
        joined = WithRowCount(Covariance()).merge(self._continue(), other._continue())
        self._products = min(self._products, other._products)
        return self._resettle(joined, self.components_.dtype)

    @replace_state
    def remove(self, X: object, sample_weight: object = None) -> Self:
        """Take rows out again that were fitted before: those of `X`, with their weights then."""
        check_is_fitted(self)
        before = self._continue()
        rows, part = self._gather_more(X, sample_weight)
        if not 0 < part.count < before.state.count or rows > before.rows:
            raise ParameterError(
                f"{rows} rows of weight {part.count:g} cannot be removed: the model has "
                f"{before.rows} of weight {before.state.count:g}. Keep at least one."
            )
        left = Covariance().unmerge(before.state, part)
        short = np.diag(left.scatter) < -1e-8 * np.diag(before.state.scatter)
        if short.any():
            raise ParameterError(
                f"The rows to remove vary more in column {int(short.argmax())} than all that were "
                "fitted. Give rows that were fitted."
            )
        return self._resettle(CountedState(before.rows - rows, left), self.components_.dtype)

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

    def _settle(
        self,
        solution: PCASolution,
        kept: int,
        moments: CountedState[Moments] | None,
        dtype: np.dtype,
    ) -> None:
        """Set the attributes that follow from a solution."""
        variance, total = solution.variance, solution.total
        axes = solution.directions(kept)
        most = min(solution.rows, len(solution.mean))
        left = max(total - float(variance[:kept].sum()), 0.0)
        if len(variance) == most:
            left = float(variance[kept:].sum())
        self.mean_, self.spectrum_ = solution.mean, variance
        self.n_samples_: int | float = (
            int(solution.weight) if solution.weight == int(solution.weight) else solution.weight
        )
        self.n_components_, self.rank_ = kept, solution.rank
        self.components_: AnyArray = axes.astype(np.float32 if dtype == np.float32 else np.float64)
        self.explained_variance_: Array = variance[:kept].copy()
        self.explained_variance_ratio_ = self.explained_variance_ / (total if total > 0 else 1.0)
        degrees = max(solution.weight - self.ddof, 0.0)
        self.singular_values_ = np.sqrt(self.explained_variance_ * degrees)
        self.noise_variance_: float = left / (most - kept) if kept < most else 0.0
        self.reconstruction_error_: float = left * degrees
        self.moments_ = moments
        self._column_variance, self._n_rows = solution.column_variance, solution.rows
        for name in ("_choices", "cv_errors_", "_deviations"):
            self.__dict__.pop(name, None)

    def _gather(self, source: Source) -> CountedState[Moments]:
        PCAPlan(self).require_mergeable()
        return self._engine(source).reduce(
            Checked(WithRowCount(Covariance()), source.columns), source
        )

    def _gather_more(self, X: object, sample_weight: object) -> CountedState[Moments]:
        source = open_features(X, weight=as_sample_weight(sample_weight))
        self._note_columns(X, source, reset=False)
        self._products = min(self._products, product_dtype(source))  # float32 is the coarser
        return self._gather(source)

    def _continue(self) -> CountedState[Moments]:
        if self.moments_ is None:
            raise ParameterError(
                f"The model was fitted with svd_solver={self.svd_solver!r} and "
                f"missing={self.missing!r}, which keep no moments to join rows to. "
                "Fit it with svd_solver='covariance_eigh'."
            )
        return self.moments_

    def _resettle(self, gathered: CountedState[Moments], dtype: np.dtype) -> Self:
        decisions = Decisions()
        decisions.add("svd_solver", "covariance_eigh", "rows join and leave by their moments")
        solution = by_covariance(gathered, self.ddof, self._products)
        kept = PCAPlan(self).n_kept_so_far(solution, decisions)
        self._settle(solution, kept, gathered, dtype)
        self.decisions_ = decisions
        return self
