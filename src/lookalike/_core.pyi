"""The arithmetic of lookalike."""

import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def simd_level() -> str:
    """The vector level in use."""

def best_simd_level() -> str:
    """The best level this machine offers."""

def simd_levels() -> list:
    """All levels this machine offers, the best last."""

def default_threads() -> int:
    """Threads a call uses when it is given none."""

def set_default_threads(threads: int) -> None:
    """Set the threads of later calls; 0 restores the usable cores."""

EXTRA_SUMS: int = 2

class Assigner:
    """Rows that are assigned to the nearest center."""

    @overload
    def __init__(self, *, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], scale: float, threads: int) -> None: ...

    @overload
    def __init__(self, *, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cols: int, scale: float, threads: int) -> None: ...

    def code(self, *, middle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, directions: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], used: int, defect: float) -> None:
        """Keep short codes of all rows."""

    def drop_codes(self) -> None:
        """Forget the short codes."""

    def step(self, *, centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grid: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], low: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> tuple:
        """
        Assign all rows and move them between the sums; return moved, ambiguous, distances.
        """

    def assign(self, *, centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> tuple:
        """Assign all rows; return moved, ambiguous, distances."""

    def keys(self, *, centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], key: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the squared distance of every row to its center."""

class BlockSearch:
    """Candidates among rows that come block by block."""

    def __init__(self, *, map: dict, arrays: dict, Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], scale: float, exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, threads: int) -> None: ...

    def scan(self, *, rows: int, extra: int, code: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], more: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], wide_margin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], poor: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Add the candidates of a block; return the queries that have too many in it.
        """

    def lower(self, limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Lower the limits."""

    def limits(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The key that the k-th neighbor of each query does not exceed."""

    def size(self) -> int:
        """Candidates."""

    def take(self) -> tuple:
        """
        Return query, row and lower bound of the candidates, which are not kept.
        """

@overload
def column_moments(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moments: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None: ...

@overload
def column_moments(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moments: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the six moments of every column to the six rows of `moments`."""

def merge_rows(*, a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the merges of rows by the edges of their spanning tree, smallest first.
    """

def condense(*, left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float) -> tuple:
    """
    Return parents, children, densities and sizes of the tree of clusters above a size.
    """

def bin_columns(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, code: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write between which thresholds of its column every value lies; 0 where it is missing.
    """

def grow_boosted(*, code: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: int, learning_rate: float, l2: float, symmetric: bool, max_leaves: int, max_depth: int, min_rows: int, row_share: float, column_share: float, patience: int, seed: int, threads: int) -> tuple:
    """
    Return nodes, roots and leaf values of boosted trees, and losses of the rows left out.
    """

def join_core_rows(*, query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Join core rows that are near each other; the parent of each row is the smallest of its component.
    """

def least_labels(*, query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_of_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the least label of the labeled rows near each query, -1 where there is none.
    """

class SpanningForest:
    """The edges of a spanning tree of mutual reachability, found so far."""

    def __init__(self, *, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float) -> None: ...

    @property
    def rows(self) -> int: ...

    @property
    def components(self) -> int: ...

    def join_listed(self, *, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> None:
        """Join components by edges that lists of the nearest other rows prove."""

    def join(self, *, distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Join rows by edges that are given."""

    def copy_component(self, *, component: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the number of the component of each row."""

    def edges(self) -> tuple:
        """Return weights, and the two rows of every edge."""

class ForestPass:
    """One look at all pairs of rows, in blocks."""

    def __init__(self, *, forest: SpanningForest, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None: ...

    def offer_distances(self, *, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], query: int, place: int) -> None:
        """Look at the distances of a block of pairs."""

    def offer_products(self, *, product: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], query: int, place: int) -> None:
        """Look at the inner products of a block of pairs."""

    def finish(self) -> None:
        """Join what was found."""

def squared_distances(*, Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], key: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write sum_j (q_j - x_j)^2 of every pair to `key`."""

def nearest_donors(*, queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, key: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the nearest rows that have the column of each cell, nearest first.
    """

BLOCK_DIRECTIONS: int = 64

PANEL_ROWS: int = 64

WIDEST_CODE: int = 32768

def value_range(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], threads: int) -> tuple:
    """
    Return row and column of the first value that is not finite or -1, least, most, whole.
    """

def build_codes(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], map: dict, arrays: dict, centers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None:
    """Fill the code arrays from the rows of X."""

class ExactFilter:
    """Codes of all rows, ready for exact_topk."""

    def __init__(self, *, map: dict, arrays: dict) -> None: ...

def exact_topk(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], filter: ExactFilter | None, Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], scale: float, unit: float, exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> tuple:
    """
    Write the nearest rows of every query; return the pairs that each stage of the filter saw.
    """

def exact_radius(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], filter: ExactFilter | None, Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], scale: float, unit: float, exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Return distances, rows and starts of all rows within the radius of each query.
    """

MISSING_LEFT: int = 1073741824

def find_leaves(*, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, 3), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], threads: int, leaf: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the leaf of every row in every tree."""

def mean_leaf_values(*, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, 3), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], threads: int, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the mean of the values of the leaves of every row."""

def forest_weights(*, leaf: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], drawn: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, threads: int) -> tuple:
    """
    Return weights and rows in the answers, and where those of each query start.
    """

def most_shared_leaves(*, leaf: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], member: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, shared: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the rows that share the most leaves with every query."""

def grow_tree(*, column: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], classes: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], random_thresholds: bool, tried: int, min_rows: int, max_depth: int, seed: int) -> tuple:
    """
    Return the nodes and leaf values of a tree, and what its features take away.
    """

def pair_keys(*, Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], threads: int, key: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the squared distances of each query and the rows chosen for it to `key`.
    """

def read_rows(*, file: int, offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')]) -> tuple:
    """
    Read rows from the rising offsets of an open file; return how many rows and bytes.
    """

def checksum(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """A checksum of 64 bits that every changed word changes."""

class MetricForm(enum.Enum):
    """The native keys that a metric may compare rows by."""

    SQUARED = 0

    MANHATTAN = 1

    CHEBYSHEV = 2

    MINKOWSKI = 3

    DOT = 4

    HAMMING = 5

    NAN_EUCLIDEAN = 6

    GOWER = 7

    FUNCTION = 8

    BRAY_CURTIS = 9

    CANBERRA = 10

class SetForm(enum.Enum):
    """The native keys that sets may be compared by."""

    JACCARD = 0

    DICE = 1

    ROGERS_TANIMOTO = 2

    RUSSELL_RAO = 3

    SOKAL_SNEATH = 4

    YULE = 5

class Pairs:
    """Computes the key of every query and row."""

    def nearest(self, *, exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, key: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')]) -> None:
        """Write the smallest keys of every query and their rows, smallest first."""

    def keys(self, *, threads: int, key: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
        """Write the key of every pair."""

    def within(self, *, most: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple:
        """
        Return keys, rows and starts of all pairs whose key is at most `most` of the query.
        """

def dense_pairs(*, queries: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], form: MetricForm, power: float, scale: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], call: int, expected: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_shared: float) -> Pairs:
    """Pairs of dense rows."""

def sparse_pairs(*, query_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query_column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], query_value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cols: int, form: MetricForm) -> Pairs:
    """Pairs of sparse rows whose columns rise."""

def set_pairs(*, queries: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], form: SetForm, cols: int) -> Pairs:
    """Pairs of sets written as bits."""

def given_pairs(*, keys: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Pairs:
    """Pairs whose keys are known."""

@overload
def shift_rows(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def shift_rows(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Write the rows less `shift`, in the columns where one differs; return these columns.
    """

@overload
def add_products(*, part: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], product: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None: ...

@overload
def add_products(*, part: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], product: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Add the products of some columns to those of all."""

def normalize_rows(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], center: bool, threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write every row divided by its length to `out`, and the length to `norm`.
    """

def normalize_sparse_rows(*, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cols: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The same of sparse rows."""

def map_rows(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write (X - center) W' to `out`."""

def sphere_rows(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the points of the unit sphere at latitude and longitude."""

MOST_TREE_ROWS: int = 2147483647

class KDTree:
    """Rows of float32 or float64 in a KD-tree."""

    def __init__(self, *, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], leaf_size: int, random_split: bool, seed: int, threads: int) -> None: ...

    def add(self, *, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], threads: int) -> None:
        """Append rows."""

    def copy(self) -> KDTree:
        """Return a tree of the same rows."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def depth(self) -> int: ...

    def copy_rows(self, *, X: Annotated[NDArray, dict(shape=(None, None), device='cpu')]) -> None:
        """Write the rows to `X`."""

    @property
    def nodes(self) -> int: ...

    @property
    def placed(self) -> int: ...

    def copy_nodes(self, *, column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the splits of the nodes, and the rows leaf by leaf."""

    def nearest(self, *, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, slack: float, packets: bool, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], threads: int) -> None:
        """Write the nearest rows of every query."""

    def nearest_of_rows(self, *, p: float, slack: float, packets: bool, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], threads: int) -> None:
        """Write the nearest other rows of every row."""

    def within(self, *, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, threads: int) -> tuple:
        """
        Return distances, rows and starts of all rows within the radius of each query.
        """

    def span(self, *, forest: SpanningForest, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], p: float, threads: int) -> None:
        """Join the components of a forest until one is left."""

    def core_rows(self, *, radius: float, least: int, p: float, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
        """
        Mark the rows that have enough rows, themselves among them, within the radius.
        """

    def components(self, *, radius: float, p: float, core: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
        """
        Write the smallest core row that steps of at most the radius lead to from each.
        """

def perplexity_affinities(*, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], perplexity: float, threads: int, affinity: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write Gaussian affinities of a perplexity."""

def fuzzy_affinities(*, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], threads: int, affinity: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the affinities of UMAP."""

class RepulsionGrid:
    """The grid on which points repel each other."""

    def __init__(self) -> None: ...

def tsne_steps(*, grid: RepulsionGrid, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], velocity: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], gain: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], exaggeration: float, learning_rate: float, momentum: float, steps: int, threads: int) -> float:
    """
    Take steps of gradient descent; return the sum of 1 / (1 + d^2) over all pairs.
    """

def tsne_place(*, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], steps: int, threads: int, placed: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Move new points among those of a map, each alone."""

def umap_epoch(*, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], a: float, b: float, negative_samples: int, seed: int, epoch: int, learning_rate: float, threads: int, position: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Run one epoch of stochastic gradient descent."""

def umap_place(*, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], a: float, b: float, negative_samples: int, seed: int, epochs: int, threads: int, placed: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Move new points among those of a map, each alone."""

class HashFamily(enum.Enum):
    """Families of hash functions under which near rows collide."""

    STABLE = 0

    SIGN = 1

    MINHASH = 2

    SAMPLE = 3

class KeyForm(enum.Enum):
    """What candidates of a bucket are compared by."""

    SQUARED = 0

    MANHATTAN = 1

    HAMMING = 2

    JACCARD = 3

    COSINE = 4

@overload
def hash_rows(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], family: HashFamily, tables: int, hashes: int, direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: float, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], probes: int, buckets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu')], threads: int) -> None: ...

@overload
def hash_rows(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], family: HashFamily, tables: int, hashes: int, direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: float, seed: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], probes: int, buckets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu')], threads: int) -> None:
    """Write the buckets of every row."""

@overload
def hash_nearest(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], bucket_row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], query_bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: KeyForm, scan: bool, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def hash_nearest(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], bucket_row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], query_bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: KeyForm, scan: bool, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    Write the nearest rows of every query among those that share a bucket with it.
    """

@overload
def hash_within(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], bucket_row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], query_bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: KeyForm, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple: ...

@overload
def hash_within(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], bucket_row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], query_bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: KeyForm, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple:
    """
    Return distances, rows and starts of the candidates within the radius of each query.
    """

def sort_tables(*, bucket: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], start: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], threads: int) -> None:
    """Sort the buckets of every table and write whose each was."""

def kernel_sums(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_panel: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], nearest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the sums of Gaussian kernels of every class."""

def kernel_sums_of_codes(*, code: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_panel: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Q: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], nearest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """The same of whole numbers of one step, from codes."""

def kernel_sums_filtered(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], code: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], off: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_panel: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Q: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], query_code: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], reach: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], nearest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exclude: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """The same of the rows that codes do not rule out."""

def quantize_rows(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, clip: bool, threads: int, code: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu')], off: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write every value as a whole number of steps, and how far each row is from its codes.
    """

def mixture_sums_width(cols: int) -> int:
    """Columns of the sums of a mixture."""

def mixture_sums(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], diagonal: bool, nearest: bool, threads: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> float:
    """Add the sums of every component to `sums`; return the log-likelihood."""

def mixture_sums_given(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], responsibility: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], diagonal: bool, threads: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """The same for given responsibilities."""

def mixture_responsibilities(*, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], diagonal: bool, threads: int, responsibility: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], log_density: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the responsibilities, where that has rows, and the log density of every row.
    """

def mutual_information_with_classes(*, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, neighbors: int, threads: int, information: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the information of each column about the classes, and its error, to `information`.
    """

def mutual_information_with_numbers(*, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbors: int, threads: int, information: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the information of each column about the target, and its error, to `information`.
    """

def leave_one_out_classes(*, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], add: bool, code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, k: int, threads: int, prediction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the class that the k nearest other rows predict for each row, by each set.
    """

def leave_one_out_means(*, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], add: bool, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, threads: int, prediction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the mean target of the k nearest other rows of each row, by each set.
    """

def softmax_loss(*, Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: bool, threads: int, loss: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """
    Write the leave-one-out loss of softmax-weighted neighbors, and its derivative by the rows.
    """

class VoteWeight(enum.Enum):
    """What a vote counts."""

    UNIFORM = 0

    DISTANCE = 1

class TieRule(enum.Enum):
    """What decides between classes of equally many votes."""

    GROW = 0

    NEAREST = 1

    FEWER = 2

    PRIOR = 3

def gather_voters(*, candidate_distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], candidate_row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], length: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the candidates that may vote, nearest first."""

def count_votes(*, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], length: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], complete: bool, code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ratio: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: VoteWeight, ties: TieRule, k: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], truth: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, winner: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], size: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu')], tied: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), device='cpu')], share: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')]) -> None:
    """Write the winner of every k and query, and after how many voters."""
