"""The explanation of one prediction, which Python, command line, service and page print alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.k_ranges import KRange
from lookalike.explain.prediction.distance_shares import ranked_features
from lookalike.explain.prediction.score_contributions import ScoreContributions
from lookalike.explain.prediction.sentences import explanation_sentences
from lookalike.explain.similarity import DistancePercentile
from lookalike.typing import AnyArray, Array, Rows

LISTED_ROWS = 100  # training rows of an ensemble that are listed; the others are one sum
LISTED_SHARES = 12  # columns whose share of a distance is named; the others are one sum


def _no_rows() -> Rows:
    return np.empty(0, np.int64)


def _no_numbers() -> Array:
    return np.empty(0)


class MemberShare(NamedTuple):
    """A member of an ensemble: its weight, and its number or probability of the class."""

    name: str
    weight: float
    prediction: float


class EnsembleEvidence(NamedTuple):
    """What an ensemble predicts, as a sum over training rows: the largest parts first."""

    members: tuple[MemberShare, ...]
    rows: Rows
    added: Array  # by each of the rows
    constant: float  # that no row adds
    prediction: float  # the number, or the probability of `label`
    label: object

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data: the first rows, and the sum of the others."""
        first, others = self.rows[:LISTED_ROWS], self.added[LISTED_ROWS:]
        return {
            "label": plain(self.label),
            "prediction": self.prediction,
            "members": [member._asdict() for member in self.members],
            "rows": first.tolist(),
            "added": self.added[:LISTED_ROWS].tolist(),
            "other_rows": {"count": len(others), "added": float(others.sum())},
            "constant": self.constant,
        }


