"""Training rows as a candidate model sees them, and how models are validated on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.studies.evaluate.metrics import cross_validated
from lookalike.studies.scoring import Scoring
from lookalike.studies.task import CLASSIFICATION, Score, Task
from lookalike.typing import AnyArray, Rows


class ProblemSize(NamedTuple):
    """What the time that a model takes depends on."""

    rows: int
    columns: int
    classes: int  # 1 of regression


@dataclass
class TrainingRows:
    """Preprocessed training rows, their targets, and the parameters of a neighbor search."""

    Z: AnyArray
    y: AnyArray
    task: Task
    seed: int
    search: Mapping[str, Any] = field(default_factory=dict)
    scaled: bool = True  # whether columns are of one scale
    groups: Rows | None = None  # rows of one group are not validated on each other
    scoring: Scoring | None = None  # what models are compared by, if not by error or RMSE

    @cached_property
    def k_selection(self) -> KSelection:
        """The validation errors of every K and both weightings, from one search."""
        model = neighbors(self, "loo", "uniform").fit(self.Z, self.y, groups=self.groups)
        selection: KSelection = model.selection_
        return selection

    @cached_property
    def tuning(self) -> AnyArray:
        """Rows that hyperparameters are tuned on by leave-one-out: the first of every group.

        All rows where groups are large, as those of a column are: one row of each is too little.
        """
        everyone = np.arange(len(self.y))
        if self.groups is None:
            return everyone
        first = np.sort(np.unique(self.groups, return_index=True)[1])
        return first if 2 * len(first) >= len(everyone) else everyone

    def validated(self, build: Callable[[], Any], Z: AnyArray | None = None) -> Score:
        """Return the cross-validated score of a model with fixed hyperparameters."""
        rows = self.Z if Z is None else Z
        return cross_validated(
            build, rows, self.y, self.task, groups=self.groups, scoring=self.scoring
        )

    @property
    def size(self) -> ProblemSize:
        """How large they are."""
        classes = len(np.unique(self.y)) if self.task is CLASSIFICATION else 1
        return ProblemSize(self.Z.shape[0], self.Z.shape[1], classes)

    def either(self, classifier: object, regressor: object) -> Any:
        """Return the one that suits the task."""
        return classifier if self.task is CLASSIFICATION else regressor


def neighbors(training: TrainingRows, k: int | str, weights: str) -> Any:
    """Return K-NN with the metric of the training rows, not fitted yet."""
    kind = training.either(KNeighborsClassifier, KNeighborsRegressor)
    return kind(k, weights=weights, **training.search)
