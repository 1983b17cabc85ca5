"""Results of the analyses of a study: curves, structure, feature importance, audit, clusters."""

from __future__ import annotations

from dataclasses import dataclass, field

from lookalike.explain.audit.table import AuditTable
from lookalike.models.manifold.quality import MapQuality
from lookalike.studies.format import Interval
from lookalike.typing import Array, Rows

SIGNIFICANCE_LEVEL = 0.05
STATED_LEVEL = 0.01  # of importance and slices: a study tests many, and each is read as a fact
NOT_IN_JSON = {"json": False}  # kept in the object and in files of their own, not in study.json


@dataclass(frozen=True)
class Spectrum:
    """Variance of the preprocessed rows along each principal component."""

    explained_variance: tuple[float, ...]  # at most 100 of them
    explained_variance_ratio: tuple[float, ...]
    n_components: int  # how many there are
    n_components_by_rule: dict[str, int]  # what each rule would keep: "0.95", "knee" …


@dataclass(frozen=True)
class Projection:
    """Rows projected onto a plane."""

    method: str  # "PCA", "LDA" or "neighbor map"
    row: Rows
    x: Array
    y: Array
    label: tuple[str, ...]  # class, or target as text, or cluster; empty where there is none
    value: Array | None  # the target of a regression
    axis_labels: tuple[str, str]
    sampled: bool  # whether only a sample of the rows is shown
    quality: MapQuality | None = None  # of a neighbor map


@dataclass(frozen=True)
class ColumnOfAllRows:
    """One column over all rows; numbers alone have a mean, a spread and a range."""

    name: str
    kind: str
    missing: int
    mean: float | None
    std: float | None
    least: float | None
    most: float | None
    univariate_score: float | None  # share of variance between classes, or squared correlation


@dataclass(frozen=True)
class AllRowsScores:
    """The selected model on all held-out rows, not only those of the sample."""

    metric: str  # "error" or "rmse"
    error: float
    interval: Interval
    n_rows: int
    baseline: float  # the most frequent class, or the mean, of these rows
    confusion_matrix: tuple[tuple[int, ...], ...] = ()  # the last line: classes not in the sample
    n_train: int = 0  # rows that are not held out
    fitted_on_all: bool = False  # whether the model was fitted on all of them


@dataclass(frozen=True)
class AllRows:
    """What was found by passes over all rows, where models were compared on a sample."""

    n_rows: int
    n_compared: int  # rows of the sample
    n_duplicates: float  # rows that repeat another in every feature
    duplicates_estimated: bool  # from a random part of the distinct rows
    columns: tuple[ColumnOfAllRows, ...]
    determining: tuple[str, ...] = ()  # columns that nearly determine the target
    filled_for_one_class: tuple[str, ...] = ()
    summed: tuple[str, ...] = ()  # columns whose linear combination nearly determines the target
    classes: tuple[object, ...] = ()
    counts: tuple[int, ...] = ()
    explained_variance_ratio: tuple[float, ...] = ()  # of principal components of all rows
    cluster_sizes: tuple[int, ...] = ()  # of k-means fitted on all rows
    scores: AllRowsScores | None = None
    sample_error: float | None = None  # of the learning curve, at the size of the sample
    forecast_error: float | None = None  # of the learning curve, with as many rows as there are
    forecast_interval: Interval | None = None


@dataclass(frozen=True)
class FeatureImportance:
    """Permutation importance of one column: by how much shuffling it raises the held-out error.

    Of texts, a term: importance and interval are then its univariate score.
    """

    name: str
    importance: float  # rise of the error, or of the RMSE
    interval: Interval
    univariate_score: float  # share of variance between classes, or squared correlation
    adjusted_p: float  # of no importance, corrected for the number of columns

    @property
    def is_significant(self) -> bool:
        """Whether the importance is above 0 after correction for the number of columns."""
        return self.adjusted_p <= STATED_LEVEL


