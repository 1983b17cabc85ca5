"""Classification by the nearest centroid, shrunken where wanted."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.utils.metaestimators import available_if
from sklearn.utils.sparsefuncs import csc_median_axis_0

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError, ParameterError, ShapeError
from lookalike.index.scan import ScanIndex
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.labels import as_labels, require_two_classes
from lookalike.models.linalg.magnitude import require_shared_magnitude
from lookalike.models.priors import as_priors
from lookalike.models.scores import AccuracyMixin
from lookalike.models.targets import given_labels, missing_target
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float

if TYPE_CHECKING:
    from sklearn.utils import Tags


def _is_euclidean(model: NearestCentroid) -> bool:
    return model.metric == "euclidean"


class NearestCentroid(AccuracyMixin, Model):
    r"""Predict the class whose centroid is nearest: one row stands for each class.

    Replaces scikit-learn's class of this name. Centroids are means, or medians with
    ``metric="manhattan"``; equal distances go to the first class. With `shrink_threshold` they are
    drawn towards the mean of all rows, column by column, and columns without a difference between
    the classes stop counting [Tibshirani02].

    .. math:: \delta_c(x) = -\Big\| \frac{x - m_c}{s} \Big\|^2 + 2 \log p_c

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        How rows are compared with centroids.
    shrink_threshold : float, optional
        By how many standard errors centroids are shrunken; rows must be dense.
    priors : {"uniform", "empirical"} or array of shape (n_classes,), default="uniform"
        Probability of each class; where they differ, :math:`\delta_c` decides.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where rows are predicted; those of fit are read into memory.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
        The labels in sorted order, and their probabilities.
    centroids_, deviations_ : ndarray of shape (n_classes, n_features)
        The centroid of each class, and how far it is from the mean of all rows, in standard errors.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Standard deviation within the classes.

    Examples
    --------
    >>> from lookalike.neighbors import NearestCentroid
    >>> model = NearestCentroid().fit([[-1.0], [-2.0], [1.0], [3.0]], ["low", "low", "up", "up"])
    >>> model.predict([[-0.5], [0.9]])
    array(['low', 'up'], dtype='<U3')
    """

    classes_: AnyArray
    class_prior_: Array
    decisions_: Decisions
    deviations_: AnyArray
    centroids_: Array

    _sparse_rows = True
    _requires_target = True

    def __init__(
        self,
        metric: str = "euclidean",
        *,
        shrink_threshold: float | None = None,
        priors: object = "uniform",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Find the centroid of each class `y` of the rows of `X`, any table."""
        check_choice("metric", self.metric, ("euclidean", "manhattan"))
        if self.shrink_threshold is not None:
            check_float("shrink_threshold", self.shrink_threshold, least=np.nextafter(0, 1))
        source = self._open(X, given_labels(self, X, y))
        rows = gather(source)
        if rows.y is None:
            raise missing_target(type(self).__name__, "the class of each row")
        require_finite(rows.X, 0, source.columns)
        classes, code = np.unique(as_labels(rows.y), return_inverse=True)
        require_two_classes(classes)
        if sp.issparse(rows.X) and self.shrink_threshold is not None:
            raise ParameterError(
                "shrink_threshold moves every value of a centroid, and X is sparse. Give "
                "X.toarray(), or leave it out."
            )
        count = np.bincount(code, minlength=len(classes))
        prior = self._prior(classes, count)
        self._place(_scale(rows.X), code, count)
        width = float(np.max(self.within_class_std_dev_) * np.sqrt(len(code)))
        require_shared_magnitude(source, width, "the other centroids")
        self.classes_, self.class_prior_, self.decisions_ = classes, prior, Decisions()
        return self

    def predict(self, X: object) -> AnyArray:
        """Return the class of every row."""
        check_is_fitted(self)
        uniform = np.allclose(self.class_prior_, 1 / len(self.classes_))
        nearest = partial(_nearest, ScanIndex(self.centroids_, metric=self.metric))
        codes = self._map_chunks(nearest if uniform else self._of_highest_score, X)
        labels: AnyArray = self.classes_[codes]
        return labels

    @available_if(_is_euclidean)
    def decision_function(self, X: object) -> AnyArray:
        """Return the score of every class; with two classes, by how much the second is higher."""
        return self._map_chunks(self._decisions, X)

    @available_if(_is_euclidean)
    def predict_proba(self, X: object) -> AnyArray:
        """Return the probability of every class, in the order of `classes_`."""
        return self._map_chunks(lambda *part: softmax(self._scores(*part), axis=1), X)

    @available_if(_is_euclidean)
    def predict_log_proba(self, X: object) -> AnyArray:
        """Return the logarithm of the probabilities."""
        return self._map_chunks(lambda *part: log_softmax(self._scores(*part), axis=1), X)

    def _prior(self, classes: AnyArray, count: Rows) -> Array:
        if isinstance(self.priors, str):
            check_choice("priors", self.priors, ("uniform", "empirical"))
            return as_priors("balanced" if self.priors == "uniform" else None, classes, count)
        with warnings.catch_warnings(record=True) as renormalized:
            warnings.simplefilter("always")
            prior = as_priors(self.priors, classes, count)
        if renormalized:
            warnings.warn(
                "The priors do not sum to 1. Normalizing such that it sums to one.",
                UserWarning,
                stacklevel=4,
            )
        return prior

    def _place(self, scaled: tuple[AnyArray, Array], code: Rows, count: Rows) -> None:
        """Set the centroids and what they are shrunken by, of rows times powers of two."""
        X, power = scaled
        if len(code) <= len(count):
            raise ShapeError(
                f"X has {len(code)} rows of {len(count)} classes, so that nothing varies within "
                "them. Give more rows than classes."
            )
        least, most = (np.ravel(as_dense(end(axis=0))) for end in (X.min, X.max))
        if (least == most).all():
            raise ParameterError(
                "All features have zero variance. Division by zero. Give columns that vary."
            )
        centroid = _centroids(X, code, count, median=self.metric == "manhattan")
        spread = np.sqrt(_scatter(X, code, centroid) / (len(code) - len(count)))
        if not spread.all():
            warnings.warn(
                f"within_class_std_dev_ is 0 in {np.count_nonzero(spread == 0)} columns: they do "
                "not vary within the classes.",
                UserWarning,
                stacklevel=4,
            )
        with np.errstate(over="ignore"):
            self.within_class_std_dev_: Array = spread * power
            overall = _mean(X) * power
            centroid = centroid * power
            error = np.sqrt(1 / count - 1 / len(code))[:, None] * (
                self.within_class_std_dev_ + np.median(self.within_class_std_dev_)
            )
            apart = centroid - overall
        if not (np.isfinite(error).all() and np.isfinite(apart).all()):
            raise MagnitudeError("X holds values near the largest float64. Rescale its columns.")
        self.deviations_ = np.divide(apart, error, out=np.zeros_like(apart), where=error > 0)
        self.centroids_ = centroid
        if self.shrink_threshold is not None:
            size = np.maximum(np.abs(self.deviations_) - self.shrink_threshold, 0.0)
            self.deviations_ = size * np.sign(self.deviations_)
            moved = overall + error * self.deviations_
            self.centroids_ = np.where(error > 0, moved, centroid)

    def _scores(self, columns: tuple[Column, ...], chunk: Chunk) -> Array:
        """Return the discriminant score of every class."""
        require_finite(chunk.X, chunk.offset, columns)
        unit = np.where(self.within_class_std_dev_ > 0, self.within_class_std_dev_, 1.0)
        X = np.asarray(as_dense(chunk.X), np.float64)
        with np.errstate(over="ignore", divide="ignore"):
            apart = [(((X - centroid) / unit) ** 2).sum(axis=1) for centroid in self.centroids_]
            scores = 2 * np.log(self.class_prior_) - np.column_stack(apart)
        if np.isinf(np.column_stack(apart)).any():
            raise MagnitudeError(
                "X holds rows so far from all classes that their distances overflow. Correct or "
                "drop them."
            )
        return np.asarray(scores)

    def _of_highest_score(self, columns: tuple[Column, ...], chunk: Chunk) -> Rows:
        return np.asarray(self._scores(columns, chunk).argmax(axis=1))

    def _decisions(self, columns: tuple[Column, ...], chunk: Chunk) -> Array:
        scores = self._scores(columns, chunk)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags


