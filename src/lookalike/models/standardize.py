"""Columns brought to one scale, so that no feature outweighs another by its unit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError
from lookalike.models.base import Model, as_floats
from lookalike.models.callbacks import observed
from lookalike.models.signs import fix_signs
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.typing import AnyArray, Array

METHODS = ("zscore", "minmax", "whiten")


class Standardizer(TransformerMixin, Model):  # type: ignore[misc]
    r"""Bring columns to one scale: z-scores, the unit interval, or an identity covariance.

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
        How columns are made comparable.
    center : bool, default=True
        Whether the mean or minimum is subtracted. Sparse rows need ``center=False``, which
        keeps them sparse.
    ddof : int, default=0
        0 divides the sum of squares by N, as scikit-learn's scaler does, 1 by N - 1.
    engine : {"auto", "memory", "stream", "dask"}, default="auto"
        Where the rows are gone through.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        What is subtracted from each column: its mean, or its minimum for ``"minmax"``.
    scale_ : ndarray of shape (n_features,)
        What each column is divided by; for ``"whiten"``, the deviation along each direction.
    components_ : ndarray of shape (n_features, n_features)
        The directions of ``"whiten"``, one a row.
    n_samples_seen_ : float
        Rows, or their weight.
    decisions_ : Decisions
        What was settled on the way, and why.

    Examples
    --------
    >>> from lookalike import Standardizer
    >>> Standardizer().fit_transform([[1.0, 10.0], [3.0, 50.0]])
    array([[-1., -1.],
           [ 1.,  1.]])
    """

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

    @observed
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the scale of each column.

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : ignored
            There for scikit-learn's pipelines.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts.
        """
        self._check_parameters()
        source = self._open(X, sample_weight=sample_weight)
        decisions = Decisions()
        if self.method == "whiten":
            self._fit_whitening(source, decisions)
        else:
            self._fit_columns(source, decisions)
        self.decisions_ = decisions
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows of `X` in the learned scale."""
        check_is_fitted(self)
        return self._map_rows(self._forward, X, self.get_feature_names_out())

    def inverse_transform(self, X: Any) -> Any:
        """Return rows in the scale of the data that give the scaled rows `X`."""
        check_is_fitted(self)
        return self._map_rows(self._backward, X, self._names_in())

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the columns: those that came in, or whiten0, whiten1, …"""
        check_is_fitted(self)
        names = self._names_in(input_features)
        if self.method == "whiten":
            names = np.array([f"whiten{j}" for j in range(len(names))], dtype=object)
        return names

    def _fit_columns(self, source: Source, decisions: Decisions) -> None:
        columns = self._engine(source, decisions).reduce(Columns(ddof=self.ddof), source)
        if not np.isfinite(columns.least[columns.count > 0]).all() or not np.isfinite(
            columns.most[columns.count > 0]
        ).all():
            column = int(np.flatnonzero(np.isinf(columns.least) | np.isinf(columns.most))[0])
            raise MissingValueError(
                f"Column {source.columns[column].name!r} holds an infinite value (inf). "
                "Correct it or mark it as missing (NaN)."
            )
        if self.method == "zscore":
            spread, start = np.sqrt(columns.variance), columns.mean
        else:
            spread, start = columns.most - columns.least, columns.least
        still = ~(spread > 10 * np.finfo(float).eps * np.abs(start))  # constant, or nothing there
        if still.any():
            decisions.add(
                "scale", f"1 for {int(still.sum())} columns", "they have one value, or none"
            )
        self.mean_, self.scale_ = start, np.where(still, 1.0, spread)
        self.n_samples_seen_ = float(columns.count.max())

    def _fit_whitening(self, source: Source, decisions: Decisions) -> None:
        count, mean, covariance = self._engine(source, decisions).reduce(
            Covariance(ddof=self.ddof), _Finite(source)
        )
        variance, axes = np.linalg.eigh(covariance)
        variance, axes = variance[::-1], fix_signs(axes[:, ::-1].T)
        flat = variance <= max(variance[0], 0.0) * len(variance) * np.finfo(float).eps
        if flat.any():
            decisions.add(
                "whitening", f"{int(flat.sum())} scores are zero", "no row varies in that direction"
            )
        self.mean_, self.components_ = mean, axes
        self.scale_ = np.where(flat, np.inf, np.sqrt(np.maximum(variance, 0.0)))
        self.n_samples_seen_ = count
