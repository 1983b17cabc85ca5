"""A problem with a known answer: rows to study, fresh rows, and what is true of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

FRESH_ROWS = 5_000


@dataclass
class Drawn:
    """Rows of a problem: those studied, then fresh ones, with what is known of them.

    What is None is unknown; what is empty is known not to be there.
    """

    frame: pd.DataFrame
    n_rows: int  # the first are studied
    target: str | None = "y"
    options: dict[str, Any] = field(default_factory=dict)  # of lookalike.study
    relevant: set[str] | None = None  # columns, or words, that the target depends on
    bayes_error: float | None = None
    wrong_rows: set[int] = field(default_factory=set)  # whose label or number was changed
    n_clusters: int | None = None
    n_copies: int = 0  # rows that repeat an earlier one, not by chance
    n_outliers: int = 0
    leaks: set[str] = field(default_factory=set)
    groups: str = ""  # the column whose values fresh rows do not share
    failing_column: str = ""  # the column whose values decide where the target cannot be predicted
    ordered: bool = False  # whether rows follow each other in time
    drifting: bool = False  # whether the relation changes with time
    capped: set[str] = field(default_factory=set)
    informative_gaps: set[str] = field(default_factory=set)  # columns missing for some targets
    similar_labels: bool = False
    codes: set[str] = field(default_factory=set)  # categories written as numbers
    dimension: float | None = None
    n_near_copies: int = 0  # rows that repeat an earlier one but for a little noise
    carries_all: set[str] = field(default_factory=set)  # columns that decide alone, rightly

    @property
    def studied(self) -> pd.DataFrame:
        return self.frame.iloc[: self.n_rows].reset_index(drop=True)

    @cached_property
    def fresh(self) -> pd.DataFrame:
        return self.frame.iloc[self.n_rows :].reset_index(drop=True)


Draw = Callable[[int, np.random.Generator], Drawn]


@dataclass(frozen=True)
class Problem:
    """A named way to draw rows."""

    name: str
    n_rows: int
    draw: Draw
    quick: bool = False  # whether the small version of the benchmark takes it

    def rows(self, seed: int) -> Drawn:
        """Draw the rows of a seed."""
        number = sum(map(ord, self.name))
        return self.draw(self.n_rows, np.random.default_rng([seed, number]))
