"""Local outlier factor: rows whose neighborhoods are sparser than those of their neighbors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from lookalike.errors import LookalikeError, ParameterError, ShapeError
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.search_space import fit_rows
from lookalike.models.sklearn_bases import OutlierMixin
from lookalike.models.state import hold_state
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_float, check_int

LEAST_MEAN_REACHABILITY = 1e-10  # added to a mean distance, so that copies have a density
OFFSET_OF_AUTO = -1.5  # the score below which a row is an outlier, where no share is given
SCORE_OF_COPIES = -1e7  # below it, copies beside a row made the ratio of densities meaningless


class NoveltyError(LookalikeError, AttributeError):
    """A method is asked for that the parameter `novelty` rules out."""


def _for_novelty(method: str) -> Any:
    def check(model: LocalOutlierFactor) -> bool:
        if not model.novelty:
            raise NoveltyError(
                f"{method} is not available when novelty=False: it is for rows that fit has not "
                "seen. Use fit_predict and negative_outlier_factor_ for the training rows, or "
                "novelty=True."
            )
        return True

    return available_if(check)


def _for_training_rows(model: LocalOutlierFactor) -> bool:
    if model.novelty:
        raise NoveltyError(
            "fit_predict is not available when novelty=True. Use novelty=False to score the "
            "training rows."
        )
    return True


class LocalOutlierFactor(OutlierMixin, NeighborsModel):
    r"""Score rows by how much sparser their neighborhood is than those of their neighbors.

    .. math:: \mathrm{LOF}(x) = \frac{1}{k} \sum_{o \in N_k(x)} \frac{\rho(o)}{\rho(x)}, \qquad
              \rho(x)^{-1} = \frac{1}{k} \sum_{o \in N_k(x)} \max(d_k(o), d(x, o))

    [Breunig00]. Parameters, attributes and scores are those of scikit-learn's
    ``LocalOutlierFactor``; of rows at equal distance, those of smaller number are the neighbors.

    Parameters
    ----------
    n_neighbors : int, default=20
        Neighbors of each row; all others where there are fewer.
    algorithm, leaf_size, metric, p, metric_params, missing, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    contamination : "auto" or float, default="auto"
        The share of outliers among the training rows, up to 0.5, which sets `offset_`; "auto"
        sets it to -1.5.
    novelty : bool, default=False
        Whether the model scores rows that `fit` has not seen, with `predict`,
        `decision_function` and `score_samples`, instead of the training rows.

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_rows,)
        Minus the factor of every training row: near -1 for usual ones, lower for outliers.
    n_neighbors_ : int
        The number of neighbors used.
    offset_ : float
        The score below which a row is an outlier.
    space_, n_samples_fit_, effective_metric_, effective_metric_params_, decisions_
        As in :class:`lookalike.NearestNeighbors`.

    Examples
    --------
    >>> from lookalike.neighbors import LocalOutlierFactor
    >>> model = LocalOutlierFactor(n_neighbors=2)
    >>> model.fit_predict([[-1.1], [0.2], [101.1], [0.3]])
    array([ 1,  1, -1,  1])
    >>> model.negative_outlier_factor_.round(2)
    array([ -0.98,  -1.04, -73.37,  -0.98])
    """

    offset_: float

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        contamination: str | float = "auto",
        novelty: bool = False,
        n_jobs: int | None = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p: float | None = p
        self.metric_params = metric_params
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs
        self.missing = missing
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Score the rows of `X`, any table; `y` is ignored."""
        self._check_parameters()
        if self.contamination != "auto":
            share = check_float("contamination", self.contamination, least=0.0, most=0.5)
            if share == 0.0:
                raise ParameterError("contamination=0 is out of range. Give a share up to 0.5.")
        rows, imputer = fit_rows(X, self.search_options())
        self._arrange(rows, imputer)
        k = check_int("n_neighbors", self.n_neighbors, least=1)
        if k > self.n_samples_fit_:
            warnings.warn(
                f"n_neighbors ({k}) is greater than the total number of samples "
                f"({self.n_samples_fit_}). n_neighbors will be set to (n_samples - 1) for "
                "estimation.",
                stacklevel=3,
            )
        if self.n_samples_fit_ == 1:
            raise ShapeError("X has n_samples = 1, and an outlier is one beside others. Give more.")
        self.n_neighbors_: int = max(1, min(k, self.n_samples_fit_ - 1))
        distance, row = self.kneighbors(n_neighbors=self.n_neighbors_)
        self._reach = distance[:, -1].copy()
        self._density = self._densities(distance, row)
        self.negative_outlier_factor_: Array = self._scores(row, self._density)
        self.offset_ = OFFSET_OF_AUTO
        if self.contamination != "auto":
            share = 100.0 * float(self.contamination)
            self.offset_ = float(np.percentile(self.negative_outlier_factor_, share))
        if not self.novelty and self.negative_outlier_factor_.min() < SCORE_OF_COPIES:
            warnings.warn(
                "Duplicate values are leading to incorrect results. Increase the number of "
                "neighbors for more accurate results.",
                stacklevel=3,
            )
        return self

    @available_if(_for_training_rows)
    def fit_predict(self, X: object, y: object = None) -> Rows:
        """Return 1 for each row of `X` that is usual and -1 for outliers, after scoring them."""
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

    @_for_novelty("predict")
    @hold_state
    def predict(self, X: object = None) -> Rows:
        """Return 1 for each row that is usual and -1 for outliers; None means the training rows."""
        check_is_fitted(self)
        scores = self.negative_outlier_factor_ if X is None else self._score(X)
        return np.where(scores < self.offset_, -1, 1)

    @_for_novelty("decision_function")
    @hold_state
    def decision_function(self, X: object) -> Array:
        """Return the scores less `offset_`: negative for outliers."""
        check_is_fitted(self)
        return self._score(X) - self.offset_

    @_for_novelty("score_samples")
    @hold_state
    def score_samples(self, X: object) -> Array:
        """Return minus the local outlier factor of every row, the lower the more of an outlier."""
        check_is_fitted(self)
        return self._score(X)

    def _score(self, X: object) -> Array:
        distance, row = self.kneighbors(X, n_neighbors=self.n_neighbors_)
        return self._scores(row, self._densities(distance, row))

    def _densities(self, distance: AnyArray, row: Rows) -> Array:
        """Return one over the mean reachability distance of every query."""
        reach = np.maximum(distance, self._reach[row])
        with np.errstate(over="ignore"):
            density: Array = 1.0 / (reach.mean(axis=1) + LEAST_MEAN_REACHABILITY)
        return density

    def _scores(self, row: Rows, density: Array) -> Array:
        scores: Array = -(self._density[row] / density[:, None]).mean(axis=1)
        return scores
