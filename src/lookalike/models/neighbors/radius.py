"""Radius neighbors: classification and regression by all rows within a radius."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.graph import GraphIndex
from lookalike.kernels.votes import VoteResult, VotingRule
from lookalike.missing import is_missing
from lookalike.models.estimator import check_is_fitted
from lookalike.models.labels import Labels
from lookalike.models.neighbors.averaging import weighted_mean
from lookalike.models.neighbors.classifier import NeighborsClassifier
from lookalike.models.neighbors.regressor import NeighborsRegressor
from lookalike.models.neighbors.supervised import SupervisedNeighbors, neighbor_query, rows_of
from lookalike.models.neighbors.voting import vote
from lookalike.models.neighbors.voting_numpy import distance_weights, leading_class
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import few, shown

RADIUS_BATCH = 256  # queries whose neighbors within a radius are in memory at once


class Absent:
    """A method of the base class that a model does not have."""

    def __get__(self, model: object, kind: type) -> NoReturn:
        """Raise AttributeError."""
        raise AttributeError(f"{kind.__name__} uses a radius, not K neighbors.")


class RadiusNeighborsClassifier(NeighborsClassifier):
    """Radius-neighbors classifier: the most frequent class among all rows within a radius.

    Replaces scikit-learn's class of this name. A tie does not go to the lowest label:
    with ``ties="grow"`` the radius grows for this row until one class leads. So it does for a row
    that has none within the radius, where no `outlier_label` is given.

    Parameters
    ----------
    radius : float, default=1.0
        Rows up to this distance vote, boundary included.
    weights, ties, priors, cost, missing
        As in :class:`lookalike.KNeighborsClassifier`.
    algorithm, leaf_size, split, approximate, recall, p, metric, metric_params, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    outlier_label : label, "most_frequent", list or None, default=None
        The class of rows that have no row within the radius. None lets the radius grow for them
        with ``ties="grow"``, and makes them an error otherwise. A list holds one for each output.

    Attributes
    ----------
    classes_, outputs_2d_, decisions_
        As in :class:`lookalike.KNeighborsClassifier`.
    outlier_label_ : list
        The class of rows without neighbors, for each output.

    Examples
    --------
    >>> from lookalike import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(1.0, outlier_label="b")
    >>> model.fit([[0.0], [1.0], [3.0]], ["a", "b", "b"]).predict([[-0.5], [0.4], [9.0]])
    array(['a', 'b', 'b'], dtype='<U1')
    """

    kneighbors = kneighbors_graph = Absent()

    def __init__(
        self,
        radius: float | None = 1.0,
        *,
        weights: object = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        p: float | None = 2,
        metric: object = "minkowski",
        outlier_label: object = None,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        ties: str = "grow",
        priors: object = None,
        cost: object = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties
        self.priors = priors
        self.cost = cost
        self.missing = missing
        self.engine = engine

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        labels = _outlier_labels(self.outlier_label, targets, weight)
        super()._hold(targets, weight)
        self.outlier_label_ = labels

    def _votes(self, X: object, *, votes: bool) -> list[VoteResult]:  # they are counted anyway
        inside = neighbors_within(self, X)
        outliers = np.flatnonzero([len(row) == 0 for _, row, _ in inside])
        grows = self.outlier_label is None and len(outliers) > 0
        known = isinstance(self.space_.index, GraphIndex)  # which holds no row farther away
        if grows and (self.ties != "grow" or known):
            raise ParameterError(
                f"No neighbors found for test samples [{few(outliers.tolist(), 10)}], so that they "
                f"have no class. Give a larger radius than {self.radius}, an outlier_label, "
                "ties='grow', or leave them out."
            )
        results = []
        for j, rule in enumerate(voting_rules(self)):
            counted = _count(inside, self.targets_.codes[:, j], rule)
            winner, tied = leading_class(rule, counted)
            winner[outliers], tied[outliers] = -1, grows
            undecided = np.flatnonzero(tied & (not known))
            if len(undecided):
                settled = self._settle(X, undecided, [inside[query] for query in undecided], j)
                winner[undecided], counted[undecided] = settled.winner[:, 0], settled.votes
            size = np.array([len(row) for _, row, _ in inside], np.int64)[:, None]
            results.append(VoteResult(winner[:, None], size, tied[:, None], None, counted))
        self._note_ties(results)
        if grows:
            reason = "no row is within the radius, so it grew"
            self.decisions_.put("outliers", f"{len(outliers)} of {len(inside)} rows", reason)
        return results

    def _settle(
        self,
        X: object,
        undecided: Rows,
        inside: list[tuple[Array, Rows, Array | None]],
        output: int,
    ) -> VoteResult:
        """Let the rule for ties decide the queries `here`, starting with rows within the radius."""
        count = np.array([len(row) if w is None else w.sum() for _, row, w in inside])
        count = np.maximum(count, 1 if self.space_.weight is None else np.finfo(float).tiny)
        query, rule = neighbor_query(self, X).subset(undecided), voting_rules(self)[output]
        return vote(query, self.targets_.codes[:, output], rule, [count], votes=True)

    def _named(self, results: list[VoteResult]) -> AnyArray:
        columns = []
        for result, classes, outlier in zip(
            results, self.targets_.classes, self.outlier_label_, strict=True
        ):
            winner = result.winner[:, 0]
            outliers = winner < 0
            names = classes
            if outliers.any():
                _warn_unless_known(outlier, classes)
                names = np.append(classes, np.array([outlier], dtype=_common(classes, outlier)))
            columns.append(names[np.where(outliers, len(classes), winner)])
        return columns[0] if not self.outputs_2d_ else np.column_stack(columns)

    def _shares(self, results: list[VoteResult]) -> AnyArray | list[AnyArray]:
        shares = []
        for result, rule, classes, outlier in zip(
            results, voting_rules(self), self.targets_.classes, self.outlier_label_, strict=True
        ):
            outliers = result.winner[:, 0] < 0
            share = np.zeros((len(outliers), rule.n_classes))
            if result.votes is not None:
                share[~outliers] = rule.probabilities(result.votes[~outliers])
            if outliers.any() and _warn_unless_known(outlier, classes):
                share[np.ix_(outliers, classes == outlier)] = 1.0
            shares.append(share)
        return shares if self.outputs_2d_ else shares[0]


class RadiusNeighborsRegressor(NeighborsRegressor):
    """Radius-neighbors regressor: the mean target of all rows within a radius.

    Replaces scikit-learn's class of this name. Where no row is within the radius the prediction
    is NaN, with a warning.

    Parameters
    ----------
    radius : float, default=1.0
        Rows up to this distance count, boundary included.
    weights : {"uniform", "distance"} or function, default="uniform"
        As in :class:`lookalike.KNeighborsRegressor`.
    algorithm, leaf_size, split, approximate, recall, p, metric, metric_params, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    missing
        As in :class:`lookalike.KNeighborsClassifier`.

    Attributes
    ----------
    effective_metric_, effective_metric_params_, n_samples_fit_, decisions_
        As in :class:`lookalike.NearestNeighbors`.

    Examples
    --------
    >>> from lookalike import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(1.0).fit([[0.0], [1.0], [2.0]], [10.0, 20.0, 60.0])
    >>> model.predict([[1.5]])
    array([40.])
    """

    kneighbors = kneighbors_graph = Absent()

    def __init__(
        self,
        radius: float | None = 1.0,
        *,
        weights: object = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        p: float | None = 2,
        metric: object = "minkowski",
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.missing = missing
        self.engine = engine

    def _averages(self, X: object) -> tuple[Array, Array]:
        inside = neighbors_within(self, X)
        shape = (len(inside), self.targets_.values.shape[1])
        mean, std = np.full(shape, np.nan), np.full(shape, np.nan)
        for query, (distance, row, weight) in enumerate(inside):
            if len(row):
                near = distance_weights(distance[None], self.weighting)
                near = near if weight is None else near * weight
                mean[query], std[query] = (
                    part[0] for part in weighted_mean(near, self.targets_.values[row][None])
                )
        if np.isnan(mean).any():
            warnings.warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.",
                UserWarning,
                stacklevel=4,
            )
        return mean, std


def neighbors_within(
    model: SupervisedNeighbors, X: object
) -> list[tuple[Array, Rows, Array | None]]:
    """Return distances, numbers and weights of the rows within the radius of every query.

    Where X is None and a row has weight w, w - 1 of its copies are within the radius of it.
    """
    check_is_fitted(model)
    space, queries = model.space_.checked_queries(X, model._check_columns)
    exclude, given = space.own_rows(X), space.weight
    neighbors: list[tuple[Array, Rows, Array | None]] = []
    for begin in range(0, queries.shape[0], RADIUS_BATCH):
        part = np.arange(begin, min(begin + RADIUS_BATCH, queries.shape[0]))
        near = space.within(
            rows_of(queries, part),
            model.radius,
            exclude=None if exclude is None else exclude[part],
            n_jobs=model.n_jobs,
        )
        for own, (start, stop) in zip(part, pairwise(near.start), strict=True):
            distance, row = near.distance[start:stop], near.row[start:stop]
            weight = None if given is None else given[row]
            if given is not None and weight is not None:
                if exclude is not None:
                    distance, row = np.append(0.0, distance), np.append(own, row)
                    weight = np.append(given[own] - 1.0, weight)
                counted = weight > 0
                distance, row, weight = distance[counted], row[counted], weight[counted]
            neighbors.append((distance, row, weight))
    return neighbors


def _count(inside: list[tuple[Array, Rows, Array | None]], codes: Rows, rule: VotingRule) -> Array:
    """Return the votes (queries, classes) of all rows within the radius of every query."""
    votes = np.zeros((len(inside), rule.n_classes))
    for query, (distance, row, weight) in enumerate(inside):
        if len(row):
            near = distance_weights(distance[None], rule.weights)[0]
            near = near if weight is None else near * weight
            votes[query] = np.bincount(codes[row], near, minlength=rule.n_classes)
    return votes


def _outlier_labels(given: Any, targets: Labels, weight: Array | None) -> list[object]:
    """Return the class of rows without neighbors for each output."""
    outputs = range(len(targets.classes))
    if given is None:
        return [None for _ in outputs]
    if isinstance(given, str) and given == "most_frequent":
        return [
            classes[np.bincount(targets.codes[:, j], weight, len(classes)).argmax()]
            for j, classes in enumerate(targets.classes)
        ]
    several = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 0)
    if several and len(given) != len(targets.classes):
        raise ShapeError(
            f"outlier_label holds {len(given)} labels, y has {len(targets.classes)} outputs. "
            "Give one for each."
        )
    labels = list(given) if several else [given for _ in outputs]
    for classes, label in zip(targets.classes, labels, strict=True):
        if np.ndim(label) or not _is_alike(classes, label):
            raise ParameterTypeError(
                f"outlier_label={shown(label)} is of another kind than the labels of y. "
                "Give a label of the same kind."
            )
    return labels


def _is_alike(classes: AnyArray, label: object) -> bool:
    try:
        return _common(classes, label).kind == classes.dtype.kind and not is_missing(label)
    except TypeError:  # NumPy has no type for both
        return False


def _common(classes: AnyArray, label: object) -> np.dtype:
    return np.result_type(classes.dtype, np.asarray(label).dtype)


def _warn_unless_known(outlier: object, classes: AnyArray) -> bool:
    if outlier in classes:
        return True
    warnings.warn(
        f"Outlier label {outlier} is not in training classes. All class probabilities of outliers "
        "will be assigned with 0.",
        UserWarning,
        stacklevel=4,
    )
    return False
