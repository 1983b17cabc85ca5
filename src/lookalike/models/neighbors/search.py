"""Nearest-neighbor search, exact by whichever index is fastest, or approximate by LSH."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from lookalike.decisions import Decisions
from lookalike.models.estimator import check_is_fitted, with_callbacks
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.state import replace_state


class NearestNeighbors(NeighborsModel):
    """Nearest-neighbor search: always the neighbors of the float64 reference scan, but faster.

    Replaces scikit-learn's class of this name. Differences: results do not depend on
    offset, scale, batch or threads; equal distances go to the smaller row number; rows may lie
    in files or on a cluster; rows can be added and removed.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each query.
    radius : float, default=1.0
        Radius of `radius_neighbors`; the boundary is included.
    algorithm : {"auto", "exact", "brute", "kd_tree", "ball_tree", "lsh"}, default="auto"
        The index; all but ``"lsh"`` are exact. ``"ball_tree"`` uses the index that is fastest for
        the metric.
    leaf_size : int, default=30
        Rows in a leaf of a KD-tree. Never changes a result.
    split : {"variance", "random"}, default="variance"
        The column on which a node of a KD-tree is split: that of the largest variance, or a
        random one. Never changes a result.
    approximate : float, default=0
        With eps > 0 a KD-tree is used, and each distance found is at most 1 + eps times the true
        one; searches within a radius stay exact.
    recall : float, default=0.95
        With ``algorithm="lsh"``, the share of the nearest rows that should be found.
    metric : str, Metric or function, default="minkowski"
        See :func:`lookalike.kernels.metrics.metric_from`. "gower" and "hamming" compare columns
        of numbers and categories, "jaccard" sets: lists of items, columns of booleans or of
        categories.
    p : float, default=2
        Power of ``"minkowski"``.
    metric_params : mapping, optional
        Parameters of the metric, such as ``{"w": weights}``.
    missing : {"error", "mean", "present"}, default="error"
        A missing value is an error; or the mean of its column, the most frequent one of
        categories; or left out of the distance: ``metric="nan_euclidean"`` between numbers,
        "gower" where columns are of several kinds, with the expected difference in its place.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the rows stay. ``"auto"`` reads files into memory when they fit the budget;
        ``"gpu"`` searches on a CUDA GPU, with the same answer bit for bit.

    Attributes
    ----------
    effective_metric_ : str or function
        The metric used.
    effective_metric_params_ : dict
        Its parameters.
    n_samples_fit_ : int
        Training rows.
    space_ : SearchSpace
        The training rows, arranged for search.
    decisions_ : Decisions
        What was decided, and why; :func:`lookalike.neighbors.search_plan` says what searches cost.

    Examples
    --------
    >>> from lookalike import NearestNeighbors
    >>> rows = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    >>> distance, row = NearestNeighbors(n_neighbors=2).fit(rows).kneighbors([[0.0, 1.0]])
    >>> row
    array([[0, 1]])
    """

    _reads_tensors = True

    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        radius: float | None = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        metric: object = "minkowski",
        p: float | None = 2,
        metric_params: Mapping[str, object] | None = None,
        missing: str = "error",
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.missing = missing
        self.n_jobs = n_jobs
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Index the rows of `X`, any table, for search; `y` is ignored.

        `X` are lists of items with ``metric="jaccard"``, and distances with
        ``metric="precomputed"``.
        """
        return self._fit_rows(X)

    @replace_state
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Append rows: afterwards the model finds neighbors as one fitted on all rows."""
        if not hasattr(self, "space_"):
            return self.fit(X)
        space = self.space_
        return self._take_over(space.extend(space.table(X), check=self._check_columns))

    @replace_state
    def remove(self, rows: object) -> Self:
        """Drop training rows by number and close the gaps: as if fitted on the rows left."""
        check_is_fitted(self)
        return self._take_over(self.space_.remove(rows))

    def _take_over(self, space: SearchSpace) -> Self:
        self._hold_space(space)
        self.decisions_: Decisions = Decisions(self.decisions_)
        return self
