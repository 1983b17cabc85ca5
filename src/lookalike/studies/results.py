"""What a finished study holds: plain data that the page, the files and the summary are made of.

Every share is from 0 to 1, every interval is (low, high) with 95% confidence, every row number is
that of the data as they were given, counted from 0. What was not computed is None or empty, and a
decision says why. The results of single analyses are in :mod:`lookalike.studies.analysis_results`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sklearn.base import BaseEstimator

from lookalike.decisions import Decision
from lookalike.explain.bayes_error import BayesErrorEstimate
from lookalike.explain.dimension import Dimension
from lookalike.explain.learning_curve import Forecast, LearningCurve
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.printable import printable, printable_json
from lookalike.studies.analysis_results import (
    NOT_IN_JSON,
    AllRows,
    AuditSummary,
    Clustering,
    FeatureImportance,
    Projection,
    PrototypeSelection,
    Slice,
    Spectrum,
    TargetLeakage,
)
from lookalike.studies.evaluation_results import (
    Calibration,
    ClassThreshold,
    IntervalCoverage,
    OtherSplit,
    PartialDependence,
    Residuals,
    RocCurve,
)
from lookalike.studies.format import Interval
from lookalike.studies.profile_results import ColumnProfile
from lookalike.studies.rare_classes import rare_classes
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray, Array, Rows

STUDY_SCHEMA = "lookalike.study/3"
TIME_WAS_OVER = "its time was over"  # ends why a candidate was stopped
NOT_BEGUN = "of the time are left for it"  # ends why it was not begun


@dataclass(frozen=True)
class DataShape:
    """How large the data are, and how they were split."""

    n_rows: int
    n_columns: int  # as they came, without the target
    n_features: int  # numbers that describe a row after preprocessing
    n_train: int
    n_held_out: int
    split: str  # "360 of 1,797 rows, random seed 0", "5-fold nested cross-validation" …


@dataclass(frozen=True)
class ColumnDescription:
    """One column: what it holds and what was done with it."""

    name: str
    kind: str  # number, category, boolean, ordinal, date, text, identifier, constant, empty, pixels
    role: str  # feature, target, split, text, dropped
    missing: int
    distinct: int
    example: str
    reason: str = ""  # why it was dropped, or how it became numbers
    profile: ColumnProfile | None = None  # its distribution, association with the target, alerts
    odd_cells: str = ""  # which cells are missing because they are not of the type of the column


@dataclass(frozen=True)
class TargetSummary:
    """The target column: its classes with their frequencies, or mean and standard deviation."""

    name: str
    classes: tuple[object, ...] = ()  # in sorted order, as they came; empty for regression
    counts: tuple[int, ...] = ()
    mean: float | None = None
    std: float | None = None
    distinct: int | None = None  # values of regression
    intervals: tuple[Interval, ...] = ()  # of the frequencies of the classes, Wilson's
    profile: ColumnProfile | None = None  # the distribution of numbers, and alerts

    @property
    def rare_classes(self) -> list[tuple[object, float]]:
        """The classes with less than 30% of an equal share, the rarest first, and their shares."""
        return rare_classes(self.classes, self.counts)


@dataclass(frozen=True)
class Candidate:
    """One model that was compared with the others on the same folds.

    `validation_error` is its error rate, or RMSE, on rows that its models were not fitted to.
    That of the winner is optimistic, since it is the best of several: its held-out error is
    corrected for that, or is that of a test set.
    """

    name: str  # for example "knn"
    title: str  # for example "K nearest neighbors"
    description: str  # one sentence on how it predicts
    hyperparameters: dict[str, str] = field(default_factory=dict)  # {"K": "3", …}
    validation_error: float | None = None
    validation_interval: Interval | None = None
    validation_method: str = ""  # "5-fold cross-validation, 3 repeats" …
    n_rows: int = 0  # rows that it predicted in the folds
    seconds: float = 0.0
    skipped: str = ""  # why it was not compared, empty where it was
    stopped: str = ""  # why it was not fitted to all folds, and cannot be kept
    validation_score: float | None = None  # what models are compared by, where scoring= asked
    held_out_error: float | None = None  # None where not computed
    held_out_interval: Interval | None = None
    reference: bool = False  # run in the same folds for comparison; never the winner, not kept
    gap: float | None = None  # of a reference: its validation error by the winner's, minus 1
    difference_interval: Interval | None = None  # of its mean loss from the winner's, same rows
    equal_within_noise: bool = False  # whether a paired test finds no difference from the winner

    @property
    def choices(self) -> str:
        """The hyperparameters, or of a reference its gap, as tables of models show them."""
        if self.gap is not None:
            return f"error {self.gap:+,.1%} relative to that of the selected model"
        return ", ".join(f"{name} = {value}" for name, value in self.hyperparameters.items())

    @property
    def lacked_time(self) -> bool:
        """Whether it was not compared because the time was over."""
        return (self.skipped or self.stopped).endswith((TIME_WAS_OVER, NOT_BEGUN))


@dataclass(frozen=True)
class ClassScores:
    """How one class fares on held-out rows; what has no denominator is None.

    Where each row was held out several times, `predicted` is the mean over the repeats.
    """

    label: object
    support: int  # rows of the class
    predicted: float  # rows predicted to be of it
    precision: float | None
    recall: float | None
    f1: float | None
    recall_interval: Interval | None = None


@dataclass(frozen=True)
class MetricScore:
    """One score on held-out rows, and that of the baseline."""

    name: str  # "balanced_accuracy", "auc" …
    title: str
    value: float
    interval: Interval
    baseline: float | None  # None where the baseline has no such score


@dataclass(frozen=True)
class HeldOutScores:
    """The held-out error: on rows that the models predicting them were not fitted or selected on.

    `error` is the error rate or the RMSE, with an interval of 95%: Wilson's [Wilson27], or the
    wider of a bootstrap over rows and Student's t interval of the log MSE; where rows come in
    groups not narrower than a bootstrap over groups, and of repeated cross-validation not narrower
    than by the corrected resampled variance [Nadeau03].
    ``confusion_matrix[i][j]`` counts rows of class i that were predicted as class j, in all
    repeats.
    """

    metric: str  # "error" or "rmse"
    error: float
    interval: Interval
    n_rows: int
    baseline: float  # the same metric for the most frequent class, or the mean
    baseline_interval: Interval
    r2: float | None = None
    r2_interval: Interval | None = None
    mae: float | None = None  # of numbers, and of classes that are integers in an order
    labels: tuple[object, ...] = ()
    confusion_matrix: tuple[tuple[int, ...], ...] = ()
    classes: tuple[ClassScores, ...] = ()
    n_repeats: int = 1  # how often each row was held out
    interval_method: str = ""
    scoring: str = ""  # the score that the model was selected by
    scores: tuple[MetricScore, ...] = ()  # all scores of the task
    other_splits: tuple[OtherSplit, ...] = ()
    selected_share: dict[str, float] = field(default_factory=dict)  # of draws that each model won
    refit_factor: float = 1.0  # by which learning from all rows surely lowers the mean loss
    expected_refit_factor: float = 1.0  # and by which it is expected to


@dataclass(frozen=True)
class Predictions:
    """The prediction for every held-out row, in order of row; once for every repeat."""

    row: Rows
    y_true: AnyArray
    y_pred: AnyArray
    probability: Array | None  # of the predicted class
    fold: Rows  # 0 where one part was held out; counted on over the repeats
    shares: Array | None = None  # (rows, classes), probabilities of all classes
    labels: AnyArray | None = None  # the classes of `shares`, sorted; None of regression

    def take(self, rows: AnyArray) -> Predictions:
        """Return the predictions for some of the rows, by their places or a mask."""
        return Predictions(
            self.row[rows],
            self.y_true[rows],
            self.y_pred[rows],
            None if self.probability is None else self.probability[rows],
            self.fold[rows],
            None if self.shares is None else self.shares[rows],
            self.labels,
        )

    def by_other(self, y_pred: AnyArray) -> Predictions:
        """Return the predictions of another model for the same rows, without probabilities."""
        return replace(self, y_pred=y_pred, probability=None, shares=None)


@dataclass(frozen=True)
class Finding:
    """One sentence of the summary, with every figure in it by its place in study.json."""

    topic: str  # what the report has a section on: model, bayes_error, audit …
    text: str
    figures: dict[str, str] = field(default_factory=dict)  # {"held_out.error": "1.9%", …}
    kind: str = ""  # of claim: model, baseline, rare_classes …
    scope: str = ""  # which model and rows it speaks of
    method: str = ""  # how its figures were computed


@dataclass(kw_only=True)
class StudyAnalyses:
    """What the analyses of a study found; None or empty where not computed."""

    columns: tuple[ColumnDescription, ...] = ()
    target: TargetSummary | None = None
    feature_importance: tuple[FeatureImportance, ...] = ()  # the most important first
    pixel_importance: str | None = field(default=None, metadata=NOT_IN_JSON)
    bayes_error: BayesErrorEstimate | None = None
    learning_curve: LearningCurve | None = None
    forecast: Forecast | None = None
    k_selection: KSelection | None = None
    spectrum: Spectrum | None = None
    projections: tuple[Projection, ...] = ()
    intrinsic_dimension: Dimension | None = None
    audit: AuditSummary | None = None
    prototype_selection: PrototypeSelection | None = None
    clustering: Clustering | None = None
    roc_curves: tuple[RocCurve, ...] = ()
    calibration: Calibration | None = None
    residuals: Residuals | None = None
    prediction_intervals: IntervalCoverage | None = None
    slices: tuple[Slice, ...] = ()  # of the highest error first
    thresholds: tuple[ClassThreshold, ...] = ()  # of rare classes
    partial_dependence: tuple[PartialDependence, ...] = ()
    out_of_fold: tuple[Rows, Array] | None = field(default=None, metadata=NOT_IN_JSON)


@dataclass(kw_only=True)
class Study(StudyAnalyses):
    """A finished study, in plain data; see :func:`lookalike.study`.

    Attributes
    ----------
    summary : tuple of Finding
        The results in sentences, the most important first.
    held_out : HeldOutScores or None
        Error or RMSE of the winner on held-out rows, with its baseline.
    bayes_error : BayesErrorEstimate or None
        Estimated Bayes error, and what its ends rest on.
    k_selection : KSelection or None
        Validation scores of every K, by leave-one-out and both weightings.
    leakage : TargetLeakage or None
        Columns that nearly determine the target, and the held-out error without them.
    all_rows : AllRows or None
        What passes over all rows found, where models were compared on a sample.
    roc_curves : tuple of RocCurve
        ROC and precision-recall curves of held-out predictions, one class against the rest.
    calibration : Calibration or None
        Of the class probabilities of held-out rows.
    residuals, prediction_intervals
        Of a regression: residuals of held-out rows, conformal intervals and their coverage.
    slices : tuple of Slice
        Parts of the rows with a significantly higher error.
    thresholds : tuple of ClassThreshold
        Of rare classes: what another threshold than the most probable class gives.
    partial_dependence : tuple of PartialDependence
        How predictions depend on the most important columns.
    forecast : Forecast or None
        The learning curve continued to 1, 2, 4 and 10 times the rows.
    model : Pipeline or None
        The winner, fitted on the training rows; it predicts tables as they were given.
    companion : Pipeline or None
        K nearest neighbors fitted on the same rows, where the winner has no neighbors of its own;
        neighbors.lookalike of the folder: neighbors and explanations come from it.
    predictions : Predictions or None
        The predictions for the held-out rows.
    pixel_importance : str or None
        Of images, the univariate score of each pixel: the data: address of a small PNG.
    fold_models : tuple of (Pipeline, ndarray)
        The models that gave the predictions, the one that is kept or one for each fold, each with
        the numbers of its training rows, in order.
    out_of_fold : (ndarray, ndarray) or None
        Row numbers, and their class probabilities by the winner fitted on other rows, classes in
        sorted order; where the label audit needed them.
    """

    title: str
    source: str
    task: str  # classification, regression or exploratory
    data_kind: str  # table, images or texts
    shape: DataShape
    summary: tuple[Finding, ...]
    candidates: tuple[Candidate, ...]
    winner: str | None  # name of a candidate
    held_out: HeldOutScores | None
    decisions: tuple[Decision, ...]
    seed: int
    versions: dict[str, str]
    settings: dict[str, str]  # the options in force: metric, memory, time, engine
    seconds: float
    stages: dict[str, float]  # seconds of each
    leakage: TargetLeakage | None = None
    all_rows: AllRows | None = None
    image_shape: tuple[int, ...] | None = None
    schema: str = STUDY_SCHEMA
    predictions: Predictions | None = field(default=None, metadata=NOT_IN_JSON)
    model: BaseEstimator | None = field(default=None, metadata=NOT_IN_JSON)
    companion: BaseEstimator | None = field(default=None, metadata=NOT_IN_JSON)
    fold_models: tuple[tuple[BaseEstimator, Rows], ...] = field(default=(), metadata=NOT_IN_JSON)
    origin: Any = field(default=None, metadata=NOT_IN_JSON)  # StudyOptions: where rows came from
    preparation: Any = field(default=None, metadata=NOT_IN_JSON)  # of rows for distance models

    def explore(self, **options: object) -> object:
        """Show the study as a page in the notebook: rows on a map, their neighbors, corrections.

        The page is served to this computer alone, and closes with the notebook's kernel.

        Parameters
        ----------
        **options
            corrections, height and port, as in :func:`lookalike.web.notebook.explore`.
        """
        from importlib import import_module

        return import_module("lookalike.web.notebook").explore(self, **options)

    def prediction_interval(self, X: object) -> tuple[Array, Array]:
        """Return the ends of the conformal prediction interval of every row of a table X.

        A study of classes, or of too few rows, has none, which is a ParameterError.
        """
        from lookalike.studies.evaluate.prediction_intervals import predict_interval

        return predict_interval(self, X)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as dicts, lists, text, numbers and None."""
        content: dict[str, object] = to_jsonable(self)
        names = {field.name for field in fields(StudyAnalyses)}
        return {
            "schema": content.pop("schema"),
            **{name: part for name, part in content.items() if name not in names},
            **{name: part for name, part in content.items() if name in names},
        }

    def to_json(self) -> str:
        """Return the study as JSON of schema "lookalike.study/3"; see docs/study.md."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        return printable_json(text) + "\n"

    def __str__(self) -> str:
        return printable("\n".join(finding.text for finding in self.summary))

    def _repr_html_(self) -> str:
        from importlib import import_module

        return str(import_module("lookalike.report.notebook").study_html(self))

    def __repr__(self) -> str:
        rows, columns = self.shape.n_rows, self.shape.n_columns
        return f"<Study of {printable(self.title)}: {self.task}, {rows} rows, {columns} columns>"
