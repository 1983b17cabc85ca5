"""PCA of rows that come in batches, under scikit-learn's name."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.scatter import Moments
from lookalike.models.decomposition.pca_solvers import PCASolution
from lookalike.models.decomposition.pca_updates import PCAModel
from lookalike.models.estimator import Transformer, with_callbacks
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.models.state import replace_state
from lookalike.reductions.wrappers import CountedState
from lookalike.typing import Array
from lookalike.validation import check_int


class IncrementalPCA(ClassNamePrefixFeaturesOutMixin, Transformer, PCAModel):
    """Principal component analysis of rows that come in batches.

    Replaces scikit-learn's class of this name. It is :class:`lookalike.PCA` with the covariance
    for a memory: the result is that of all rows at once, however they were divided, where
    scikit-learn's approximates it from the components kept so far. Sources larger than memory need
    no batches: :meth:`fit` reads them in chunks.

    Parameters
    ----------
    n_components : int, optional
        Components; as many as the rows or columns when None.
    whiten : bool, default=False
        Whether scores are divided by their deviation.
    copy : bool, default=True
        For scikit-learn's signature; the input is never changed.
    batch_size : int, optional
        For scikit-learn's signature, as `batch_size_`: the result does not depend on it.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_
        As in :class:`lookalike.PCA`, as are the further attributes and methods.
    var_ : ndarray of shape (n_features,)
        Variance of each column (divided by N).
    n_samples_seen_ : int
        Rows that have come.

    Examples
    --------
    >>> from lookalike.decomposition import IncrementalPCA
    >>> pca = IncrementalPCA(1).partial_fit([[0.0, 0.0], [1.0, 1.0]])
    >>> pca.partial_fit([[2.0, 2.0], [9.0, 9.0]]).components_.round(3)
    array([[0.707, 0.707]])
    """

    svd_solver = "covariance_eigh"  # and the other parameters of PCA, which are not chosen here
    tol: float = 0.0
    iterated_power: str = "auto"
    n_oversamples: int = 10
    power_iteration_normalizer: str = "auto"
    random_state: int | None = None
    ddof: int = 1
    missing: str = "error"
    _sparse_rows = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the directions in which the rows of `X`, any table, vary most; `y` is ignored."""
        self._fit(X, None)
        return self

    @replace_state
    def partial_fit(self, X: object, y: object = None, check_input: bool = True) -> Self:
        """Join the rows of `X`; the result is that of a fit on all of them, however they came.

        `y` is ignored; `check_input` is for scikit-learn's signature.
        """
        if sp.issparse(X):
            raise ParameterTypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to "
                "dense or use IncrementalPCA.fit to do so in batches. PCA.partial_fit takes it."
            )
        before = getattr(self, "n_components_", None)
        if before is not None and self.n_components not in (None, before):
            raise ParameterError(
                f"n_components={self.n_components}, and the model has {before} components of "
                "earlier batches. Give the same, or fit again."
            )
        joined: Self = super().partial_fit(X)
        return joined

    def _settle(
        self,
        solution: PCASolution,
        kept: int,
        moments: CountedState[Moments] | None,
        dtype: np.dtype,
    ) -> None:
        n_features = len(solution.mean)
        if self.n_components is not None:
            self._check_number(check_int("n_components", self.n_components, least=1), solution)
        if self.batch_size is not None:
            check_int("batch_size", self.batch_size, least=1)
        super()._settle(solution, kept, moments, dtype)
        degrees = (solution.weight - self.ddof) / solution.weight
        self.var_: Array = solution.column_variance * degrees
        self.n_samples_seen_: int | float = self.n_samples_
        self.batch_size_: int = 5 * n_features if self.batch_size is None else int(self.batch_size)

    def _check_number(self, n_components: int, solution: PCASolution) -> None:
        n_features = len(solution.mean)
        if n_components > n_features:
            raise ParameterError(
                f"n_components={n_components} invalid for n_features={n_features}, need more rows "
                "than columns for IncrementalPCA processing. Choose fewer."
            )
        if n_components > solution.rows:
            raise ParameterError(
                f"n_components={n_components} must be less or equal to the batch number of samples "
                f"{solution.rows} for the first partial_fit call. Give more rows."
            )
