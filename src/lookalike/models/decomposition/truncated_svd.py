"""The truncated singular value decomposition: directions of rows that are not centered."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.sources.frames import like
from lookalike.decisions import Decision, Decisions
from lookalike.errors import ParameterError
from lookalike.index.rescale import scale_of
from lookalike.interrupt import interruptible
from lookalike.kernels.transform import map_rows
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, as_transformed
from lookalike.models.linalg.eigenvectors import fix_signs
from lookalike.models.linalg.magnitude import require_shared_magnitude, squared_units
from lookalike.models.linalg.truncated_svd import truncated_svd
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.typing import AnyArray, Array, TableLike, to_host
from lookalike.validation import check_choice, check_float, check_int

SVD_ALGORITHMS = ("arpack", "randomized")
POWER_NORMALIZERS = ("auto", "QR", "LU", "none")


class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, Transformer):
    r"""Project rows onto the leading right singular vectors, without centering them.

    .. math:: X \approx U_M D_M V_M^\top, \qquad z = V_M^\top x

    [Barber, eq. 15.3.8]. Replaces scikit-learn's class of this name. Sparse rows are never made
    dense. The decomposition is exact up to rounding whichever `algorithm` is named, so that it
    depends on no seed; each direction is turned so that its largest entry is positive.
    :class:`lookalike.LSA` does the same for texts, with weights of terms and a search.

    Parameters
    ----------
    n_components : int, default=2
        Directions; fewer than the columns with ``algorithm="arpack"``.
    algorithm : {"randomized", "arpack"}, default="randomized"
        For scikit-learn's signature, as the following ones: the result is the same.
    n_iter, n_oversamples, power_iteration_normalizer, random_state, tol
        Options of scikit-learn's approximations, which are not needed.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where rows are transformed; those of fit are read into memory.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, by falling singular value.
    singular_values_ : ndarray of shape (n_components,)
        How long the rows are along each of them.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variance of the scores, and its share of that of the columns.
    decisions_ : Decisions
        Which solver was used, and what is left of it.

    Examples
    --------
    >>> from lookalike.decomposition import TruncatedSVD
    >>> svd = TruncatedSVD(1).fit([[3.0, 0.0], [0.0, 0.0], [6.0, 0.0]])
    >>> svd.components_, svd.singular_values_.round(3)
    (array([[1., 0.]]), array([6.708]))
    """

    explained_variance_ratio_: Array | Array

    _sparse_rows = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: object = None,
        tol: float = 0.0,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the directions along which the rows of `X`, any table, are longest; `y` is ignored.

        Sparse rows stay sparse.
        """
        source = self._open(X)
        rows = to_host(gather(source).X)
        require_finite(rows, 0, source.columns)
        self._check(rows.shape)
        decisions = Decisions()
        decisions.add("algorithm", "exact", f"algorithm={self.algorithm!r} would give the same")
        largest = _largest(rows)
        require_shared_magnitude(source, 2 * largest, "the other components")
        k, scale = int(self.n_components), scale_of(largest)
        values, components, solver = _leading(rows * scale if scale != 1.0 else rows, k)
        decisions.add(*solver)
        variance, total = _variances(rows, components, scale)
        dtype = as_floats(np.empty(0, rows.dtype)).dtype
        self.components_: AnyArray = components.astype(dtype)
        self.singular_values_: Array = values / scale
        self.explained_variance_: Array = squared_units(variance, scale)
        self.explained_variance_ratio_ = variance / total if total > 0 else np.zeros(k)
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> TableLike:
        """Return the scores of the rows of `X`."""
        check_is_fitted(self)
        return self._map_rows(self._scores, X, self.get_feature_names_out())

    def inverse_transform(self, X: object) -> TableLike:
        r"""Return the rows :math:`V_M z` that have the scores `X`."""
        check_is_fitted(self)
        Z = as_transformed(X, len(self.components_), "scores")
        rows = Z @ self.components_
        return like(X, rows.astype(Z.dtype, copy=False), list(feature_names(self)))

    def _scores(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        X = as_floats(chunk.X)
        along = X @ self.components_.T if sp.issparse(X) else map_rows(X, self.components_)
        return np.asarray(along, X.dtype)

    def _check(self, shape: tuple[int, int]) -> None:
        check_choice("algorithm", self.algorithm, SVD_ALGORITHMS)
        check_choice(
            "power_iteration_normalizer", self.power_iteration_normalizer, POWER_NORMALIZERS
        )
        check_int("n_iter", self.n_iter, least=0)
        check_int("n_oversamples", self.n_oversamples, least=1)
        check_float("tol", self.tol, least=0.0)
        most = min(shape[0], shape[1] - (self.algorithm == "arpack"))
        if check_int("n_components", self.n_components, least=1) > most:
            raise ParameterError(
                f"n_components({self.n_components}) must be <= n_features({shape[1]}) and the "
                f"number of rows, {shape[0]}; with algorithm='arpack' below n_features. Choose "
                f"n_components <= {most}."
            )

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _leading(rows: AnyArray, k: int) -> tuple[Array, Array, Decision]:
    """Return the leading singular values and right vectors, and how they were found."""
    if sp.issparse(rows):
        values, components, _, solver = truncated_svd(sp.csr_array(rows, dtype=np.float64), k)
        return values, components, solver
    _, values, right = interruptible(
        np.linalg.svd, np.asarray(rows, np.float64), full_matrices=False
    )
    return values[:k], fix_signs(right[:k]), Decision("solver", "svd", "the rows are dense")


def _largest(rows: AnyArray) -> float:
    values = rows.data if sp.issparse(rows) else rows
    return float(np.abs(values).max(initial=0.0))


def _variances(rows: AnyArray, components: Array, scale: float) -> tuple[Array, float]:
    """Return the variance of the scores, and that of all columns, of rows times `scale`."""
    scaled: Any = rows.astype(np.float64) * scale
    along = np.asarray(scaled @ components.T)
    if not sp.issparse(rows):
        return along.var(axis=0), float(scaled.var(axis=0).sum())
    mean = np.asarray(scaled.mean(axis=0)).ravel()
    squares = np.asarray(scaled.multiply(scaled).mean(axis=0)).ravel()
    return along.var(axis=0), float((squares - mean**2).sum())
