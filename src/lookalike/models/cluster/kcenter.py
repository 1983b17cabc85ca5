"""K-center clustering: rows as centers, taken farthest first."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.cluster.centroids import CENTROID_METRICS, CenterModel
from lookalike.models.cluster.initialization import CandidateCenters, farthest_first
from lookalike.models.cluster.lloyd import LloydRows, means
from lookalike.models.estimator import with_callbacks
from lookalike.reductions.ranges import Range
from lookalike.reductions.sample import RandomSample
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, to_host
from lookalike.validation import check_choice, check_int, check_random_state


class KCenter(CenterModel):
    r"""Take rows as centers, each time the row farthest from those taken.

    .. math:: \min_{C \subset X, |C| = k} \max_n \min_{c \in C} \|x_n - x_c\|

    The radius is at most twice the least possible [Gonzalez85], and no polynomial algorithm
    guarantees less. A start for k-means and centers for RBF networks [UGR].

    Parameters
    ----------
    n_clusters : int, default=8
        Centers.
    start : {"far", "random"} or int, default="far"
        The first center: the row farthest from the mean, one drawn at random, or the row of this
        number. Only "random" depends on the seed.
    metric : {"euclidean", "cosine"}, default="euclidean"
        With "cosine" rows are divided by their lengths.
    random_state : int, RandomState or None
        Seed of "random". None means 0.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs; beyond memory there is one pass per center.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The rows taken, in float64.
    center_rows_ : ndarray of shape (n_clusters,)
        Their numbers, in the order in which they were taken.
    radius_ : float
        The largest distance of a row to its center; no k centers reach less than half of it.
    radii_ : ndarray of shape (n_clusters,)
        The radius after 1, 2, … centers, which never rises.
    labels_ : ndarray of shape (n_rows,), int32
        The center nearest to each row.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike.cluster import KCenter
    >>> model = KCenter(2, start=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.center_rows_.tolist(), model.radius_
    ([0, 3], 1.0)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        start: str | int = "far",
        metric: str = "euclidean",
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.start = start
        self.metric = metric
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Take centers among the rows of `X`, any table that can be read again; `y` is ignored."""
        k = check_int("n_clusters", self.n_clusters, least=1)
        check_choice("metric", self.metric, CENTROID_METRICS)
        decisions = Decisions()
        source = self._open(X)
        extent = self._extent(source, decisions)
        if extent.rows < k:
            raise ParameterError(
                f"n_samples={extent.rows} should be >= n_clusters={k}. Give more rows, or choose "
                "fewer centers."
            )
        rows = self._lloyd_rows(source, extent, sp.issparse(X), decisions)
        first = self._first(source, rows, extent)
        take = self._in_memory if self._engine(source).name == "memory" else self._streaming
        self.center_rows_, squared, self.cluster_centers_ = take(source, rows, first, k)
        self.radii_ = squared / 2 if self.metric == "cosine" else np.sqrt(squared)
        self.radius_ = float(self.radii_[-1])
        self.labels_, _ = rows.assign(self.cluster_centers_)
        self.decisions_ = decisions
        return self

    def fit_predict(self, X: object, y: object = None) -> AnyArray:
        """Fit, and return the cluster of each row."""
        return self.fit(X).labels_

    def _first(self, source: Source, rows: LloydRows, extent: Range) -> int:
        """Return the number of the first center."""
        if not isinstance(self.start, str):
            return check_int("start", self.start, least=0, most=extent.rows - 1)
        check_choice("start", self.start, ("far", "random"))
        if self.start == "random":
            rng = check_random_state(0 if self.random_state is None else self.random_state)
            sample = RandomSample(1, seed=int(rng.randint(2**31 - 1)))
            return int(self._engine(source).reduce(sample, source).row[0])
        middle = np.ascontiguousarray((extent.least / 2 + extent.most / 2)[None])
        mean = means(rows.gather(middle), rows.frame, middle)
        return int(rows.farthest(mean, 1).row[0])

    def _in_memory(
        self, source: Source, rows: LloydRows, first: int, k: int
    ) -> tuple[Rows, Array, Array]:
        """Return the rows taken, their squared radii, and the centers."""
        candidates = CandidateCenters(
            rows.frame.rows(gather(source).X), None, resolve_threads(self.n_jobs)
        )
        taken, squared = farthest_first(candidates, k, first)
        return taken, squared, candidates.values(taken)

    def _streaming(
        self, source: Source, rows: LloydRows, first: int, k: int
    ) -> tuple[Rows, Array, Array]:
        """Return the rows taken, their squared radii, and the centers, with a pass a center."""
        taken, squared = [first], []
        centers = _row(source, rows, first)
        for _ in range(k):
            far = rows.farthest(centers, 1)
            squared.append(float(far.key[0]))
            if len(taken) < k:
                taken.append(int(far.row[0]))
                centers = np.concatenate([centers, far.X])
        return np.array(taken, np.int64), np.array(squared), centers


def _row(source: Source, rows: LloydRows, number: int) -> Array:
    """Return one row, read from the start."""
    for chunk in source.chunks():
        if chunk.offset <= number < chunk.offset + chunk.X.shape[0]:
            place = number - chunk.offset
            row_of_frame = rows.frame.rows(to_host(chunk.X[place : place + 1]))
            return CandidateCenters(row_of_frame, None, 1).values(np.zeros(1, np.int64))
    raise ParameterError(f"start={number} is not a row. Give the number of a row.")
