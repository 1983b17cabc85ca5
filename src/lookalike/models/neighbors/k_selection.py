"""The error of every K and every weighting, leave-one-out and in folds, from one search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.models.cross_validation import as_groups, folds_of
from lookalike.models.neighbors.averaging import average
from lookalike.models.neighbors.voting import SPARE, Electorate, Outcome, elect
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

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
    """How well every K does on rows that are left out.

    Attributes
    ----------
    k : ndarray
        The numbers of neighbors tried, 1 to the largest.
    score : str
        What is chosen by: "error" of classes, "mse" of numbers.
    curves : mapping from (method, weights) to ScoreCurve
        Methods are "loo" and "cv". Classes are scored by "error", "log_loss" and
        "balanced_accuracy", numbers by "mse", "rmse" and "mae".
    n_rows : int
        Rows that were left out in turn.
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
            How rows were left out.
        weights : str, default="uniform"
            The weighting.
        score : str, optional
            What counts; the error of the selection when None.
        """
        loss = self._loss(method, weights, score)
        return int(self.k[loss.argmin()])

    def one_standard_error(
        self, method: str = "loo", weights: str = "uniform", score: str | None = None
    ) -> int:
        """Return the largest K, of the smoothest answer, within a standard error of the best."""
        loss = self._loss(method, weights, score)
        error = self.curves[method, weights].standard_errors[score or self.score]
        limit = loss.min() + error[loss.argmin()]
        return int(self.k[np.flatnonzero(loss <= limit)[-1]])

    @property
    def guides(self) -> dict[str, int]:
        """Rules of thumb to look at beside the curves: the root of N, and it made odd [LUMS]."""
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


class Remembered:
    """The neighbors of all rows, found once; a wider search is made only where it is needed."""

    def __init__(self, search: Callable[[Rows, int], Neighbors], n_rows: int, width: int) -> None:
        self._search = search
        self._width = width
        self._found = search(np.arange(n_rows), width)

    def __call__(self, part: Rows, k: int) -> Neighbors:
        """Return the `k` nearest rows of some rows."""
        if k > self._width:
            return self._search(part, k)
        here: Any = slice(None) if len(part) == len(self._found.row) else part
        return Neighbors(self._found.distance[here, :k], self._found.row[here, :k])


class Holdouts(NamedTuple):
    """The ways in which rows are left out, and the one search that serves them."""

    electorate: Electorate
    folds: dict[str, Rows | None]  # rows of one fold do not see each other; None: each alone
    k: Rows


def classifier_curves(
    model: KNeighborsClassifier, groups: Any, weights: Sequence[Any]
) -> KSelection:
    """Return the errors of every K of a fitted classifier."""
    codes = model._targets.codes
    plan = _holdouts(model, codes, groups, classify=True)
    curves, ties = {}, {}
    for method, fold in plan.folds.items():
        electorate = _barring(plan.electorate, fold, model.folds, len(plan.k))
        for weighting in weights:
            outcomes = [
                elect(
                    electorate,
                    codes[:, j],
                    replace(jury, weights=weighting),
                    list(plan.k),
                    truth=codes[:, j],
                )
                for j, jury in enumerate(model._juries)
            ]
            scored = _Scorer(model._weight, fold if method == "cv" else None)
            key = (method, name_of(weighting))
            curves[key] = _curve(_class_scores(outcomes, codes, scored))
            ties[key] = int(sum(found.tied.sum() for found in outcomes))
    return KSelection(plan.k, "error", curves, len(codes), ties)


def regressor_curves(model: KNeighborsRegressor, groups: Any, weights: Sequence[Any]) -> KSelection:
    """Return the errors of every K of a fitted regressor."""
    targets = model._targets
    plan = _holdouts(model, targets, groups, classify=False)
    curves = {}
    for method, fold in plan.folds.items():
        electorate = _barring(plan.electorate, fold, model.folds, len(plan.k))
        for weighting in weights:
            found = average(electorate, targets, weighting, plan.k.tolist()).mean
            gap = found - targets[:, None]
            scored = _Scorer(model._weight, fold if method == "cv" else None)
            squared = scored.mean((gap**2).mean(axis=2))
            root = np.sqrt(squared[0])
            parts = {
                "mse": squared,
                "rmse": (root, squared[1] / (2 * np.maximum(root, np.finfo(float).tiny))),
                "mae": scored.mean(np.abs(gap).mean(axis=2)),
            }
            curves[method, name_of(weighting)] = _curve(parts)
    return KSelection(plan.k, "mse", curves, len(targets), dict.fromkeys(curves, 0))


def name_of(weighting: Any) -> str:
    """Return the name under which the curve of a weighting is kept."""
    return weighting if isinstance(weighting, str) else getattr(weighting, "__name__", "function")


class _Scorer:
    """Means over the rows with their standard errors: over rows, or over folds."""

    def __init__(self, weight: Array | None, fold: Rows | None) -> None:
        self.weight = weight
        self.fold = fold

    def mean(self, values: Array, extra: Array | None = None) -> tuple[Array, Array]:
        """Return mean and standard error of `values` (rows, ks)."""
        weight = np.ones(len(values)) if self.weight is None else self.weight
        weight = weight if extra is None else weight * extra
        mean = weight @ values / weight.sum()
        if self.fold is None:
            gap = weight[:, None] * (values - mean)
            n_rows = int(np.count_nonzero(weight))
            scale = np.sqrt(n_rows / max(n_rows - 1, 1)) / weight.sum()
            return mean, np.sqrt((gap**2).sum(axis=0)) * scale
        names = np.unique(self.fold)
        each = np.array(
            [
                weight[here] @ values[here] / max(weight[here].sum(), np.finfo(float).tiny)
                for here in (self.fold == name for name in names)
            ]
        )
        return mean, each.std(axis=0, ddof=1) / np.sqrt(len(names))


def _class_scores(
    outcomes: Sequence[Outcome], codes: Rows, scored: _Scorer
) -> dict[str, tuple[Array, Array]]:
    """Return the scores of every K, of several outputs their mean."""
    wrong = np.mean([found.winner != codes[:, [j]] for j, found in enumerate(outcomes)], axis=0)
    tiny = np.finfo(float).eps
    doubt = [
        -np.log(np.maximum(found.share, tiny)) for found in outcomes if found.share is not None
    ]
    return {
        "error": scored.mean(wrong),
        "log_loss": scored.mean(np.mean(doubt, axis=0)),
        "balanced_accuracy": scored.mean(1.0 - wrong, _balance(codes[:, 0], scored.weight)),
    }


def _curve(parts: Mapping[str, tuple[Array, Array]]) -> ScoreCurve:
    return ScoreCurve(
        {name: mean for name, (mean, _) in parts.items()},
        {name: error for name, (_, error) in parts.items()},
    )


def _balance(codes: Rows, weight: Array | None) -> Array:
    """Return weights with which every class counts the same."""
    counts = np.bincount(codes, weight)
    return 1.0 / np.maximum(counts, np.finfo(float).tiny)[codes]


def _holdouts(model: Any, targets: AnyArray, groups: Any, *, classify: bool) -> Holdouts:
    electorate = model._electorate(None)
    n_rows = electorate.n_queries
    group = None if groups is None else as_groups(groups, n_rows)
    folds: dict[str, Rows | None] = {"loo": group}
    n_parts = n_rows if group is None else int(group.max()) + 1
    if model.n_neighbors == "cv" or n_parts >= model.folds:
        folds["cv"] = folds_of(targets, group, model.folds, classify=classify)
    k_max = min(model.k_max, *(_most(electorate, fold) for fold in folds.values()))
    if k_max < 1:
        raise ShapeError(
            f"No neighbor is left for some row when it is left out, of n_samples = {n_rows}. "
            "Give more rows, or more groups."
        )
    if k_max < model.k_max:
        model.decisions_.add("k_max", k_max, "no more rows are left when rows are left out")
    width = min(k_max + _spare(model.folds, k_max), electorate.available)
    search = Remembered(electorate.search, n_rows, width)
    return Holdouts(electorate._replace(search=search), folds, np.arange(1, k_max + 1))


def _most(electorate: Electorate, fold: Rows | None) -> int:
    """Return the largest K that every row has neighbors for."""
    held = electorate.bars.weight
    weight = np.ones(electorate.n_queries) if held is None else held
    lost = np.minimum(weight, 1.0) if fold is None else np.bincount(fold, weight)
    return int(np.floor(weight.sum() - lost.max() + 1e-9))


def _barring(electorate: Electorate, fold: Rows | None, cv: int, k_max: int) -> Electorate:
    if fold is None:
        return electorate
    bars = electorate.bars._replace(part=fold, copies=None)
    return electorate._replace(bars=bars, spare=_spare(cv, k_max))


def _spare(cv: int, k_max: int) -> int:
    """Return the neighbors to ask beyond `k_max`, so that few rows lack any in other folds."""
    lost = k_max / (cv - 1)
    return int(np.ceil(lost + 4 * np.sqrt(lost))) + SPARE
