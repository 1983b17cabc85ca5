"""K-means of rows that come in batches."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import open_features
from lookalike.decisions import Decisions
from lookalike.models.cluster.centroids import CenterModel, require_usual_magnitudes
from lookalike.models.cluster.kmeans import KMeans
from lookalike.models.cluster.lloyd import nearest_centers
from lookalike.models.estimator import with_callbacks
from lookalike.models.inputs import as_floats, as_sample_weight
from lookalike.models.state import replace_state
from lookalike.typing import AnyArray, Array, TableLike, to_host
from lookalike.validation import check_float, check_int


class MiniBatchKMeans(CenterModel):
    r"""K-means of rows that come in batches.

    Replaces scikit-learn's class of this name. :meth:`fit` needs no batches: it is that of
    :class:`lookalike.KMeans`, exact and for sources of any size, and so finds centers of less
    inertia. :meth:`partial_fit` moves the centers to the mean of all rows that they were given
    [Sculley10]:

    .. math:: \mu_c \leftarrow \mu_c + \frac{1}{n_c} \sum_{n : c(n) = c} (x_n - \mu_c)

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters.
    init : {"k-means++", "random", "kcenter"}, array or function, default="k-means++"
        First centers, as in :class:`lookalike.KMeans`.
    max_iter : int, default=100
        The most iterations of :meth:`fit`.
    batch_size, compute_labels, max_no_improvement, init_size, reassignment_ratio
        For scikit-learn's signature: no rows are drawn, and labels are always computed.
    verbose, random_state, tol, n_init
        As in :class:`lookalike.KMeans`.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs; the rows of :meth:`partial_fit` are read into memory.
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
        Passes over the rows, and batches that have come, or whose rows were gone through.
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
        source = self._open(X, sample_weight=sample_weight)
        found = self._kmeans(self.max_iter).fit(source)
        k = len(found.cluster_centers_)
        self._set_centers(found._centers(), found.cluster_centers_.dtype)
        self.labels_, self.inertia_, self.n_iter_ = found.labels_, found.inertia_, found.n_iter_
        weight = as_sample_weight(sample_weight)
        self.counts_ = np.bincount(found.labels_, weight, k).astype(np.float64)
        self.n_steps_ = max(1, self.n_iter_ * len(found.labels_) // self.batch_size)
        self.decisions_ = Decisions(found.decisions_)
        self.decisions_.add("batch_size", "all rows", "the whole pass is exact, and quick")
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
            require_usual_magnitudes(source, self._extent(source, Decisions()))
            start = self._kmeans(1).fit(source)
            self._set_centers(start._centers(), start.cluster_centers_.dtype)
            self.counts_, self.n_steps_ = np.zeros(len(start.cluster_centers_)), 0
            self.decisions_ = Decisions()
        chunk = gather(source)
        rows = as_floats(to_host(chunk.X))
        require_finite(rows, 0, source.columns)
        weight = np.ones(rows.shape[0]) if chunk.weight is None else np.asarray(chunk.weight)
        self._move(rows, weight)
        self.n_steps_ += 1
        return self

    def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> AnyArray:
        """Fit, and return the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X: object, y: object = None, sample_weight: object = None) -> TableLike:
        """Fit, and return the distance of each row to every center."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: object, y: object = None, sample_weight: object = None) -> float:
        """Return minus the sum of squared distances of rows to their centers."""
        return -self._inertia(X, sample_weight)

    def _move(self, rows: Any, weight: Array) -> None:
        """Move each center to the mean of the rows that it was given so far."""
        centers, dtype = self._centers(), self.cluster_centers_.dtype
        label = nearest_centers(rows, centers, unit=False)
        chosen = sp.csr_array(
            (weight, label, np.arange(len(label) + 1)), shape=(len(label), len(centers))
        )
        total = np.asarray(chosen.sum(axis=0)).ravel()
        sums = chosen.T @ rows
        sums = np.asarray(sums.toarray() if sp.issparse(sums) else sums, np.float64)
        counts = self.counts_ + total
        share = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
        moved = centers + (sums - centers * total[:, None]) * share[:, None]
        self._set_centers(moved, dtype)
        self.counts_ = counts
        self.labels_ = nearest_centers(rows, self._centers(), unit=False)
        self.inertia_ = self._inertia_of(rows, weight)

    def _inertia_of(self, rows: Any, weight: Array) -> float:
        distance = np.asarray(self._distances((), Chunk(rows)), np.float64)
        nearest = distance[np.arange(len(distance)), self.labels_]
        return float((np.square(nearest) * weight).sum())

    def _kmeans(self, max_iter: int) -> KMeans:
        return KMeans(
            self.n_clusters,
            init=self.init,
            n_init=self.n_init,
            max_iter=max_iter,
            tol=self.tol,
            verbose=int(self.verbose),
            random_state=self.random_state,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )

    def _check(self) -> None:
        check_int("batch_size", self.batch_size, least=1)
        check_float("reassignment_ratio", self.reassignment_ratio, least=0.0)
        for name in ("max_no_improvement", "init_size"):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), least=name == "init_size")
        if self.init_size is not None and self.init_size < int(self.n_clusters):
            warnings.warn(
                f"init_size={self.init_size} should be larger than n_clusters={self.n_clusters}. "
                "It is not used.",
                RuntimeWarning,
                stacklevel=5,
            )
