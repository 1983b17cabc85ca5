"""Selection of K: the leave-one-out and cross-validated errors of every K, from one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lookalike.data.targets import one_a_row
from lookalike.errors import ParameterError
from lookalike.models.estimator import check_is_fitted
from lookalike.typing import Array, Rows
from lookalike.validation import check_choice, check_int, check_sequence, is_function, shown

SELECTION_METHODS = ("loo", "cv")  # by which K may be selected
KModel: TypeAlias = Any  # KNeighborsClassifier or KNeighborsRegressor, which have these functions
LOSS_NAMES = ("error", "log_loss", "mae", "mse", "rmse")  # less is better; of others, more


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
    in_sample : mapping from weights to ScoreCurve
        Scores of the training rows themselves, each among its own neighbors: how far these are
        from the held-out ones is how much a small K overfits.
    """

    k: Rows
    score: str
    curves: Mapping[tuple[str, str], ScoreCurve]
    n_rows: int
    ties: Mapping[tuple[str, str], int]
    in_sample: Mapping[str, ScoreCurve] | None = None

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
        return scores[name] if name in LOSS_NAMES else -scores[name]


class ScoreCurve(NamedTuple):
    """Scores of every K by one method and one weighting; all (ks,)."""

    scores: Mapping[str, Array]
    standard_errors: Mapping[str, Array]


def selected_k(self: KModel) -> int:
    """The K in use: the one given, or the one selected in `fit`."""
    check_is_fitted(self)
    return default_k(self)


def select_k(
    self: KModel,
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
        given = [] if self.weighting in ("uniform", "distance") else [self.weighting]
        weights = ["uniform", "distance", *given]
    made: KSelection = self._curves(groups, checked_weightings(weights), _held_out_rows(self, rows))
    return made


def choose_k(self: KModel, groups: object) -> None:
    """Select K where it is to be selected: `selection_` then holds every error."""
    self.__dict__.pop("selection_", None)
    if self.n_neighbors in SELECTION_METHODS:
        self.selection_ = select_k(self, groups=groups)
        best = self.selection_.best(self.n_neighbors, name_of(self.weighting))
        how = "leave-one-out" if self.n_neighbors == "loo" else "cross-validated"
        reason = f"lowest {how} error of 1 to {self.selection_.k[-1]}"
        self.decisions_.add("n_neighbors", best, reason)
        root, odd = self.selection_.guides.values()
        guides = f"{root}" if root == odd else f"{root}, odd {odd}"
        self.decisions_.add("guide for n_neighbors", guides, "the root of N, for comparison")
    elif groups is not None:
        raise ParameterError("groups matter where K is chosen. Give n_neighbors='loo' or 'cv'.")


def default_k(self: KModel) -> int:
    """Return the number of neighbors where none is given."""
    if self.n_neighbors not in SELECTION_METHODS:
        return int(self.n_neighbors)
    return int(self.selection_.best(self.n_neighbors, name_of(self.weighting)))


def check_selection(model: KModel) -> None:
    """Raise unless the parameters of the selection are possible ones."""
    check_int("k_max", model.k_max, least=1)
    check_int("folds", model.folds, least=2)


def _held_out_rows(model: KModel, rows: object) -> Rows | None:
    if rows is None:
        return None
    numbers, most = one_a_row(rows, "rows"), model.n_samples_fit_ - 1
    whole = numbers.ndim == 1 and numbers.dtype.kind in "iu" and len(numbers) > 0
    if not whole or numbers.min() < 0 or numbers.max() > most:
        raise ParameterError(
            f"rows={shown(rows)} are not training rows to hold out. Give numbers from 0 to {most}."
        )
    return numbers.astype(np.int64)


def checked_weightings(weights: object) -> list[object]:
    """Return the ways of weighting to try, each a name or a function, or raise."""
    listed = check_sequence("weights", weights, "for example ('uniform', 'distance')")
    for weighting in listed:
        if not is_function(weighting):
            check_choice("weights", weighting, ("uniform", "distance"))
    return listed


def name_of(weighting: object) -> str:
    """Return the name under which the curve of a weighting is kept."""
    return weighting if isinstance(weighting, str) else getattr(weighting, "__name__", "function")
