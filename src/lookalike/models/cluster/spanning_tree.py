"""The spanning tree of mutual reachability, by the index that rows are arranged in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import ParameterError
from lookalike.index.base import Neighbors
from lookalike.index.graph import GraphIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.scan import ScanIndex
from lookalike.interrupt import interruptible
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.spanning_forest import ForestPass, SpanningForest, TreeEdges
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.neighbors.supervised import rows_of
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

MORE_NEIGHBORS_LISTED = 8  # than core distances need: their edges are proven without a search
MAX_LISTED_NEIGHBORS = 64
MAX_SEARCHED_COMPONENTS = 1024  # each is a search of its own; of more, all pairs are looked at
PAIRS_IN_BLOCK = 2**23  # inner products or distances of a block
PRODUCT_MAGNITUDES = (1e-12, 1e12)  # sizes of values whose squares float32 holds


def core_distances(
    space: SearchSpace, min_samples: int, weight: Array | None, n_jobs: int | None
) -> tuple[Array, Neighbors]:
    """Return the radius within which every row has `min_samples` rows, itself among them.

    With weights, rows of that weight. The nearest other rows of every row come with it.
    """
    n_rows = space.n_rows
    if isinstance(space.index, GraphIndex):
        none = Neighbors(np.empty((0, 0)), np.empty((0, 0), np.int64))
        return _core_of_graph(space, min_samples), none
    k = min(n_rows - 1, max(min_samples - 1, 1) + MORE_NEIGHBORS_LISTED)
    while True:
        lists = space.nearest_of_training(k, n_jobs=n_jobs)
        if weight is None:
            core = lists.distance[:, min_samples - 2] if min_samples > 1 else np.zeros(n_rows)
            return np.ascontiguousarray(core), _short(lists)
        reached = np.cumsum(np.column_stack([weight, weight[lists.row]]), axis=1) >= min_samples
        if k == n_rows - 1 or reached[:, -1].all():
            break
        k = min(n_rows - 1, 2 * k)
    radius = np.column_stack([np.zeros(n_rows), lists.distance])
    core = np.where(
        reached.any(axis=1), radius[np.arange(n_rows), reached.argmax(axis=1)], radius[:, -1]
    )
    return core, _short(lists)


def spanning_tree(
    space: SearchSpace, core: Array, lists: Neighbors, alpha: float, n_jobs: int | None
) -> TreeEdges:
    """Return the minimum spanning tree of mutual reachability."""
    forest = SpanningForest(core, alpha)
    if isinstance(space.index, GraphIndex):
        return _tree_of_graph(space, forest)
    forest.join_listed(lists.distance, lists.row)
    threads = resolve_threads(n_jobs)
    index = space.index
    if forest.components > 1 and not (
        isinstance(index, KDTreeIndex) and index.span(forest, lists, threads=threads)
    ):
        while forest.components > 1:
            before = forest.components
            if before <= MAX_SEARCHED_COMPONENTS and _is_plain(space):
                search_outside(space, forest, Reachability(core, alpha, lists), n_jobs)
            else:
                look_at_all_pairs(space, forest, threads)
            if forest.components == before:
                raise ParameterError("Rows are infinitely far from each other. Give finite rows.")
    return forest.edges()


class Reachability(NamedTuple):
    """What the weights of edges are made of, and the nearest other rows of every row."""

    core: Array
    alpha: float
    lists: Neighbors

    def weight(self, distance: Array, a: Rows, b: Rows) -> Array:
        """Return the mutual reachability of rows at these distances."""
        weight: Array = np.maximum(np.maximum(self.core[a], self.core[b]), distance / self.alpha)
        return weight

    def listed(self, member: Rows, outside: AnyArray) -> tuple[Array, Rows, Rows]:
        """Return the distances and rows of the listed edges that leave a component."""
        row, column = np.nonzero(outside[self.lists.row[member]])
        a = member[row]
        return self.lists.distance[a, column], a, self.lists.row[a, column]

    def unsure(self, member: Rows, least: float) -> Rows:
        """Return the rows that may have an edge of at most this weight that no list holds."""
        beyond = self.lists.distance[member, -1] / self.alpha
        unsure: Rows = member[(self.core[member] <= least) & (beyond <= least)]
        return unsure


def search_outside(
    space: SearchSpace, forest: SpanningForest, reachability: Reachability, n_jobs: int | None
) -> None:
    """Join every component but the largest with the nearest row outside of it, by its index.

    The listed edges of a component bound its next edge: rows whose lists reach farther
    are not searched for.
    """
    component, rows = forest.component(), space.training_rows()
    edges = []
    for number in np.argsort(np.bincount(component), kind="stable")[:-1]:
        outside, member = component != number, np.flatnonzero(component == number)
        distance, a, b = reachability.listed(member, outside)
        least = reachability.weight(distance, a, b).min(initial=np.inf)
        member = reachability.unsure(member, least)
        if len(member):
            nearest = space.nearest(rows_of(rows, member), 1, where=outside, n_jobs=n_jobs)
            reach = nearest.distance[:, 0]
            least = min(least, reachability.weight(reach, member, nearest.row[:, 0]).min())
            close = (reachability.core[member] <= least) & (reach / reachability.alpha <= least)
            radius = np.nextafter(least * reachability.alpha, np.inf)  # a quotient was rounded
            near = space.within(rows_of(rows, member[close]), radius, where=outside, n_jobs=n_jobs)
            distance = np.concatenate([distance, near.distance])
            a = np.concatenate([a, np.repeat(member[close], np.diff(near.start))])
            b = np.concatenate([b, near.row])
        weight = reachability.weight(distance, a, b)
        first = np.lexsort((np.maximum(a, b), np.minimum(a, b), weight))[0]
        if np.isfinite(weight[first]):
            edges.append((distance[first], a[first], b[first]))
    if edges:
        forest.join(*(np.array(part) for part in zip(*edges, strict=True)))


def look_at_all_pairs(space: SearchSpace, forest: SpanningForest, threads: int) -> None:
    """Join every component of a forest with the nearest row outside of it."""
    component = forest.component()
    size = np.bincount(component)
    order = np.lexsort((component, -size[component]))  # the largest first: its pairs are left out
    component = component[order]
    work = ForestPass(forest, order, threads)
    rows = _product_rows(space)
    if rows is None:
        offer = _distance_offer(space, work, order)
    else:
        offer = _product_offer(rows[order], work)
    step = max(1, PAIRS_IN_BLOCK // len(order))
    begin = 0
    while begin < len(order):
        end = min(begin + step, len(order))
        first = begin
        if component[begin] == component[end - 1]:  # one component: what follows it alone
            first = int(np.searchsorted(component != component[begin], True)) if begin == 0 else end
            same = np.flatnonzero(component[end:] != component[begin])
            first = end + int(same[0]) if len(same) else len(order)
        if first < len(order):
            offer(begin, end, first)
        begin = end
    work.finish()


def _is_plain(space: SearchSpace) -> bool:
    """Return whether rows are compared by Euclidean distance as they are."""
    plain = space.options.is_plain() and space.codes is None
    return plain and isinstance(space.rows, np.ndarray)


def _product_rows(space: SearchSpace) -> AnyArray | None:
    """Return rows whose Euclidean distances inner products bound; None of others."""
    if not _is_plain(space):
        return None
    largest = float(np.abs(space.rows).max())
    low, high = PRODUCT_MAGNITUDES
    return space.rows if low < largest < high else None


def _product_offer(rows: AnyArray, work: ForestPass) -> Any:
    wide = rows.astype(np.float64)
    wide -= wide.mean(axis=0)
    narrow = wide.astype(np.float32)
    squared = np.einsum("ij,ij->i", wide, wide)
    exact = np.ascontiguousarray(rows)

    def offer(begin: int, end: int, first: int) -> None:
        product = interruptible(np.matmul, narrow[begin:end], narrow[first:].T)
        work.offer_products(product, squared, exact, begin, first)

    return offer


def _distance_offer(space: SearchSpace, work: ForestPass, order: AnyArray) -> Any:
    rows, index = space.training_rows(), scan_of(space)

    def offer(begin: int, end: int, first: int) -> None:
        queries = rows_of(rows, order[begin:end])
        distance = index.distances(queries, threads=space.options.n_jobs)[:, order[first:]]
        work.offer_distances(np.ascontiguousarray(distance), begin, first)

    return offer


def scan_of(space: SearchSpace) -> ScanIndex:
    """Return an index that says the distances of all pairs, as the index of the space does."""
    index: Any = space.index
    if isinstance(index, ScanIndex):
        return index
    metric = metric_from("minkowski", index.p) if isinstance(index, KDTreeIndex) else index.metric
    return ScanIndex(space.training_rows(), metric=metric, threads=space.options.n_jobs)


def _short(lists: Neighbors) -> Neighbors:
    some = slice(0, MAX_LISTED_NEIGHBORS)
    return Neighbors(
        np.ascontiguousarray(lists.distance[:, some], np.float64),
        np.ascontiguousarray(lists.row[:, some]),
    )


def _core_of_graph(space: SearchSpace, min_samples: int) -> Array:
    graph = space.rows.tocsr()
    counts = np.diff(graph.indptr) + 1  # a row is its own neighbor
    if (counts < min_samples).any():
        raise ParameterError(
            f"There are rows with fewer than {min_samples} neighbors, themselves among them. Store "
            "more distances, or choose a smaller min_samples."
        )
    if min_samples == 1:
        return np.zeros(len(counts))
    nearest = np.lexsort((graph.data, np.repeat(np.arange(len(counts)), np.diff(graph.indptr))))
    core: Array = graph.data[nearest][graph.indptr[:-1] + min_samples - 2]
    return core.astype(np.float64)


def _tree_of_graph(space: SearchSpace, forest: SpanningForest) -> TreeEdges:
    graph = space.rows.tocoo()
    forest.join(graph.data, graph.row.astype(np.int64), graph.col.astype(np.int64))
    if forest.components > 1:
        raise ParameterError(
            f"The sparse distances have {forest.components} connected components. HDBSCAN cannot "
            "be performed on a disconnected graph: store more distances."
        )
    return forest.edges()
