"""Kernel principal components: the directions of variation in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column, Matrix
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.kernels.gram import Kernel, row_blocks
from lookalike.kernels.transform import map_rows
from lookalike.models.decomposition.kernel_pca_fit import (
    check_kernel_pca,
    fit_exactly,
    fit_on_landmarks,
    require_kernel_in_range,
)
from lookalike.models.decomposition.preimage import fixed_point, ridge_weights
from lookalike.models.estimator import (
    Transformer,
    UnfittedError,
    check_is_fitted,
    feature_names,
    with_callbacks,
)
from lookalike.models.inputs import as_floats, as_transformed
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_random_state

if TYPE_CHECKING:
    from sklearn.utils import Tags


class KernelPCA(ClassNamePrefixFeaturesOutMixin, Transformer):
    r"""Project rows onto the directions in which they vary most in the space of a kernel.

    .. math:: K_c v_j = \lambda_j v_j, \qquad
              z_j(x) = \lambda_j^{-1/2} \sum_i v_{ij} \left(k(x, x_i) - \bar k(x_i)\right)

    [UCSD: PCA depends on the rows through dot products alone, so any kernel can stand for them].
    With the linear kernel this is PCA, signs included: a direction that can be written in the
    columns of X is turned so that its largest entry is positive. With other kernels the largest
    entry of :math:`v_j`, the fitted row that lies farthest along it, is positive.

    Parameters are those of scikit-learn's class, and four more.

    Parameters
    ----------
    n_components : int, optional
        Directions kept; None keeps every one along which the rows vary.
    kernel : {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"} or callable
        See :class:`lookalike.kernels.gram.Kernel`.
    gamma : float or "median", optional
        Of rbf, poly and sigmoid; None means one over the number of columns, ``"median"``
        :math:`1 / (2 m^2)` with the median distance m of (at most 1000) rows.
    degree, coef0 : float
        Of poly, and coef0 of sigmoid.
    kernel_params : dict, optional
        Parameters of a callable kernel.
    alpha : float
        Penalty of the ridge regression that learns pre-images.
    fit_inverse_transform : bool
        Whether pre-images are prepared.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}
        ``"auto"`` takes "arpack" for fewer than 8 directions of many rows, a block Krylov solver
        with a residual below 1e-10 of the largest eigenvalue for up to a tenth as many as there
        are rows, and the dense solver elsewhere.
    tol, max_iter : float, int
        Of the solver "arpack".
    iterated_power : int or "auto"
        Of the solver "randomized".
    remove_zero_eig : bool
        Whether directions without variance are left out when n_components is given, too.
    random_state : int, RandomState or None
        Of solvers, landmarks and the median distance; None is one fixed seed.
    copy_X : bool
        False lets a precomputed kernel be overwritten.
    n_jobs : int, optional
        Threads of engines and callable kernels.
    landmarks : int, optional
        Use this many rows, drawn at random, to span the space (Nyström), so that no n x n matrix
        is needed and rows may come from a file, a stream or a cluster. What of the variance
        they leave out is measured on all rows and written to `decisions_`.
    preimage : {"ridge", "fixed-point", "exact"}
        How inverse_transform finds rows: learned as scikit-learn does (around the mean, so that
        an offset does no harm), by the fixed point of [Mika99] for "rbf", or by algebra for
        "linear".
    engine : {"auto", "memory", "stream", "dask", "gpu"}
        Where the rows are gone through.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the centered Gram matrix, falling; those below zero are set to 0 and recorded.
    eigenvectors_ : ndarray of shape (n_fitted, n_components)
        Of length one; with landmarks absent.
    axes_ : ndarray of shape (n_fitted or n_landmarks, n_components)
        The directions as sums of the images of the rows of `X_fit_`.
    X_fit_ : rows
        Those fitted, or the landmarks.
    n_samples_fit_ : int
        How many they are.
    gamma_ : float
        The gamma used.
    landmark_error_ : float
        The part of the variance that lies outside the span of the landmarks; 0 without them.
    dual_coef_, X_transformed_fit_ : ndarray
        Of the ridge regression for pre-images.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    Two rings, one inside the other, are separated along the first component:

    >>> import numpy as np
    >>> from lookalike import KernelPCA
    >>> angle = np.linspace(0, 6, 50)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> scores = KernelPCA(1, kernel="rbf", gamma=3.0).fit_transform(np.vstack([ring, 0.2 * ring]))
    >>> bool(scores[:50].min() > scores[50:].max())
    True
    """

    eigenvalues_: Array
    axes_: Array
    X_fit_: Matrix
    eigenvectors_: Array
    gamma_: float
    landmark_error_: float
    X_transformed_fit_: Array
    n_samples_fit_: int

    _sparse_rows = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, object] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: object = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        landmarks: int | None = None,
        preimage: str = "ridge",
        engine: str = "auto",
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.preimage = preimage
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the directions of `X`, any table; `y` is ignored.

        With ``kernel="precomputed"``, `X` is the Gram matrix.
        """
        check_kernel_pca(self)
        decisions = Decisions()
        source = self._open(X)
        kernel = Kernel(
            self.kernel,
            degree=self.degree,
            coef0=self.coef0,
            parameters=self.kernel_params or {},
            n_jobs=self.n_jobs,
        )
        seed = check_random_state(0 if self.random_state is None else self.random_state)
        for name in ("eigenvectors_", "dual_coef_", "X_transformed_fit_", "_mean_row"):
            self.__dict__.pop(name, None)
        if self.landmarks is None:
            kept = X if not self.copy_X and isinstance(X, np.ndarray) else None
            scores = fit_exactly(self, source, kernel, seed, decisions, kept=kept)
        else:
            engine = self._engine(source, decisions)
            scores = fit_on_landmarks(self, source, kernel, seed, decisions, engine=engine)
        if self.fit_inverse_transform:
            self._fit_preimages(scores, decisions)
        self.decisions_ = decisions
        return self

    def fit_transform(self, X: object, y: object = None) -> TableLike:
        """Find the directions, and return the scores of the fitted rows."""
        self.fit(X, y)
        if self.landmarks is not None:
            return self.transform(X)
        scores = (self.eigenvectors_ * np.sqrt(self.eigenvalues_)).astype(self._dtype, copy=False)
        return like(X, scores, list(self.get_feature_names_out()))

    def transform(self, X: object) -> TableLike:
        """Return the scores of the rows of `X`."""
        check_is_fitted(self)
        return self._map_rows(self._scores, X, self.get_feature_names_out())

    def inverse_transform(self, X: object) -> TableLike:
        """Return rows whose scores come close to `X`: pre-images."""
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise UnfittedError(
                "inverse_transform needs fit_inverse_transform=True, which was not set when this "
                "KernelPCA was made. Set it and fit again."
            )
        given = as_transformed(X, self.axes_.shape[1], "scores")
        rows = self._mean_row + self._preimages(given.astype(np.float64, copy=False))
        return like(X, rows.astype(given.dtype, copy=False), list(feature_names(self)))

    def _set_axes(
        self,
        kernel: Kernel,
        rows: Matrix,
        eigenvalues: Array,
        axes: Array,
        *,
        columns: Array,
        origin: Array,
    ) -> None:
        """Set what scores are computed from: (k(x, rows) - columns) @ axes.

        `rows` are the fitted ones or the landmarks, `columns` the mean of the kernel with each of
        them, and `origin` the mean of all images as a sum of theirs.
        """
        self.eigenvalues_, self.axes_, self.X_fit_ = eigenvalues, axes, rows
        self.n_samples_fit_ = rows.shape[0]
        self._kernel, self._columns, self._origin = kernel, columns, origin
        self.gamma_, self._dtype = kernel.gamma, as_floats(rows[:0]).dtype

    def _fit_preimages(self, scores: Array, decisions: Decisions) -> None:
        """Set what pre-images need, from the scores of the fitted rows."""
        rows = np.asarray(self.X_fit_, dtype=np.float64)
        self._mean_row, self.X_transformed_fit_ = rows.mean(axis=0), scores
        if self.preimage == "ridge":
            kernel = replace(self._kernel, shift=None)
            self.dual_coef_: Array = ridge_weights(
                kernel, scores, rows - self._mean_row, self.alpha, decisions
            )

    def _preimages(self, Z: Array) -> Array:
        """Return the rows that have the scores `Z`, less the mean of the fitted rows."""
        kernel = replace(self._kernel, shift=None)
        if self.preimage == "ridge":
            return np.asarray(kernel(Z, self.X_transformed_fit_) @ self.dual_coef_)
        rows = np.asarray(self.X_fit_, dtype=np.float64) - self._mean_row
        if self.preimage == "exact":
            return np.asarray(Z @ (self.axes_.T @ rows) + self._origin @ rows)
        start = self.X_transformed_fit_
        return fixed_point(kernel, Z, start, rows, axes=self.axes_, mean=self._origin)

    def _scores(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        n_rows, dtype = chunk.X.shape[0], as_floats(chunk.X[:0]).dtype
        scores = np.empty((n_rows, self.axes_.shape[1]), dtype)
        for part in row_blocks(n_rows, len(self.axes_)):
            gram = self._kernel.of_rows(chunk.X[part], self.X_fit_)
            require_kernel_in_range(gram)
            gram = gram - self._columns
            with np.errstate(over="ignore"):
                scores[part] = map_rows(gram, self.axes_.T)
            require_kernel_in_range(scores[part])
        return scores

    @property
    def _n_features_out(self) -> int:
        return int(self.axes_.shape[1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def centered_kernel(model: KernelPCA) -> tuple[Kernel, Array]:
    """Return the kernel of a fitted model, and what is subtracted for each row of `X_fit_`."""
    return model._kernel, model._columns
