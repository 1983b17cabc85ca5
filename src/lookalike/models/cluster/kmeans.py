"""K-means with exact assignments."""

from __future__ import annotations

import warnings
from operator import itemgetter
from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lookalike.decisions import Decisions
from lookalike.errors import ParameterTypeError
from lookalike.models.cluster.centroids import (
    CENTROID_METRICS,
    MeansModel,
    require_rows_for_centers,
)
from lookalike.models.cluster.initialization import Initialization
from lookalike.models.cluster.lloyd import LloydRows, lloyd
from lookalike.models.estimator import with_callbacks
from lookalike.progress import progress
from lookalike.reductions.ranges import Range
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice


class KMeans(MeansModel):
    r"""K-means clustering: k centers, each the mean of the rows nearest to it.

    .. math:: \min_{\mu} \sum_n w_n \min_c \|x_n - \mu_c\|^2

    by Lloyd's algorithm: assign every row, then move every center, until nothing moves [UGR].
    Every assignment equals that of a brute-force search in float64, of equally near centers the
    one of lower number; most rows are decided by exact bounds without such a search. Sums are
    exact, so that threads, chunks and engines do not change a single bit.

    Parameters
    ----------
    n_clusters : int, default=8
        Centers.
    init : {"k-means++", "kcenter", "random"}, array of shape (n_clusters, n_features) or function
        The initial centers: k-means++ [Arthur07]; farthest first from the row nearest to the mean
        [Gonzalez85]; rows at random; given; or what ``init(X, n_clusters, random_state=…)``
        returns. They are drawn from at most 16,384 rows (or 32 times `n_clusters`), a random
        sample, which is the X that a function gets.
    n_init : int or "auto", default="auto"
        Number of runs; the result of least inertia is kept. "auto" is 10 where `init` is
        "random" or a function, and 1 elsewhere.
    max_iter : int, default=300
        Maximum number of iterations of one run.
    tol : float, default=1e-4
        Stop when the squared shifts of the centers add up to at most this part of the mean
        variance of the columns; 0 goes on until no row changes its center.
    verbose : int, default=0
        Whether each iteration prints its inertia.
    random_state : int, RandomState or None
        Seed of the initialization. None means 0: equal rows, equal results.
    copy_x : bool, default=True
        For compatibility with scikit-learn: the rows given are never changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        For compatibility with scikit-learn: both give the same result, here by the same bounds.
    metric : {"euclidean", "cosine"}, default="euclidean"
        With "cosine" rows and centers are divided by their lengths (spherical k-means); inertia
        is then the sum of :math:`2 (1 - \cos)`.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where the computation runs; rows beyond memory are read again in each iteration.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers, those of float32 rows in float32; labels and distances go by the means before
        they are rounded.
    labels_ : ndarray of shape (n_rows,), int32
        The center nearest to each row.
    inertia_ : float
        The sum of squared distances to them, times the weights.
    n_iter_ : int
        Iterations of the best run.
    history_ : ndarray of shape (n_iterations,)
        The objective after each iteration; it never rises unless an empty cluster is given a row.
    decisions_ : Decisions
        What was chosen automatically, and why.

    Examples
    --------
    >>> from lookalike import KMeans
    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist()), model.inertia_
    ([[1.0, 2.0], [10.0, 2.0]], 16.0)
    >>> model.predict([[0.0, 0.0], [12.0, 3.0]]).tolist() == model.labels_[[0, 3]].tolist()
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: object = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: object = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        metric: str = "euclidean",
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.metric = metric
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the centers of the rows of `X`, any table that can be read again.

        `sample_weight` says how much each row counts; `y` is ignored.
        """
        self._check_parameters()
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        extent = self._extent(source, decisions)
        self._check_clusters(extent, decisions)
        rows = self._lloyd_rows(source, extent, sp.issparse(X), decisions)
        initialization = Initialization(self, source, rows, extent, decisions)
        rng = self._rng()
        runs = (self._run(rows, initialization.centers(rng)) for _ in range(initialization.n_init))
        centers, n_iter, history, labels, inertia = min(runs, key=itemgetter(-1))
        self._warn_few(labels)
        self._set_centers(centers, source.dtype)
        self.n_iter_, self.history_ = n_iter, history
        self.labels_, self.inertia_ = labels, inertia
        self.decisions_ = decisions
        return self

    def _run(self, rows: LloydRows, centers: Array) -> tuple[Array, int, Array, AnyArray, float]:
        """Return centers, iterations, objectives, labels and inertia of one initialization."""
        log = self._log()
        log("Initialization complete")
        with progress("iterations", self.max_iter) as advance:
            centers, n_iter, history = lloyd(
                rows,
                centers,
                max_iter=self.max_iter,
                tol=float(self.tol),
                log=log,
                advance=advance,
            )
        return centers, n_iter, history, *rows.assign(centers)

    def _check_parameters(self) -> None:
        self._check_means()
        check_choice("algorithm", self.algorithm, ("lloyd", "elkan"))
        check_choice("metric", self.metric, CENTROID_METRICS)
        if not isinstance(self.copy_x, bool):
            raise ParameterTypeError(f"copy_x={self.copy_x!r} is not a bool. Give True or False.")

    def _check_clusters(self, extent: Range, decisions: Decisions) -> None:
        require_rows_for_centers(extent.weighted, self.n_clusters)
        if self.algorithm == "elkan":
            if self.n_clusters == 1:
                warnings.warn(
                    "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' "
                    "instead.",
                    RuntimeWarning,
                    stacklevel=4,
                )
            decisions.add("algorithm", "lloyd with exact bounds", "elkan gives the same result")

    def _warn_few(self, labels: AnyArray) -> None:
        distinct = len(np.unique(labels))
        if distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters "
                f"({self.n_clusters}). Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=3,
            )
