"""The evidence of a row in the original space: neighbors, votes, contributions to the score."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.leave_one_out import k_ranges, targets_of
from lookalike.explain.prediction.distance_shares import feature_shares
from lookalike.explain.prediction.evidence import Evidence, explain_prediction
from lookalike.printable import number
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix
    from lookalike.explain.prediction.number_evidence import NumberEvidence
    from lookalike.web.explorer.exploration import Exploration

SHOWN_COLUMNS = 12  # contributions that are named; the others are one sum
FAR = 0.99  # share of training rows that are nearer to their nearest than a row without any


class Evidences:
    """Evidence of rows by the neighbor model of an exploration."""

    def __init__(self, exploration: Exploration) -> None:
        self._exploration = exploration

    def of_row(self, row: int, k: int | None = None) -> dict[str, Any]:
        """Return the evidence of a row; a training row is left out of its own neighbors."""
        neighbors = self._exploration.neighbors
        row = self._exploration.check_row(row)
        left_out = neighbors.left_out(row)
        query = self._query(neighbors.Z[row : row + 1], k, left_out, int(neighbors.place[row]))
        return query | {"row": row}

    def of_features(self, Z: Matrix, k: int | None = None) -> dict[str, object]:
        """Return the evidence of a new row by its features."""
        return self._query(Z, k, None)

    def _query(
        self, Z: Matrix, k: int | None, left_out: Rows | None, own: int = -1
    ) -> dict[str, object]:
        neighbors = self._exploration.neighbors
        k = check_int("k", neighbors.k if k is None else k, least=1, most=neighbors.k_max)
        model = neighbors.with_k(k)
        found: dict[str, object]
        if neighbors.predicts:
            one = explain_prediction(model, Z, leave_out=left_out)
            rows, distance, weight = one.rows, one.distances, one.weights
            found = (
                self._class(one, Z, k, left_out)
                if isinstance(one, Evidence)
                else _number(one, neighbors.row)
            )
        else:
            distance, rows = _nearest(model, Z, k, left_out)
            weight, found = np.ones(len(rows)), {}
        silent = self._without_vote(model, Z, left_out, distance, own)
        every = [*zip(rows.tolist(), distance.tolist(), weight.tolist(), strict=True), *silent]
        every.sort(key=lambda one: (one[1], one[0]))
        shares = self._contributions(model, Z, np.array([one[0] for one in every], np.int64))
        listed = [
            {
                "row": int(neighbors.row[place]),
                "distance": gap,
                "label": self._exploration.rows.label(int(neighbors.row[place])),
                "weight": weight_of,
                "contributions": share,
            }
            for (place, gap, weight_of), share in zip(every, shares, strict=True)
        ]
        return {
            "k": k,
            "model": neighbors.title,
            "metric": neighbors.metric,
            "neighbors": listed,
            **found,
            **self._similarity(every[0][1] if every else None),
        }

    def _class(self, one: Evidence, Z: Matrix, k: int, left_out: Rows | None) -> dict[str, object]:
        neighbors, texts = self._exploration.neighbors, self._exploration.rows.class_names
        names = [str(label) for label in one.classes.tolist()]
        ranges = self._ranges(Z, left_out)
        flip: dict[str, Any] = {"text": "Every row is of one class: no row would change it."}
        predicted = str(one.prediction)
        if one.flip_rows is not None:
            count = len(one.flip_rows)
            which = "its nearest row" if count == 1 else f"its {count} nearest rows"
            flip = {
                "text": f"Without {which} of class {predicted} the prediction would be "
                f"{one.flip_label}.",
                "row": int(neighbors.row[one.flip_rows[0]]),
                "rows": neighbors.row[one.flip_rows].tolist(),
                "label": str(one.flip_label),
            }
        other = [run for run in ranges if run["predicted"] != predicted]
        if other:
            nearest = min(
                ((abs(end - k), end, run["predicted"]) for run in other
                 for end in (run["from"], run["to"])),
            )  # fmt: skip
            flip["k"] = nearest[1]
            flip["text"] += f" So would K = {nearest[1]} ({nearest[2]})."
        votes = dict(zip(names, one.votes.tolist(), strict=True))
        return {
            "predicted": predicted,
            "votes": {name: votes.get(name, 0.0) for name in texts or names},
            "margin": one.margin,
            "score_contributions": self._score_contributions(one),
            "stable_k": ranges,
            "flip": flip,
        }

    def _score_contributions(self, one: Evidence) -> dict[str, object]:
        """Return the lead of the predicted class over the next, as a sum over neighbors.

        Each neighbor adds its vote where it is of the predicted class, and takes it away where it
        is of the next one. What rounding in the model's own sums makes of this is a part, too.
        """
        rule = targets_of(self._exploration.neighbors.model).rule  # type: ignore[union-attr]
        scaled = rule.scaled(one.votes[None])[0]
        merit = scaled if rule.cost is None else -(scaled @ rule.cost)
        own = int(np.flatnonzero(one.classes == one.prediction)[0])
        rivals = [place for place in range(len(merit)) if place != own]
        rival = max(rivals, key=lambda place: merit[place], default=None)
        ratio = np.ones(len(merit)) if rule.class_weight is None else rule.class_weight
        code = np.searchsorted(one.classes, one.labels)
        gain = _gains(rule.cost, own, rival, len(merit))
        parts = (one.weights * ratio[code] * gain[code]).tolist()
        score = float(merit[own] - (0.0 if rival is None else merit[rival]))
        rows = self._exploration.neighbors.row[one.rows].tolist()
        listed = [
            {"row": row, "label": str(label), "part": part}
            for row, label, part in zip(rows, one.labels.tolist(), parts, strict=True)
        ]
        against = None if rival is None else str(one.classes[rival])
        return _complete(listed, score) | {"of": str(one.prediction), "against": against}

    def _ranges(self, Z: Matrix, left_out: Rows | None) -> list[dict[str, Any]]:
        """Return the ranges of K over which the prediction of one row is the same."""
        neighbors = self._exploration.neighbors
        model, k = neighbors.model, np.arange(1, neighbors.k_max + 1)
        targets = targets_of(model)
        query = model._neighbor_query(Z)
        if left_out is not None:
            weight = np.ones(model.n_samples_fit_)
            weight[left_out] = 0.0
            query = query._replace(weight=weight, spare=query.spare + len(left_out))
        values = targets.named(targets.decide(query, k.tolist())[0][0])
        return [
            {"from": first, "to": last, "predicted": str(predicted)}
            for first, last, predicted in k_ranges(values, k)
        ]

    def _contributions(
        self, model: BaseEstimator, Z: Matrix, places: Rows
    ) -> list[list[dict[str, object]]]:
        """Return for every neighbor the share of each column in its distance, largest first."""
        neighbors = self._exploration.neighbors
        shares = feature_shares(model, Z, places) if len(places) else None
        if shares is None:
            return [[] for _ in places]
        columns = list(dict.fromkeys(neighbors.feature_columns))
        place = {name: at for at, name in enumerate(columns)}
        of = np.array([place[name] for name in neighbors.feature_columns])
        return [_largest(np.bincount(of, share, len(columns)), columns) for share in shares]

    @staticmethod
    def _without_vote(
        model: BaseEstimator, Z: Matrix, left_out: Rows | None, distance: Array, own: int
    ) -> list[tuple[int, float, float]]:
        """Return rows of the same group that are as near as the voters: they have no vote."""
        if left_out is None or len(left_out) < 2 or not len(distance):
            return []
        width = min(len(left_out) + len(distance), model.n_samples_fit_)
        gap, row = model.kneighbors(Z, width)
        silent = np.isin(row[0], left_out) & (row[0] != own) & (gap[0] <= distance[-1])
        return [
            (int(place), float(far), 0.0)
            for place, far in zip(row[0][silent], gap[0][silent], strict=True)
        ]

    def _similarity(self, nearest: float | None) -> dict[str, object]:
        """Return how many training rows are nearer to their nearest row than this one is to its."""
        neighbors = self._exploration.neighbors
        if nearest is None or (neighbors.predicts and not neighbors.ready):
            return {"distance_percentile": None, "no_similar_case": None}
        every = neighbors.nearest_distances()
        share = int(np.searchsorted(every, nearest, side="left")) / len(every)
        return {"distance_percentile": share, "no_similar_case": share >= FAR}


def _nearest(model: BaseEstimator, Z: Matrix, k: int, left_out: Rows | None) -> tuple[Array, Rows]:
    distance, row = model.kneighbors(Z, min(k + (left_out is not None), model.n_samples_fit_))
    kept = np.ones(row.shape[1], bool) if left_out is None else ~np.isin(row[0], left_out)
    return distance[0][kept][:k], row[0][kept][:k]


def _gains(cost: AnyArray | None, own: int, rival: int | None, n_classes: int) -> Array:
    """Return what a vote for each class adds to the lead."""
    if cost is not None and rival is not None:
        gain: Array = np.asarray(cost[:, rival] - cost[:, own], np.float64)
        return gain
    gain = np.zeros(n_classes)
    gain[own] = 1.0
    if rival is not None:
        gain[rival] = -1.0
    return gain


def _number(one: NumberEvidence, row: Rows) -> dict[str, object]:
    parts = (one.weights * one.targets).tolist()
    listed = [
        {"row": int(row[place]), "label": float(target), "part": part}
        for place, target, part in zip(one.rows, one.targets, parts, strict=True)
    ]
    return {
        "predicted": one.prediction,
        "votes": {},
        "margin": None,
        "spread": one.spread,
        "score_contributions": _complete(listed, float(one.prediction)),
        "stable_k": [],
        "flip": {"text": _largest_move(one)},
    }


def _largest_move(one: NumberEvidence) -> str:
    moves = np.where(np.isnan(one.moves), 0.0, one.moves)
    if len(moves) < 2:
        return "One row decides the prediction."
    most = int(np.abs(moves).argmax())
    value = one.prediction + moves[most]
    return f"Without the row that moves it most, the prediction would be {number(value)}."


def _complete(parts: list[dict[str, Any]], score: float) -> dict[str, object]:
    """Return contributions that sum exactly to the score: the rounding of sums is a part."""
    rest = Fraction(score) - sum((Fraction(one["part"]) for one in parts), Fraction(0))
    every = list(parts)
    while rest:
        rounding = float(rest)
        every.append({"row": None, "label": "rounding", "part": rounding})
        rest -= Fraction(rounding)
    return {"parts": every, "total": math.fsum(one["part"] for one in every), "score": score}


def _largest(shares: AnyArray, columns: list[str]) -> list[dict[str, object]]:
    order = np.argsort(-shares, kind="stable")
    named = [{"name": columns[at], "share": float(shares[at])} for at in order[:SHOWN_COLUMNS]]
    rest = len(columns) - len(named)
    if rest:
        left = float(shares[order[SHOWN_COLUMNS:]].sum())
        named.append({"name": f"{rest} other columns", "share": left})
    return named
