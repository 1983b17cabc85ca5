"""The first centers of k-means: given, made by a function, or drawn from the rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Matrix
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import MissingValueError, ParameterError, ShapeError
from lookalike.kernels.assign import assigner_of, unit_rows
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.lloyd import LloydRows
from lookalike.reductions.ranges import Range
from lookalike.reductions.sample import RandomSample, SampledRows, mixed
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, to_host
from lookalike.validation import check_random_state, is_function, shown

if TYPE_CHECKING:
    from lookalike.models.cluster.centroids import MeansModel

INIT_METHODS = ("k-means++", "kcenter", "random")
SEED_ROWS = 16_384  # rows that initial centers are drawn from, or 32 times the centers if more
SEED_BLOCK_ROWS = 1024


class Initialization:
    """Gives the initial centers of every run; draws the rows it needs once.

    These are `sample_rows`, or as many as are enough. There are `tried_starts` runs where the
    centers depend on chance, and `n_init` is "auto".
    """

    def __init__(
        self,
        model: MeansModel,
        source: Source,
        rows: LloydRows,
        extent: Range,
        decisions: Decisions,
        *,
        sample_rows: int | None = None,
        tried_starts: int = 10,
    ) -> None:
        self._model, self._rows, self._extent = model, rows, extent
        init, k = model.init, int(model.n_clusters)
        self._given = None if isinstance(init, str) or is_function(init) else self._array(init)
        several = init == "random" if isinstance(init, str) else is_function(init)
        n_init = (tried_starts if several else 1) if model.n_init == "auto" else int(model.n_init)
        self.n_init = 1 if self._given is not None else n_init
        if self._given is not None:
            if n_init > 1:
                warnings.warn(
                    "Explicit initial center position passed: performing only one init in "
                    f"{type(model).__name__} instead of n_init={n_init}.",
                    RuntimeWarning,
                    stacklevel=3,
                )
            return
        size = sample_rows or max(SEED_ROWS, 32 * k)
        if extent.weighted > size:
            decisions.add(
                "init", f"drawn from {size} rows", f"a sample of the {extent.weighted} is enough"
            )
        seed = check_random_state(model.random_state if model.random_state is not None else 0)
        sample = RandomSample(size, seed=int(seed.randint(2**31 - 1)), among=extent.weighted)
        engine = model._engine(source)
        self._candidates = self._candidates_of(engine.reduce(sample, source), engine)

    def centers(self, rng: np.random.RandomState) -> Array:
        """Return the initial centers of the next run."""
        model = self._model
        if self._given is not None:
            return self._given.copy()
        k = int(model.n_clusters)
        if is_function(model.init):
            return self._array(model.init(self._candidates.X, k, random_state=rng))
        if model.init == "k-means++":
            rows = kmeans_plusplus(self._candidates, k, rng)
        elif model.init == "kcenter":
            rows = farthest_first(self._candidates, k, middlemost(self._candidates))[0]
        else:
            rows = at_random(self._candidates, k, rng)
        return self._candidates.values(rows)

    def _candidates_of(self, draw: SampledRows, engine: Engine) -> CandidateCenters:
        assert draw.X is not None
        threads = resolve_threads(self._model.n_jobs)
        X = self._rows.frame.rows(draw.X)
        if is_function(self._model.init):
            return CandidateCenters(X, draw.weight, threads, engine)
        return CandidateCenters(*distinct(X, draw.weight), threads, engine)

    def _array(self, init: object) -> Array:
        """Return given centers, checked, as float64."""
        try:
            centers = np.array(as_dense(init), dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"init={shown(init)} holds no centers. Choose one of {', '.join(INIT_METHODS)}, or "
                "give an array or a function."
            ) from None
        k, d = int(self._model.n_clusters), len(self._extent.least)
        if centers.ndim != 2 or len(centers) != k:
            raise ShapeError(
                f"The shape of the initial centers {centers.shape} does not match the number of "
                f"clusters {k}. Give one row per center."
            )
        if centers.shape[1] != d:
            raise ShapeError(
                f"The shape of the initial centers {centers.shape} does not match the number of "
                f"features of the data {d}. Give the columns of X."
            )
        if not np.isfinite(centers).all():
            row, column = np.argwhere(~np.isfinite(centers))[0]
            raise MissingValueError(
                f"init is {centers[row, column]} at center {row}, column {column}. "
                "Give finite centers."
            )
        if self._rows.frame.unit:
            centers = np.asarray(unit_rows(centers))
        return np.ascontiguousarray(centers)


class CandidateCenters:
    """Rows that may become centers.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    weight : ndarray of shape (n,), optional
    threads : int
        Of the distances to them.
    engine : Engine, optional
        Where distances are computed, to the same bits.
    """

    def __init__(
        self, X: Matrix, weight: Array | None, threads: int, engine: Engine | None = None
    ) -> None:
        self.X = X
        self.weight = np.ones(X.shape[0]) if weight is None else weight
        self._rows = assigner_of(X if engine is None else engine.placed(X), 1.0, threads)

    def values(self, rows: Rows) -> Array:
        """Return some rows as float64."""
        return np.asarray(as_dense(self.X[rows]), np.float64)

    def keys(self, places: Array) -> Array:
        """Return the squared distance of every place to every row, (places, n)."""
        keys: Array = to_host(self._rows.all_keys(np.ascontiguousarray(places)))
        return keys


def distinct(X: Matrix, weight: Array | None) -> tuple[Matrix, Array]:
    """Return every distinct row, in an order given by the values alone, and its total weight.

    So duplicates, weights that stand for them and the order of the rows make no difference to
    what is drawn.
    """
    hashes = np.concatenate(
        [
            _hashes(X[start : start + SEED_BLOCK_ROWS])
            for start in range(0, X.shape[0], SEED_BLOCK_ROWS)
        ]
    )
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    w = np.ones(X.shape[0]) if weight is None else weight
    total = np.bincount(inverse, w, minlength=len(first)).astype(np.float64, copy=False)
    return X[first], total


def kmeans_plusplus(candidates: CandidateCenters, k: int, rng: np.random.RandomState) -> Rows:
    """Draw rows with a probability that grows with their squared distance to those drawn.

    [Arthur07], and like scikit-learn the best of ``2 + log k`` draws each time.
    """
    weight = candidates.weight
    trials = 2 + int(np.log(k))
    chosen = np.empty(k, np.int64)
    chosen[0] = _drawn(weight, rng, 1)[0]
    closest = candidates.keys(candidates.values(chosen[:1]))[0]
    for number in range(1, k):
        drawn = _drawn(weight * closest, rng, trials)
        nearer = np.minimum(closest, candidates.keys(candidates.values(drawn)))
        best = int(np.argmin([float((weight * keys).sum()) for keys in nearer]))
        chosen[number], closest = drawn[best], nearer[best]
    return chosen


def farthest_first(candidates: CandidateCenters, k: int, first: int) -> tuple[Rows, Array]:
    """Take again and again the row farthest from those taken [Gonzalez85], of equals the first.

    Returns the rows in the order in which they were taken, and after each of them the squared
    distance of the row that is farthest from all taken so far.
    """
    chosen, squared_radius = np.empty(k, np.int64), np.empty(k)
    closest = np.full(len(candidates.weight), np.inf)
    row = first
    for step in range(k):
        chosen[step] = row
        taken = candidates.values(chosen[step : step + 1])
        closest = np.minimum(closest, candidates.keys(taken)[0])
        row = int(np.argmax(np.where(candidates.weight > 0, closest, -1.0)))
        squared_radius[step] = closest[row]
    return chosen, squared_radius


def at_random(candidates: CandidateCenters, k: int, rng: np.random.RandomState) -> Rows:
    """Draw different rows in proportion to their weight; where there are too few, some twice."""
    share = candidates.weight / candidates.weight.sum()
    drawn = rng.choice(len(share), min(k, len(share)), replace=False, p=share)
    return np.resize(np.asarray(drawn, np.int64), k)


def middlemost(candidates: CandidateCenters) -> int:
    """Return the row nearest to the mean, which does not depend on the order of the rows."""
    weight = candidates.weight
    total = np.zeros(candidates.X.shape[1])
    for start in range(0, len(weight), SEED_BLOCK_ROWS):  # not a product, whose bits a BLAS decides
        block = np.arange(start, min(start + SEED_BLOCK_ROWS, len(weight)))
        total += (candidates.values(block) * weight[block, None]).sum(axis=0)
    key = candidates.keys((total / weight.sum())[None])[0]
    return int(np.argmin(np.where(weight > 0, key, np.inf)))


def _hashes(X: Matrix) -> AnyArray:
    """Return a hash of every row, of its nonzero values and their columns."""
    entries = sp.coo_array(X.astype(np.float32) if X.dtype == np.float16 else X)
    bits = np.asarray(entries.data, np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        terms = mixed(bits ^ mixed(entries.coords[1].astype(np.uint64)))
        hashes = np.zeros(X.shape[0], np.uint64)
        np.add.at(hashes, entries.coords[0], np.where(entries.data != 0, terms, np.uint64(0)))
    return hashes


def _drawn(share: Array, rng: np.random.RandomState, count: int) -> Rows:
    """Return rows drawn in proportion to `share`; the first rows where all is zero."""
    total = np.cumsum(share)
    drawn = np.searchsorted(total, rng.uniform(size=count) * total[-1], side="right")
    last = int(np.searchsorted(total, total[-1]))
    return np.asarray(np.minimum(drawn, last), np.int64)
