"""Quadratic discriminant analysis: a Gaussian for every class, with a covariance of its own."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import log_softmax, softmax

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, ParameterError, ShapeError, UnsupportedError
from lookalike.interrupt import interruptible
from lookalike.kernels.native_arrays import as_dense
from lookalike.kernels.transform import map_rows
from lookalike.models.discriminant.class_moments import classes_with_rows
from lookalike.models.discriminant.linear_scores import (
    OVERFLOW_SCALE,
    scores_in_range,
)
from lookalike.models.discriminant.within_covariance import (
    check_shrinkage,
    estimates_of_classes,
    ledoit_wolf_of_classes,
    shrunk,
)
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import as_rows, require_dense
from lookalike.models.linalg.magnitude import require_range, require_shared_magnitude
from lookalike.models.priors import as_priors
from lookalike.models.scores import AccuracyMixin
from lookalike.models.targets import given_labels
from lookalike.reductions.by_class import ClassCovariance, ClassSummary
from lookalike.reductions.wrappers import Checked
from lookalike.settings import require_memory
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, check_float


class RankError(LookalikeError, np.linalg.LinAlgError):
    """The rows of a class do not vary along some direction."""


class QuadraticDiscriminantAnalysis(AccuracyMixin, Model):
    r"""Predict the class whose Gaussian gives a row the highest density.

    .. math:: \delta_c(x) = -\tfrac12 (x - m_c)^\top S_c^{-1} (x - m_c)
              - \tfrac12 \log |S_c| + \log p_c

    Replaces scikit-learn's class of this name. Weight, mean and scatter of each class are gathered
    in one pass over the rows, in pieces, on any engine. With several Gaussians for each class it is
    :class:`lookalike.GaussianMixtureClassifier`.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd" takes `reg_param`; "eigen" takes `shrinkage` and `covariance_estimator`.
    shrinkage : float or "auto", optional
        Draw each covariance towards a multiple of the identity: by this share, or by the one that
        [Ledoit04] finds in the rows of the class.
    priors : None, "balanced", mapping or array, default=None
        Prior probability of each class, by label or in the order of `classes_`. None is its share
        of the rows.
    reg_param : float, default=0.0
        By which share the variances along the axes of a class are drawn towards one.
    store_covariance : bool, default=False
        Whether `covariance_` is set.
    tol : float, default=1e-4
        Variance up to which an axis of a class has none, which is an error.
    covariance_estimator : estimator, optional
        Finds the covariances; the rows are read into memory for it.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the rows are gone through.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    classes_, priors_ : ndarray of shape (n_classes,)
        The labels in sorted order, and their probabilities.
    means_ : ndarray of shape (n_classes, n_features)
        The mean of each class.
    scalings_ : list of ndarray of shape (n_features,)
        Variance of each class along its axes, falling.
    rotations_ : list of ndarray of shape (n_features, n_features)
        The axes, as columns.
    covariance_ : list of ndarray of shape (n_features, n_features)
        Of each class, where they are stored.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    The classes have one mean, and differ in their spread:

    >>> from lookalike.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X = [[-1.0], [0.0], [1.0], [-9.0], [0.0], [9.0]]
    >>> qda = QuadraticDiscriminantAnalysis().fit(X, ["near"] * 3 + ["wide"] * 3)
    >>> qda.predict([[0.5], [-4.0], [6.0]])
    array(['near', 'wide', 'wide'], dtype='<U4')
    """

    classes_: AnyArray
    priors_: Array
    means_: Array
    scalings_: list[Array]
    rotations_: list[Array]

    _requires_target = True

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: object = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find mean and covariance of each class `y` of the rows of `X`, any table."""
        self._check()
        require_dense(X, "a covariance is dense")
        y = given_labels(self, X, y)
        decisions = Decisions()
        source = self._open(X, y)
        require_memory(
            32 * source.n_features**2,
            f"The scatter of {source.n_features} columns takes",
            "Apply PCA first.",
        )
        gather = Checked(ClassCovariance(), source.columns)
        summary = classes_with_rows(self._engine(source, decisions).reduce(gather, source))
        deviation = np.sqrt(np.diagonal(summary.scatter, axis1=-2, axis2=-1).max(initial=0.0))
        require_shared_magnitude(source, float(deviation), "the other classes")
        require_range(summary.scatter.reshape(-1), least=0.0)
        _require_two_rows(summary)
        priors = as_priors(self.priors, summary.classes, summary.count)
        covariances = self._covariances(summary, source, X, y)
        axes = [self._axes(*part) for part in zip(covariances, *summary[:2], strict=True)]
        self.classes_, self.priors_, self.means_ = summary.classes, priors, summary.mean
        self.scalings_, self.rotations_ = map(list, zip(*axes, strict=True))
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            self.covariance_: list[Array] = [(R * s) @ R.T for s, R in axes]
        self.decisions_ = decisions
        return self

    def decision_function(self, X: object) -> AnyArray:
        """Return the score of every class; with two classes, by how much the second is higher."""
        return self._map_chunks(self._decisions, X)

    def predict(self, X: object) -> AnyArray:
        """Return the most probable class of every row, the first of equals."""
        check_is_fitted(self)
        return self._map_chunks(lambda *part: self.classes_[self._scores(*part).argmax(axis=1)], X)

    def predict_proba(self, X: object) -> AnyArray:
        """Return the probability of every class, in the order of `classes_`."""
        return self._map_chunks(lambda *part: softmax(self._scores(*part), axis=1), X)

    def predict_log_proba(self, X: object) -> AnyArray:
        """Return the logarithm of the probabilities."""
        return self._map_chunks(lambda *part: log_softmax(self._scores(*part), axis=1), X)

    def _decisions(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        scores = self._scores(columns, chunk)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _scores(self, columns: tuple[Column, ...], chunk: Chunk) -> Array:
        require_dense(chunk.X, "a covariance is dense")
        require_finite(chunk.X, chunk.offset, columns)
        X = as_dense(chunk.X)
        with np.errstate(divide="ignore"):  # a class may have no probability
            log_prior = np.log(self.priors_)
        far = self._far(X)
        volume = np.array([np.log(variance).sum() for variance in self.scalings_])
        scores: Array = -0.5 * (far + volume) + log_prior
        beyond = np.flatnonzero(~np.isfinite(far).all(axis=1))
        if len(beyond):
            scores[beyond] = scores_in_range(-self._far(X[beyond], OVERFLOW_SCALE), log_prior)
        return scores

    @np.errstate(over="ignore", invalid="ignore")
    def _far(self, X: AnyArray, scale: float = 1.0) -> Array:
        """Return how far rows lie from each class, squared, all of them times `scale`."""
        rows = X if scale == 1.0 else X.astype(np.float64) * scale
        far = np.empty((len(X), len(self.classes_)))
        for place, (variance, R) in enumerate(zip(self.scalings_, self.rotations_, strict=True)):
            directions = np.ascontiguousarray((R / np.sqrt(variance)).T)
            along = map_rows(rows, directions, self.means_[place] * scale, threads=1)
            far[:, place] = np.square(along).sum(axis=1)
        return far

    def _covariances(self, summary: ClassSummary, source: Any, X: object, y: Any) -> list[Array]:
        if self.covariance_estimator is not None:
            return estimates_of_classes(self.covariance_estimator, (as_rows(X), np.asarray(y)))
        if self.shrinkage == "auto":
            return ledoit_wolf_of_classes(summary, self._engine(source), source)
        each = [C / n for C, n in zip(summary.scatter, summary.count, strict=True)]
        if self.shrinkage is not None:
            return [shrunk(C, float(self.shrinkage)) for C in each]
        return each

    def _axes(self, covariance: Array, label: object, count: float) -> tuple[Array, Array]:
        """Return the variances of a class along its axes, falling, and the axes."""
        variance, axes = interruptible(np.linalg.eigh, covariance)
        variance, axes = variance[::-1], axes[:, ::-1]
        few = self.solver == "svd" and count <= len(variance)
        if self.solver == "svd":
            variance = (1 - self.reg_param) * np.maximum(variance, 0.0) + self.reg_param
        if few or (variance <= self.tol).any():
            raise _not_full_rank(label, count, len(variance), self.solver, few=few)
        return variance, axes

    def _check(self) -> None:
        check_choice("solver", self.solver, ("svd", "eigen"))
        check_float("reg_param", self.reg_param, least=0.0, most=1.0)
        check_float("tol", self.tol, least=0.0)
        check_shrinkage(self.shrinkage, self.covariance_estimator)
        if self.solver == "svd" and self.shrinkage is not None:
            raise UnsupportedError(
                "shrinkage not supported with 'svd' solver. Give solver='eigen', or reg_param."
            )
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(
                "covariance_estimator is not supported with solver='svd'. Try solver='eigen' "
                "instead."
            )


def _require_two_rows(summary: ClassSummary) -> None:
    single = np.flatnonzero(summary.count <= 1)
    if len(single):
        label = summary.classes[single[0]]
        raise ShapeError(
            f"y has only 1 sample in class {label}, covariance is ill defined. Give more rows of "
            "it, or leave it out."
        )


def _not_full_rank(
    label: object, count: float, n_features: int, solver: str, *, few: bool
) -> RankError:
    text = f"The covariance matrix of class {label} is not full rank."
    if few:
        return RankError(
            f"{text} When using `solver='svd'` the number of samples in each class should be more "
            f"than the number of features, and class {label} has {count:g} rows of {n_features} "
            "columns. Give solver='eigen' and a shrinkage."
        )
    parameter = "shrinkage" if solver == "eigen" else "reg_param"
    return RankError(f"{text} Increase the value of `{parameter}` to reduce the collinearity.")
