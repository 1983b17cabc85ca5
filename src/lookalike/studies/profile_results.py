"""Results on single columns: their distribution, association with the target, and alerts."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.studies.format import Interval


@dataclass(frozen=True)
class Association:
    """How closely a column goes with the target, over the rows that have a value of it.

    The measure depends on the pair alone: Spearman's rank correlation of two numbers, the
    correlation ratio of ranks of a number and classes or categories (0 to 1, adjusted for the
    number of groups), Cramér's V of categories and classes (0 to 1, bias-corrected). It is
    detected where the p-value, Holm-corrected over the columns, is below 0.05.
    """

    measure: str
    value: float
    p_value: float  # Holm-corrected over all columns
    detected: bool
    n_rows: int
    interval: Interval | None = None  # of rank correlations


@dataclass(frozen=True)
class Histogram:
    """Counts of values in bins of equal width."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Alert:
    """Something about a column to know before it is used, in one sentence with its figures."""

    kind: str  # constant, identifier, capped_at_maximum, heavy_tailed, missing_by_target …
    text: str


@dataclass(frozen=True)
class ColumnProfile:
    """The distribution of a column; of text, that of the number of words."""

    n_values: int  # rows that have one
    unit: str = ""  # what quantiles and histogram are of: "words", "days since 1970", or values
    quantiles: tuple[float, ...] = ()  # minimum, quartiles and maximum
    dates: tuple[str, ...] = ()  # the same of dates, as text
    mean: float | None = None
    std: float | None = None
    n_at_minimum: int = 0
    n_at_maximum: int = 0
    histogram: Histogram | None = None
    top_values: tuple[tuple[str, int], ...] = ()  # the most frequent categories with their rows
    association: Association | None = None
    missing_association: Association | None = None  # of being missing with the target
    alerts: tuple[Alert, ...] = ()
