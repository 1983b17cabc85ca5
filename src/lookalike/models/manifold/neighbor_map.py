"""A map of rows in the plane: t-SNE or UMAP over exact neighbors, measured as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, get_tags

from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.base import Neighbors
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.manifold.layouts import (
    place_rows,
    tsne_graph,
    tsne_layout,
    umap_graph,
    umap_layout,
)
from lookalike.models.manifold.neighbor_graph import (
    first_places,
    fitted_search,
    given_neighbors,
    neighbors_of,
    row_order,
)
from lookalike.models.manifold.quality import (
    MapQuality,
    RowOrder,
    chosen_rows,
    measured,
    measured_by_graph,
    torn_neighbors,
)
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.sklearn_bases import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, TableLike
from lookalike.validation import check_choice, check_float, check_int, check_random_state, shown

MAP_METHODS = ("tsne", "umap")
TSNE_PERPLEXITY, UMAP_NEIGHBORS = 30.0, 15  # of t-SNE, of UMAP
MEASURED_NEIGHBORS = 15  # by trustworthiness and its like
TORN_NEIGHBORS, TORN_REACH = 10, 3
PLACEMENT_NEIGHBORS = 15  # neighbors of a new row
MIN_ROWS_FOR_FEWER_EPOCHS = 10_000  # from which UMAP takes fewer epochs
MAP_START_JITTER = 0.01  # of the deviation of the start, which sets apart rows that PCA does not


class NeighborMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Model):
    """Lay rows out in the plane so that neighbors stay together, and say where they do not.

    Neighbors come from the exact search of this package, by any metric it takes, or from a forest
    or any other model with `kneighbors`. The layout starts from PCA and is the same for a seed,
    whatever the number of threads. Every map comes with measures: distances between far parts of
    a map of this kind, sizes of clusters and gaps between them carry little meaning.

    Parameters
    ----------
    method : {"tsne", "umap"}, default="tsne"
        t-SNE [van der Maaten & Hinton 2008] keeps more of the neighbors; UMAP [McInnes 2018]
        draws clusters tighter and takes less time.
    perplexity : float, optional
        Of t-SNE: about how many neighbors count; three times as many are searched. None means
        30, or less where there are few rows.
    n_neighbors : int, optional
        Of UMAP: neighbors of each row. None means 15, or all where there are fewer.
    min_dist : float, default=0.1
        Of UMAP: how close rows may come on the map, whose clusters are about 1 wide.
    n_iter : int, optional
        Steps of t-SNE, a third of them with early exaggeration (None: 750); epochs of UMAP
        (None: 500, from 10,000 rows on 200).
    metric : str, Metric or function, default="euclidean"
        Between rows, as :class:`NearestNeighbors` takes it: ``"cosine"`` for sparse rows of
        texts, ``"gower"`` for columns of several kinds, ``"precomputed"`` for a matrix of
        distances.
    metric_params : mapping, optional
        Parameters of the metric.
    search : estimator, "precomputed" or None
        A model with `fit` and `kneighbors` that finds the neighbors instead, such as
        ``ForestNeighborsClassifier()``; or ``"precomputed"``: `X` is then the pair (distance,
        row) that `kneighbors` returns, or a sparse matrix of `kneighbors_graph`.
    quality_rows : int, default=500
        Measure the map on at most this many rows, drawn at random, against all others.
    random_state : int, RandomState or None
        Seed of jitter, negative samples and the sample that is measured. None means 0.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`. Never changes the map.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, default="auto"
        Where neighbors are searched.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, 2)
        Where each row lies.
    quality_ : MapQuality
        Trustworthiness, continuity and neighbor preservation, of how many neighbors and rows.
    trustworthiness_, continuity_, neighbor_preservation_ : float
        The same by name; 1 at best. Of a precomputed graph trustworthiness is not known (NaN).
    torn_, false_ : ndarray of shape (n_rows,)
        Share of the 10 nearest rows that are not among the 30 nearest on the map; share of
        the 10 nearest on the map that are not among the 30 nearest rows.
    search_ : estimator or None
        The fitted search.
    n_iter_ : int
        Steps taken.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lookalike import NeighborMap
    >>> X = load_iris().data
    >>> model = NeighborMap(n_iter=250).fit(X)
    >>> model.embedding_.shape
    (150, 2)
    >>> model.trustworthiness_ > 0.95
    True
    """

    embedding_: Array
    quality_: MapQuality
    torn_: Array
    false_: Array
    n_iter_: int
    decisions_: Decisions

    def __init__(
        self,
        method: str = "tsne",
        *,
        perplexity: float | None = None,
        n_neighbors: int | None = None,
        min_dist: float = 0.1,
        n_iter: int | None = None,
        metric: object = "euclidean",
        metric_params: Mapping[str, object] | None = None,
        search: object = None,
        quality_rows: int = 500,
        random_state: object = None,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.method = method
        self.perplexity = perplexity
        self.n_neighbors = n_neighbors
        self.min_dist = min_dist
        self.n_iter = n_iter
        self.metric = metric
        self.metric_params = metric_params
        self.search = search
        self.quality_rows = quality_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Search the neighbors of every row, lay the rows out, and measure the map.

        `X` is any table. With ``search="precomputed"``, `X` are the neighbors. `y` are the targets
        of a `search` that learns from them; others ignore it.
        """
        self._check_parameters()
        decisions = Decisions()
        random_state = 0 if self.random_state is None else self.random_state
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        search, neighbors, used = self._searched(X, y, decisions)
        require_different(neighbors)
        n_iter = self._n_iter(len(neighbors.row), decisions)
        distance, row = neighbors.distance[:, :used], neighbors.row[:, :used]
        graph = self._graph(distance, row)
        start = first_places(X, search, graph, decisions)
        points = self._laid_out(graph, start, n_iter, seed)
        ranked = None if search is None else row_order(X, search)
        quality = self._measured(ranked, neighbors.row, points, seed, decisions)
        near = min(TORN_NEIGHBORS, neighbors.row.shape[1])
        shares = torn_neighbors(neighbors, points, n_neighbors=near, reach=TORN_REACH)
        self.embedding_, self.quality_, self.search_ = points, quality, search
        self.torn_, self.false_ = shares.torn, shares.false
        self.n_iter_, self._seed, self.decisions_ = n_iter, seed, decisions
        self._note_search(search)
        return self

    def fit_transform(self, X: object, y: object = None) -> TableLike:
        """Make the map of `X`, and return where each row lies."""
        self.fit(X, y)
        return like(X, self.embedding_.copy(), list(self.get_feature_names_out()))

    def transform(self, X: object) -> TableLike:
        """Return where new rows lie on the map, which stays as it is.

        A row is placed by its neighbors among the fitted rows, as if it came alone. One that
        equals a fitted row lies where that row lies.
        """
        check_is_fitted(self)
        n = len(self.embedding_)
        if self.search_ is None:
            neighbors = given_neighbors(X, n)
        else:
            neighbors = neighbors_of(self.search_, X, min(PLACEMENT_NEIGHBORS, n))
        placed = place_rows(
            self.method,
            self.embedding_,
            *neighbors,
            min_dist=float(self.min_dist),
            seed=self._seed,
            threads=self._threads(),
        )
        return like(X, placed, list(self.get_feature_names_out()))

    @property
    def trustworthiness_(self) -> float:
        """How far map neighbors are neighbors."""
        return self._quality().trustworthiness

    @property
    def continuity_(self) -> float:
        """How far neighbors are map neighbors."""
        return self._quality().continuity

    @property
    def neighbor_preservation_(self) -> float:
        """Share of the neighbors that are map neighbors."""
        return self._quality().neighbor_preservation

    def _quality(self) -> MapQuality:
        check_is_fitted(self)
        return self.quality_

    def _searched(self, X: object, y: object, decisions: Decisions) -> tuple[Any, Neighbors, int]:
        """Return the search, the neighbors of every row, and how many of them the layout uses.

        There is no search where the neighbors were given.
        """
        if isinstance(self.search, str):
            check_choice("search", self.search, ("precomputed",))
            neighbors = given_neighbors(X)
            require_some_rows(len(neighbors.row))
            wanted = self._n_neighbors(len(neighbors.row), decisions)
            k = min(wanted, neighbors.row.shape[1])
            if k < wanted:
                decisions.add("neighbors", k, f"{wanted} would be used, and no more were given")
            return None, neighbors, k
        search = self.search
        if search is None:
            search = NearestNeighbors(
                metric=self.metric,
                p=None if "p" in (self.metric_params or {}) else 2,
                metric_params=self.metric_params,
                n_jobs=self.n_jobs,
                engine=self.engine,
            )
        elif self.metric_params is not None:
            raise ParameterError("metric_params have no effect on search=. Give them to it.")
        fitted = fitted_search(search, X, y)
        n = int(fitted.n_samples_fit_)
        require_some_rows(n)
        k = self._n_neighbors(n, decisions)
        for decision in fitted.decisions_:
            decisions.add(*decision)
        wide = min(max(k, TORN_NEIGHBORS * TORN_REACH), n - 1)
        return fitted, neighbors_of(fitted, None, wide), k

    def _n_neighbors(self, n: int, decisions: Decisions) -> int:
        """Return how many neighbors the layout uses, or raise where there are too few rows."""
        name, given, usual = (
            ("perplexity", self.perplexity, self._perplexity(n))
            if self.method == "tsne"
            else ("n_neighbors", self.n_neighbors, min(UMAP_NEIGHBORS, n - 1))
        )
        if given is not None and given > n - 1:
            raise ParameterError(
                f"{name}={shown(given)} needs more than the {n} rows of X, of which each has "
                f"{n - 1} others. Give {name} <= {n - 1}."
            )
        value = usual if given is None else given
        decisions.add(
            name, f"{value:g}", "given" if given is not None else f"the usual one for {n:,} rows"
        )
        if self.method == "umap":
            return int(value)
        return min(max(int(np.ceil(3 * value)), 1), n - 1)

    def _perplexity(self, n: int) -> float:
        """Return the perplexity of t-SNE for `n` rows."""
        usual = min(TSNE_PERPLEXITY, (n - 1) / 3)
        return max(usual if self.perplexity is None else float(self.perplexity), 1.0)

    def _n_iter(self, n: int, decisions: Decisions) -> int:
        if self.n_iter is not None:
            n_iter, why = int(self.n_iter), "given"
        elif self.method == "tsne":
            n_iter, why = 750, "the usual number of t-SNE"
        else:
            n_iter = 200 if n >= MIN_ROWS_FOR_FEWER_EPOCHS else 500
            why = f"the usual number of UMAP for {n:,} rows"
        decisions.add("n_iter", n_iter, why)
        return n_iter

    def _graph(self, distance: Array, row: Rows) -> sp.csr_array:
        if self.method == "tsne":
            return tsne_graph(distance, row, self._perplexity(len(row)), self._threads())
        return umap_graph(distance, row, self._threads())

    def _laid_out(self, graph: sp.csr_array, start: Array, n_iter: int, seed: int) -> Array:
        """Return the places of the rows."""
        start += np.random.default_rng(seed).normal(scale=MAP_START_JITTER, size=start.shape)
        threads = self._threads()
        if self.method == "tsne":
            return tsne_layout(graph, start, n_iter=n_iter, threads=threads)
        min_dist = float(self.min_dist)
        return umap_layout(
            graph, start, n_iter=n_iter, min_dist=min_dist, seed=seed, threads=threads
        )

    def _measured(
        self, ranked: RowOrder | None, given: Rows, points: Array, seed: int, decisions: Decisions
    ) -> MapQuality:
        """Return the measures by the order of all rows, or by the given neighbors alone."""
        n = len(points)
        k = min(MEASURED_NEIGHBORS, (n - 1) // 2, given.shape[1])
        chosen = chosen_rows(n, int(self.quality_rows), seed)
        what = f"{k} neighbors of {len(chosen):,} rows"
        if len(chosen) < n:
            what += f" drawn from {n:,}"
        if ranked is None:
            decisions.add("quality", what, "ranks beyond the given neighbors are not known")
            return measured_by_graph(given, points, chosen, k)
        decisions.add("quality", what, f"quality_rows={int(self.quality_rows)}")
        return measured(ranked, points, chosen, k)

    def _note_search(self, search: BaseEstimator) -> None:
        """Take over what the search learned about the columns."""
        self.__dict__.pop("feature_names_in_", None)
        if search is not None:
            self.n_features_in_: int = search.n_features_in_
            if hasattr(search, "feature_names_in_"):
                self.feature_names_in_: AnyArray = search.feature_names_in_

    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)

    @property
    def _n_features_out(self) -> int:
        return 2

    def _check_parameters(self) -> None:
        check_choice("method", self.method, MAP_METHODS)
        if self.perplexity is not None:
            check_float("perplexity", self.perplexity, least=1.0)
        if self.n_neighbors is not None:
            check_int("n_neighbors", self.n_neighbors, least=2)
        check_float("min_dist", self.min_dist, least=0.0, most=1.0)
        if self.n_iter is not None:
            check_int("n_iter", self.n_iter, least=1, most=10**7)
        check_int("quality_rows", self.quality_rows, least=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.search is None:
            tags.input_tags.sparse = True
            tags.input_tags.pairwise = self.metric == "precomputed"
            tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        elif not isinstance(self.search, str):
            given = get_tags(self.search)
            tags.input_tags, tags.target_tags = given.input_tags, given.target_tags
        return tags


def require_some_rows(n: int) -> None:
    """Raise where rows are too few for a map."""
    if n < 3:
        raise ShapeError(
            f"n_samples={n} is too few: a map shows neighbors of neighbors. Give 3 rows or more."
        )


def require_different(neighbors: Neighbors) -> None:
    """Raise where every row equals every other."""
    distance, n = neighbors.distance, len(neighbors.row)
    if not distance.any() and distance.shape[1] == n - 1:
        raise ParameterError(
            f"All {n} rows are equal by this metric, and a map of them would show nothing. Give "
            "rows that differ."
        )
