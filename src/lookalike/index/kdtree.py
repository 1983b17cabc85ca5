"""Exact neighbors of rows of few columns by a KD-tree, in any Minkowski distance."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.index.base import ArrayIndex, Neighbors
from lookalike.index.rescale import distance_scale, require_one_magnitude
from lookalike.index.scan import ScanIndex
from lookalike.index.subset import query_few, query_more
from lookalike.index.tiny_distances import (
    MIN_SAFE_DISTANCE,
    has_tiny,
    require_distances,
    settle_tiny,
)
from lookalike.index.validate import check_k, index_rows, query_rows, rows_left
from lookalike.kernels.kdtree import MAX_TREE_ROWS, NativeKDTree
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.native_arrays import FLOAT_TYPES, NativeRows, RowsLike
from lookalike.kernels.radius import RadiusResult
from lookalike.kernels.spanning_forest import SpanningForest
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int

TREE_SPLITS = ("variance", "random")
TREE_MAGNITUDES = (2.0**-400, 2.0**480)  # magnitudes that the tree compares as they are


class KDTreeIndex(ArrayIndex):
    r"""Rows split at medians into boxes; a query visits the boxes that may hold a nearer row.

    .. math:: d(q, x) = \Big( \sum_j |q_j - x_j|^p \Big)^{1/p}

    A node is split at the median of one column: the one that varies most among (a sample of) its
    rows, or a random one [LUMS]. Going down to the leaf of a query "may miss neighbors"
    [LUMS]; the search therefore goes back up into every box that is not farther away than the
    k-th distance so far, and the result is that of a scan over all rows in float64, equal
    distances by row number.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Finite numbers. float32 rows are kept as float32, others as float64 where needed.
    p : float, default 2
        Power of the distance: 1, 2, any number >= 1, or ``inf`` for the largest difference.
    leaf_size : int, default 16
        Rows in a leaf. 16 fills a vector register; the result never depends on it.
    split : {"variance", "random"}, default "variance"
        Which column a node is split on.
    random_state : int, default 0
        Seed of samples and random columns.
    approximate : float, default 0
        With eps > 0 each distance returned is at most 1 + eps times the true one, and fewer
        boxes are visited. 0 is exact, and so is every search within a radius.
    threads : int, optional
        Threads used to build; None means the setting.

    Attributes
    ----------
    n_rows, n_features, depth : int
    decisions : Decisions
        What was decided on the user's behalf.

    Examples
    --------
    The tree of [LUMS]:

    >>> index = KDTreeIndex([[3, 1], [2, 6], [5, 4], [8, 7], [10, 2], [13, 3]], leaf_size=1)
    >>> index.depth
    3
    >>> index.query([[9, 4]], k=2)
    Neighbors(distance=array([[2.23606798, 3.16227766]]), row=array([[4, 3]]))
    """

    decisions: Decisions
    _holder = "_tree"
    _copied = ("_tree",)
    _rows: AnyArray  # of an index that comes from a file
    split: str
    threads: int | None
    p: float
    leaf_size: int
    random_state: int
    approximate: float

    def __init__(
        self,
        X: AnyArray | NativeRows,
        *,
        p: float = 2.0,
        leaf_size: int = 16,
        split: str = "variance",
        random_state: int = 0,
        approximate: float = 0.0,
        threads: int | None = None,
    ) -> None:
        self.p, self.leaf_size, self.split = p, leaf_size, split
        self.random_state, self.approximate, self.threads = random_state, approximate, threads
        self._check_parameters()
        self._tree = self._build(index_rows(X, dtypes=FLOAT_TYPES).values)
        self.decisions = Decisions()
        if approximate:
            self.decisions.add(
                "search",
                f"approximate within a factor {1 + self.approximate:g}",
                "approximate was given: the rows returned may not be the nearest",
            )

    def _check_parameters(self) -> None:
        """Raise where a parameter, given or from a file, is out of range."""
        self.p = check_float("p", self.p, least=1.0, infinite=True)
        self.leaf_size = check_int("leaf_size", self.leaf_size, least=1)
        check_choice("split", self.split, TREE_SPLITS)
        self.random_state = check_int("random_state", self.random_state, least=0)
        self.approximate = check_float("approximate", self.approximate, least=0.0, most=1e6)

    @property
    def depth(self) -> int:
        """Splits from the root to the deepest leaf: the logarithm of the leaves, rounded up."""
        return self._tree.depth

    def leaf_order(self) -> Rows:
        """Return the rows in the order of their leaves, those added later left out."""
        return np.asarray(self._tree.nodes()[2])

    def cells(self) -> list[tuple[Array, Rows]]:
        """Return the leaves: the box that each covers, and the rows in it.

        A box is of shape (2, columns), from where to where it reaches; infinite at the border.

        Examples
        --------
        >>> [row.tolist() for _, row in KDTreeIndex([[1.0], [5.0], [2.0]], leaf_size=1).cells()]
        [[0], [2], [1]]
        """
        split, value, row = self._tree.nodes()
        if len(row) < self.n_rows:
            raise ParameterError(
                "Rows were added, which lie in trees of their own. Fit all rows again."
            )
        whole = np.array([[-np.inf] * self.n_features, [np.inf] * self.n_features])
        waiting = [(0, 0, -(-self.n_rows // self.leaf_size), whole)]
        cells = []
        while waiting:
            node, leaf, leaves, box = waiting.pop()
            if leaves == 1:
                start = leaf * self.leaf_size
                cells.append((box, row[start : start + self.leaf_size]))
                continue
            left, column = (leaves + 1) // 2, split[node]
            lower, upper = box.copy(), box.copy()
            lower[1, column] = upper[0, column] = value[node]
            waiting.append((node + 2 * left, leaf + left, leaves - left, upper))
            waiting.append((node + 1, leaf, left, lower))
        return cells

    def query_self(self, k: int, *, threads: int | None = None) -> Neighbors:
        """Return the `k` nearest other rows of every row, faster than by `query`."""
        k = check_k(k, self.n_rows, excluding=True)
        slack, workers = self.approximate, resolve_threads(threads, "threads")
        nearest = Neighbors(*self._tree.nearest_of_rows(k, p=self.p, slack=slack, threads=workers))
        return self._settled(nearest, None, np.arange(self.n_rows), workers)

    def span(self, forest: SpanningForest, lists: Neighbors, *, threads: int | None = None) -> bool:
        """Join the components of a forest of the rows, by lists of their nearest other rows.

        Returns whether it did: rows of extreme magnitude, and a tree that searches approximately,
        are for others.
        """
        plain = self.p != 2.0 or (
            distance_scale(self._largest, TREE_MAGNITUDES) == 1.0
            and not (lists.distance < MIN_SAFE_DISTANCE).any()
        )
        if self.approximate or not plain:
            return False
        workers = resolve_threads(threads, "threads")
        self._tree.span(forest, lists.distance, lists.row, p=self.p, threads=workers)
        return True

    def core_rows(self, radius: float, least: int, *, threads: int | None = None) -> AnyArray:
        """Return which rows have `least` rows within the radius, themselves among them.

        Examples
        --------
        >>> KDTreeIndex([[0.0], [1.0], [5.0]]).core_rows(1.0, 2)
        array([ True,  True, False])
        """
        workers = resolve_threads(threads, "threads")
        return self._tree.core_rows(radius, least, p=self.p, threads=workers)

    def components(self, core: AnyArray, radius: float, *, threads: int | None = None) -> Rows:
        """Return for each row of a mask the smallest that steps within the radius lead to.

        Only rows of the mask are stepped on; others lead to themselves.

        Examples
        --------
        >>> index = KDTreeIndex([[0.0], [5.0], [1.0], [2.0]])
        >>> index.components(np.array([True, True, True, True]), 1.0)
        array([0, 1, 0, 0])
        """
        workers = resolve_threads(threads, "threads")
        return self._tree.components(core, radius, p=self.p, threads=workers)

    def _queries(self, Q: RowsLike, threads: int) -> AnyArray:  # noqa: ARG002 - converted by one
        return query_rows(Q, self.n_features, dtypes=FLOAT_TYPES).values

    def _nearest(self, Q: AnyArray, k: int, exclude: Rows, threads: int) -> tuple[Neighbors, None]:
        slack = self.approximate
        neighbors = self._tree.nearest(Q, k, exclude, p=self.p, slack=slack, threads=threads)
        return self._settled(Neighbors(*neighbors), Q, exclude, threads), None

    def _nearest_allowed(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        def few(queries: AnyArray, k: int, self_rows: Rows) -> Neighbors:
            row = np.flatnonzero(allowed)
            metric = metric_from("minkowski", self.p)
            alone = ScanIndex(self._tree.rows()[row], metric=metric)
            return query_few(alone, row, queries, k, exclude=self_rows, threads=threads)

        def more(queries: AnyArray, k: int, self_rows: Rows) -> Neighbors:
            return self._nearest(queries, k, self_rows, threads)[0]

        return query_more(more, few, Q, k, exclude=exclude, allowed=allowed)

    def _settled(
        self, nearest: Neighbors, Q: AnyArray | None, exclude: Rows, threads: int
    ) -> Neighbors:
        """Return Euclidean neighbors, those of almost no distance in their right order."""
        if self.p != 2.0:
            return nearest
        scale = distance_scale(self._largest, TREE_MAGNITUDES)
        if scale != 1.0:  # the tree has compared rescaled rows
            queries = self._tree.rows if Q is None else lambda: Q
            return require_distances(nearest, scale, queries, self._tree.rows)
        if not (nearest.distance < MIN_SAFE_DISTANCE).any():
            return nearest
        if not (self._tiny_rows or (Q is not None and has_tiny(Q))):
            return nearest
        rows = self._tree.rows()
        return settle_tiny(
            nearest,
            lambda: rows if Q is None else Q,
            lambda: rows,
            exclude,
            lambda some, self_rows: self._within(
                some, np.full(len(some), MIN_SAFE_DISTANCE), self_rows, threads
            ),
        )

    def _within(self, Q: AnyArray, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        """Return the rows within the radius; exact, whatever `approximate` is."""
        return self._tree.within(Q, radius, exclude, p=self.p, threads=threads)

    @property
    def rows(self) -> AnyArray:
        """The rows, in the order in which they were given."""
        rows: AnyArray = self._tree.rows()
        return rows

    def _add(self, X: AnyArray) -> None:
        """Append rows: afterwards the index equals one built of all rows.

        New rows become a tree of their own, joined with trees that are not much larger, so that
        a row is rebuilt about log(n) times however rows arrive.
        """
        X = query_rows(X, self.n_features, "X", dtypes=FLOAT_TYPES).values
        if len(X) == 0:
            return
        self.__dict__.pop("_tiny_rows", None)
        _check_count(self.n_rows + len(X))
        self._check_added(X)
        if X.dtype == np.float64 and self._tree.dtype == np.float32:
            self._tree = self._build(np.concatenate([self._tree.rows(), X]))
        else:
            self._tree.add(
                X.astype(self._tree.dtype, copy=False), resolve_threads(self.threads, "threads")
            )

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the tree is built again of the rows left."""
        self.__dict__.pop("_tiny_rows", None)
        self._tree = self._build(self._tree.rows()[rows_left(rows, self.n_rows)])

    def _check_added(self, X: AnyArray) -> None:
        """Raise where rows to add, and those of the tree, are of magnitudes too far apart."""
        largest = max(self._largest, _largest_of(X))
        scale = distance_scale(largest, TREE_MAGNITUDES)
        if self.p == 2.0 and scale != 1.0:
            require_one_magnitude(np.concatenate([self._tree.rows(), X]), scale)
        self._largest = largest

    def _build(self, X: AnyArray) -> NativeKDTree:
        _check_count(len(X))
        self._largest = _largest_of(X)
        if self.p == 2.0:
            require_one_magnitude(X, distance_scale(self._largest, TREE_MAGNITUDES))
        return NativeKDTree(
            X,
            leaf_size=self.leaf_size,
            random_split=self.split == "random",
            seed=self.random_state,
            threads=resolve_threads(self.threads, "threads"),
        )

    @cached_property
    def _tiny_rows(self) -> bool:
        """Whether squares of differences may vanish; looked at once a distance is almost zero."""
        return self._tree.dtype == np.float64 and has_tiny(self._tree.rows())

    @cached_property
    def _largest(self) -> float:
        """The largest size of a value, of an index from a file measured when it is needed."""
        return _largest_of(self._tree.rows())

    @cached_property
    def _tree(self) -> NativeKDTree:
        """The tree, built at the first query where the index comes from a file."""
        self._check_parameters()
        return self._build(index_rows(self._rows, dtypes=FLOAT_TYPES).values)

    def __getstate__(self) -> dict[str, object]:
        made = ("_tree", "_tiny_rows", "_largest")
        kept = {name: value for name, value in dict(vars(self)).items() if name not in made}
        return {**kept, "_rows": self._tree.rows()}


def _largest_of(X: AnyArray) -> float:
    return max(-float(X.min()), float(X.max()))


def _check_count(n_rows: int) -> None:
    if n_rows > MAX_TREE_ROWS:
        raise ParameterError(
            f"{n_rows} rows exceed the {MAX_TREE_ROWS} that a KD-tree numbers. Use an exact index."
        )
