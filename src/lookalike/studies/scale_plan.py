"""What work on many rows costs: measured on a few of them, extrapolated by measured exponents."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.data.sources.arrays import ArraySource
from lookalike.engines.blas import single_threaded_blas
from lookalike.index.exact import ExactIndex
from lookalike.models.cluster.kmeans import KMeans
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.row_hashes import DuplicateRows
from lookalike.reductions.several import Several
from lookalike.typing import AnyArray
from lookalike.validation import check_int

ROWS_TO_MEASURE = 300_000  # that are measured: more than a cache holds
CHUNK_ROWS = 50_000  # rows of a chunk
MAX_MEASURED_COLUMNS = 64  # at most
MEASURED_QUERIES, KMEANS_ROUNDS, MEASURED_K = 500, 5, 10
KMEANS_CLUSTERS = 20
# Of two workers, by benchmarks/results/dask.txt: 1.7 times as quick as one.
TWO_WORKER_EFFICIENCY = 0.85
ROW_BYTES = 4  # of a number
CODE_BYTES_PER_ROW_BYTE = 0.27  # bytes of codes for a byte of float32 rows


@dataclass(frozen=True)
class StagePlan:
    """One stage: time of all workers together and of each, memory, what the network moves."""

    stage: str
    cpu_seconds: float
    seconds: float
    worker_bytes: float
    network_bytes: float


class Stage(ABC):
    """A stage: how it is measured, and by which power of rows and columns its cost grows."""

    title: str
    rows: float
    columns: float
    fewer_rows: float | None = None  # the power below the rows that are measured
    holds_rows = False  # whether a worker holds its rows, or one chunk after the other

    @abstractmethod
    def run(self, X: AnyArray) -> None:
        """Do the work on these rows."""

    def moved(self, n_columns: int) -> float:
        """Return the bytes that the network moves for each worker: a state of sums."""
        return n_columns * 8.0 * KMEANS_CLUSTERS


class _SurveyStage(Stage):
    title, rows, columns = "profile and duplicates", 1.1, 1.0

    def run(self, X: AnyArray) -> None:
        _gather(Several([Columns(), DuplicateRows()]), X)


class _CovarianceStage(Stage):
    title, rows, columns = "covariance, PCA", 1.05, 1.2

    def run(self, X: AnyArray) -> None:
        _gather(Covariance(), X)

    def moved(self, n_columns: int) -> float:
        return n_columns * 8.0 * n_columns


class _ClustersStage(Stage):
    title, rows, columns = (
        f"{KMEANS_ROUNDS} rounds of k-means, {KMEANS_CLUSTERS} clusters",
        1.0,
        0.5,
    )

    def run(self, X: AnyArray) -> None:
        centers = X[:KMEANS_CLUSTERS].copy()
        model = KMeans(
            KMEANS_CLUSTERS, init=centers, max_iter=KMEANS_ROUNDS, tol=0, n_init=1, n_jobs=1
        )
        model.fit(ArraySource(X))


class _IndexStage(Stage):
    title, rows, columns, fewer_rows = "index", 1.0, 0.7, 1.5
    holds_rows = True
    built: ExactIndex

    def run(self, X: AnyArray) -> None:
        self.built = ExactIndex(X, threads=1).build(threads=1)

    def moved(self, n_columns: int) -> float:
        return 17 * n_columns * 8.0  # balls


class _QueriesStage(Stage):
    """Queries of the index that the stage before has built."""

    title, rows, columns = f"{MEASURED_QUERIES} queries, {MEASURED_K} neighbors", 0.7, 0.8
    holds_rows = True

    def __init__(self, index: _IndexStage) -> None:
        self._index = index

    def run(self, X: AnyArray) -> None:
        self._index.built.query(X[:MEASURED_QUERIES] + np.float32(0.1), MEASURED_K, threads=1)

    def moved(self, n_columns: int) -> float:
        return MEASURED_QUERIES * (n_columns * ROW_BYTES + MEASURED_K * 16.0)


def _gather(reduction: Any, X: AnyArray) -> None:
    state = reduction.init(X.shape[1])
    with single_threaded_blas():
        for start in range(0, len(X), CHUNK_ROWS):
            state = reduction.update(state, Chunk(X[start : start + CHUNK_ROWS], offset=start))


def stages() -> tuple[Stage, ...]:
    """Return the stages in their order."""
    index = _IndexStage()
    return _SurveyStage(), _CovarianceStage(), _ClustersStage(), index, _QueriesStage(index)


def sample_rows(n_rows: int, n_columns: int, seed: int = 0) -> AnyArray:
    """Return rows around 200 centers, as data have them that neighbors say something about."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(200, n_columns)) * 3
    rows = centers[rng.integers(0, 200, n_rows)] + rng.normal(size=(n_rows, n_columns))
    return rows.astype(np.float32)


def measured(X: AnyArray, rounds: int = 3) -> list[tuple[Stage, float]]:
    """Return every stage with its least processor time on these rows."""
    times = []
    for stage in stages():
        least = np.inf
        for _ in range(rounds):
            start = time.process_time()
            stage.run(X)
            least = min(least, time.process_time() - start)
        times.append((stage, max(least, 1e-6)))
    return times


def scale_plan(n_rows: int, n_columns: int, n_workers: int = 1) -> list[StagePlan]:
    """Return what each stage would cost on this many rows, columns and workers of one core.

    Some rows are made and every stage is measured on them, on this machine; times are stretched
    by the exponents that ``benchmarks/bench_growth.py`` measures and compares with runs.

    Examples
    --------
    >>> [plan.stage for plan in scale_plan(10**9, 8, 100)][0]
    'profile and duplicates'
    """
    n_rows = check_int("n_rows", n_rows, least=1)
    n_columns = check_int("n_columns", n_columns, least=1)
    n_workers = check_int("n_workers", n_workers, least=1)
    columns = min(n_columns, MAX_MEASURED_COLUMNS)
    return [
        _plan(stage, unit, (n_rows, n_columns, n_workers), columns)
        for stage, unit in measured(sample_rows(ROWS_TO_MEASURE, columns))
    ]


def _plan(stage: Stage, unit: float, size: tuple[int, int, int], columns: int) -> StagePlan:
    n_rows, n_columns, n_workers = size
    share = n_rows / n_workers  # rows of a worker: each searches its own partitions
    few = share < ROWS_TO_MEASURE and stage.fewer_rows is not None
    power = stage.fewer_rows if few and stage.fewer_rows is not None else stage.rows
    seconds_each = (
        unit * (share / ROWS_TO_MEASURE) ** power * (n_columns / columns) ** stage.columns
    )
    slower = 1.0 if n_workers == 1 else 1 / TWO_WORKER_EFFICIENCY
    raw = share * n_columns * ROW_BYTES
    holds = raw * (1 + CODE_BYTES_PER_ROW_BYTE) if stage.holds_rows else 32e6
    moved = n_workers * stage.moved(n_columns)
    return StagePlan(stage.title, seconds_each * n_workers, seconds_each * slower, holds, moved)
