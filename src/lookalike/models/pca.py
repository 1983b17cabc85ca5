"""Principal components: the few directions that keep most of what distinguishes the rows."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.frames import like
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.axes import principal_axes
from lookalike.models.base import Model, as_floats, as_rows
from lookalike.models.callbacks import observed
from lookalike.models.parameters import one_of
from lookalike.reductions.checked import Checked
from lookalike.reductions.covariance import Covariance
from lookalike.typing import AnyArray, Array


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Model):  # type: ignore[misc]
    r"""Project rows onto the directions in which they vary most.

    .. math:: S u_j = \lambda_j u_j, \qquad z_j = u_j^\top (x - \bar x)

    [Barber, algorithm 15.1; Bishop95, eq. 8.22]. The covariance :math:`S` is gathered in one
    pass over the rows, in pieces that any engine can join, and is right at any common offset.
    Each direction is turned so that its largest entry is positive, on every engine.

    Parameters
    ----------
    n_components : int or float, optional
        How many directions are kept: all of them (None), a number, or as many as explain this
        fraction (between 0 and 1) of the variance.
    whiten : bool, default=False
        Whether scores are divided by their deviation. Directions without variance score zero.
    ddof : {1, 0}, default=1
        Whether the covariance divides by N - 1 [Barber] or by N [Bishop95].
    engine : {"auto", "memory", "stream", "dask"}, default="auto"
        Where the rows are gone through.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, by falling variance.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the scores, and its part of the whole; zero for rows that are all equal.
    singular_values_ : ndarray of shape (n_components,)
        :math:`\sqrt{(N - \mathrm{ddof}) \lambda_j}`.
    spectrum_ : ndarray of shape (n_features,)
        The variance along every direction, kept or not.
    mean_ : ndarray of shape (n_features,)
        Mean of the rows.
    noise_variance_ : float
        Mean variance of the directions left out.
    n_components_ : int
        Directions kept.
    rank_ : int
        Directions in which the rows vary at all.
    n_samples_ : float
        Rows, or their weight.
    decisions_ : Decisions
        What was settled on the way, and why.

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
        n_components: int | float | None = None,
        *,
        whiten: bool = False,
        ddof: int = 1,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.ddof = ddof
        self.engine = engine
        self.n_jobs = n_jobs

    @observed
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the directions.

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : ignored
            There for scikit-learn's pipelines.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts.
        """
        one_of("ddof", self.ddof, (0, 1))
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        gather = Checked(Covariance(ddof=self.ddof), source.columns)
        count, mean, covariance = self._engine(source, decisions).reduce(gather, source)
        if count <= self.ddof:
            raise ShapeError(
                f"n_samples={count:g} with ddof={self.ddof} leaves no variance to share out. "
                "Give at least two rows."
            )
        most = min(len(mean), math.ceil(count))
        variance, axes, rank = principal_axes(covariance, most)
        kept = self._n_kept(variance, most, decisions)
        total = variance.sum()
        self.mean_, self.n_samples_, self.spectrum_ = mean, count, variance
        self.n_components_, self.rank_ = kept, rank
        self.components_ = axes[:kept]
        self.explained_variance_ = variance[:kept]
        self.explained_variance_ratio_ = self.explained_variance_ / (total if total > 0 else 1.0)
        self.singular_values_ = np.sqrt(self.explained_variance_ * (count - self.ddof))
        self.noise_variance_ = float(variance[kept:].mean()) if kept < len(variance) else 0.0
        self.decisions_ = decisions
        return self

    def transform(self, X: Any) -> Any:
        """Return the scores of the rows of `X`."""
        check_is_fitted(self)
        return self._map_rows(self._scores, X, self.get_feature_names_out())

    def inverse_transform(self, X: Any) -> Any:
        r"""Return the rows :math:`\bar x + \sum_j z_j u_j` that have the scores `X`."""
        check_is_fitted(self)
        Z = as_rows(X)
        if Z.shape[1] != self.n_components_:
            raise ShapeError(
                f"X has {Z.shape[1]} scores a row, the model {self.n_components_}. "
                "Give what transform returned."
            )
        rows = (Z * self._deviation(zero=0.0)) @ self.components_ + self.mean_
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(rows.shape[1])])
        return like(X, rows.astype(Z.dtype, copy=False), names)

    def _scores(self, source: Source, chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, source.columns)
        X = as_floats(chunk.X)
        if sp.issparse(X):
            scores = X @ self.components_.T - self.mean_ @ self.components_.T
        else:
            scores = (X - self.mean_) @ self.components_.T
        scores /= self._deviation(zero=np.inf)
        return scores.astype(X.dtype, copy=False)

    def _deviation(self, *, zero: float) -> Array:
        """Return what scores are divided by; `zero` stands where the rows do not vary."""
        if not self.whiten:
            return np.ones(self.n_components_)
        return np.where(self.explained_variance_ > 0, np.sqrt(self.explained_variance_), zero)

    def _n_kept(self, variance: Array, most: int, decisions: Decisions) -> int:
        asked = self.n_components
        if asked is None:
            return most
        if isinstance(asked, float | np.floating) and 0.0 < asked < 1.0:
            total = variance.sum()
            share = np.cumsum(variance) / (total if total > 0 else 1.0)
            kept = min(int(np.searchsorted(share, asked)) + 1, most) if total > 0 else 1
            decisions.add("n_components", kept, f"they explain {asked:g} of the variance")
            return kept
        if isinstance(asked, bool) or not hasattr(asked, "__index__"):
            raise ParameterTypeError(
                f"n_components={asked!r} is neither a whole number nor a fraction between 0 and 1."
            )
        if not 1 <= asked <= most:
            raise ParameterError(
                f"n_components={asked} must be between 1 and min(n_samples, n_features)={most}. "
                f"Choose n_components <= {most}."
            )
        return int(asked)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