@dataclass(frozen=True)
class Neighbor:
    """A row near another."""

    row: int
    distance: float
    label: str = ""
    thumbnail: str | None = None  # a data: address of a small PNG
    text: str | None = None  # the beginning of a document
    values: dict[str, str] = field(default_factory=dict)  # some columns


@dataclass(frozen=True)
class FlaggedRow:
    """A row that the audit flags, with its neighbors."""

    row: int
    kind: str  # mislabel, duplicate, near_duplicate, conflict, leak, outlier, hub
    score: float  # probability, robust deviations, occurrences; 1 for duplicates
    label: str = ""
    suggested_label: str = ""
    thumbnail: str | None = None
    text: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    neighbors: tuple[Neighbor, ...] = ()


@dataclass(frozen=True)
class AuditSummary:
    """How many rows of each kind there are, and the worst of them.

    Of duplicates, `counts` has the rows that repeat an earlier one, and `groups` the groups.
    """

    counts: dict[str, int]
    flagged_rows: tuple[FlaggedRow, ...]  # the worst of each kind, kind by kind
    k: int
    n_rows: int  # that were audited
    noise_rate: float | None  # estimated share of wrong labels or numbers
    table: AuditTable = field(metadata=NOT_IN_JSON)
    target_kind: str = "label"  # or "number": what may be wrong, and differs in conflicts
    groups: dict[str, int] = field(default_factory=dict)  # of duplicates and near duplicates
    is_clear: bool = True  # whether labels are wrong beyond doubt, or classes may overlap

    @property
    def target_title(self) -> str:
        """What a sentence calls it: the label, or the target where that is a number."""
        return "label" if self.target_kind == "label" else "target"


@dataclass(frozen=True)
class Slice:
    """A part of the rows with a significantly higher error than the others.

    It was found on one half of the rows; its figures are those of the other half.
    """

    rule: str  # "site = B", "age ≥ 61 and smoker = yes"
    error: float
    interval: Interval  # 95% for all slices that were tested together
    n_rows: int
    error_of_others: float
    adjusted_p: float  # corrected for the number of slices tested


@dataclass(frozen=True)
class Leak:
    """Columns that nearly determine the target, by a cross-validated model of them alone."""

    kind: str  # column, text copy, identifier, filled for one class, timestamp, pair, sum
    columns: tuple[str, ...]
    used: bool  # whether models are given them
    error: float  # error or RMSE that they leave
    error_of_others: float  # that all other columns leave, by a random forest
    method: str
    n_rows: int


@dataclass(frozen=True)
class TargetLeakage:
    """Leaks, and the held-out error of a study without their columns."""

    leaks: tuple[Leak, ...]
    error_without: float | None = None  # None where no other column is left, or none was used
    interval_without: Interval | None = None
    winner_without: str = ""
    n_rows: int = 0
    groups: str = ""  # the leaking identifier whose rows were then held out together


@dataclass(frozen=True)
class PrototypeSelection:
    """Condensed 1-NN: a subset of the training rows, and its held-out error."""

    n_prototypes: int
    n_train: int
    error: float  # of 1-NN on the prototypes, on held-out rows
    error_all_rows: float  # of 1-NN on all training rows, on the same rows
    interval: Interval  # of error
    n_held_out: int


@dataclass(frozen=True)
class ClusterTrait:
    """A column whose mean in a cluster differs from that of all rows, or a term or category."""

    name: str
    mean: float
    overall_mean: float
    is_share: bool  # whether these are shares of rows


@dataclass(frozen=True)
class Cluster:
    """Rows that belong together."""

    n_rows: int
    typical_rows: tuple[Neighbor, ...]  # nearest to the center
    traits: tuple[ClusterTrait, ...]  # those that differ most first


@dataclass(frozen=True)
class Clustering:
    """Clusters of k-means, the largest first."""

    clusters: tuple[Cluster, ...]
    inertia: float
    n_clusters_tried: tuple[int, ...]
    silhouette: tuple[float, ...]  # mean silhouette of every number tried
    labels: Rows = field(metadata=NOT_IN_JSON)
    chance_silhouette: float = 1.0  # up to which rows without clusters come
