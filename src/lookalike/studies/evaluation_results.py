"""Results on held-out predictions: ROC and precision-recall curves, calibration, residuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lookalike.studies.format import Interval
from lookalike.typing import Array


@dataclass(frozen=True)
class RocCurve:
    """One class against all others, by the probability (or decision value) of the class.

    Points go from the strictest threshold to the loosest. Where every row was held out several
    times, the curve is over all repeats; `auc` is the mean over repeats.
    """

    label: object
    n_positive: int
    n_negative: int
    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]  # the recall
    precision: tuple[float, ...]
    auc: float
    auc_interval: Interval  # by Newcombe's score method
    average_precision: float


@dataclass(frozen=True)
class OtherSplit:
    """The error of the selected model when rows are held out in another way."""

    kind: str  # "duplicates": identical rows on both sides; "distinct"; "time"; "groups"
    description: str
    error: float
    interval: Interval
    n_rows: int
    n_copies: int = 0  # held-out rows that are identical to a training row
    autocorrelation: float | None = None  # of the target at lag 1, where rows are ordered in time
    persistence: float | None = None  # the error of the target of the row before, the same rows
    persistence_interval: Interval | None = None
    column: str = ""  # of the time, or of the groups, where there is one


@dataclass(frozen=True)
class CalibrationBin:
    """Held-out rows of similar probability: what was predicted, and what share came true."""

    mean_probability: float
    share: float
    interval: Interval  # of the share, Wilson's
    n_rows: int


@dataclass(frozen=True)
class Calibration:
    """Whether class probabilities are those of the world, on rows that were held out once.

    `ece` is the expected calibration error: the mean distance between probability and share over
    the bins, weighted by their rows. It is above 0 for calibrated probabilities too: `ece_chance`
    is what 99% of samples of as many rows stay below when every probability is right.
    """

    label: object  # whose probability; None: that of the class predicted
    bins: tuple[CalibrationBin, ...]
    brier: float  # mean squared distance between probability and outcome
    brier_baseline: float  # of the frequencies of the classes
    ece: float
    ece_chance: float
    n_rows: int
    power: float = 0.0  # chance to detect probabilities that are 5 points too extreme


@dataclass(frozen=True)
class ResidualBin:
    """Held-out rows of similar predictions, and quantiles of their residuals."""

    mean_prediction: float
    quantiles: tuple[float, ...]  # 10, 25, 50, 75 and 90%
    n_rows: int


@dataclass(frozen=True)
class Residuals:
    """True less predicted numbers of held-out rows, each held out once."""

    quantiles: dict[str, float]  # "5%", "25%", "50%", "75%", "95%"
    bins: tuple[ResidualBin, ...]
    spread_correlation: float  # Spearman's, of the absolute residual with the prediction
    spread_interval: Interval
    n_rows: int
    median_absolute: float | None = None  # residual that half of the rows stay below


@dataclass(frozen=True)
class ClassThreshold:
    """What predicting a rare class from another probability on gives, instead of the most probable.

    The threshold is that of the highest balanced accuracy; recall and precision are measured on
    halves of the held-out rows, each with the threshold of the other.
    """

    label: object
    threshold: float
    recall: float
    recall_interval: Interval  # Wilson's
    precision: float | None
    n_rows: int  # of the class


@dataclass(frozen=True)
class WidthFactors:
    """By how much intervals are wider in parts of the predictions, or of the values of a column."""

    name: str  # of the column; "" of the prediction itself
    edges: tuple[float, ...]  # between the parts, ascending
    factors: tuple[float, ...]  # one more than edges

    def of(self, values: Array) -> Array:
        """Return the factor of every value; the largest where it is missing."""
        factors = np.array(self.factors)
        part = np.searchsorted(np.array(self.edges), values, side="right")
        chosen: Array = np.where(np.isnan(values), factors.max(), factors[part])
        return chosen


@dataclass(frozen=True)
class IntervalCoverage:
    """Conformal prediction intervals: prediction less and plus `half_width` times the factors.

    The half width is the conformal quantile of the absolute out-of-fold residuals (CV+), each
    divided by factors that were found without it. The coverage is measured on halves of the rows,
    each with the widths of the other.
    """

    coverage: float  # that was asked for
    half_width: float
    measured_coverage: float
    measured_interval: Interval
    n_rows: int
    factors: tuple[WidthFactors, ...] = ()  # where the spread differs
    width_range: Interval | None = None  # half widths that 80% of the rows lie between

    def half_widths(self, columns: Mapping[str, Array]) -> Array:
        """Return the half width of every row: of predictions under "", and columns by name."""
        widths: Array = np.full(len(columns[""]), self.half_width)
        for axis in self.factors:
            widths = widths * axis.of(np.asarray(columns[axis.name], np.float64))
        return widths


@dataclass(frozen=True)
class PartialDependence:
    """The mean prediction of the selected model when one column is set to each value in turn.

    `low` and `high` are the 10% and 90% quantiles over the rows (individual conditional
    expectation). It describes the model, for rows that may not exist.
    """

    name: str
    kind: str  # number, date, ordinal, category or boolean
    output: str  # "prediction", "probability of yes", "share predicted as yes"
    values: tuple[float | str, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n_rows: int
