"""Kernel density estimation: a kernel at every row, summed exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from scipy.special import gammainc

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.errors import EngineError, ParameterError, ShapeError, UnsupportedError
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.kernel_sums import KernelSums
from lookalike.kernels.radius import RadiusResult
from lookalike.models.estimator import Model, check_is_fitted, with_callbacks
from lookalike.models.inputs import as_sample_weight
from lookalike.models.kernel.density_kernels import (
    COMPACT_KERNELS,
    DENSITY_KERNELS,
    kernel_reach,
    log_kernel,
    log_kernel_norm,
)
from lookalike.models.kernel.nearby_rows import dense_rows
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_space import SearchSpace, fit_rows
from lookalike.models.neighbors.supervised import rows_of
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice, check_float, check_int, check_random_state

BANDWIDTH_RULES = ("scott", "silverman", "loo")
HELD_OUT_ROWS = 1000  # that bandwidth="loo" holds out, of more a fixed sample
LOO_BANDWIDTHS = 17  # tried in a round
LOO_ROUNDS = 3  # each finer around the best of the last
KERNEL_PAIRS_AT_ONCE = 1 << 22
MAX_SHARE_SEARCHED = 0.02  # of pairs in reach, above which all are summed
PROBE_ROWS = (32, 2048)  # rows and others between which that share is measured
LARGEST_SUMMED_VALUE = 1e100  # whose squares are summed directly
SQUARED_DISTANCE_ROUNDING = 1e-12  # of a squared distance


class KernelDensity(Model):
    r"""Estimate the density of the rows by a kernel at each of them.

    .. math:: \hat f(x) = \frac{1}{\sum_n w_n} \sum_n w_n K_h(d(x, x_n))

    [Barber, section 14.3]. Parameters and results are those of scikit-learn's ``KernelDensity``.
    Sums are taken relative to the nearest row, so that no query is too far; rows left out add less
    than 1e-16 of a sum, and each kernel is within 1e-10. So a tolerance above 0 is always met, and
    none makes the result depend on how the rows are arranged.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman", "loo"}, default=1.0
        The width h of the kernels, or the rule that sets it: scikit-learn's two, or the width of
        the largest leave-one-out likelihood. Of more than 1000 rows a fixed sample is held out.
    algorithm : {"auto", "exact", "brute", "kd_tree", "ball_tree"}, default="auto"
        As in :class:`lookalike.NearestNeighbors`; it never changes a result beyond rounding.
    kernel : str, default="gaussian"
        "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine".
    metric : str, Metric or function, default="euclidean"
        As in :class:`lookalike.NearestNeighbors`. Densities integrate to 1 for the Euclidean one.
    atol, rtol : float, default=0
        Errors that are allowed; the result is as exact whatever they are.
    breadth_first : bool, default=True
        For scikit-learn's signature.
    leaf_size, metric_params, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.

    Attributes
    ----------
    bandwidth_ : float
        The width of the kernels.
    curve_ : dict of str to ndarray
        With ``bandwidth="loo"``, the widths tried and their mean leave-one-out log-likelihood.
    n_samples_fit_ : int
        Rows kept: those of weight zero are not.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    >>> model.score_samples([[0.0], [0.5], [9.0]]).round(3)
    array([  -0.792,   -0.726, -128.919])
    """

    space_: SearchSpace
    decisions_: Decisions
    curve_: dict[str, AnyArray]

    _sparse_rows = True

    def __init__(
        self,
        *,
        bandwidth: float | str = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: object = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.engine = engine

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Hold the rows of `X`, any table, each counting its weight; `y` is ignored."""
        options, decisions = self._checked_options(), Decisions()
        rows, _ = fit_rows(X, options)
        source = open_source(rows)
        self._note_columns(rows, source, reset=True)
        space = SearchSpace.fit(source, options, decisions=decisions)
        if space.in_chunks:
            raise EngineError(
                f"engine={self.engine!r} leaves the rows in their source, and densities need all "
                "of them. Give engine='memory'."
            )
        weight = as_sample_weight(sample_weight)
        if weight is not None:
            if len(weight) != space.n_rows:
                raise ShapeError(
                    f"sample_weight has {len(weight)} weights for {space.n_rows} rows. Give one "
                    "for each."
                )
            counted = np.flatnonzero(weight > 0)
            if len(counted) < len(weight):
                space = space.remove(np.flatnonzero(weight == 0))
            space = space.with_weight(weight[counted])
        self.space_, self.decisions_ = space, decisions
        self.n_samples_fit_: int = space.n_rows
        self._sums = self._arrange_sums()
        self.bandwidth_: float = self._choose_bandwidth()
        return self

    def score_samples(self, X: object) -> Array:
        """Return the logarithm of the density at every row of `X`, minus infinity where it is 0."""
        check_is_fitted(self)
        space, queries = self.space_.checked_queries(X, self._check_columns)
        rows = getattr(queries, "values", queries)
        return self._log_density(space, rows, self.bandwidth_, None)

    def score(self, X: object, y: object = None) -> float:
        """Return the log-likelihood of all rows of `X` together; `y` is ignored."""
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: object = 1, random_state: object = None) -> Array:
        """Draw rows from the density, of a Gaussian or tophat kernel."""
        check_is_fitted(self)
        if self.kernel not in ("gaussian", "tophat"):
            raise UnsupportedError(
                f"kernel={self.kernel!r} cannot be drawn from. Choose 'gaussian' or 'tophat'."
            )
        count = check_int("n_samples", n_samples, least=1)
        rng = check_random_state(random_state)
        data = dense_rows(self.space_.rows).astype(np.float64)
        chance, weight = rng.uniform(0, 1, size=count), self.space_.weight
        if weight is None:
            row = (chance * len(data)).astype(np.int64)
        else:
            reached = np.cumsum(weight)
            row = np.searchsorted(reached, chance * reached[-1])
        if self.kernel == "gaussian":
            return np.asarray(rng.normal(data[row], self.bandwidth_))
        width = data.shape[1]
        direction = rng.normal(size=(count, width))  # of which the length is made uniform in a ball
        squared = (direction**2).sum(axis=1)
        length = gammainc(0.5 * width, 0.5 * squared) ** (1.0 / width)
        scaled = direction * (length * self.bandwidth_ / np.sqrt(squared))[:, None]
        return np.asarray(data[row] + scaled)

    def _checked_options(self) -> SearchOptions:
        if isinstance(self.bandwidth, str):
            check_choice("bandwidth", self.bandwidth, BANDWIDTH_RULES)
        elif check_float("bandwidth", self.bandwidth, least=0.0) == 0.0:
            raise ParameterError("bandwidth=0.0 is out of range. Give a width above 0.")
        check_choice("kernel", self.kernel, DENSITY_KERNELS)
        check_float("atol", self.atol, least=0.0)
        check_float("rtol", self.rtol, least=0.0)
        options = SearchOptions(
            metric=self.metric,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        options.check()
        return options

    def _check_columns(self, table: object, source: Any) -> None:
        self._note_columns(table, source, reset=False)

    def _choose_bandwidth(self) -> float:
        n_rows, width = self.space_.n_rows, self.n_features_in_
        if self.bandwidth == "scott":
            return float(n_rows ** (-1 / (width + 4)))
        if self.bandwidth == "silverman":
            return float((n_rows * (width + 2) / 4) ** (-1 / (width + 4)))
        return self._likeliest() if isinstance(self.bandwidth, str) else float(self.bandwidth)

    def _likeliest(self) -> float:
        """Return the width of the largest leave-one-out likelihood, on a grid that is refined."""
        space = self.space_
        if space.n_rows < 2:
            raise ShapeError("bandwidth='loo' holds rows out, and X has one. Give two at least.")
        step = max(1, -(-space.n_rows // HELD_OUT_ROWS))
        self_rows = np.arange(0, space.n_rows, step)
        queries = rows_of(space.training_rows(), self_rows)
        far = space.nearest(
            queries, min(space.n_rows - 1, 64), exclude=self_rows, n_jobs=self.n_jobs
        )
        above = far.distance[far.distance > 0]
        if not len(above):
            raise ParameterError("bandwidth='loo' needs rows that differ. Give a number.")
        low, high = np.log(above.min()), np.log(max(far.distance.max(), above.max())) + 2.0
        tried: dict[float, float] = {}
        for _ in range(LOO_ROUNDS):
            grid = np.linspace(low, high, LOO_BANDWIDTHS)
            for log_width in grid:
                width = float(np.exp(log_width))
                density = self._log_density(space, queries, width, self_rows)
                tried[width] = float(np.mean(density))
            best = int(np.argmax([tried[float(np.exp(log_width))] for log_width in grid]))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, LOO_BANDWIDTHS - 1)]
        widths = np.array(sorted(tried))
        self.curve_ = {"bandwidth": widths, "log_likelihood": np.array([tried[w] for w in widths])}
        chosen = float(widths[np.argmax(self.curve_["log_likelihood"])])
        held = "all rows" if step == 1 else f"{len(self_rows)} rows"
        self.decisions_.add("bandwidth", f"{chosen:.4g}", f"leave-one-out likelihood of {held}")
        return chosen

    def _log_density(
        self, space: SearchSpace, queries: Any, bandwidth: float, self_rows: Rows | None
    ) -> Array:
        """Return the log density at queries, each without the row `own` where these are given."""
        total = np.full(queries.shape[0], self._total_weight(space))
        if self_rows is not None:
            total -= 1.0 if space.weight is None else space.weight[self_rows]
        norm = log_kernel_norm(self.kernel, self.n_features_in_, bandwidth)
        with np.errstate(divide="ignore", invalid="ignore"):
            density: Array = (
                self._log_sums(space, queries, bandwidth, self_rows) + norm - np.log(total)
            )
        return density

    def _total_weight(self, space: SearchSpace) -> float:
        return float(space.n_rows if space.weight is None else space.weight.sum())

    def _log_sums(
        self, space: SearchSpace, queries: Any, bandwidth: float, self_rows: Rows | None
    ) -> Array:
        """Return the logarithms of the weighted sums of kernels of height 1."""
        result = np.full(queries.shape[0], -np.inf)
        if self.kernel in COMPACT_KERNELS:
            first = np.zeros(len(result))
            searched = np.arange(len(result))
        else:
            near = space.nearest(queries, 1, exclude=self_rows, n_jobs=self.n_jobs)
            first, searched = near.distance[:, 0], np.arange(len(result))
            if self._sums_all(space, bandwidth):
                fine = self._summable(queries, first, bandwidth)
                part = np.flatnonzero(fine)
                if len(part):
                    result[part] = self._sum_all(queries, first, bandwidth, self_rows, part)
                searched = np.flatnonzero(~fine)
        reach = kernel_reach(self.kernel, first, bandwidth, space.n_rows, space.weight)
        for part, near_rows in self._within(space, queries, reach, self_rows, searched):
            query = np.repeat(np.arange(len(part)), np.diff(near_rows.start))
            base = log_kernel(self.kernel, first[part], bandwidth)
            with np.errstate(divide="ignore", invalid="ignore"):
                height = np.exp(
                    log_kernel(self.kernel, near_rows.distance, bandwidth) - base[query]
                )
                if space.weight is not None:
                    height = height * space.weight[near_rows.row]
                result[part] = np.log(np.bincount(query, height, len(part))) + base
        return result

    def _within(
        self,
        space: SearchSpace,
        queries: object,
        reach: Array,
        self_rows: Rows | None,
        searched: Rows,
    ) -> Iterator[tuple[Rows, RadiusResult]]:
        """Give queries with the rows whose kernels matter, a part at a time."""
        begin, batch = 0, max(1, KERNEL_PAIRS_AT_ONCE // space.n_rows)
        while begin < len(searched):
            part = searched[begin : begin + batch]
            near = space.within(
                rows_of(queries, part),
                reach[part],
                exclude=None if self_rows is None else self_rows[part],
                n_jobs=self.n_jobs,
            )
            yield part, near
            begin += len(part)
            mean = max(1, len(near.row) // len(part))
            batch = int(np.clip(KERNEL_PAIRS_AT_ONCE // mean, 1, 16 * len(part)))

    def _arrange_sums(self) -> KernelSums | None:
        """Return the rows as sums of all Gaussian kernels take them; None for other kernels."""
        space = self.space_
        if self.kernel != "gaussian" or not isinstance(space.rows, np.ndarray):
            return None
        if not space.options.is_plain():
            return None
        rows = np.ascontiguousarray(space.rows, np.float64)
        if np.abs(rows).max() > LARGEST_SUMMED_VALUE:
            return None
        codes = np.zeros(len(rows), np.int64)
        return KernelSums(rows, codes, 1, space.weight, resolve_threads(self.n_jobs))

    def _sums_all(self, space: SearchSpace, bandwidth: float) -> bool:
        """Return whether a typical training row has more rows in reach than are searched for."""
        if self._sums is None:
            return False
        rows = self._sums.X
        few_rows, others = (
            np.unique(np.linspace(0, len(rows) - 1, m).astype(int)) for m in PROBE_ROWS
        )
        gaps = squared_distances(rows[few_rows], rows[others])
        reach = kernel_reach(self.kernel, np.zeros(1), bandwidth, space.n_rows, space.weight)
        return bool((gaps <= reach**2).mean() > MAX_SHARE_SEARCHED)

    def _summable(self, queries: Any, first: Array, bandwidth: float) -> AnyArray:
        """Return for which queries squared distances keep the digits that the kernels need."""
        with np.errstate(over="ignore"):
            fine: AnyArray = first**2 * SQUARED_DISTANCE_ROUNDING <= bandwidth**2
        fine &= bandwidth > 1 / LARGEST_SUMMED_VALUE
        largest = np.abs(queries).max(axis=1, initial=0.0).astype(np.float64)
        fine &= largest < LARGEST_SUMMED_VALUE
        return fine

    def _sum_all(
        self, queries: object, first: Array, bandwidth: float, self_rows: Rows | None, part: Rows
    ) -> Array:
        sums: Any = self._sums
        nearest = first[part] ** 2
        total = sums.sums(
            np.asarray(rows_of(queries, part), np.float64),
            nearest,
            np.array([bandwidth]),
            exclude=None if self_rows is None else self_rows[part],
            threads=resolve_threads(self.n_jobs),
        )[:, 0, 0]
        log_sum: Array = np.log(total) - nearest / (2 * bandwidth**2)
        return log_sum
