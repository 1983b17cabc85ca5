"""What a finished study holds: plain data that the page, the files and the verdict are made of.

Every share is from 0 to 1, every interval is (low, high) at 95 %, every row number is that of the
data as they were given, counted from 0. What was not looked at is None or empty, and a decision
says why.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import Any

from lookalike.decisions import Decision
from lookalike.studies.to_json import plain
from lookalike.typing import AnyArray, Array, Rows

SCHEMA = "lookalike.study/1"
HIDDEN = {"json": False}  # kept in the object and in files of their own, not in study.json
Interval = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """How large the data are, and how they were divided."""

    rows: int
    columns: int  # as they came, without the target
    features: int  # numbers that describe a row after preparation
    train_rows: int
    held_out_rows: int
    division: str  # in words: "a fifth of the rows, drawn with seed 0", "5 folds", "the test file"


@dataclass(frozen=True)
class ColumnFact:
    """One column: what it holds and what was done with it."""

    name: str
    kind: str  # number, category, boolean, ordinal, date, text, id, constant, empty, pixels
    role: str  # feature, target, split, text, dropped
    missing: int
    distinct: int
    example: str
    reason: str = ""  # why it was dropped, or how it became numbers


@dataclass(frozen=True)
class TargetFact:
    """What is to be told of a row."""

    name: str
    classes: tuple[str, ...] = ()  # in sorted order; empty for numbers
    counts: tuple[int, ...] = ()
    mean: float | None = None  # of numbers
    deviation: float | None = None


@dataclass(frozen=True)
class Candidate:
    """One model that was compared, scored on the training rows alone.

    `selection` is what the winner was chosen by: the error of classes, or the RMSE of numbers,
    of training rows that were left out. It is never the estimate, since the best of many is
    better than it will be.
    """

    name: str  # such as "knn"
    title: str  # such as "K nearest neighbors"
    words: str  # one plain sentence on how it answers
    choices: dict[str, str] = field(default_factory=dict)  # {"K": "3", "weights": "distance"}
    selection: float | None = None
    selection_interval: Interval | None = None
    method: str = ""  # how rows were left out: "5 folds", "leave-one-out"
    rows: int = 0  # training rows that the choices were made on
    seconds: float = 0.0
    left_out: str = ""  # why it was not compared, empty where it was
    held_out: float | None = None  # of the winner alone


@dataclass(frozen=True)
class ClassScore:
    """How one class fares on held-out rows."""

    label: str
    rows: int
    predicted: int
    precision: float | None
    recall: float | None


@dataclass(frozen=True)
class Estimate:
    """The honest estimate, on rows that took no part in any choice.

    `error` is the share of wrong answers with its Wilson interval [Wilson27], or the RMSE with a
    bootstrap interval. `confusion[i][j]` counts rows of class i that were answered j; rows of a
    class that training never saw are in the last line.
    """

    measure: str  # "error" or "rmse"
    error: float
    interval: Interval
    rows: int
    baseline: float  # the same measure for the most frequent class, or the mean
    baseline_interval: Interval
    r2: float | None = None
    r2_interval: Interval | None = None
    mae: float | None = None
    labels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    classes: tuple[ClassScore, ...] = ()


@dataclass(frozen=True)
class Predictions:
    """The answer for every held-out row, in order of row."""

    row: Rows
    truth: AnyArray
    answer: AnyArray
    probability: Array | None  # of the answer
    fold: Rows  # 0 where one part was held out


@dataclass(frozen=True)
class Trial:
    """A model that answered held-out rows, and the numbers of the rows it was fitted on, in order.

    Of folds there is one each; the answers are those of `Predictions` with its fold.
    """

    model: Any
    train: Rows


@dataclass(frozen=True)
class Bracket:
    """Between which errors the best possible classifier lies [Cover67]."""

    low: float
    high: float
    interval: Interval
    nearest_neighbor_error: float
    rows: int


@dataclass(frozen=True)
class LearningCurve:
    """Errors against rows, and where they are heading."""

    k: int
    sizes: tuple[int, ...]
    error: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    power_law: tuple[float, float, float]  # a + b n^-c
    ahead: tuple[int, ...]  # rows: now, twice, four and ten times as many
    ahead_error: tuple[float, ...]
    ahead_low: tuple[float, ...]
    ahead_high: tuple[float, ...]
    measure: str = "error"  # or "rmse"


@dataclass(frozen=True)
class KCurve:
    """The left-out error (or RMSE) of every K, by one weighting and one way of leaving out."""

    weights: str
    method: str  # "loo" or "cv"
    measure: str
    k: tuple[int, ...]
    error: tuple[float, ...]
    standard_error: tuple[float, ...]
    best: int


@dataclass(frozen=True)
class Spectrum:
    """How much the prepared rows vary along each principal direction."""

    variance: tuple[float, ...]  # at most 100 of them
    share: tuple[float, ...]  # of the whole variance
    directions: int  # how many there are
    choices: dict[str, int]  # what each rule would keep: "0.95", "knee", "parallel" …


@dataclass(frozen=True)
class Dimensions:
    """How many numbers describe a row."""

    intrinsic: float
    intrinsic_interval: Interval
    method: str
    for_95_percent: int | None  # principal directions that hold 95 % of the variance
    rows: int


@dataclass(frozen=True)
class Map:
    """Places of rows in a plane."""

    method: str  # "principal components", "discriminants", "latent semantics"
    row: Rows
    x: Array
    y: Array
    label: tuple[str, ...]  # class, or target as text, or cluster; empty where there is none
    value: Array | None  # the target of a regression
    axes: tuple[str, str]
    sampled: bool  # whether rows were left out


@dataclass(frozen=True)
class Feature:
    """How much worse the winner answers when one column is shuffled.

    Of texts, a word: score and interval are then `filter`.
    """

    name: str
    score: float  # rise of the error, or of the RMSE
    interval: Interval
    filter: float  # share of the column's variance between classes, or squared correlation


@dataclass(frozen=True)
class Neighbor:
    """A row near another."""

    row: int
    distance: float
    label: str = ""
    picture: str | None = None  # a data: address of a small PNG
    text: str | None = None  # the beginning of a document
    values: dict[str, str] = field(default_factory=dict)  # some columns


@dataclass(frozen=True)
class Suspect:
    """A row that deserves a second look."""

    row: int
    kind: str  # mislabel, duplicate, near_duplicate, conflict, leak, outlier, hub
    score: float  # probability, robust deviations, occurrences; 1 for duplicates
    label: str = ""
    suggested: str = ""
    picture: str | None = None
    text: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    neighbors: tuple[Neighbor, ...] = ()


@dataclass(frozen=True)
class AuditTable:
    """One entry for every row of the data, for audit.csv."""

    row: Rows
    flags: tuple[str, ...]  # kinds of each row, joined by a blank
    scores: dict[str, AnyArray]  # mislabel, suggested, duplicate_of, outlier, occurrences …
    copies: dict[int, int]  # rows of the test file that are copies, and the row of the data each is


@dataclass(frozen=True)
class AuditFacts:
    """How many rows of each kind there are, and the worst of them."""

    counts: dict[str, int]
    suspects: tuple[Suspect, ...]  # the worst of each kind, kind by kind
    k: int
    rows: int  # that were looked at
    noise: float | None  # estimated share of wrong labels or numbers
    table: AuditTable = field(metadata=HIDDEN)
    doubted: str = "label"  # or "number": what may be wrong, and differs in conflicts


@dataclass(frozen=True)
class Condensed:
    """A small set of training rows that answers nearly as all of them."""

    rows: int
    of_rows: int
    error: float  # of one nearest neighbor on the rows kept, on held-out rows
    full_error: float  # of one nearest neighbor on all of them, on the same rows
    interval: Interval  # of error
    held_out_rows: int


@dataclass(frozen=True)
class Trait:
    """A column whose mean in a group differs from that of all rows, or a word or category."""

    name: str
    here: float
    overall: float
    share: bool  # whether these are shares of rows


@dataclass(frozen=True)
class Group:
    """Rows that belong together."""

    rows: int
    typical: tuple[Neighbor, ...]  # nearest to the center
    traits: tuple[Trait, ...]  # those that differ most first


@dataclass(frozen=True)
class Clusters:
    """Groups found without a target, the largest first."""

    groups: tuple[Group, ...]
    inertia: float
    tried: tuple[int, ...]
    score: tuple[float, ...]  # mean silhouette of every number tried
    label: Rows = field(metadata=HIDDEN)


@dataclass(frozen=True)
class Finding:
    """One sentence of the verdict."""

    topic: str  # model, bound, data, audit, dimensions, features, condensed, clusters
    text: str


@dataclass(frozen=True)
class Study:
    """A finished study: what was found, in plain data; see :func:`lookalike.study`.

    Attributes
    ----------
    verdict : tuple of Finding
        The answer in plain sentences, the most important first.
    model : Pipeline or None
        The winner, fitted on the training rows; answers for tables as they were given.
    predictions : Predictions or None
        The answers for the held-out rows.
    relief : str or None
        Of pictures, how much each pixel tells by itself: the data: address of a small PNG.
    trials : tuple of Trial
        The models that gave them: the one that is kept, or one for each fold.
    """

    title: str
    source: str
    task: str  # classify, regress or explore
    material: str  # table, images or texts
    shape: Shape
    verdict: tuple[Finding, ...]
    columns: tuple[ColumnFact, ...]
    target: TargetFact | None
    candidates: tuple[Candidate, ...]
    winner: str | None  # name of a candidate
    estimate: Estimate | None
    bracket: Bracket | None
    learning_curve: LearningCurve | None
    k_curves: tuple[KCurve, ...]
    spectrum: Spectrum | None
    dimensions: Dimensions | None
    maps: tuple[Map, ...]
    features: tuple[Feature, ...]  # the most telling first
    audit: AuditFacts | None
    condensed: Condensed | None
    clusters: Clusters | None
    decisions: tuple[Decision, ...]
    seed: int
    versions: dict[str, str]
    settings: dict[str, str]  # the options in force: metric, memory, time, engine
    seconds: float
    stages: dict[str, float]  # seconds of each
    picture_shape: tuple[int, ...] | None = None
    relief: str | None = field(default=None, metadata=HIDDEN)
    schema: str = SCHEMA
    predictions: Predictions | None = field(default=None, metadata=HIDDEN)
    model: Any = field(default=None, metadata=HIDDEN)
    trials: tuple[Trial, ...] = field(default=(), metadata=HIDDEN)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as dicts, lists, text, numbers and None."""
        found: dict[str, Any] = plain(self)
        return {"schema": found.pop("schema"), **found}

    def to_json(self) -> str:
        """Return the study as JSON of schema "lookalike.study/1"; see docs/study.md."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        return "\n".join(finding.text for finding in self.verdict)

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{html.escape(finding.text)}</li>" for finding in self.verdict)
        return f"<h3>{html.escape(self.title)}</h3><ul>{rows}</ul>"

    def __repr__(self) -> str:
        shape = self.shape
        return f"<Study of {self.title}: {self.task}, {shape.rows} rows, {shape.columns} columns>"
