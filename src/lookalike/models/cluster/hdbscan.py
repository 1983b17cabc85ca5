"""HDBSCAN: clusters of every density, from the tree that joins rows from near to far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.spanning_forest import condense, merge_rows
from lookalike.models.cluster.condensed_tree import CondensedTree
from lookalike.models.cluster.density_search import DensityClustering
from lookalike.models.cluster.finite_rows import (
    INFINITE_LABEL,
    MISSING_LABEL,
    finite_rows,
    or_infinite,
    with_largest_distances,
)
from lookalike.models.cluster.spanning_tree import core_distances, spanning_tree
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.inputs import as_sample_weight
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.neighbors.valid_metrics import VALID_METRICS
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from lookalike.kernels.spanning_forest import Merges

CENTER_KINDS = (None, "centroid", "medoid", "both")
NOISE_LABEL = -1


class HDBSCAN(DensityClustering):
    r"""Clusters that last longest while the density at which rows are joined falls.

    Rows are joined by their mutual reachability

    .. math:: \max\big(c(a), c(b), d(a, b) / \alpha\big),

    where the core distance :math:`c` is that of the `min_samples`-th row, the row itself among
    them. Sides of a merge that are smaller than `min_cluster_size` fall out of their cluster; of
    the clusters left, those of the largest excess of mass are chosen [Campello13].

    The spanning tree is exact. Edges of equal weight go by row numbers, so that threads and
    algorithms never change a label; scikit-learn's go by the order of its sort, which may move rows
    that lie between two clusters of equal reach.

    Parameters
    ----------
    min_cluster_size : int, default=5
        The rows, or their weight, that a cluster has at least.
    min_samples : int, optional
        The rows, or their weight, within the core distance; None is `min_cluster_size`.
    cluster_selection_epsilon : float, default=0.0
        Clusters that part below this distance are not parted.
    max_cluster_size : int, optional
        The rows, or their weight, that a chosen cluster has at most.
    metric : str, Metric or function, default="euclidean"
        As in :class:`lookalike.NearestNeighbors`; "precomputed" takes a square of distances.
    metric_params : mapping, optional
        Parameters of the metric.
    alpha : float, default=1.0
        Distances are divided by it, core distances are not.
    algorithm, leaf_size, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`; they never change a label.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Clusters of the largest excess of mass, or those that do not part any more.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    store_centers : {None, "centroid", "medoid", "both"}, default=None
        Which centers to store.
    copy : bool, default=True
        For scikit-learn's signature: `X` is never changed.
    missing : {"error", "present"}, default="error"
        As in :class:`lookalike.NearestNeighbors`; with "error", rows with missing or infinite
        values are labeled -3 and -2.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        The cluster of every row, -1 for noise, -2 for infinite and -3 for missing values.
    probabilities_ : ndarray of shape (n_rows,)
        How long each row stays in its cluster, of how long that lasts.
    outlier_scores_ : ndarray of shape (n_rows,)
        How much earlier than the densest rows around it each row is left alone (GLOSH), from 0.
    cluster_persistence_ : ndarray of shape (n_clusters,)
        The excess of mass of every cluster.
    condensed_tree_ : CondensedTree
        The tree that clusters were chosen from; `lookalike.report.plot_condensed_tree` draws it.
    single_linkage_tree_ : ndarray of shape (n_finite_rows - 1, 4)
        The merges as scipy's dendrograms take them.
    minimum_spanning_tree_ : ndarray of shape (n_finite_rows - 1, 3)
        Its edges: two rows and their mutual reachability.
    core_distances_ : ndarray of shape (n_finite_rows,)
    centroids_, medoids_ : ndarray of shape (n_clusters, n_features)
        Centers, where `store_centers` asks for them.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import HDBSCAN
    >>> model = HDBSCAN(min_cluster_size=2)
    >>> model.fit_predict([[0.0], [0.5], [9.0], [20.0], [20.5], [21.0]])
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(  # noqa: PLR0917 - in the order of scikit-learn
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: object = "euclidean",
        metric_params: Mapping[str, object] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool = True,
        *,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.missing = missing
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Cluster the rows of `X`, any table, each counting its weight; `y` is ignored."""
        self._check_options()
        self._check_algorithm(X)
        decisions = Decisions()
        outside = None
        if self.missing == "error" and not self._is_precomputed():
            X, outside = finite_rows(X)
        if self._is_precomputed():
            X = with_largest_distances(X)
        space = self._arrange(X, decisions)
        if space.n_rows == 1:
            raise ShapeError("X has n_samples=1, and clusters need more than one row. Give more.")
        weight = self._weights(sample_weight, space.n_rows, outside)
        self._find_clusters(space, weight)
        if self.store_centers is not None:
            self._store_centers(space)
        if outside is not None:
            self._put_back(outside)
            decisions.add("rows", f"{np.count_nonzero(outside)} set aside", "they are not finite")
        self.decisions_ = decisions
        return self

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Rows:
        """Return the clusters of rows that are joined below a distance, smaller ones being noise.

        These are the core rows of DBSCAN; rows beside them are noise.
        """
        check_is_fitted(self)
        check_float("cut_distance", cut_distance, least=0.0)
        check_int("min_cluster_size", min_cluster_size, least=1)
        n_rows = len(self._merges.height) + 1
        node = np.arange(2 * n_rows - 1)  # each stands for itself until its merge is made
        for merge in range(len(self._merges.height) - 1, -1, -1):
            if self._merges.height[merge] < cut_distance:
                top = node[n_rows + merge]
                node[self._merges.left[merge]] = node[self._merges.right[merge]] = top
        _, first, group, count = np.unique(
            node[:n_rows], return_index=True, return_inverse=True, return_counts=True
        )
        label = np.full(len(count), NOISE_LABEL)
        kept = np.flatnonzero(count >= min_cluster_size)
        label[kept[np.argsort(first[kept])]] = np.arange(len(kept))
        labels = self.labels_.copy()
        labels[labels >= NOISE_LABEL] = label[group]
        return labels

    def _check_options(self) -> None:
        check_int("min_cluster_size", self.min_cluster_size, least=2)
        if self.min_samples is not None:
            check_int("min_samples", self.min_samples, least=1)
        if self.max_cluster_size is not None:
            check_int("max_cluster_size", self.max_cluster_size, least=1)
        check_float("cluster_selection_epsilon", self.cluster_selection_epsilon, least=0.0)
        if check_float("alpha", self.alpha, least=0.0) == 0.0:
            raise ParameterError("alpha=0.0 is out of range. Give a number above 0.")
        check_choice("cluster_selection_method", self.cluster_selection_method, ("eom", "leaf"))
        check_choice("store_centers", self.store_centers, CENTER_KINDS)
        if self._is_precomputed() and self.store_centers is not None:
            raise ParameterError(
                "Cannot store centers when using a precomputed distance matrix. Give rows, or "
                "store_centers=None."
            )

    def _check_algorithm(self, X: object) -> None:
        """Raise where a tree was asked for that does not take such rows, or such a metric."""
        if self.algorithm not in VALID_METRICS or self.algorithm == "brute":
            return
        if sp.issparse(X) and not self._is_precomputed():
            raise ParameterError(
                "Sparse data matrices only support algorithm `brute`. Give algorithm='auto'."
            )
        named = isinstance(self.metric, str) and not self._is_precomputed()
        if named and str(self.metric).lower() not in VALID_METRICS[self.algorithm]:
            raise ParameterError(
                f"{self.metric} is not a valid metric for a `{self.algorithm}`-based algorithm. "
                "Give algorithm='auto'."
            )

    def _weights(
        self, sample_weight: object, n_rows: int, outside: AnyArray | None
    ) -> Array | None:
        weight = as_sample_weight(sample_weight)
        if weight is not None and outside is not None and len(weight) == len(outside):
            weight = weight[outside == 0]
        if weight is not None and len(weight) != n_rows:
            raise ShapeError(
                f"sample_weight has {len(weight)} weights for {n_rows} rows. Give one for each."
            )
        return weight

    def _find_clusters(self, space: SearchSpace, weight: Array | None) -> None:
        n_rows = space.n_rows
        least = self.min_cluster_size if self.min_samples is None else self.min_samples
        if weight is None and least > n_rows:
            raise ParameterError(
                f"min_samples ({least}) must be at most the number of samples in X ({n_rows}). "
                "Choose a smaller one."
            )
        core, lists = core_distances(space, least, weight, self.n_jobs)
        edges = spanning_tree(space, core, lists, float(self.alpha), self.n_jobs)
        counts = np.ones(n_rows) if weight is None else weight
        self.core_distances_ = or_infinite(core)
        self._merges: Merges = merge_rows(edges, counts)
        edges_kept = condense(self._merges, counts, float(self.min_cluster_size))
        self.condensed_tree_ = CondensedTree.of(edges_kept, counts)
        self.single_linkage_tree_ = or_infinite(np.column_stack([*self._merges]))
        edge = np.column_stack([edges.low, edges.high, edges.weight])
        self.minimum_spanning_tree_ = or_infinite(edge)
        self._label(self.condensed_tree_)

    def _label(self, tree: CondensedTree) -> None:
        chosen = self._chosen(tree)
        label_of_cluster = tree.label_of_cluster(chosen)
        cluster, density = tree.cluster_of_row, tree.density_of_row
        labels = label_of_cluster[cluster]
        death = tree.death()
        if chosen[0]:  # all rows are one cluster: those that leave before it parts are noise
            epsilon = float(self.cluster_selection_epsilon)
            least = 1.0 / epsilon if epsilon else death[0]
            labels[density < least] = NOISE_LABEL
        last = death[np.flatnonzero(chosen)]
        of_row = np.where(labels >= 0, last[labels], 1.0) if len(last) else np.ones(len(labels))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.minimum(density, of_row) / of_row
        share[(of_row == 0.0) | np.isinf(density)] = 1.0
        self.probabilities_ = np.where(labels >= 0, share, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = 1.0 - density / tree.largest_density()[cluster]
        self.outlier_scores_ = np.where(np.isinf(density) | np.isnan(scores), 0.0, scores)
        self.cluster_persistence_ = tree.stability()[chosen]
        self.chosen_clusters_ = np.flatnonzero(chosen)
        self.labels_ = labels

    def _chosen(self, tree: CondensedTree) -> AnyArray:
        single = self.allow_single_cluster
        epsilon = float(self.cluster_selection_epsilon)
        if self.cluster_selection_method == "leaf":
            chosen = tree.leaves()
            chosen[0] = False
        else:
            largest = np.inf if self.max_cluster_size is None else self.max_cluster_size
            chosen = tree.most_stable(root=single, largest=largest)
        return tree.merged_below(chosen, epsilon, root=single) if epsilon else chosen

    def _store_centers(self, space: SearchSpace) -> None:
        rows = space.training_rows()
        rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64)
        centroids, medoids = [], []
        for label in range(len(self.cluster_persistence_)):
            member = np.flatnonzero(self.labels_ == label)
            share = self.probabilities_[member]
            if self.store_centers != "medoid":
                centroids.append(np.average(rows[member], weights=share, axis=0))
            if self.store_centers != "centroid":
                part = SearchSpace.fit(rows[member], self._search_options(), kept=False)
                near = part.within(part.training_rows(), np.inf)
                query = np.repeat(np.arange(len(member)), np.diff(near.start))
                far = np.bincount(query, near.distance * share[near.row], len(member))
                medoids.append(rows[member[np.argmin(far)]])
        shape = (-1, rows.shape[1])
        if self.store_centers != "medoid":
            self.centroids_ = np.array(centroids).reshape(shape)
        if self.store_centers != "centroid":
            self.medoids_ = np.array(medoids).reshape(shape)

    def _put_back(self, outside: Rows) -> None:
        """Give rows that are not finite their labels, and no probability."""
        finite = outside == 0
        for name, value in (("labels_", 0), ("probabilities_", 0.0), ("outlier_scores_", np.nan)):
            whole = np.full(len(outside), value)
            whole[finite] = getattr(self, name)
            setattr(self, name, whole)
        self.labels_[~finite] = outside[~finite]
        self.probabilities_[outside == MISSING_LABEL] = np.nan
        self.probabilities_[outside == INFINITE_LABEL] = 0.0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._is_precomputed()
        return tags
