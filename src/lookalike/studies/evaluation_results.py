"""Results on held-out predictions: ROC and precision-recall curves, calibration, residuals."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.studies.format import Interval


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
class IntervalCoverage:
    """Conformal prediction intervals: prediction less and plus `half_width`.

    The half width is the conformal quantile of the absolute residuals of all held-out rows. The
    coverage is measured on halves of them, each with the half width of the other.
    """

    coverage: float  # that was asked for
    half_width: float
    measured_coverage: float
    measured_interval: Interval
    n_rows: int


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
