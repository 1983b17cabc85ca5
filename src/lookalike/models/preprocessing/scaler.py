"""Feature scaling as in scikit-learn: z-scores and ranges, from one pass over any source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source, open_features
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.moments import ColumnMoments
from lookalike.models.estimator import (
    Transformer,
    check_is_fitted,
    feature_names,
    with_callbacks,
)
from lookalike.models.inputs import as_floats, as_sample_weight, as_transformed
from lookalike.models.linalg.magnitude import column_deviations, require_span
from lookalike.models.sklearn_bases import OneToOneFeatureMixin
from lookalike.reductions.columns import Columns
from lookalike.reductions.wrappers import Checked, CountedState, WithRowCount
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_float, check_pair, few

if TYPE_CHECKING:
    from sklearn.utils import Tags

FLOAT64_EPSILON = 2.0**-52


class _ColumnScaler(OneToOneFeatureMixin, Transformer):
    """What both scalers share: a pass over the rows in `fit` or `partial_fit`, rows in pieces."""

    _missing_values = True
    copy: bool

    def transform(self, X: object, copy: bool | None = None) -> TableLike:
        """Return the scaled rows of `X`, which is never changed, whatever `copy` is."""
        check_is_fitted(self)
        self._refuse_sparse(X)
        return self._map_rows(self._check_and_scaled, X, self.get_feature_names_out())

    def inverse_transform(self, X: object, copy: bool | None = None) -> TableLike:
        """Return the rows of which `X` holds the scaled ones; it is never changed."""
        check_is_fitted(self)
        if sp.issparse(X):
            self._refuse_sparse(X)
            return self._unscaled(sp.csr_array(X))
        Z = as_transformed(X, self.n_features_in_, "columns", allow_nan=True)
        return like(X, self._unscaled(Z), list(feature_names(self)))

    def _check_and_scaled(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns, allow_nan=True)
        kept = chunk.X.dtype if chunk.X.dtype == np.float16 else as_floats(chunk.X[:0]).dtype
        return self._scaled(as_floats(chunk.X)).astype(kept, copy=False)

    def _scaled(self, X: AnyArray) -> AnyArray:
        raise NotImplementedError

    def _unscaled(self, X: AnyArray) -> AnyArray:
        raise NotImplementedError

    def _refuse_sparse(self, X: object) -> None:
        """Raise where `X` is sparse and scaling would fill it."""

    def _summarize(
        self, X: object, sample_weight: object, *, first: bool
    ) -> tuple[CountedState[ColumnMoments], Source]:
        """Return the number of rows and the moments of the columns of `X`."""
        if not isinstance(self.copy, bool):
            raise ParameterTypeError(f"copy={self.copy!r} is not a bool. Give True or False.")
        self._refuse_sparse(X)
        source = open_features(X, weight=as_sample_weight(sample_weight))
        self._note_columns(X, source, reset=first)
        decisions = Decisions() if first else Decisions(self.decisions_)
        reduction = Checked(WithRowCount(Columns()), source.columns, allow_nan=True)
        counted = self._engine(source, decisions).reduce(reduction, source)
        self.decisions_: Decisions = decisions
        return counted, source


class StandardScaler(_ColumnScaler):
    r"""Standardize columns to mean 0 and variance 1, :math:`z_j = (x_j - \bar x_j) / s_j` [LUMS].

    Parameters, attributes and results are those of scikit-learn's ``StandardScaler``. Mean and
    variance come from one pass over the rows, in memory, from a file or on a cluster, and an
    offset of the columns costs no digits. Missing values (NaN) are left out in `fit` and pass
    through `transform`. A constant column is only centered.

    Parameters
    ----------
    copy : bool, default=True
        For scikit-learn's signature; the input is never changed.
    with_mean : bool, default=True
        Whether the mean is subtracted. Sparse rows need ``with_mean=False``.
    with_std : bool, default=True
        Whether columns are divided by their standard deviation.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the pass over the rows runs.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,) or None
        Mean of each column; None without centering and scaling.
    var_ : ndarray of shape (n_features,) or None
        Variance of each column (divided by N); None without scaling.
    scale_ : ndarray of shape (n_features,) or None
        Standard deviation, 1 for a constant column; None without scaling.
    n_samples_seen_ : int, float or ndarray of shape (n_features,)
        Rows with a value, or their weight; an array where columns differ.
    decisions_ : Decisions
        Choices made in `fit`, and why.

    Examples
    --------
    >>> from lookalike import StandardScaler
    >>> StandardScaler().fit_transform([[1.0, 10.0], [3.0, 50.0]])
    array([[-1., -1.],
           [ 1.,  1.]])
    """

    scale_: AnyArray | None
    n_samples_seen_: int | float | AnyArray

    def __init__(
        self,
        *,
        copy: bool = True,
        with_mean: bool = True,
        with_std: bool = True,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Learn mean and standard deviation of each column of `X`, any table; `y` is ignored.

        `sample_weight` is the weight of each row.
        """
        counted, source = self._summarize(X, sample_weight, first=True)
        return self._set(counted.state, source, sample_weight, self._engine(source))

    @with_callbacks
    def partial_fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Add rows to those of earlier calls, with the parameters of :meth:`fit`."""
        first = not hasattr(self, "n_samples_seen_")
        before = None if first else self._moments()
        counted, source = self._summarize(X, sample_weight, first=first)
        moments = counted.state if before is None else Columns().merge(before, counted.state)
        return self._set(moments, source, sample_weight)

    def _set(
        self,
        moments: ColumnMoments,
        source: Source,
        sample_weight: object,
        engine: Engine | None = None,
    ) -> Self:
        """Set the attributes; rows whose squares overflow are read again by an engine."""
        summary = Columns().finalize(moments)
        require_span(summary.least, summary.most, source)
        needed = self.with_mean or self.with_std
        self.mean_: Array | None = summary.mean if needed else None
        self.var_: Array | None = summary.variance if self.with_std else None
        self.scale_ = None
        if self.with_std:
            deviation = column_deviations(summary, source, engine)
            constant = ~(
                deviation > 10 * FLOAT64_EPSILON * np.abs(summary.mean)
            )  # NaN: no value at all
            note_constant(constant, source.columns, self.decisions_)
            self.scale_ = np.where(constant, 1.0, deviation)
        self.n_samples_seen_ = _samples_seen(summary.count, whole=sample_weight is None)
        return self

    def _moments(self) -> ColumnMoments:
        """Return the state that `partial_fit` goes on from."""
        count = np.broadcast_to(np.float64(self.n_samples_seen_), (self.n_features_in_,))
        none = np.zeros(self.n_features_in_)
        mean = none if self.mean_ is None else np.nan_to_num(self.mean_)
        scatter = none if self.var_ is None else np.nan_to_num(self.var_) * count
        return ColumnMoments(count, mean, none, scatter, none + np.inf, none - np.inf)

    def _scaled(self, X: AnyArray) -> AnyArray:
        if sp.issparse(X):
            return X if self.scale_ is None else X @ sp.diags_array(1.0 / self.scale_)
        Z = X - self.mean_ if self.with_mean else X
        return Z if self.scale_ is None else Z / self.scale_

    def _unscaled(self, X: AnyArray) -> AnyArray:
        if sp.issparse(X):
            return X if self.scale_ is None else X @ sp.diags_array(self.scale_)
        Z = X if self.scale_ is None else X * self.scale_
        return (Z + self.mean_ if self.with_mean else Z).astype(X.dtype, copy=False)

    def _refuse_sparse(self, X: object) -> None:
        if sp.issparse(X) and self.with_mean:
            raise ParameterError(
                "with_mean=True would fill sparse rows. Give with_mean=False, or X.toarray()."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean
        return tags


class MinMaxScaler(_ColumnScaler):
    r"""Scale each column to a range, :math:`z_j = (x_j - \min_j) / (\max_j - \min_j)` [LUMS].

    Parameters, attributes and results are those of scikit-learn's ``MinMaxScaler``. Minimum and
    maximum come from one pass over the rows, in memory, from a file or on a cluster. Missing
    values (NaN) are left out in `fit` and pass through `transform`. A constant column is only
    shifted.

    Parameters
    ----------
    feature_range : tuple (min, max), default=(0, 1)
        The range of the scaled columns.
    copy : bool, default=True
        For scikit-learn's signature; the input is never changed.
    clip : bool, default=False
        Whether values outside the range of `fit` are set to the nearer end.
    engine, n_jobs
        As in :class:`lookalike.StandardScaler`.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : ndarray of shape (n_features,)
        Minimum and maximum of each column, and their difference.
    scale_, min_ : ndarray of shape (n_features,)
        ``X * scale_ + min_`` are the scaled rows.
    n_samples_seen_ : int
        Rows seen.
    decisions_ : Decisions
        As in :class:`lookalike.StandardScaler`.

    Examples
    --------
    >>> from lookalike import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[1.0, 10.0], [2.0, 50.0], [5.0, 30.0]])
    array([[0.  , 0.  ],
           [0.25, 1.  ],
           [1.  , 0.5 ]])
    """

    data_min_: Array
    data_max_: Array
    n_samples_seen_: int
    data_range_: AnyArray | Array

    def __init__(
        self,
        feature_range: tuple[float, float] = (0, 1),
        *,
        copy: bool = True,
        clip: bool = False,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Learn minimum and maximum of each column of `X`, any table; `y` is ignored."""
        return self._add(X, first=True)

    @with_callbacks
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Add rows to those of earlier calls, with the parameters of :meth:`fit`."""
        return self._add(X, first=not hasattr(self, "n_samples_seen_"))

    def _add(self, X: object, *, first: bool) -> Self:
        low, high = (
            check_float("feature_range", end, least=-np.inf)
            for end in check_pair("feature_range", self.feature_range, "(min, max)")
        )
        if not low < high:
            raise ParameterError(
                f"feature_range={self.feature_range} is empty: its minimum must be smaller than "
                "its maximum. Give (min, max)."
            )
        counted, source = self._summarize(X, None, first=first)
        summary = Columns().finalize(counted.state)
        least, most, rows = summary.least, summary.most, counted.rows
        if not first:
            least, most = np.fmin(self.data_min_, least), np.fmax(self.data_max_, most)
            rows += self.n_samples_seen_
        require_span(least, most, source)
        self.data_min_, self.data_max_, self.data_range_ = least, most, most - least
        constant = self.data_range_ < 10 * FLOAT64_EPSILON
        note_constant(constant, source.columns, self.decisions_)
        self.scale_: Array = (high - low) / np.where(constant, 1.0, self.data_range_)
        self.min_: Array = low - least * self.scale_
        self.n_samples_seen_ = rows
        return self

    def _scaled(self, X: AnyArray) -> AnyArray:
        Z: AnyArray = X * self.scale_ + self.min_
        return np.clip(Z, *self.feature_range) if self.clip else Z

    def _unscaled(self, X: AnyArray) -> AnyArray:
        return ((X - self.min_) / self.scale_).astype(X.dtype, copy=False)

    def _refuse_sparse(self, X: object) -> None:
        if sp.issparse(X):
            raise ParameterTypeError(
                "MinMaxScaler does not support sparse input: shifting would fill the rows. Give "
                "X.toarray(), or StandardScaler(with_mean=False)."
            )


def note_constant(constant: AnyArray, columns: tuple[Column, ...], decisions: Decisions) -> None:
    """Record which columns are not scaled, since they do not vary."""
    if constant.any():
        names = few((columns[j].name for j in np.flatnonzero(constant)), 5, str)
        decisions.put("scale_", "1", f"no variation in {int(constant.sum())} columns: {names}")


def _samples_seen(count: Array, *, whole: bool) -> int | float | AnyArray:
    """Return the rows with a value: one number where all columns have as many."""
    counts = count.astype(np.int64) if whole else count
    return counts[0].item() if np.ptp(counts) == 0 else counts
