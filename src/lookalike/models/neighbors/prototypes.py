"""Prototype selection: condensed (FCNN) and edited (Wilson) nearest neighbors."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.decisions import Decisions
from lookalike.errors import MagnitudeError, ParameterError, ShapeError
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.models.estimator import Model, check_is_fitted, cloned, with_callbacks
from lookalike.models.labels import read_labels
from lookalike.models.linalg.magnitude import too_large
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.scores import AccuracyMixin
from lookalike.models.targets import missing_target
from lookalike.progress import progress
from lookalike.reductions.columns import require_columns_fit
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int, shown

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

MAX_ROWS_SCANNED = 1000  # rows up to which a scan is faster than an index


class PrototypeSelector(AccuracyMixin, Model):
    """Base: selects training rows, then fits a classifier on them; subclasses select."""

    _sparse_rows = True
    estimator: BaseEstimator | str | None
    metric: object
    p: float
    metric_params: Mapping[str, object] | None
    rows_: Rows
    classes_: AnyArray
    decisions_: Decisions
    estimator_: BaseEstimator

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Select rows of `X`, any table of numbers, and fit the classifier on them.

        `y` are labels of any one kind, None where `X` is a source that holds them.
        """
        self._check_parameters()
        decisions = Decisions()
        source = self._open(X, y)
        chunk = gather(source)
        require_finite(chunk.X, 0, source.columns)
        given = chunk.y if y is None else y
        if given is None:
            raise missing_target(type(self).__name__)
        labels = read_labels(given)
        if not labels.flat:
            raise ParameterError("y has several outputs. Select prototypes for each.")
        try:
            rows = self._choose_rows(chunk.X, labels.codes[:, 0], decisions)
        except MagnitudeError:  # named by its number among all rows
            raise too_large(source, "too far from the other rows to be compared") from None
        names = labels.named(labels.codes)
        lost = np.setdiff1d(names, names[rows])
        if len(lost):
            decisions.add("y", f"without {lost.tolist()}", "no row of these classes was kept")
        decisions.add("rows", f"{len(rows)} of {len(names)}", "kept")
        fitted = self._model().fit(chunk.X[rows], names[rows])
        self.agreement_: float = float(np.mean(fitted.predict(chunk.X) == names))
        self.estimator_, self.rows_ = fitted, rows
        self.classes_, self.decisions_ = labels.classes[0], decisions
        return self

    def fit_select(self, X: object, y: object = None) -> Rows:
        """Return the numbers of the rows that are kept."""
        rows: Rows = self.fit(X, y).rows_
        return rows

    def predict(self, X: object) -> AnyArray:
        """Return the class of every row of `X`, by the classifier of the rows kept."""
        rows = self._rows(X)
        predicted: AnyArray = self.estimator_.predict(rows)
        return predicted

    def predict_proba(self, X: object) -> AnyArray:
        """Return the share of every class of fit, by the classifier of the rows kept."""
        rows = self._rows(X)
        shares = self.estimator_.predict_proba(rows)
        answer = np.zeros((len(shares), len(self.classes_)))  # a class without rows has no share
        answer[:, np.searchsorted(self.classes_, self.estimator_.classes_)] = shares
        return answer

    @abstractmethod
    def _choose_rows(self, X: object, codes: Rows, decisions: Decisions) -> Rows:
        """Return the numbers of the rows to keep, in order."""

    def _check_parameters(self) -> None:
        """Raise where a parameter is out of range."""
        if not isinstance(self.engine, str) or self.engine not in ("auto", "memory", "gpu"):
            raise ParameterError(
                f"engine={shown(self.engine)} leaves the rows in their source, and prototypes are "
                "chosen among rows in memory. Choose 'auto', or 'gpu' for their searches."
            )

    def _model(self) -> BaseEstimator:
        if self.estimator is not None:
            return cloned(self.estimator, "estimator")
        return KNeighborsClassifier(1, **self._search())

    def _search(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "p": self.p,
            "metric_params": self.metric_params,
            "n_jobs": self.n_jobs,
            "engine": self.engine,
        }

    def _on_gpu(self) -> bool:
        chosen = settings().engine if self.engine == "auto" else self.engine
        return chosen == "gpu"

    def _rows(self, X: object) -> AnyArray:
        check_is_fitted(self)
        source = self._reopen(X)
        rows = gather(source).in_memory().X
        require_finite(rows, 0, source.columns)
        return rows


