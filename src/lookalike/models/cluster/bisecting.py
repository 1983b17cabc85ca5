"""Bisecting k-means: clusters that are parted in two until there are enough."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.decisions import Decisions
from lookalike.errors import ModelFileError, ParameterError
from lookalike.models.cluster.batches import batch_of
from lookalike.models.cluster.centroids import MeansModel, require_rows_for_centers
from lookalike.models.cluster.kmeans import KMeans
from lookalike.models.cluster.lloyd import nearest_centers
from lookalike.models.estimator import with_callbacks
from lookalike.models.inputs import as_floats
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_int, is_function

BISECTING_STRATEGIES = ("biggest_inertia", "largest_cluster")


class BisectionTree(NamedTuple):
    """Centers, each of which two others divide or none."""

    children: Rows  # (n_nodes, 2): the parts of every node, -1 where it is not parted
    centers: Array  # (n_nodes, n_features)
    labels: Rows  # (n_nodes,): the cluster of every node, -1 where it is parted

    def check(self) -> None:
        """Raise where rows that go down would walk for ever, or out of the tree: of a forged file.

        Parts come after the node that they part.
        """
        nodes = np.arange(len(self.centers))[:, None]
        leaf, within = self.children < 0, self.children < len(nodes)
        if (
            self.children.shape != (len(nodes), 2)
            or self.labels.shape != (len(nodes),)
            or not ((leaf | (self.children > nodes)) & within).all()
            or (leaf[:, 0] != leaf[:, 1]).any()
        ):
            raise ModelFileError("the clusters of the model make no tree")

    def walk(self, rows: Any) -> AnyArray:
        """Return the cluster in which each row arrives that goes down the tree."""
        rows = rows.tocsr() if sp.issparse(rows) else rows
        label = np.empty(rows.shape[0], np.int32)
        waiting = [(0, np.arange(rows.shape[0]))]
        while waiting:
            node, members = waiting.pop()
            parts = self.children[node]
            if parts[0] < 0:
                label[members] = self.labels[node]
            elif len(members):
                side = nearest_centers(rows[members], self.centers[parts], unit=False)
                waiting += [(int(parts[0]), members[side == 0])]
                waiting += [(int(parts[1]), members[side == 1])]
        return label


class Leaf(NamedTuple):
    """A cluster that is not parted yet."""

    node: int  # of the tree
    rows: Rows
    score: float  # the highest is parted next


class BisectingKMeans(MeansModel):
    """Part the rows in two by k-means, and the parts again, until there are enough clusters.

    Replaces scikit-learn's class of this name. Each part is found by :class:`lookalike.KMeans`.
    A new row goes down the tree of parts, each time to the nearer of two centers.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters.
    init : {"k-means++", "random", "kcenter"} or function, default="k-means++"
        First centers of the two parts, as in :class:`lookalike.KMeans`.
    n_init : int, default=1
        First centers that are tried, of which the best is kept.
    random_state : int, RandomState or None
        Seed of the first centers. None means 0: equal rows, equal results.
    max_iter, tol, verbose, copy_x, algorithm
        As in :class:`lookalike.KMeans`, for every parting.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is parted next: that of the largest sum of squared distances, or of the most
        rows.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where rows are predicted; those of fit are read into memory.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers, those of float32 rows in float32.
    labels_ : ndarray of shape (n_rows,), int32
        The cluster of each row; clusters are numbered by their centers, column by column.
    inertia_ : float
        Sum of squared distances of the rows to the centers of their clusters.
    tree_ : BisectionTree
        Of every node, its two parts as `children` (-1 where it is not parted), its center, and its
        cluster (-1 where it is parted).
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike.cluster import BisectingKMeans
    >>> X = [[1.0, 1.0], [1.0, 2.0], [9.0, 1.0], [9.0, 2.0], [9.0, 40.0]]
    >>> model = BisectingKMeans(n_clusters=3).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 1.5], [9.0, 1.5], [9.0, 40.0]]
    """

    metric = "euclidean"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: object = "k-means++",
        n_init: int = 1,
        random_state: object = None,
        max_iter: int = 300,
        verbose: int = 0,
        tol: float = 1e-4,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bisecting_strategy: str = "biggest_inertia",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.verbose = verbose
        self.tol = tol
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.bisecting_strategy = bisecting_strategy
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Part the rows of `X`, any table, each counting its weight; `y` is ignored."""
        k = check_int("n_clusters", self.n_clusters, least=1)
        check_int("n_init", self.n_init, least=1)
        check_choice("bisecting_strategy", self.bisecting_strategy, BISECTING_STRATEGIES)
        if not (isinstance(self.init, str) or is_function(self.init)):
            raise ParameterError("init gives centers of two parts. Give its name, or a function.")
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        rows, weight = batch_of(source)
        require_rows_for_centers(int(np.count_nonzero(weight)), k)
        self._grow(rows, weight, k, decisions)
        self.labels_ = self.tree_.walk(rows)
        centers = self._centers()
        self.inertia_ = sum(
            _spread(rows[members], weight[members], centers[label])
            for label, members in enumerate(_members(self.labels_, k))
        )
        self.decisions_ = decisions
        return self

    def _grow(self, rows: AnyArray, weight: Array, k: int, decisions: Decisions) -> None:
        """Part the cluster of the highest score until there are enough; set the tree."""
        rng = self._rng()
        one = self._kmeans(1, rng).fit(rows, sample_weight=weight)
        centers, children = [one._centers()[0]], [(-1, -1)]
        leaves = [Leaf(0, np.arange(rows.shape[0]), 0.0)]
        while len(leaves) < k:
            able = [leaf for leaf in leaves if np.count_nonzero(weight[leaf.rows]) > 1]
            parted = max(able, key=lambda leaf: leaf.score)
            part, share = rows[parted.rows], weight[parted.rows]
            with warnings.catch_warnings():  # equal rows, of which the other part has none
                warnings.simplefilter("ignore", ConvergenceWarning)
                two = self._kmeans(2, rng).fit(part, sample_weight=share)
            children[parted.node] = (len(centers), len(centers) + 1)
            leaves = [leaf for leaf in leaves if leaf.node != parted.node]
            for label, members in enumerate(_members(two.labels_, 2)):
                center = two._centers()[label]
                score = float(share[members].sum())
                if self.bisecting_strategy == "biggest_inertia":
                    score = _spread(part[members], share[members], center)
                leaves.append(Leaf(len(centers), parted.rows[members], score))
                centers.append(center)
                children.append((-1, -1))
        empty = sum(not len(leaf.rows) for leaf in leaves)
        if empty:
            decisions.add("n_clusters", f"{empty} without rows", "their rows are equal to others")
        order = sorted((leaf.node for leaf in leaves), key=lambda node: centers[node].tolist())
        labels = np.full(len(centers), -1)
        labels[order] = np.arange(k)
        self.tree_ = BisectionTree(np.array(children), np.array(centers), labels)
        self._set_centers(self.tree_.centers[order], rows.dtype)

    def _kmeans(self, n_clusters: int, rng: np.random.RandomState) -> KMeans:
        return KMeans(
            n_clusters,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            verbose=self.verbose,
            random_state=int(rng.randint(2**31 - 1)),
            copy_x=self.copy_x,
            algorithm=self.algorithm if n_clusters > 1 else "lloyd",
            engine="memory",
            n_jobs=self.n_jobs,
        )

    def _nearest(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        return self.tree_.walk(as_floats(chunk.X))


def _members(labels: AnyArray, k: int) -> list[Rows]:
    """Return the rows of every cluster."""
    ends = np.cumsum(np.bincount(labels, minlength=k))
    return np.split(np.argsort(labels, kind="stable"), ends[:-1])


def _spread(rows: Any, weight: Array, center: Array) -> float:
    """Return the sum of squared distances of rows to a center."""
    if not sp.issparse(rows):
        return float((np.square(rows - center).sum(axis=1) * weight).sum())
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    square = np.maximum(squares - 2 * (rows @ center) + center @ center, 0.0)
    return float((square * weight).sum())
