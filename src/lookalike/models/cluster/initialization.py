"""The first centers of k-means: given, of a function, or drawn from the rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import MissingValueError, ParameterError, ShapeError
from lookalike.kernels.assign import unit_rows
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.lloyd import Rounds
from lookalike.models.cluster.seeding import (
    Candidates,
    at_random,
    distinct,
    farthest_first,
    middlemost,
    plus_plus,
)
from lookalike.reductions.ranges import Range
from lookalike.reductions.sample import RandomSample, SampledRows
from lookalike.threads import resolve_threads
from lookalike.typing import Array

INITS = ("k-means++", "kcenter", "random")
SEED_ROWS = 16_384  # of which starts are drawn, or 32 times the centers where that is more


class Starts:
    """Gives the first centers of every start; draws the rows it needs once."""

    def __init__(
        self,
        model: Any,
        source: Source,
        rounds: Rounds,
        extent: Range,
        decisions: Decisions,
    ) -> None:
        self._model, self._rounds, self._extent = model, rounds, extent
        init, k = model.init, int(model.n_clusters)
        self._given = None if isinstance(init, str) or callable(init) else self._array(init)
        several = init == "random" if isinstance(init, str) else callable(init)
        asked = (10 if several else 1) if model.n_init == "auto" else int(model.n_init)
        self.n_init = 1 if self._given is not None else asked
        if self._given is not None:
            if asked > 1:
                warnings.warn(
                    "Explicit initial center position passed: performing only one init in "
                    f"{type(model).__name__} instead of n_init={asked}.",
                    RuntimeWarning,
                    stacklevel=3,
                )
            return
        size = max(SEED_ROWS, 32 * k)
        if extent.weighted > size:
            decisions.add(
                "init", f"drawn from {size} rows", f"a sample of the {extent.weighted} is enough"
            )
        seed = check_random_state(model.random_state if model.random_state is not None else 0)
        sample = RandomSample(size, seed=int(seed.randint(2**31 - 1)), among=extent.weighted)
        draw = model._engine(source).reduce(sample, source)
        self._candidates = self._rows_of(draw)

    def centers(self, rng: np.random.RandomState) -> Array:
        """Return the centers of the next start."""
        model = self._model
        if self._given is not None:
            return self._given.copy()
        k = int(model.n_clusters)
        if callable(model.init):
            return self._array(model.init(self._candidates.X, k, random_state=rng))
        if model.init == "k-means++":
            rows = plus_plus(self._candidates, k, rng)
        elif model.init == "kcenter":
            rows = farthest_first(self._candidates, k, middlemost(self._candidates)).rows
        else:
            rows = at_random(self._candidates, k, rng)
        return self._candidates.values(rows)

    def _rows_of(self, draw: SampledRows) -> Candidates:
        assert draw.X is not None
        threads = resolve_threads(self._model.n_jobs)
        X = self._rounds.frame.rows(draw.X)
        if callable(self._model.init):
            return Candidates(X, draw.weight, threads)
        return Candidates(*distinct(X, draw.weight), threads)

    def _array(self, init: Any) -> Array:
        """Return given centers, checked, as float64."""
        try:
            centers = np.array(as_dense(init), dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(
                f"init={init!r} holds no centers. Choose one of {', '.join(INITS)}, or give an "
                "array or a function."
            ) from None
        k, d = int(self._model.n_clusters), len(self._extent.least)
        if centers.ndim != 2 or len(centers) != k:
            raise ShapeError(
                f"The shape of the initial centers {centers.shape} does not match the number of "
                f"clusters {k}. Give one row a center."
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
        if self._rounds.frame.unit:
            centers = np.asarray(unit_rows(centers))
        return np.ascontiguousarray(centers)
