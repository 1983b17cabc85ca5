"""Feature scaling with a choice of method: z-scores, ranges, or whitening."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, as_transformed
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.models.linalg.magnitude import column_deviations, require_span
from lookalike.models.preprocessing.scaler import FLOAT64_EPSILON, note_constant
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from sklearn.utils import Tags

STANDARDIZER_METHODS = ("zscore", "minmax", "whiten")


class Standardizer(Transformer):
    r"""Scale columns by a method: z-scores, the unit interval, or whitening.

    Of its own, compared with :class:`StandardScaler` and :class:`MinMaxScaler`, which follow
    scikit-learn: whitening, ``ddof=1``, and ranges of sparse rows without centering.

    ============  =================================================================
    ``"zscore"``  :math:`z_j = (x_j - \bar x_j) / s_j` [LUMS]
    ``"minmax"``  :math:`z_j = (x_j - \min_j) / (\max_j - \min_j)` [LUMS]
    ``"whiten"``  :math:`z = \Lambda^{-1/2} E^\top (x - \bar x)`, where
                  :math:`S = E \Lambda E^\top` is the covariance [UCSD]
    ============  =================================================================

    A column that never varies is only shifted. Whitening leaves out directions in which the
    rows do not vary (variance below ``n * eps`` of the largest): their score is zero, not noise
    blown up. Missing values pass through ``"zscore"`` and ``"minmax"`` untouched.

    Parameters
    ----------
    method : {"zscore", "minmax", "whiten"}, default="zscore"
        The scaling method.
    center : bool, default=True
        Whether the mean or minimum is subtracted. Sparse rows need ``center=False``, which
        keeps them sparse.
    ddof : int, default=0
        0 divides the sum of squares by N, as scikit-learn's scaler does, 1 by N - 1.
    engine, n_jobs
        As of :class:`lookalike.StandardScaler`.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        What is subtracted from each column: its mean, its minimum for ``"minmax"``, or 0.
    scale_ : ndarray of shape (n_features,)
        What each column or direction is divided by; infinite for a direction left out.
    components_ : ndarray of shape (n_features, n_features) or None
        The directions of ``"whiten"``, one per row.
    n_samples_seen_ : float
        Rows, or their weight.
    decisions_ : Decisions
        As of :class:`lookalike.StandardScaler`.

    Examples
    --------
    >>> from lookalike import Standardizer
    >>> Standardizer("zscore", ddof=1).fit_transform([[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]])
    array([[-1., -1.],
           [ 0.,  0.],
           [ 1.,  1.]])
    """

    components_: Array | None

    def __init__(
        self,
        method: str = "zscore",
        *,
        center: bool = True,
        ddof: int = 0,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.center = center
        self.ddof = ddof
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Learn the scale of each column of `X`, any table; `y` is ignored.

        Each row counts with its `sample_weight`.
        """
        check_choice("method", self.method, STANDARDIZER_METHODS)
        check_choice("ddof", self.ddof, (0, 1))
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        if sp.issparse(X) and (self.center or self.method == "whiten"):
            raise ParameterError(
                f"method={self.method!r} with center={self.center} would fill sparse rows. "
                "Give center=False with 'zscore' or 'minmax', or X.toarray()."
            )
        if self.method == "whiten":
            self._fit_whitening(source, decisions)
        else:
            self._fit_columns(source, decisions)
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> TableLike:
        """Return the rows of `X` in the learned scale."""
        check_is_fitted(self)
        return self._map_rows(self._scaled, X, self.get_feature_names_out())

    def inverse_transform(self, X: object) -> TableLike:
        """Return the rows of which `X` holds the scaled ones."""
        check_is_fitted(self)
        Z = as_transformed(X, self.n_features_in_, "columns", allow_nan=True)
        return like(X, self._unscaled(Z), list(feature_names(self)))

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the columns: those that came in, or whiten0, whiten1, …."""
        check_is_fitted(self)
        names: AnyArray = feature_names(self, input_features)
        if self.method != "whiten":
            return names
        return np.array([f"whiten{j}" for j in range(len(names))], dtype=object)

    def _fit_columns(self, source: Source, decisions: Decisions) -> None:
        reduction = Checked(Columns(ddof=self.ddof), source.columns, allow_nan=True)
        engine = self._engine(source, decisions)
        columns = engine.reduce(reduction, source)
        require_span(columns.least, columns.most, source)
        if self.method == "zscore":
            spread = column_deviations(columns, source, engine, ddof=self.ddof)
            start = columns.mean
        else:
            spread, start = columns.most - columns.least, columns.least
        constant = ~(spread > 10 * FLOAT64_EPSILON * np.abs(start))  # NaN: no value at all
        note_constant(constant, source.columns, decisions)
        self.mean_ = np.where(np.isnan(start) | (not self.center), 0.0, start)
        self.scale_ = np.where(constant, 1.0, spread)
        self.components_ = None
        self.n_samples_seen_ = float(columns.count.max())

    def _fit_whitening(self, source: Source, decisions: Decisions) -> None:
        reduction = Checked(Covariance(ddof=self.ddof), source.columns)
        count, mean, covariance = self._engine(source, decisions).reduce(reduction, source)
        variance, axes, rank = principal_axes(covariance)
        if rank < len(variance):
            decisions.add(
                "scale_", "infinite", f"no variation in {len(variance) - rank} directions"
            )
        self.mean_ = mean if self.center else np.zeros_like(mean)
        self.scale_ = np.where(variance > 0, np.sqrt(variance), np.inf)
        self.components_, self.n_samples_seen_ = axes, count

    def _scaled(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        X = chunk.X
        require_finite(X, chunk.offset, columns, allow_nan=self.method != "whiten")
        if sp.issparse(X):
            scaled: AnyArray = X @ sp.diags_array(1.0 / self.scale_)
            return scaled
        Z = as_floats(X) - self.mean_
        if self.components_ is not None:
            Z = Z @ self.components_.T
        Z /= self.scale_
        return Z.astype(as_floats(X[:0]).dtype, copy=False)

    def _unscaled(self, Z: AnyArray) -> AnyArray:
        X = Z * np.where(np.isinf(self.scale_), 0.0, self.scale_)
        if self.components_ is not None:
            X = X @ self.components_
        return (X + self.mean_).astype(as_floats(Z[:0]).dtype, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.method != "whiten"
        tags.input_tags.sparse = not self.center and self.method != "whiten"
        return tags
