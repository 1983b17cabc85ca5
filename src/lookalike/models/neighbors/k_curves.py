"""The leave-one-out, cross-validated and in-sample errors of every K, from one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import as_groups, assign_folds
from lookalike.models.neighbors.averaging import average
from lookalike.models.neighbors.k_selection import (
    KModel,
    KSelection,
    ScoreCurve,
    name_of,
)
from lookalike.models.neighbors.supervised import SupervisedNeighbors, neighbor_query
from lookalike.models.neighbors.voting import (
    SPARE_NEIGHBORS_FOR_TIES,
    CachedSearch,
    NeighborQuery,
    vote,
)
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from lookalike.models.neighbors.classifier import KNeighborsClassifier
    from lookalike.models.neighbors.regressor import KNeighborsRegressor


def classifier_curves(
    model: KNeighborsClassifier, groups: object, weights: Sequence[object], rows: Rows | None = None
) -> KSelection:
    """Return the errors of every K of a fitted classifier."""
    codes = model.targets_.codes
    query, folds, ks = _held_out_queries(model, codes, groups, rows, stratify=True)
    truth = codes if rows is None else codes[rows]
    curves, ties, in_sample = {}, {}, {}

    def results_of(asked: NeighborQuery, weighting: Any) -> list[VoteResult]:
        return [
            vote(asked, codes[:, j], rule.with_weights(weighting), list(ks), truth=truth[:, j])
            for j, rule in enumerate(voting_rules(model))
        ]

    for method, fold in folds.items():
        held_out = _without_own_fold(query, fold, model.folds, len(ks))
        scorer = _scorer(model, rows, fold if method == "cv" else None)
        for weighting in weights:
            results = results_of(held_out, weighting)
            key = (method, name_of(weighting))
            curves[key] = _curve(_class_scores(results, truth, scorer))
            ties[key] = round(sum(scorer.total(result.tied) for result in results))
    scorer, everyone = _scorer(model, rows), _with_themselves(query, model)
    for weighting in weights:
        results = results_of(everyone, weighting)
        in_sample[name_of(weighting)] = _curve(_class_scores(results, truth, scorer))
    return KSelection(ks, "error", curves, _n_rows(model, rows), ties, in_sample)


def regressor_curves(
    model: KNeighborsRegressor, groups: object, weights: Sequence[object], rows: Rows | None = None
) -> KSelection:
    """Return the errors of every K of a fitted regressor."""
    targets = model.targets_.values
    query, folds, ks = _held_out_queries(model, targets, groups, rows, stratify=False)
    truth = targets if rows is None else targets[rows]
    curves, in_sample = {}, {}

    def curve_of(asked: NeighborQuery, weighting: Any, scorer: _Scorer) -> ScoreCurve:
        residual = average(asked, targets, weighting, ks.tolist())[0] - truth[:, None]
        squared = scorer.mean((residual**2).mean(axis=2))
        root = np.sqrt(squared[0])
        scores = {
            "mse": squared,
            "rmse": (root, squared[1] / (2 * np.maximum(root, np.finfo(float).tiny))),
            "mae": scorer.mean(np.abs(residual).mean(axis=2)),
        }
        return _curve(scores)

    for method, fold in folds.items():
        held_out = _without_own_fold(query, fold, model.folds, len(ks))
        scorer = _scorer(model, rows, fold if method == "cv" else None)
        for weighting in weights:
            curves[method, name_of(weighting)] = curve_of(held_out, weighting, scorer)
    for weighting in weights:
        everyone = _with_themselves(query, model)
        in_sample[name_of(weighting)] = curve_of(everyone, weighting, _scorer(model, rows))
    ties = dict.fromkeys(curves, 0)
    return KSelection(ks, "mse", curves, _n_rows(model, rows), ties, in_sample)


class _Scorer:
    """Means over the rows with their standard errors: over rows, or over folds."""

    def __init__(self, weight: Array | None, fold: Rows | None) -> None:
        self.weight = weight
        self.fold = fold

    def total(self, values: AnyArray) -> float:
        """Return the sum of `values` (rows, ks)."""
        return float(values.sum() if self.weight is None else (self.weight @ values).sum())

    def mean(self, values: Array, extra: Array | None = None) -> tuple[Array, Array]:
        """Return mean and standard error of `values` (rows, ks)."""
        copies = np.ones(len(values)) if self.weight is None else self.weight
        weight = copies if extra is None else copies * extra
        mean = weight @ values / weight.sum()
        if self.fold is None:  # a row of weight two is two rows
            difference = values - mean if extra is None else extra[:, None] * (values - mean)
            n_rows = copies.sum()
            scale = np.sqrt(n_rows / max(n_rows - 1, 1)) / weight.sum()
            return mean, np.sqrt(copies @ difference**2) * scale
        names = np.unique(self.fold)
        each = np.array(
            [
                weight[in_fold] @ values[in_fold] / max(weight[in_fold].sum(), np.finfo(float).tiny)
                for in_fold in (self.fold == name for name in names)
            ]
        )
        if len(names) == 1:  # of which no spread is known
            return mean, np.zeros_like(mean)
        return mean, each.std(axis=0, ddof=1) / np.sqrt(len(names))


def _class_scores(
    results: Sequence[VoteResult], codes: Rows, scorer: _Scorer
) -> dict[str, tuple[Array, Array]]:
    """Return the scores of every K, of several outputs their mean."""
    wrong = np.mean([result.winner != codes[:, [j]] for j, result in enumerate(results)], axis=0)
    tiny = np.finfo(float).eps
    log_loss = [
        -np.log(np.maximum(result.share, tiny)) for result in results if result.share is not None
    ]
    return {
        "error": scorer.mean(wrong),
        "log_loss": scorer.mean(np.mean(log_loss, axis=0)),
        "balanced_accuracy": scorer.mean(1.0 - wrong, _balance(codes[:, 0], scorer.weight)),
    }


def _curve(scores: Mapping[str, tuple[Array, Array]]) -> ScoreCurve:
    return ScoreCurve(
        {name: mean for name, (mean, _) in scores.items()},
        {name: error for name, (_, error) in scores.items()},
    )


def _n_rows(model: SupervisedNeighbors, rows: Rows | None) -> int:
    if model.space_.weight is None:
        return model.n_samples_fit_ if rows is None else len(rows)
    weight = model.space_.weight if rows is None else model.space_.weight[rows]
    return round(float(weight.sum()))


def _scorer(model: SupervisedNeighbors, rows: Rows | None, fold: Rows | None = None) -> _Scorer:
    if rows is None:
        return _Scorer(model.space_.weight, fold)
    weight = None if model.space_.weight is None else model.space_.weight[rows]
    return _Scorer(weight, None if fold is None else fold[rows])


def _balance(codes: Rows, weight: Array | None) -> Array:
    """Return weights with which every class counts the same."""
    counts = np.bincount(codes, weight).astype(float)
    balance: Array = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
    return balance[codes]


def _held_out_queries(
    model: KModel,
    targets: AnyArray,
    groups: object,
    rows: Rows | None,
    *,
    stratify: bool,
) -> tuple[NeighborQuery, dict[str, Rows | None], Rows]:
    """Return the one search that serves all methods, the folds of each, and the K to try.

    Rows of one fold are not neighbors of each other; None holds out each row alone.
    """
    query = neighbor_query(model)
    n_rows = query.n_queries
    group = None if groups is None else as_groups(groups, n_rows)
    folds: dict[str, Rows | None] = {"loo": group}
    n_parts = n_rows if group is None else int(group.max()) + 1
    if model.n_neighbors == "cv" or n_parts >= model.folds:
        folds["cv"] = assign_folds(targets, model.folds, stratify=stratify, groups=group)
    k_max = min(model.k_max, *(_largest_k(query, fold) for fold in folds.values()))
    if k_max < 1:
        raise ShapeError(
            f"No neighbor is left for some row when it is held out, of n_samples = {n_rows}. "
            "Give more rows, or more groups."
        )
    if k_max < model.k_max:
        model.decisions_.add("k_max", k_max, "no more rows are left when rows are held out")
    width = min(k_max + _spare(model.folds, k_max), query.available)
    if rows is not None:
        query = _queries_of(query, rows)
    search = CachedSearch(query.search, query.n_queries, width)
    return query._replace(search=search), folds, np.arange(1, k_max + 1)


def _queries_of(query: NeighborQuery, rows: Rows) -> NeighborQuery:
    """Return the queries of some training rows; all rows stay their neighbors."""
    return query._replace(
        search=lambda part, k: query.search(rows[part], k),
        n_queries=len(rows),
        own=rows,
    )


def _largest_k(query: NeighborQuery, fold: Rows | None) -> int:
    """Return the largest K that every row has neighbors for."""
    weight = np.ones(query.n_queries) if query.weight is None else query.weight
    lost = np.minimum(weight, 1.0) if fold is None else np.bincount(fold, weight)
    return int(np.floor(weight.sum() - lost.max() + 1e-9))


def _without_own_fold(
    query: NeighborQuery, fold: Rows | None, n_folds: int, k_max: int
) -> NeighborQuery:
    if fold is None:
        return query
    return query._replace(group=fold, copies=None, spare=_spare(n_folds, k_max))


def _with_themselves(query: NeighborQuery, model: SupervisedNeighbors) -> NeighborQuery:
    """Return the queries with each row among its own neighbors."""
    weight = np.ones(model.n_samples_fit_) if query.weight is None else query.weight
    return query._replace(weight=weight, copies=weight)


def _spare(n_folds: int, k_max: int) -> int:
    """Return the neighbors to search for beyond `k_max`, so that few rows need a second search."""
    lost = k_max / (n_folds - 1)
    return int(np.ceil(lost + 4 * np.sqrt(lost))) + SPARE_NEIGHBORS_FOR_TIES