@dataclass(frozen=True)
class Explanation:
    """Why a model predicts what it predicts for one row.

    Attributes
    ----------
    prediction : object
        The predicted label or number; of neighbors without a target, None.
    rows, distances, targets, weights : ndarray of shape (k,)
        The neighbors, nearest first, with their labels or numbers, and what each counts: a vote,
        or of a predicted number its share. They are more than `n_neighbors` where a tie grew, and
        none where a row without any within the radius is given the label of outliers. Rows that
        are as near and were left out have the weight 0.
    k : int or None
        The number of neighbors of the model.
    classes, votes : ndarray of shape (n_classes,), or None
        All labels in sorted order, and the summed weights of the neighbors of each.
    margin : float or None
        By which share of the votes the predicted class leads the next; negative where a prior, a
        cost or a rule for ties overruled the votes.
    flip_rows, flip_label : ndarray and object, or None
        The fewest rows without which the prediction would be another class, and that class. None
        where all rows are of one class, or costs decide without votes.
    other_row, other_distance, other_label : int, float and object, or None
        The nearest row of a class other than the predicted one. None where all rows are of one
        class.
    k_ranges : tuple of KRange
        The numbers of neighbors, 1 to 25 at least, by what they predict; empty for numbers and
        for models without K.
    spread : float or None
        The standard deviation of the neighbors' numbers around a predicted number.
    moves : ndarray of shape (k,), or None
        By how much a predicted number would change if the row did not count; NaN of the only one.
    contributions : ScoreContributions or None
        What each neighbor adds to the lead of the predicted class, or to the predicted number.
    percentile : DistancePercentile or None
        How far the nearest row is, compared with the distances among training rows.
    feature_shares : ndarray of shape (k, n_features), or None
        How much of each distance, to the power in which the metric adds up, comes from each
        feature. None for metrics that are not a sum over features, and rows that are not in
        memory.
    feature_names : ndarray
        Names of the columns, or x0, x1 …
    score, score_title : float and str, or None
        Of a model that is explained by effects: its probability, decision value or number.
    effects : tuple of (str, float)
        The effect of each column or word on the score, the largest first.
    companion, companion_note : Explanation and str, or None
        The neighbors of a model without any of its own, and whose they are.
    ensemble : EnsembleEvidence or None
        Of an ensemble, its members, and what each training row adds to the prediction.
    """

    prediction: object
    rows: Rows = field(default_factory=_no_rows)
    distances: Array = field(default_factory=_no_numbers)
    targets: AnyArray = field(default_factory=_no_numbers)
    weights: Array = field(default_factory=_no_numbers)
    k: int | None = None
    classes: AnyArray | None = None
    votes: Array | None = None
    margin: float | None = None
    flip_rows: Rows | None = None
    flip_label: object = None
    other_row: int | None = None
    other_distance: float | None = None
    other_label: object = None
    k_ranges: tuple[KRange, ...] = ()
    spread: float | None = None
    moves: Array | None = None
    contributions: ScoreContributions | None = None
    percentile: DistancePercentile | None = None
    feature_shares: Array | None = None
    feature_names: AnyArray = field(default_factory=lambda: np.empty(0, object))
    score: float | None = None
    score_title: str | None = None
    effects: tuple[tuple[str, float], ...] = ()
    companion: Explanation | None = None
    companion_note: str | None = None
    ensemble: EnsembleEvidence | None = None

    @property
    def n_voters(self) -> int:
        """How many of the rows count."""
        return int(np.count_nonzero(self.weights))

    def features(self) -> list[tuple[str, float]]:
        """Return the features by their mean share of the distances, the largest first.

        Neighbors at distance zero have nothing to share and are left out.
        """
        return ranked_features(self.feature_shares, self.feature_names)

    def vote_shares(self) -> dict[str, float] | None:
        """Return the share of each class in the votes; None if there are no votes."""
        if self.classes is None or self.votes is None or not self.votes.any():
            return None
        shares = (self.votes / self.votes.sum()).tolist()
        return dict(zip(map(str, self.classes.tolist()), shares, strict=True))

    def sentences(self) -> dict[str, str]:
        """Return what is said in words, by topic, the same wherever it is printed."""
        return explanation_sentences(self)

    def __str__(self) -> str:
        return "\n".join(self.sentences().values())

    def renumbered(self, numbers: Rows) -> Explanation:
        """Return the explanation with other numbers of training rows, by their place.

        Rows that are equally near are then in the order of these numbers.
        """
        rows = numbers[self.rows]
        by_distance = bool((np.diff(self.distances) >= 0).all())
        order = np.lexsort((rows, self.distances)) if by_distance else np.arange(len(rows))

        def ordered(values: Any) -> Any:
            return None if values is None else values[order] if len(values) else values

        return replace(
            self,
            rows=rows[order],
            distances=ordered(self.distances),
            targets=ordered(self.targets),
            weights=ordered(self.weights),
            moves=ordered(self.moves),
            feature_shares=ordered(self.feature_shares),
            flip_rows=None if self.flip_rows is None else numbers[self.flip_rows],
            other_row=None if self.other_row is None else int(numbers[self.other_row]),
            contributions=self.contributions and self.contributions.renumbered(numbers),
        )

    def by_column(self, columns: list[str]) -> Explanation:
        """Return the explanation with the shares of features summed by the column of each."""
        names = list(dict.fromkeys(columns))
        if self.feature_shares is None or len(names) == len(columns):
            return replace(self, feature_names=np.array(names, object))
        index_of = {name: index for index, name in enumerate(names)}
        codes = np.array([index_of[name] for name in columns])
        shares = np.zeros((len(self.feature_shares), len(names)))
        np.add.at(shares.T, codes, self.feature_shares.T)
        return replace(self, feature_shares=shares, feature_names=np.array(names, object))

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, for JSON."""
        described = {"prediction": plain(self.prediction)}
        if self.score is not None:
            effects = [{"name": name, "effect": effect} for name, effect in self.effects]
            described |= {"score": self.score, "features": effects}
        if self.ensemble is not None:
            described["ensemble"] = self.ensemble.to_dict()
        if self.companion is not None:
            neighbors = self.companion.to_dict()
            neighbors["neighbors_predict"] = neighbors.pop("prediction")
            neighbors["distance_features"] = neighbors.pop("features")
            described |= neighbors | {"explained_by": self.companion_note}
        elif self.score is None:
            described |= self._neighbors()
        return described | {"sentences": self.sentences()}

    def _neighbors(self) -> dict[str, Any]:
        described = {
            "k": self.k,
            "neighbors": self.rows.tolist(),
            "distances": self.distances.tolist(),
            "targets": self.targets.tolist(),
            "weights": self.weights.tolist(),
            "features": [{"name": name, "share": share} for name, share in self.features()],
            "neighbor_shares": self._listed_shares(),
            "contributions": self.contributions and self.contributions.to_dict(),
            "similarity": self.percentile
            and {**self.percentile._asdict(), "no_similar_case": self.percentile.no_similar_case},
        }
        if self.moves is not None:
            moves = {"change_if_removed": self.moves.tolist()}
            return described | {"standard_deviation": self.spread, **moves}
        return described | self._votes() if self.classes is not None else described

    def _votes(self) -> dict[str, Any]:
        assert self.classes is not None
        assert self.votes is not None
        flip, other = None, None
        if self.flip_rows is not None:
            flip = {"rows": self.flip_rows.tolist(), "label": plain(self.flip_label)}
        if self.other_row is not None:
            label = plain(self.other_label)
            other = {"row": self.other_row, "distance": self.other_distance, "label": label}
        return {
            "margin": self.margin,
            "votes": dict(zip(map(str, self.classes.tolist()), self.votes.tolist(), strict=True)),
            "flip": flip,
            "nearest_of_another_class": other,
            "k_ranges": [
                {"from": run.first, "to": run.last, "prediction": run.prediction}
                for run in self.k_ranges
            ],
        }

    def _listed_shares(self) -> list[list[dict[str, Any]]]:
        """Return for every neighbor the largest shares of columns in its distance."""
        if self.feature_shares is None:
            return []
        return [_largest(shares, self.feature_names) for shares in self.feature_shares]


def plain(value: object) -> object:
    """Return a label or number of NumPy as one of Python.

    >>> plain(np.float64(0.5)), plain("a")
    (0.5, 'a')
    """
    return value.item() if isinstance(value, np.generic) else value


def _largest(shares: Array, names: AnyArray) -> list[dict[str, Any]]:
    order = np.argsort(-shares, kind="stable")
    first, rest = order[:LISTED_SHARES], order[LISTED_SHARES:]
    listed = [{"name": str(names[j]), "share": float(shares[j])} for j in first]
    if len(rest):
        left = float(shares[rest].sum())
        listed.append({"name": f"{len(rest)} other columns", "share": left})
    return listed
