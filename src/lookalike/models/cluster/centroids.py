"""Base of the clusterings with centers: assigning rows, and distances to the centers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source, open_features
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.kernels.assign import unit_rows
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.initialization import INIT_METHODS
from lookalike.models.cluster.lloyd import (
    SQUARABLE_SPANS,
    InMemoryLloyd,
    LloydRows,
    StreamingLloyd,
    arithmetic_of,
    nearest_centers,
)
from lookalike.models.estimator import Model, check_is_fitted
from lookalike.models.inputs import as_floats, as_sample_weight
from lookalike.models.linalg.magnitude import require_shared_magnitude, too_large
from lookalike.models.sklearn_bases import (
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from lookalike.reductions.ranges import Range, Ranges
from lookalike.reductions.wrappers import Checked
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, TableLike
from lookalike.validation import check_choice, check_float, check_int, check_random_state

if TYPE_CHECKING:
    from sklearn.utils import Tags

CENTROID_METRICS = ("euclidean", "cosine")


class CenterModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Model):
    """A clustering that assigns each row to the nearest of its centers."""

    _sparse_rows = True
    metric: str

    def _lloyd_rows(
        self, source: Source, extent: Range, sparse: bool, decisions: Decisions
    ) -> LloydRows:
        """Return the rows ready to be assigned: in memory, or streamed."""
        if self.metric != "cosine":  # rows are not divided by their lengths
            require_usual_magnitudes(source, extent)
        frame = arithmetic_of(extent, sparse=sparse, unit=self.metric == "cosine")
        engine = self._engine(source, decisions)
        source = engine.resident(source)
        if engine.name == "memory" or (engine.name == "gpu" and source.home == "gpu"):
            rows = gather(source) if engine.name == "gpu" else gather(source).in_memory()
            return InMemoryLloyd(rows, frame, extent, resolve_threads(self.n_jobs), decisions)
        return StreamingLloyd(source, frame, extent, engine)

    def _extent(self, source: Source, decisions: Decisions) -> Range:
        """Return the number of rows and the range of each column, all of them finite."""
        gathered = Checked(Ranges(), source.columns)
        extent = self._engine(source, decisions).reduce(gathered, source)
        if self.metric == "cosine":  # rows are divided by their lengths
            ones = np.ones_like(extent.least)
            extent = extent._replace(least=-ones, most=ones)
        return extent

    def _inertia(self, X: object, sample_weight: object = None) -> float:
        """Return the sum of squared distances of other rows to their centers."""
        check_is_fitted(self)
        source = open_features(X, weight=as_sample_weight(sample_weight))
        self._note_columns(X, source, reset=False)
        decisions = Decisions()
        extent = self._extent(source, decisions)
        rows = self._lloyd_rows(source, extent, sp.issparse(X), decisions)
        return rows.assign(self._centers())[1]

    def predict(self, X: object) -> AnyArray:
        """Return the number of the center nearest to each row, of equally near ones the lowest."""
        return self._map_chunks(self._nearest, X)

    def _nearest(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        return nearest_centers(chunk.X, self._centers(), unit=self.metric == "cosine")

    vars(_nearest)["on_gpu"] = True

    def transform(self, X: object) -> TableLike:
        """Return the distance of each row to every center."""
        check_is_fitted(self)
        return self._map_rows(self._distances, X, self.get_feature_names_out())

    def _distances(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, columns)
        X = unit_rows(chunk.X) if self.metric == "cosine" else chunk.X
        key = squared_distances(as_dense(X), self._centers())
        distance = key / 2 if self.metric == "cosine" else np.sqrt(key)
        return distance.astype(as_floats(np.empty(0, chunk.X.dtype)).dtype, copy=False)

    def _set_centers(self, centers: Array, dtype: object) -> None:
        """Set the centers: in public as the rows are, and in float64, which their means need."""
        single = dtype == np.float32
        self.cluster_centers_: AnyArray = centers.astype(np.float32) if single else centers
        self._means = centers

    def _centers(self) -> Array:
        """Return the centers in float64, unless others were set in public."""
        means: Array | None = getattr(self, "_means", None)
        public = np.asarray(self.cluster_centers_)
        if means is not None and np.array_equal(means.astype(public.dtype), public):
            return means
        return public.astype(np.float64, copy=False)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class MeansModel(CenterModel):
    """A clustering whose centers are the means of their rows."""

    metric = "euclidean"
    n_clusters: int
    init: object
    n_init: int | str
    max_iter: int
    tol: float
    verbose: int | bool
    random_state: object
    labels_: AnyArray

    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Find the centers of the rows of `X`, each counting its weight."""
        raise NotImplementedError

    def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> AnyArray:
        """Fit, and return the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X: object, y: object = None, sample_weight: object = None) -> TableLike:
        """Fit, and return the distance of each row to every center."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: object, y: object = None, sample_weight: object = None) -> float:
        """Return minus the sum of squared distances of rows to the nearest centers."""
        return -self._inertia(X, sample_weight)

    def _rng(self) -> np.random.RandomState:
        rng: np.random.RandomState = check_random_state(
            0 if self.random_state is None else self.random_state
        )
        return rng

    def _log(self) -> Callable[[str], None]:
        """Return what receives the lines that `verbose` asks for."""
        return print if self.verbose else _silent

    def _check_means(self) -> None:
        check_int("n_clusters", self.n_clusters, least=1)
        check_int("max_iter", self.max_iter, least=1)
        check_float("tol", self.tol, least=0.0)
        check_int("verbose", int(self.verbose), least=0)
        if isinstance(self.init, str):
            check_choice("init", str(self.init), INIT_METHODS)
        if self.n_init != "auto" or not isinstance(self.n_init, str):
            check_int("n_init", self.n_init, least=1)


def _silent(text: str) -> None:
    """Print nothing."""


def require_rows_for_centers(n_rows: int, n_clusters: int) -> None:
    """Raise unless there are as many rows with weight as centers."""
    if n_rows < n_clusters:
        raise ParameterError(
            f"n_samples={n_rows} should be >= n_clusters={n_clusters}. Give more rows (those "
            "without weight do not count), or choose fewer centers."
        )


def require_usual_magnitudes(source: Source, extent: Range) -> None:
    """Raise where a value is so large that squares overflow, or that means of others are lost."""
    ends = np.abs(np.concatenate([extent.least, extent.most]))
    if ends.max(initial=0.0) >= SQUARABLE_SPANS[1]:
        raise too_large(source, "whose square overflows float64")
    width = float((extent.most - extent.least).max(initial=0.0))
    require_shared_magnitude(source, width, "the means of the other rows")
