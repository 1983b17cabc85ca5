"""K-means of batches of rows."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.source import Source, open_features
from lookalike.decisions import Decisions
from lookalike.models.cluster.batches import (
    Batch,
    Convergence,
    batch_of,
    draw_batches,
    inertia_of,
    move_centers,
    reassign,
)
from lookalike.models.cluster.centroids import MeansModel, require_rows_for_centers
from lookalike.models.cluster.initialization import Initialization
from lookalike.models.cluster.lloyd import LloydRows, mean_variance, nearest_centers
from lookalike.models.estimator import with_callbacks
from lookalike.models.inputs import as_sample_weight
from lookalike.models.state import replace_state
from lookalike.progress import progress
from lookalike.reductions.ranges import Range
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_float, check_int

TRIED_STARTS = 3  # of first centers that depend on chance, where n_init="auto"
ROWS_BETWEEN_REASSIGNMENTS = 10  # for each center


class MiniBatchKMeans(MeansModel):
    r"""K-means of batches of rows: centers near those of :class:`lookalike.KMeans`, sooner.

    Replaces scikit-learn's class of this name. Each batch moves the centers to the mean of all rows
    that they were given so far [Sculley10]:

    .. math:: \mu_c \leftarrow \mu_c + \frac{1}{n_c} \sum_{n : c(n) = c} (x_n - \mu_c)

    :meth:`fit` draws batches of different rows at random, the same ones on every engine;
    :meth:`partial_fit` takes them as they come.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters.
    init : {"k-means++", "random", "kcenter"}, array or function, default="k-means++"
        First centers, as in :class:`lookalike.KMeans`.
    max_iter : int, default=100
        How often as many rows as there are may be drawn.
    batch_size : int, default=1024
        The rows of a batch; where there are no more, a batch has all of them.
    verbose : int, default=0
        Whether each batch prints its inertia.
    compute_labels : bool, default=True
        Whether :meth:`fit` assigns all rows in the end. Without, `inertia_` is estimated from the
        batches, and there are no `labels_`.
    random_state : int, RandomState or None
        Seed of the first centers and the batches. None means 0: equal rows, equal results.
    tol : float, default=0.0
        Stop when the squared shifts of the centers by a batch add up to at most this part of the
        mean variance of the columns; 0 goes on.
    max_no_improvement : int, default=10
        Stop after this number of batches in turn that do not lower the moving average of the
        inertia; None goes on.
    init_size : int, optional
        The rows that first centers are drawn from; None is three times `batch_size`, or three times
        `n_clusters` where that is smaller than one for each.
    n_init : int or "auto", default="auto"
        First centers that are tried on a sample of `init_size` rows, of which the best are kept;
        "auto" is 3 where `init` is "random" or a function, and 1 elsewhere.
    reassignment_ratio : float, default=0.01
        Centers whose weight is below this part of the largest are given another row, each time that
        10 rows for each center have come; 0 leaves them.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where rows are drawn and assigned in the end; batches are in memory.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers, those of float32 rows in float32.
    labels_, inertia_
        The center of each row, and the sum of squared distances; of the last batch alone after
        :meth:`partial_fit`.
    counts_ : ndarray of shape (n_clusters,)
        The weight of the rows that each center was given.
    n_iter_, n_steps_ : int
        How often as many rows were drawn as there are, begun ones included; and the batches.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike.cluster import MiniBatchKMeans
    >>> model = MiniBatchKMeans(2).partial_fit([[0.0], [1.0], [9.0]])
    >>> sorted(model.partial_fit([[8.0], [10.0]]).cluster_centers_.ravel().tolist())
    [0.5, 9.0]
    """

    metric = "euclidean"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: object = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int | bool = 0,
        compute_labels: bool = True,
        random_state: object = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: int | str = "auto",
        reassignment_ratio: float = 0.01,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the centers of the rows of `X`, any table that can be read again.

        `sample_weight` says how much each row counts; `y` is ignored.
        """
        self._check()
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        extent = self._extent(source, decisions)
        require_rows_for_centers(extent.weighted, self.n_clusters)
        rows = self._lloyd_rows(source, extent, sp.issparse(X), decisions)
        centers = self._first_centers(source, rows, extent, decisions)
        self._set_centers(centers, source.dtype)
        self._begin()
        average = self._run(source, rows, extent, decisions)
        if self.compute_labels:
            self.labels_, self.inertia_ = rows.assign(self._centers())
        else:
            if hasattr(self, "labels_"):  # of an earlier fit
                del self.labels_
            weight = as_sample_weight(sample_weight)
            self.inertia_ = average * (extent.rows if weight is None else float(weight.sum()))
        self.decisions_ = decisions
        return self

    @replace_state
    def partial_fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Move the centers by a batch of rows, with the parameters of :meth:`fit`.

        The first batch brings the first centers, and needs as many rows.
        """
        self._check()
        first = not hasattr(self, "cluster_centers_")
        source = open_features(X, weight=as_sample_weight(sample_weight))
        self._note_columns(X, source, reset=first)
        if first:
            decisions = Decisions()
            extent = self._extent(source, decisions)
            require_rows_for_centers(extent.weighted, self.n_clusters)
            rows = self._lloyd_rows(source, extent, sp.issparse(X), decisions)
            centers = self._first_centers(source, rows, extent, decisions)
            self._set_centers(centers, source.dtype)
            self._begin()
            self.decisions_ = decisions
        batch = batch_of(source)
        self._step(batch)
        self.labels_ = nearest_centers(batch.rows, self._centers(), unit=False)
        self.inertia_ = inertia_of(batch, self._centers(), self.labels_)
        return self

    def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> AnyArray:
        """Fit, and return the cluster of each row."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if self.compute_labels else self.predict(X)

    def _begin(self) -> None:
        """Forget the batches."""
        self.counts_, self.n_steps_ = np.zeros(len(self.cluster_centers_)), 0
        self._rows_since_reassignment = 0
        self._batch_seed = int(self._rng().randint(2**31 - 1))

    def _run(self, source: Source, rows: LloydRows, extent: Range, decisions: Decisions) -> float:
        """Move the centers by batches until they are good; return the mean inertia of batches."""
        n_rows = extent.weighted
        size = min(self.batch_size, n_rows)
        n_steps = max(1, self.max_iter * n_rows // size)
        convergence = Convergence(
            share=min(1.0, 2.0 * size / (n_rows + 1)),
            least_shift=self.tol * mean_variance(rows.gather(self._centers())) if self.tol else 0.0,
            patience=self.max_no_improvement,
            log=self._log(),
        )
        engine = self._engine(source)
        batches = draw_batches(source, engine, extent, size, self._batch_seed)
        with progress("batches", n_steps) as advance:
            for step, batch in zip(range(1, n_steps + 1), batches, strict=False):
                before = self._centers()
                inertia = self._step(batch) / batch.weight.sum()
                advance(1)
                shift = float(np.square(self._centers() - before).sum())
                if convergence.reached(f"{step}/{n_steps}", inertia, shift):
                    break
        self.n_iter_ = -(-self.n_steps_ * size // n_rows)
        decisions.add("n_steps", f"{self.n_steps_} batches of {size} rows", convergence.reason)
        return convergence.average

    def _step(self, batch: Batch) -> float:
        """Move the centers by a batch; return its inertia before."""
        moved = move_centers(batch, self._centers(), self.counts_, resolve_threads(self.n_jobs))
        self._rows_since_reassignment += batch.rows.shape[0]
        due = self._rows_since_reassignment >= ROWS_BETWEEN_REASSIGNMENTS * self.n_clusters
        if (due or (self.counts_ == 0).any()) and self.reassignment_ratio > 0:
            self._rows_since_reassignment = 0
            rng = np.random.RandomState([self._batch_seed, self.n_steps_, 1])
            moved = reassign(moved, batch, self.reassignment_ratio, rng)
        self._set_centers(moved.centers, self.cluster_centers_.dtype)
        self.counts_ = moved.counts
        self.n_steps_ += 1
        return moved.inertia

    def _first_centers(
        self, source: Source, rows: LloydRows, extent: Range, decisions: Decisions
    ) -> Array:
        """Return the first centers of least inertia on a sample."""
        size = self._init_rows(extent.weighted)
        initialization = Initialization(
            self, source, rows, extent, decisions, sample_rows=size, tried_starts=TRIED_STARTS
        )
        rng = self._rng()
        tried = [initialization.centers(rng) for _ in range(initialization.n_init)]
        if len(tried) == 1:
            return tried[0]
        seed = int(rng.randint(2**31 - 1))
        sample = next(draw_batches(source, self._engine(source), extent, size, seed))
        inertia = [
            inertia_of(sample, centers, nearest_centers(sample.rows, centers, unit=False))
            for centers in tried
        ]
        return tried[int(np.argmin(inertia))]

    def _init_rows(self, n_rows: int) -> int:
        """Return how many rows first centers are drawn from."""
        size = self.init_size
        if size is None:
            size = 3 * min(self.batch_size, n_rows)
        elif size < self.n_clusters:
            warnings.warn(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}. Setting it "
                "to min(3*n_clusters, n_samples).",
                RuntimeWarning,
                stacklevel=6,
            )
        return min(n_rows, size if size >= self.n_clusters else 3 * self.n_clusters)

    def _check(self) -> None:
        self._check_means()
        check_int("batch_size", self.batch_size, least=1)
        check_float("reassignment_ratio", self.reassignment_ratio, least=0.0)
        for name in ("max_no_improvement", "init_size"):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), least=name == "init_size")
