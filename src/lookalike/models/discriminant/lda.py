"""Linear discriminant analysis: the directions along which classes are best separated."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source, open_features
from lookalike.decisions import Decisions
from lookalike.engines.blas import single_threaded_blas
from lookalike.errors import ParameterError, ShapeError, UnsupportedError
from lookalike.models.discriminant.class_moments import (
    classes_with_rows,
    moments_in_range,
    with_all_classes,
)
from lookalike.models.discriminant.directions import solve_eigen, solve_lsqr, solve_svd
from lookalike.models.discriminant.linear_scores import LinearScores
from lookalike.models.discriminant.within_covariance import (
    check_shrinkage,
    covariances,
    estimator_covariances,
    ledoit_wolf_covariances,
    shrunk,
)
from lookalike.models.estimator import (
    Transformer,
    check_is_fitted,
    with_callbacks,
)
from lookalike.models.inputs import as_floats, as_rows, as_sample_weight
from lookalike.models.labels import declared_classes, join_label_arrays
from lookalike.models.linalg.magnitude import (
    brought_near_one,
    can_rescale,
    require_range,
    require_shared_magnitude,
    squared_units,
    times_power,
)
from lookalike.models.priors import as_priors
from lookalike.models.scores import AccuracyMixin
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin
from lookalike.models.state import replace_state
from lookalike.models.targets import given_labels
from lookalike.reductions.by_class import ClassCovariance, ClassSummary
from lookalike.reductions.within_class_scatter import WithinClassScatter
from lookalike.reductions.wrappers import Checked, StateOf
from lookalike.settings import require_memory
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_choice, check_float, check_int, shown


def _in_one_pass(model: LinearDiscriminantAnalysis) -> bool:
    """Return whether one pass over the rows is enough, so that partial_fit can join more."""
    return model.shrinkage != "auto" and model.covariance_estimator is None


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,
    AccuracyMixin,
    Transformer,
    LinearScores,
):
    r"""Find the directions along which classes are best separated, and classify by them.

    .. math:: \max_v \frac{v^\top S_B v}{v^\top S_W v}, \qquad
              \delta_c(x) = w_c^\top (x - \bar x) - \tfrac12 w_c^\top (m_c - \bar x) + \log p_c,
              \quad S_W w_c = m_c - \bar x

    [LUMS: PCA does not consider the classes, and the directions of largest variance need not
    separate them; Fisher36]. All is computed from the weight and mean of each class and the
    scatter within them, which are gathered in pieces: any engine, :meth:`partial_fit`,
    :meth:`merge` and sample weights give the same result, accurate at any common offset.

    Parameters are those of scikit-learn's class, and `engine` and `n_jobs`. Each direction is
    turned so that its largest entry is positive.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" whitens within the classes first, "eigen" solves the generalized eigenproblem,
        "lsqr" finds the classifier alone. The last two take shrinkage.
    shrinkage : float or "auto", optional
        Draw the covariance towards a multiple of the identity: by this share, or by the one that
        [Ledoit04] finds in the rows, which takes a second pass.
    priors : None, "balanced", mapping or array, default=None
        Prior probability of each class, by label or in the order of `classes_`. None is its
        share of the rows, "balanced" the same for each.
    n_components : int, optional
        Directions that :meth:`transform` returns; None means min(n_classes - 1, n_features).
    store_covariance : bool, default=False
        Whether "svd" stores `covariance_`; the others always do.
    tol : float, default=1e-4
        For "svd": deviation within the classes, relative to that of the columns, from which a
        direction counts.
    covariance_estimator : estimator, optional
        Finds the covariances for "lsqr" and "eigen"; the rows are read into memory for it.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the rows are gone through.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in sorted order.
    scalings_ : ndarray of shape (n_features, rank)
        The directions, for "svd" and "eigen"; within-class variance along each is one.
    explained_variance_ratio_ : ndarray
        Part of the separation along each direction returned.
    coef_, intercept_ : ndarray
        The linear function of each class, or of the second when there are two.
    means_, priors_, xbar_ : ndarray
        Mean and probability of each class, and the mean of the means.
    covariance_ : ndarray of shape (n_features, n_features)
        Within the classes.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    The classes differ along the narrow direction, of which PCA keeps nothing:

    >>> from lookalike import LinearDiscriminantAnalysis
    >>> X = [[-9, 1], [0, 1.2], [9, 0.8], [-9, -1], [0, -0.8], [9, -1.2]]
    >>> lda = LinearDiscriminantAnalysis().fit(X, ["up", "up", "up", "low", "low", "low"])
    >>> lda.predict([[8, 0.9], [-5, -1.1]])
    array(['up', 'low'], dtype='<U3')
    """

    explained_variance_ratio_: Array
    classes_: AnyArray
    priors_: Array
    xbar_: Array
    decisions_: Decisions
    scalings_: Array
    coef_: AnyArray
    covariance_: Array
    means_: Array
    intercept_: Array

    _sparse_rows = True

    def __init__(  # noqa: PLR0917 - in the order of scikit-learn
        self,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: object = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: object = None,
        *,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the directions that separate the classes `y` of the rows of `X`, any table.

        `y` may be the target column of a source; `sample_weight` says how much each row counts.
        """
        self._check()
        y = given_labels(self, X, y)
        decisions = Decisions()
        source = self._open(X, y, sample_weight)
        state, scale = self._gather(source, decisions), 1.0
        summary = self._summary(state, None)
        if can_rescale(source) and not moments_in_range(summary, source.dtype):
            rescaled, scale = brought_near_one(source, self._engine(source), decisions)
            if scale != 1.0:
                state = self._gather(rescaled, decisions)
                summary = self._summary(state, None)
        apart = np.sqrt(np.diagonal(summary.scatter, axis1=-2, axis2=-1).max(initial=0.0)) / scale
        require_shared_magnitude(source, float(apart), "the other directions")
        if sample_weight is None and summary.count.sum() == len(summary.count):
            raise ShapeError(
                f"The number of samples must be more than the number of classes, and both are "
                f"{len(summary.count)}. Give more rows of a class."
            )
        rows = None
        if self.covariance_estimator is not None:
            if sample_weight is not None:
                raise UnsupportedError("covariance_estimator does not take sample_weight.")
            rows = times_power(as_rows(X), scale) if scale != 1.0 else as_rows(X), y
        self._solve(state, summary, decisions, source if scale == 1.0 else rescaled, rows)
        if scale != 1.0:
            self._unscale(scale, source)
        self._known: AnyArray | None = None
        return self

    @available_if(_in_one_pass)
    @replace_state
    def partial_fit(
        self, X: object, y: object = None, classes: object = None, sample_weight: object = None
    ) -> Self:
        """Join more rows; the result is that of fitting all of them at once.

        `X`, `y` and `sample_weight` are as for `fit`; `classes` are, in the first call, all labels
        that may come: those without rows have probability 0. Absent with ``shrinkage="auto"`` and
        `covariance_estimator`, which need all rows again.
        """
        self._check()
        y = given_labels(self, X, y)
        decisions = Decisions()
        before = getattr(self, "_state", None)
        if before is None and hasattr(self, "classes_"):
            require_range(np.full(1, np.inf))  # moments of rows that were rescaled
        if before is None:
            source = self._open(X, y, sample_weight)
            known = None if classes is None else declared_classes(classes)
        else:
            source = open_features(X, y, weight=as_sample_weight(sample_weight))
            self._note_columns(X, source, reset=False)
            known = self._known
            if y is not None:
                join_label_arrays(self.classes_, y)  # raises where labels are of another type
            if classes is not None and not np.array_equal(declared_classes(classes), self.classes_):
                raise ParameterError(
                    f"classes={shown(classes)} differ from those of the first call, "
                    f"{self.classes_.tolist()}. Give the same, or none."
                )
        state = self._gather(source, decisions)
        if before is not None:
            state = self._reduction().merge(before, state)
        self._solve(state, self._summary(state, known), decisions, source, None)
        self._known = known
        return self

    @available_if(_in_one_pass)
    @replace_state
    def merge(self, other: LinearDiscriminantAnalysis) -> Self:
        """Join the rows that `other` was fitted on to those of this model."""
        check_is_fitted(self)
        check_is_fitted(other)
        if self._state is None or other._state is None:
            require_range(np.full(1, np.inf))
        alike = type(self._state) is type(other._state)
        if not alike or self.n_features_in_ != other.n_features_in_:
            raise ParameterError(
                f"The models differ: {self} of {self.n_features_in_} columns, {other} of "
                f"{other.n_features_in_}. Merge models of equal parameters and columns."
            )
        state = self._reduction().merge(self._state, other._state)
        known = self._known
        if known is not None:
            known = np.union1d(known, other.classes_)
        self._solve(state, self._summary(state, known), Decisions(), None, None)
        self._known = known
        return self

    def transform(self, X: object) -> TableLike:
        """Return the rows of `X` along the directions that separate the classes."""
        if self.solver == "lsqr":
            raise UnsupportedError(
                "transform not implemented for 'lsqr', which finds no directions. "
                "Give solver='svd' or 'eigen'."
            )
        check_is_fitted(self)
        return self._map_rows(self._project, X, self.get_feature_names_out())

    def _check(self) -> None:
        check_choice("solver", self.solver, ("svd", "lsqr", "eigen"))
        if self.n_components is not None:
            check_int("n_components", self.n_components, least=1)
        if self.solver == "svd" and self.shrinkage is not None:
            raise UnsupportedError(
                f"shrinkage={self.shrinkage!r} is not supported with svd. Give solver='eigen' or "
                "'lsqr'."
            )
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(
                "covariance estimator is not supported with svd solver. Try another solver: "
                "'eigen' or 'lsqr'."
            )
        check_shrinkage(self.shrinkage, self.covariance_estimator)
        check_float("tol", self.tol, least=0.0)

    def _reduction(self) -> Any:
        """Return the reduction: the scatter of each class where the pooled one does not suffice."""
        weighted = self.priors is not None and (self.solver != "svd" or self.store_covariance)
        return ClassCovariance() if weighted or self.shrinkage == "auto" else WithinClassScatter()

    def _gather(self, source: Source, decisions: Decisions) -> AnyArray:
        require_memory(
            24 * source.n_features**2,
            f"The scatter of {source.n_features} columns takes",
            "Apply PCA first: with fewer rows than columns it loses nothing.",
        )
        gather = StateOf(Checked(self._reduction(), source.columns))
        return self._engine(source, decisions).reduce(gather, source)

    def _summary(self, state: object, known: AnyArray | None) -> ClassSummary:
        """Return the moments of the classes with rows, or of all that are known."""
        summary = self._reduction().finalize(state)
        return classes_with_rows(summary) if known is None else with_all_classes(summary, known)

    def _solve(
        self, state: object, summary: Any, decisions: Decisions, source: Source | None, rows: object
    ) -> None:
        """Solve, and set the attributes."""
        require_range(summary.scatter.reshape(-1), least=0.0)
        priors = as_priors(self.priors, summary.classes, summary.count)
        most = min(len(summary.count) - 1, summary.mean.shape[1])
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components cannot be larger than min(n_features, n_classes - 1). "
                f"n_components={self.n_components}, and that is {most}."
            )
        within, total = self._covariances(summary, priors, source, rows)
        xbar = priors @ summary.mean
        means = summary.mean - xbar
        with single_threaded_blas():  # threads wait for one another at this size
            if self.solver == "svd":
                pooled = covariances(summary, summary.count / summary.count.sum())[0]
                solution = solve_svd(
                    summary.count, priors, means, pooled, tol=float(self.tol), decisions=decisions
                )
            elif self.solver == "eigen":
                solution = solve_eigen(priors, means, within, total, decisions=decisions)
            else:
                solution = solve_lsqr(priors, means, within, decisions=decisions)
        scalings, ratio, coef, intercept = solution
        if len(summary.count) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        for name in ("covariance_", "scalings_", "explained_variance_ratio_"):
            self.__dict__.pop(name, None)
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = within
        kept = most if self.n_components is None else int(self.n_components)
        if scalings is not None and ratio is not None:
            self.scalings_, self.explained_variance_ratio_ = scalings, ratio[:kept]
            kept = min(kept, self.scalings_.shape[1])
        dtype = np.float64 if source is None else as_floats(np.empty(0, source.dtype)).dtype
        self.classes_, self.means_, self.priors_ = summary.classes, summary.mean, priors
        self.xbar_, self._coef, self._intercept = xbar, coef, intercept
        self.coef_ = coef.astype(dtype)
        self.intercept_ = (intercept - coef @ xbar).astype(dtype)
        self._n_features_out, self.decisions_ = kept, decisions
        self._state = state if _in_one_pass(self) else None  # no more rows join it

    def _unscale(self, scale: float, source: Source) -> None:
        """Bring the attributes of rows that were multiplied by `scale` to the units of the rows."""
        self.xbar_, self.means_ = self.xbar_ / scale, self.means_ / scale
        with np.errstate(over="ignore"):
            self._coef = self._coef * scale
            if hasattr(self, "scalings_"):
                self.scalings_ = self.scalings_ * scale
        require_range(np.append(self._coef, getattr(self, "scalings_", 0.0)), least=0.0)
        self.coef_ = self._coef.astype(as_floats(np.empty(0, source.dtype)).dtype)
        if hasattr(self, "covariance_"):
            self.covariance_ = squared_units(self.covariance_, scale)
        self._state = None

    def _covariances(
        self, summary: Any, priors: Array, source: Source | None, rows: Any
    ) -> tuple[Array, Array]:
        if rows is not None:
            return estimator_covariances(self.covariance_estimator, rows, priors)
        if self.shrinkage == "auto":
            assert source is not None
            return ledoit_wolf_covariances(summary, priors, self._engine(source), source)
        within, total = covariances(summary, priors)
        if self.shrinkage is None:
            return within, total
        return shrunk(within, float(self.shrinkage)), shrunk(total, float(self.shrinkage))

    def _project(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        scores = self._products(columns, chunk, self.scalings_[:, : self._n_features_out])
        return scores.astype(as_floats(chunk.X[:0]).dtype, copy=False)
