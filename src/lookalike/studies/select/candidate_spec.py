"""What a candidate is: how it is fitted and what it costs, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from lookalike.studies.select.training_rows import ProblemSize, TrainingRows


@dataclass(frozen=True)
class FittedCandidate:
    """A model fitted on training rows, and the hyperparameters that were chosen on them."""

    steps: tuple[
        tuple[str, BaseEstimator], ...
    ]  # that follow the preprocessing; the last one predicts
    hyperparameters: dict[str, str]
    n_components: int | None = None  # of LSA that are kept; None: all


@dataclass(frozen=True)
class CandidateSpec:
    """A candidate: its title, the features it takes, what it costs, how it is fitted."""

    name: str
    title: str
    description: str
    fit: Callable[[TrainingRows], FittedCandidate]
    cost: Callable[[ProblemSize], float]  # seconds of one fit on one core, roughly
    tasks: tuple[str, ...] = ("classification", "regression")
    features: str = "distance"  # which features it takes; see `Preparation`
    longest: float = 120.0  # seconds that a fit may be expected to take; beyond, on fewer rows
    reference: bool = False  # whether it is shown next to the winner, and never is it
    family: str = ""  # candidates of one family share a search, and are fitted together
