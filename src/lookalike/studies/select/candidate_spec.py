"""What a candidate is: how it is fitted and what it costs, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import Score
from lookalike.typing import Array


@dataclass(frozen=True)
class FittedCandidate:
    """A model fitted on all training rows, its hyperparameters, and its validation score."""

    steps: tuple[
        tuple[str, BaseEstimator], ...
    ]  # that follow the preprocessing; the last one predicts
    hyperparameters: dict[str, str]
    score: Score
    rows: int = 0  # that hyperparameters were selected on, 0 for all
    n_components: int | None = None  # of LSA that are kept; None: all
    left_out: Callable[[], Array] | None = None  # class probabilities of each row without it


@dataclass(frozen=True)
class CandidateSpec:
    """A candidate: its title, the features it takes, what it costs, how it is fitted."""

    name: str
    title: str
    description: str
    fit: Callable[[TrainingRows], FittedCandidate]
    cost: Callable[[ProblemSize], float]  # seconds, roughly
    tasks: tuple[str, ...] = ("classification", "regression")
    features: str = "distance"  # which features it takes; see `Preparation`
    most: float = 600.0  # seconds beyond which it is skipped, whatever the time budget
    reference: bool = False  # whether it is shown next to the winner, and never is it
