"""Which index will be used, why, and what it is expected to cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Index
from lookalike.index.box_share import box_share
from lookalike.index.embedded import EmbeddedIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.scan import ScanIndex
from lookalike.kernels.metrics import Metric, metric_from
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.minkowski import Euclidean, Minkowski
from lookalike.kernels.native_arrays import native_rows
from lookalike.printable import seconds
from lookalike.settings import require_memory
from lookalike.typing import Rows
from lookalike.validation import check_choice, check_int

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

Result = TypeVar("Result")

SEARCH_ALGORITHMS = ("auto", "exact", "brute", "kd_tree", "ball_tree", "lsh")
INDEX_OF_ALGORITHM = {"brute": "scan", "lsh": "lsh"}
INDEX_OF_OPTION = {
    **dict.fromkeys(("leaf_size", "split", "approximate"), "kd_tree"),
    "recall": "lsh",
}
BOX_METRICS = (Euclidean, Minkowski)
MAX_COLUMNS_FOR_BOXES = 5  # up to which boxes rule out more than codes do
MAX_SHARE_OF_BOXES_OPENED = 0.05  # with more columns than these
MAX_ROWS_FOR_MORE_BOXES = 5_000
MAX_SHARE_OF_MORE_BOXES = 0.3  # codes take their time with few rows
MIN_ROWS_FOR_BOXES, MAX_COLUMNS_FOR_BOX_SHARE = 500, 256  # where it pays to look at the boxes
PLAN_SAMPLE_ROWS = 100_000  # rows that a plan searches
MIN_PLAN_SECONDS = 0.05  # that it searches them
PLAN_REPEATS = 5  # of what takes less, of which the median counts
MIN_PLAN_REPEATS = 3  # of what takes about as long: a single one may wait for threads or memory
MAX_PLAN_SECONDS = 0.2  # that these may take
FIRST_QUERIES = 2048  # more follow until this many seconds have passed
PLAN_QUERY_BLOCKS = 16  # among the rows from which they are taken


@dataclass(frozen=True)
class SearchPlan:
    """What a search will do, and what that is expected to cost."""

    index: str  # "exact", "kd_tree", "lsh" or "scan"
    reason: str
    build_seconds: float
    query_seconds: float  # for all queries
    memory: int  # bytes in addition to the rows

    def __str__(self) -> str:
        return (
            f"{self.index} ({self.reason}): about {seconds(self.build_seconds)} to "
            f"build, {seconds(self.query_seconds)} to query, {self.memory / 1e6:,.1f} MB on "
            "top of the rows"
        )


def choose_index(
    X: object, metric: Metric, algorithm: str, *, on_gpu: bool = False, approximate: bool = False
) -> tuple[str, str]:
    """Return the name of the index that `algorithm` stands for, and the reason."""
    check_choice("algorithm", algorithm, SEARCH_ALGORITHMS)
    sparse = hasattr(X, "toarray")
    if on_gpu and algorithm in ("auto", "exact") and isinstance(metric, Embedded) and not sparse:
        return "gpu_exact", "engine='gpu'"
    if on_gpu:
        raise ParameterError(
            f"engine='gpu' cannot serve metric {metric.name!r} with algorithm={algorithm!r}: it "
            "finds exact neighbors of dense rows by metrics that are Euclidean, of the rows as "
            "they are or transformed. Choose engine='memory'."
        )
    if approximate:
        return _approximate_index(X, metric, algorithm)
    if algorithm == "lsh" and metric.w is not None and not _same_weights(metric):
        raise ParameterError(
            f"algorithm='lsh' hashes columns of one weight, and w is given for {metric.name!r}. "
            "Multiply the columns by their weights, or choose 'auto'."
        )
    if algorithm in INDEX_OF_ALGORITHM:
        return INDEX_OF_ALGORITHM[algorithm], f"algorithm={algorithm!r}"
    if hasattr(X, "toarray"):
        return "scan", "sparse rows are compared as they are"
    if algorithm in ("kd_tree", "ball_tree") and metric.p < 1:
        raise ParameterError(
            f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. To '
            'resolve this problem either set p >= 1 or algorithm="brute".'
        )
    if algorithm in ("kd_tree", "ball_tree") and metric.w is None and type(metric) in BOX_METRICS:
        return "kd_tree", f"algorithm={algorithm!r}"
    if algorithm == "kd_tree":
        raise ParameterError(
            f"algorithm='kd_tree' cannot serve metric {metric.name!r}. Choose 'auto'."
        )
    return _best_index(X, metric, algorithm)


def _approximate_index(X: object, metric: Metric, algorithm: str) -> tuple[str, str]:
    boxes = metric.w is None and type(metric) in BOX_METRICS and not hasattr(X, "toarray")
    if algorithm not in ("auto", "kd_tree") or not boxes:
        raise ParameterError(
            f"approximate is for the KD-tree, and algorithm={algorithm!r} with metric "
            f"{metric.name!r} is not one. Choose algorithm='kd_tree' with a Minkowski metric of "
            "dense rows, or 'lsh' with a recall."
        )
    return "kd_tree", "approximate was given"


def _euclidean_order(metric: Metric) -> str:
    if type(metric) is Euclidean:
        return "the metric is Euclidean"
    return f"{metric.name} orders rows as a Euclidean distance does"


def _same_weights(metric: Metric) -> bool:
    return metric.w is not None and bool((metric.w == metric.w[0]).all())


def _best_index(X: Matrix, metric: Metric, algorithm: str) -> tuple[str, str]:
    n_rows, n_features = X.shape
    boxes = type(metric) is Euclidean or metric.name in ("manhattan", "chebyshev")
    few_columns = MAX_COLUMNS_FOR_BOXES if type(metric) is Euclidean else 2 * MAX_COLUMNS_FOR_BOXES
    if algorithm == "auto" and n_features <= few_columns and boxes and metric.w is None:
        return "kd_tree", f"the boxes of a tree of {n_features} columns rule out most rows"
    if (
        algorithm == "auto"
        and type(metric) is Euclidean
        and metric.w is None
        and n_rows >= MIN_ROWS_FOR_BOXES
        and n_features <= MAX_COLUMNS_FOR_BOX_SHARE
        and isinstance(X, np.ndarray)
        and (share := box_share(X))
        <= (
            MAX_SHARE_OF_MORE_BOXES
            if n_rows <= MAX_ROWS_FOR_MORE_BOXES
            else MAX_SHARE_OF_BOXES_OPENED
        )
    ):
        return (
            "kd_tree",
            f"a search of {n_features} columns opens {share:.1%} of a tree's boxes",
        )
    few = n_rows < MIN_ROWS_FOR_BOXES and n_features <= 2 * MAX_COLUMNS_FOR_BOXES
    if algorithm == "auto" and few and boxes and metric.w is None:
        return "kd_tree", f"a tree of {n_rows:,} rows of {n_features} columns is quickly built"
    if isinstance(metric, Embedded):
        return "exact", _euclidean_order(metric)
    return "scan", f"{metric.name} requires a comparison with every row"


def build_index(
    name: str, X: Matrix, metric: Metric, *, threads: int | None = None, **options: Any
) -> Index:
    """Return the index called `name` of the rows `X`, with those of the options that it has.

    These are `leaf_size`, `split` and `approximate` of a `KDTreeIndex`, and `recall` of an
    `LSHIndex`.
    """
    options_of_index = {
        option: value for option, value in options.items() if INDEX_OF_OPTION[option] == name
    }
    if name == "kd_tree":
        return KDTreeIndex(X, p=power_of(metric), threads=threads, **options_of_index)
    if name in ("exact", "gpu_exact"):
        return EmbeddedIndex(X, metric, threads=threads, on_gpu=name == "gpu_exact")
    if name == "lsh":
        from lookalike.index.lsh import LSHIndex

        return LSHIndex(X, metric=metric.name, threads=threads, **options_of_index)
    return ScanIndex(X, metric=metric, threads=threads)


def plan_of_rows(
    X: Matrix,
    k: int = 5,
    *,
    n_queries: int | None = None,
    metric: str | Metric = "euclidean",
    p: float | None = 2,
    metric_params: Mapping[str, object] | None = None,
    algorithm: str = "auto",
) -> SearchPlan:
    """Return which index a search of `X` would use, and about what it would cost."""
    X = X if hasattr(X, "toarray") else native_rows(X, missing=True).values
    if 0 in X.shape:
        raise ShapeError(f"X is empty, of shape {X.shape}. Give at least one row and one column.")
    k = check_int("k", k, least=1)
    if n_queries is not None:
        check_int("n_queries", n_queries, least=1)
    measure = metric_from(metric, p=p, metric_params=metric_params, X=X)
    name, reason = choose_index(X, measure, algorithm)
    n_rows, n_queries = X.shape[0], X.shape[0] if n_queries is None else n_queries
    sample = X[:: -(-n_rows // PLAN_SAMPLE_ROWS)]
    built, index = _time(lambda: build_index(name, sample, measure).build())
    more = n_rows / sample.shape[0]
    growth = (
        np.log2(max(2, n_rows)) / np.log2(max(2, sample.shape[0])) if name == "kd_tree" else more
    )
    seconds = _seconds_of_a_query(index, sample, min(k, sample.shape[0]), n_queries / n_rows)
    result = 16 * k * n_queries
    nbytes = getattr(index, "nbytes", sample.nbytes if isinstance(sample, np.ndarray) else 0)
    return SearchPlan(
        name,
        reason,
        float(built * more),
        seconds * growth * n_queries,
        int(nbytes * more) + result,
    )


def _seconds_of_a_query(index: Index, X: Matrix, k: int, density: float) -> float:
    """Return what a query costs when many come together: more follow until it can be measured.

    `density` is how many queries there are for every row.
    """
    count = FIRST_QUERIES
    while True:
        queries = X[_query_rows(index, X.shape[0], density, count)]
        seconds, _ = _time(partial(index.query, queries, k))
        if seconds >= MIN_PLAN_SECONDS or queries.shape[0] < count:
            return seconds / int(queries.shape[0])
        count *= 4


def _query_rows(index: Index, n_rows: int, density: float, count: int) -> Rows:
    """Return the rows of about `count` queries: of a tree, parts of its leaves in their order."""
    order = index.leaf_order() if isinstance(index, KDTreeIndex) else np.arange(n_rows)
    thin = max(round(1 / density), 1)
    everyone = order[::thin]
    if count >= len(everyone):
        return everyone
    if not isinstance(index, KDTreeIndex):
        return everyone[np.linspace(0, len(everyone) - 1, count).astype(np.int64)]
    begin = np.linspace(0, len(everyone) - count // PLAN_QUERY_BLOCKS, PLAN_QUERY_BLOCKS).astype(
        np.int64
    )
    return np.asarray(everyone[(begin[:, None] + np.arange(count // PLAN_QUERY_BLOCKS)).ravel()])


def _time(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that work takes, their median of several where these are few."""
    seconds: list[float] = []
    while len(seconds) < PLAN_REPEATS and (
        sum(seconds) < MIN_PLAN_SECONDS
        or (len(seconds) < MIN_PLAN_REPEATS and sum(seconds) < MAX_PLAN_SECONDS)
    ):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), result


def require_neighbors_fit(n_queries: int, k: int) -> None:
    """Raise where the result alone would exceed the memory budget."""
    require_memory(
        16 * n_queries * k,
        f"The {k} neighbors of {n_queries} queries take",
        "Query in batches, for fewer neighbors, or raise lookalike.config(memory=…).",
    )


def power_of(metric: Metric) -> float:
    """Return p of a metric of the Minkowski family."""
    return {"manhattan": 1.0, "chebyshev": np.inf}.get(metric.name, float(metric.p))
