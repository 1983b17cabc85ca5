"""Rows that join and leave a fitted PCA by their moments."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from lookalike.data.source import Source, open_features
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.scatter import Moments
from lookalike.models.decomposition.pca_plan import PCAPlan
from lookalike.models.decomposition.pca_solvers import PCASolution, by_covariance, product_dtype
from lookalike.models.decomposition.ppca import ProbabilisticScores
from lookalike.models.estimator import check_is_fitted
from lookalike.models.inputs import as_sample_weight
from lookalike.models.state import replace_state
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked, CountedState, WithRowCount


class PCAUpdates(ProbabilisticScores):
    """What changes a fitted PCA by the moments of rows, without those that it has seen."""

    ddof: int
    svd_solver: str
    moments_: CountedState[Moments] | None
    _products: np.dtype

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
    def merge(self, other: PCAUpdates) -> Self:
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
        self.n_samples_ = (
            int(solution.weight) if solution.weight == int(solution.weight) else solution.weight
        )
        self.n_components_, self.rank_ = kept, solution.rank
        self.components_ = axes.astype(np.float32 if dtype == np.float32 else np.float64)
        self.explained_variance_ = variance[:kept].copy()
        self.explained_variance_ratio_ = self.explained_variance_ / (total if total > 0 else 1.0)
        degrees = max(solution.weight - self.ddof, 0.0)
        self.singular_values_ = np.sqrt(self.explained_variance_ * degrees)
        self.noise_variance_ = left / (most - kept) if kept < most else 0.0
        self.reconstruction_error_ = left * degrees
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