class CondensedNearestNeighbour(PrototypeSelector):
    """Condensed nearest neighbor: keep the rows that 1-NN needs to predict as with all of them.

    Points with no effect on the decision boundary are left out [Barber, 14.1]. The rule is
    FCNN [Angiulli05]: begin with the row nearest to each class's mean; for every kept row, add
    the nearest of the rows that are nearest to it and of another class; until none is left.
    Any number of classes. The order of the rows matters only among equal distances. The
    rows kept predict the label of every training row (`consistent_`, verified by a search),
    unless exact duplicates have different labels.

    Parameters
    ----------
    estimator : classifier, optional
        Fitted on the rows kept; one nearest neighbor when None.
    metric, p, metric_params, n_jobs
        As in :class:`lookalike.NearestNeighbors`.
    engine : {"auto", "memory", "gpu"}, default="auto"
        The rows are brought into memory; with "gpu" they are searched on the GPU.

    Attributes
    ----------
    rows_ : ndarray
        Numbers of the rows kept, in order.
    consistent_ : bool
        Whether 1-NN among the rows kept predicts the label of every training row.
    agreement_ : float
        Accuracy of `estimator_` on the training rows.
    estimator_ : classifier
        The one fitted on the rows kept.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import CondensedNearestNeighbour
    >>> rows = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = CondensedNearestNeighbour().fit(rows, list("aaabbb"))
    >>> model.rows_, model.consistent_
    (array([1, 4]), True)
    """

    def __init__(
        self,
        estimator: object = None,
        *,
        metric: object = "minkowski",
        p: float = 2,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.engine = engine

    def _choose_rows(self, X: Matrix, codes: Rows, decisions: Decisions) -> Rows:
        n_rows = len(codes)
        kept = np.zeros(n_rows, bool)
        owner, distance = np.full(n_rows, n_rows), np.full(n_rows, np.inf)
        fresh = self._seeds(X, codes)
        checked_once = isinstance(X, np.ndarray) and not self._on_gpu()
        queries: RowsLike = native_rows(X) if checked_once else X
        rounds = 0
        with progress("rows kept", None) as advance:
            while len(fresh):
                kept[fresh] = True
                advance(len(fresh))
                self._join(X, queries, fresh, owner, distance)
                fresh = _next_prototypes(codes, kept, owner, distance)
                rounds += 1
        rows = np.flatnonzero(kept)
        predicted = KNeighborsClassifier(1, **self._search()).fit(X[rows], codes[rows]).predict(X)
        self.consistent_: bool = bool((predicted == codes).all())
        wrong = int((predicted != codes).sum())
        reason = (
            "every training row is predicted correctly"
            if self.consistent_
            else f"{wrong} rows have exact duplicates of other labels"
        )
        decisions.add("consistent", self.consistent_, f"{reason}, after {rounds} rounds")
        return rows

    def _seeds(self, X: Matrix, codes: Rows) -> Rows:
        """Return the row nearest to the mean of each class."""
        seeds = []
        for code in np.unique(codes):
            class_rows = np.flatnonzero(codes == code)
            require_columns_fit(X.shape[1], 1)
            mean = np.asarray(X[class_rows].mean(axis=0, dtype=np.float64)).reshape(1, -1)
            algorithm = "auto" if self._on_gpu() else "brute"
            search = NearestNeighbors(1, algorithm=algorithm, **self._search()).fit(X[class_rows])
            seeds.append(class_rows[search.kneighbors(mean)[1][0, 0]])
        return np.array(seeds)

    def _join(
        self, X: Matrix, queries: RowsLike, fresh: Rows, owner: Rows, distance: Array
    ) -> None:
        """Assign every row to its nearest kept row, the new ones `fresh` included."""
        algorithm = "brute" if len(fresh) <= MAX_ROWS_SCANNED and not self._on_gpu() else "auto"
        search = NearestNeighbors(1, algorithm=algorithm, **self._search()).fit(X[fresh])
        neighbors = search.space_.index.query(queries, 1)
        near, row = neighbors.distance[:, 0], fresh[neighbors.row[:, 0]]
        closer = (near < distance) | ((near == distance) & (row < owner))
        owner[closer], distance[closer] = row[closer], near[closer]


class EditedNearestNeighbours(PrototypeSelector):
    """Edited nearest neighbor: leave out rows that their neighbors outvote [Wilson72].

    Every row is classified by its K nearest other rows; those predicted wrongly are probably
    mislabeled and dropped, all at once, so that their order does not matter. Repeated, until no
    row is dropped or `repeats` is reached.

    Parameters
    ----------
    estimator : classifier, optional
        Fitted on the rows kept; one nearest neighbor when None.
    n_neighbors : int, default=3
        K.
    repeats : int, optional
        Most rounds; None means until no row is dropped.
    metric, p, metric_params, n_jobs, engine
        As in :class:`lookalike.CondensedNearestNeighbour`.

    Attributes
    ----------
    dropped_ : list of ndarray
        Numbers of the rows dropped in each round.
    rows_, agreement_, estimator_, decisions_
        As in :class:`lookalike.CondensedNearestNeighbour`.

    Examples
    --------
    >>> from lookalike import EditedNearestNeighbours
    >>> rows = [[0.0], [1.0], [1.5], [2.0], [7.0], [8.0], [9.0], [9.5]]
    >>> EditedNearestNeighbours().fit_select(rows, list("aabaabbb"))
    array([0, 1, 3, 5, 6, 7])
    """

    def __init__(
        self,
        estimator: object = None,
        *,
        n_neighbors: int = 3,
        repeats: int | None = None,
        metric: object = "minkowski",
        p: float = 2,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.repeats = repeats
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.engine = engine

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("n_neighbors", self.n_neighbors, least=1)
        if self.repeats is not None:
            check_int("repeats", self.repeats, least=1)

    def _choose_rows(self, X: Matrix, codes: Rows, decisions: Decisions) -> Rows:
        rows = np.arange(len(codes))
        dropped: list[Rows] = []
        if len(rows) <= self.n_neighbors:
            raise ShapeError(
                f"n_neighbors={self.n_neighbors} other rows vote on each, and there are "
                f"n_samples = {len(rows)}. Give more rows, or a smaller n_neighbors."
            )
        while len(rows) > 1 and (self.repeats is None or len(dropped) < self.repeats):
            k = min(self.n_neighbors, len(rows) - 1)
            voters = KNeighborsClassifier(k, **self._search())
            wrong = voters.fit(X[rows], codes[rows]).predict() != codes[rows]
            if not wrong.any():
                break
            if wrong.all():
                decisions.add("rounds", "ended", "all rows left are outvoted by their neighbors")
                warnings.warn(
                    f"All {len(rows)} rows left are outvoted by their {k} neighbors: they are "
                    "kept. Choose another n_neighbors or metric.",
                    UserWarning,
                    stacklevel=4,
                )
                break
            dropped.append(rows[wrong])
            rows = rows[~wrong]
            if len(np.unique(codes[rows])) == 1:
                break
        self.dropped_ = dropped
        decisions.add("rounds", len(dropped), "in which rows were dropped")
        return rows


def _next_prototypes(codes: Rows, kept: AnyArray, owner: Rows, distance: Array) -> Rows:
    """Return for every kept row the nearest row of another class among those nearest to it."""
    wrong = np.flatnonzero((codes != codes[owner]) & ~kept)
    order = wrong[np.lexsort((wrong, distance[wrong], owner[wrong]))]
    first = np.unique(owner[order], return_index=True)[1]
    return np.sort(order[first])
