"""Selection of K: the leave-one-out and cross-validated errors of every K, from one search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import as_groups, assign_folds
from lookalike.models.estimator import with_callbacks
from lookalike.models.neighbors.averaging import average
from lookalike.models.neighbors.supervised import SupervisedNeighbors
from lookalike.models.neighbors.voting import SPARE, CachedSearch, NeighborQuery, vote
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_int

if TYPE_CHECKING:
    from lookalike.models.neighbors.classifier import KNeighborsClassifier
    from lookalike.models.neighbors.regressor import KNeighborsRegressor

LOSSES = ("error", "log_loss", "mae", "mse", "rmse")  # less is better; of others, more


class ScoreCurve(NamedTuple):
    """Scores of every K by one method and one weighting; all (ks,)."""

    scores: Mapping[str, Array]
    standard_errors: Mapping[str, Array]


@dataclass(frozen=True)
class KSelection:
    """Cross-validated scores of every K.

    Attributes
    ----------
    k : ndarray
        The numbers of neighbors tried, 1 to the largest.
    score : str
        What K is selected by: "error" of classification, "mse" of regression.
    curves : mapping from (method, weights) to ScoreCurve
        Methods are "loo" and "cv". Classification is scored by "error", "log_loss" and
        "balanced_accuracy", regression by "mse", "rmse" and "mae".
    n_rows : int
        Rows held out in turn; a row of weight two counts as two.
    ties : mapping from (method, weights) to int
        Votes that were tied, over all K.
    """

    k: Rows
    score: str
    curves: Mapping[tuple[str, str], ScoreCurve]
    n_rows: int
    ties: Mapping[tuple[str, str], int]

    def best(self, method: str = "loo", weights: str = "uniform", score: str | None = None) -> int:
        """Return the K of the best score, the smallest of several.

        Parameters
        ----------
        method : {"loo", "cv"}, default="loo"
            Leave-one-out, or cross-validation in folds.
        weights : str, default="uniform"
            The weighting.
        score : str, optional
            The score to optimize; that of the selection when None.
        """
        loss = self._loss(method, weights, score)
        return int(self.k[loss.argmin()])

    def one_standard_error(
        self, method: str = "loo", weights: str = "uniform", score: str | None = None
    ) -> int:
        """Return the largest, smoothest K whose score is within a standard error of the best."""
        loss = self._loss(method, weights, score)
        error = self.curves[method, weights].standard_errors[score or self.score]
        limit = loss.min() + error[loss.argmin()]
        return int(self.k[np.flatnonzero(loss <= limit)[-1]])

    @property
    def guides(self) -> dict[str, int]:
        """Rules of thumb to compare with: the square root of N, and it made odd [LUMS]."""
        root = max(1, round(self.n_rows**0.5))
        return {"sqrt_n": root, "odd": root + 1 - root % 2}

    def _loss(self, method: str, weights: str, score: str | None) -> Array:
        if (method, weights) not in self.curves:
            raise ParameterError(
                f"There is no curve of method {method!r} and weights {weights!r}. "
                f"Choose one of {', '.join(map(str, self.curves))}."
            )
        scores = self.curves[method, weights].scores
        name = score or self.score
        check_choice("score", name, tuple(scores))
        return scores[name] if name in LOSSES else -scores[name]


class KSelectionMixin(SupervisedNeighbors):
    """Adds ``n_neighbors="loo" | "cv"`` to a model; `selection_` then holds every error."""

    k_max: int
    folds: int
    selection_: KSelection
    _chosen = ("loo", "cv")

    @with_callbacks
    def fit(
        self, X: object, y: object = None, sample_weight: object = None, groups: object = None
    ) -> Self:
        """Keep the rows and their targets, and choose K for ``n_neighbors="loo"`` or "cv".

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Labels of any one kind, or finite numbers. None where `X` is a Source that holds them.
        sample_weight : array of shape (n_rows,), optional
            A row of weight two counts as that row twice, one of weight zero as absent.
        groups : array of shape (n_rows,), optional
            Rows of one group are not neighbors of each other while K is chosen.
        """
        self._learn(X, y, sample_weight, groups=groups)
        return self

    @property
    def n_neighbors_(self) -> int:
        """The K in use: the one given, or the one selected in `fit`."""
        check_is_fitted(self)
        return self._default_k()

    def select(
        self,
        *,
        groups: object = None,
        weights: Sequence[object] | None = None,
        rows: object = None,
    ) -> KSelection:
        """Return the leave-one-out and `folds`-fold errors of every K, from one search of the rows.

        Parameters
        ----------
        groups : array of shape (n_rows,), optional
            Rows of one group are not neighbors of each other.
        weights : sequence, optional
            The weightings to try; "uniform", "distance" and the model's own when None.
        rows : array of row numbers, optional
            The training rows that are held out in turn, a sample of very many; all when None. All
            others are their neighbors.
        """
        check_is_fitted(self)
        if weights is None:
            own = [] if self._weighing in ("uniform", "distance") else [self._weighing]
            weights = ["uniform", "distance", *own]
        return self._curves(groups, weights, self._held_out_rows(rows))

    @abstractmethod
    def _curves(self, groups: object, weights: Sequence[object], rows: Rows | None) -> KSelection:
        """Return the errors of every K on the training rows `rows`, or on all."""

    def _held_out_rows(self, rows: object) -> Rows | None:
        if rows is None:
            return None
        numbers = np.asarray(rows)
        least, most = 0, self.n_samples_fit_ - 1
        whole = numbers.ndim == 1 and numbers.dtype.kind in "iu" and len(numbers) > 0
        if not whole or numbers.min() < least or numbers.max() > most:
            raise ParameterError(
                f"rows={rows!r} are no training rows to hold out. Give numbers from 0 to {most}."
            )
        return numbers.astype(np.int64)

    def _choose(self, groups: object) -> None:
        self.__dict__.pop("selection_", None)
        if self.n_neighbors in self._chosen:
            self.selection_ = self.select(groups=groups)
            best = self.selection_.best(self.n_neighbors, name_of(self._weighing))
            reason = f"least {self.n_neighbors} error of 1 to {self.selection_.k[-1]}"
            self.decisions_.add("n_neighbors", best, reason)
        elif groups is not None:
            raise ParameterError("groups matter where K is chosen. Give n_neighbors='loo' or 'cv'.")

    def _default_k(self) -> int:
        if self.n_neighbors not in self._chosen:
            return int(self.n_neighbors)
        return self.selection_.best(self.n_neighbors, name_of(self._weighing))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("k_max", self.k_max, least=1)
        check_int("folds", self.folds, least=2)


def classifier_curves(
    model: KNeighborsClassifier,
    groups: object,
    weights: Sequence[Any],
    rows: Rows | None = None,
) -> KSelection:
    """Return the errors of every K of a fitted classifier."""
    codes = model._targets.codes
    query, folds, ks = _held_out_queries(model, codes, groups, rows, classify=True)
    truth = codes if rows is None else codes[rows]
    curves, ties = {}, {}
    for method, fold in folds.items():
        held_out = _without_own_fold(query, fold, model.folds, len(ks))
        scorer = _scorer(model, fold if method == "cv" else None, rows)
        for weighting in weights:
            results = [
                vote(
                    held_out,
                    codes[:, j],
                    replace(rule, weights=weighting),
                    list(ks),
                    truth=truth[:, j],
                )
                for j, rule in enumerate(model._voting_rules)
            ]
            key = (method, name_of(weighting))
            curves[key] = _curve(_class_scores(results, truth, scorer))
            ties[key] = round(sum(scorer.total(result.tied) for result in results))
    return KSelection(ks, "error", curves, _n_rows(model, rows), ties)


def regressor_curves(
    model: KNeighborsRegressor,
    groups: object,
    weights: Sequence[Any],
    rows: Rows | None = None,
) -> KSelection:
    """Return the errors of every K of a fitted regressor."""
    targets = model._targets
    query, folds, ks = _held_out_queries(model, targets, groups, rows, classify=False)
    truth = targets if rows is None else targets[rows]
    curves = {}
    for method, fold in folds.items():
        held_out = _without_own_fold(query, fold, model.folds, len(ks))
        scorer = _scorer(model, fold if method == "cv" else None, rows)
        for weighting in weights:
            mean, _ = average(held_out, targets, weighting, ks.tolist())
            gap = mean - truth[:, None]
            squared = scorer.mean((gap**2).mean(axis=2))
            root = np.sqrt(squared[0])
            scores = {
                "mse": squared,
                "rmse": (root, squared[1] / (2 * np.maximum(root, np.finfo(float).tiny))),
                "mae": scorer.mean(np.abs(gap).mean(axis=2)),
            }
            curves[method, name_of(weighting)] = _curve(scores)
    return KSelection(ks, "mse", curves, _n_rows(model, rows), dict.fromkeys(curves, 0))


def name_of(weighting: object) -> str:
    """Return the name under which the curve of a weighting is kept."""
    return weighting if isinstance(weighting, str) else getattr(weighting, "__name__", "function")


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
            gap = values - mean if extra is None else extra[:, None] * (values - mean)
            n_rows = copies.sum()
            scale = np.sqrt(n_rows / max(n_rows - 1, 1)) / weight.sum()
            return mean, np.sqrt(copies @ gap**2) * scale
        names = np.unique(self.fold)
        each = np.array(
            [
                weight[here] @ values[here] / max(weight[here].sum(), np.finfo(float).tiny)
                for here in (self.fold == name for name in names)
            ]
        )
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
    if model._weight is None:
        return model.n_samples_fit_ if rows is None else len(rows)
    return round(float(model._weight.sum() if rows is None else model._weight[rows].sum()))


def _scorer(model: SupervisedNeighbors, fold: Rows | None, rows: Rows | None) -> _Scorer:
    if rows is None:
        return _Scorer(model._weight, fold)
    weight = None if model._weight is None else model._weight[rows]
    return _Scorer(weight, None if fold is None else fold[rows])


def _balance(codes: Rows, weight: Array | None) -> Array:
    """Return weights with which every class counts the same."""
    counts = np.bincount(codes, weight).astype(float)
    balance: Array = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
    return balance[codes]


def _held_out_queries(
    model: KSelectionMixin,
    targets: AnyArray,
    groups: object,
    rows: Rows | None,
    *,
    classify: bool,
) -> tuple[NeighborQuery, dict[str, Rows | None], Rows]:
    """Return the one search that serves all methods, the folds of each, and the K to try.

    Rows of one fold are not neighbors of each other; None holds out each row alone.
    """
    query = model._neighbor_query(None)
    n_rows = query.n_queries
    group = None if groups is None else as_groups(groups, n_rows)
    folds: dict[str, Rows | None] = {"loo": group}
    n_parts = n_rows if group is None else int(group.max()) + 1
    if model.n_neighbors == "cv" or n_parts >= model.folds:
        folds["cv"] = assign_folds(targets, model.folds, stratify=classify, groups=group)
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
        excluded=query.excluded._replace(own=rows),
    )


def _largest_k(query: NeighborQuery, fold: Rows | None) -> int:
    """Return the largest K that every row has neighbors for."""
    given = query.excluded.weight
    weight = np.ones(query.n_queries) if given is None else given
    lost = np.minimum(weight, 1.0) if fold is None else np.bincount(fold, weight)
    return int(np.floor(weight.sum() - lost.max() + 1e-9))


def _without_own_fold(
    query: NeighborQuery, fold: Rows | None, n_folds: int, k_max: int
) -> NeighborQuery:
    if fold is None:
        return query
    excluded = query.excluded._replace(group=fold, copies=None)
    return query._replace(excluded=excluded, spare=_spare(n_folds, k_max))


def _spare(n_folds: int, k_max: int) -> int:
    """Return the neighbors to search for beyond `k_max`, so that few rows need a second search."""
    lost = k_max / (n_folds - 1)
    return int(np.ceil(lost + 4 * np.sqrt(lost))) + SPARE