def _nearest(index: ScanIndex, columns: tuple[Column, ...], chunk: Chunk) -> Rows:
    require_finite(chunk.X, chunk.offset, columns)
    rows: Rows = index.query(as_dense(chunk.X), 1).row[:, 0]
    return rows


def _scale(X: Any) -> tuple[Any, Array]:
    """Return rows whose columns are of magnitude one, and what they are multiplied by for that."""
    rows: Any = sp.csc_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, np.float64)
    largest = np.ravel(as_dense(abs(rows).max(axis=0)))
    exponent = np.where(largest > 0, np.frexp(largest)[1], 0)
    down = np.ldexp(1.0, -exponent)
    if not np.isfinite(down).all():  # of columns of denormal numbers
        exponent = np.maximum(exponent, -1000)
        down = np.ldexp(1.0, -exponent)
    scaled = rows.multiply(down).tocsc() if sp.issparse(rows) else rows * down
    return scaled, np.ldexp(1.0, exponent)


def _mean(X: Any) -> Array:
    """Return the mean of each column; of dense rows about the first one, which costs no digits."""
    mean: Array
    if sp.issparse(X):
        mean = np.ravel(X.sum(axis=0)) / X.shape[0]
    else:
        mean = X[0] + (X - X[0]).mean(axis=0)
    return mean


def _centroids(X: Any, code: Rows, count: Rows, *, median: bool) -> Array:
    def center(part: Any) -> Array:
        if not median:
            return _mean(part)
        dense = not sp.issparse(part)
        middle: Array = np.median(part, axis=0) if dense else csc_median_axis_0(part.tocsc())
        return middle

    return np.stack([center(X[np.flatnonzero(code == c)]) for c in range(len(count))])


def _scatter(X: Any, code: Rows, centroid: AnyArray) -> Array:
    """Return the sum over all rows of the squared difference from the centroid of their class."""
    if not sp.issparse(X):
        scatter: Array = np.asarray(((X - centroid[code]) ** 2).sum(axis=0))
        return scatter
    total = np.zeros(X.shape[1])
    for c, center in enumerate(centroid):
        part = X[np.flatnonzero(code == c)].tocsc()
        stored = np.diff(part.indptr)
        column = np.repeat(np.arange(X.shape[1]), stored)
        total += np.bincount(column, (part.data - center[column]) ** 2, X.shape[1])
        total += (part.shape[0] - stored) * center**2
    return total
