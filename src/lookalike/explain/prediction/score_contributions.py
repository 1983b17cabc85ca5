"""What each neighbor adds to the score of a prediction: parts that sum exactly to it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lookalike.kernels.votes import VotingRule
from lookalike.typing import AnyArray, Array, Rows

ROUNDING_PART, BACKGROUND_PART = "rounding", "background"  # parts that are of no row


class ScorePart(NamedTuple):
    """The part of one training row; of what no row adds, `row` is None."""

    row: int | None
    label: object
    part: float


class ScoreContributions(NamedTuple):
    """The lead of the predicted class over the next, or a predicted number, as a sum."""

    parts: tuple[ScorePart, ...]
    score: float
    of: object = None  # the predicted class
    against: object = None  # the next one; None if there is none

    @property
    def total(self) -> float:
        """The sum of the parts, which is the score."""
        return math.fsum(part.part for part in self.parts)

    def renumbered(self, numbers: Rows) -> ScoreContributions:
        """Return the contributions with other numbers of rows."""
        parts = (
            part if part.row is None else part._replace(row=int(numbers[part.row]))
            for part in self.parts
        )
        return self._replace(parts=tuple(parts))

    def to_dict(self) -> dict[str, object]:
        """Return the contributions as plain data."""
        return {
            "of": None if self.of is None else str(self.of),
            "against": None if self.against is None else str(self.against),
            "parts": [part._asdict() for part in self.parts],
            "total": self.total,
            "score": self.score,
        }


class Voters(NamedTuple):
    """The neighbors that count: their numbers, the class of each, and what it counts."""

    row: Rows
    code: Rows
    weight: Array


def class_contributions(
    voters: Voters, rule: VotingRule, votes: Array, classes: AnyArray, answer: int
) -> ScoreContributions:
    """Return the lead of the predicted class over the next, as a sum over neighbors.

    Each neighbor adds its vote if it is of the predicted class, and takes it away if it is of the
    next one. What rounding makes of this in the model's own sums is a part as well.
    """
    scaled = rule.scaled(votes[None])[0]
    merit = scaled if rule.cost is None else -(scaled @ rule.cost)
    ratio = np.ones(len(merit)) if rule.class_weight is None else rule.class_weight
    counted = voters._replace(weight=voters.weight * ratio[voters.code])
    return _lead(counted, merit, classes, answer, cost=rule.cost)


def share_contributions(
    voters: Voters, votes: Array, classes: AnyArray, rest: str
) -> ScoreContributions:
    """Return the lead in probability as a sum over rows and, by the name `rest`, what else adds."""
    return _lead(voters, votes, classes, int(votes.argmax()), rest=rest)


def _lead(
    voters: Voters,
    merit: Array,
    classes: AnyArray,
    answer: int,
    *,
    cost: AnyArray | None = None,
    rest: str = ROUNDING_PART,
) -> ScoreContributions:
    rivals = [code for code in range(len(merit)) if code != answer]
    rival = max(rivals, key=lambda code: float(merit[code]), default=None)
    parts = voters.weight * _gains(cost, answer, rival, len(merit))[voters.code]
    score = float(merit[answer] - (0.0 if rival is None else merit[rival]))
    against = None if rival is None else classes[rival]
    labels = classes[voters.code]
    whole = complete(voters.row, labels, parts, score, rest)
    return whole._replace(of=classes[answer], against=against)


def complete(
    rows: Rows, labels: AnyArray, parts: Array, score: float, rest: str = ROUNDING_PART
) -> ScoreContributions:
    """Return contributions that sum exactly to the score: what is left over is a part."""
    every = [
        ScorePart(*part)
        for part in zip(rows.tolist(), labels.tolist(), parts.tolist(), strict=True)
    ]
    left = Fraction(score) - sum((Fraction(part.part) for part in every), Fraction(0))
    while left:
        every.append(ScorePart(None, rest, float(left)))
        left -= Fraction(float(left))
        rest = ROUNDING_PART
    return ScoreContributions(tuple(every), score)


def _gains(cost: AnyArray | None, answer: int, rival: int | None, n_classes: int) -> Array:
    """Return what a vote for each class adds to the lead."""
    if cost is not None and rival is not None:
        gain: Array = np.asarray(cost[:, rival] - cost[:, answer], np.float64)
        return gain
    gain = np.zeros(n_classes)
    gain[answer] = 1.0
    if rival is not None:
        gain[rival] = -1.0
    return gain
