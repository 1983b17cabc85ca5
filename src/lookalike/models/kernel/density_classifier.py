"""Kernel density classification: a Gaussian at every training row, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import logsumexp

from lookalike.data.source import open_source
from lookalike.index.kdtree import KDTreeIndex
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.kernel_sums import KernelSums
from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.kernel.bandwidth import check_bandwidth, choose_bandwidth, column_variances
from lookalike.models.kernel.nearby_rows import (
    NEIGHBOR_PAIRS_IN_MEMORY,
    copies_left,
    dense_rows,
    gaussian_reach,
    gaussians,
    in_widths,
    log_spread,
    nearest_distances,
    rows_that_matter,
)
from lookalike.models.kernel.votes import kernel_votes, require_one_output, some_held_out
from lookalike.models.labels import Labels
from lookalike.models.linalg.magnitude import too_large
from lookalike.models.neighbors.classifier import NeighborsClassifier
from lookalike.models.neighbors.supervised import rows_of
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import AnyArray, Array, Rows

BACKGROUND_VARIANCE_RATIO = 100.0  # variance of the background, in variances of the rows
DISTANCE_PROBE_ROWS = (32, 2048)  # rows and others between which distances are sampled
LOG_SHARE_THRESHOLD = 1e-280  # shares below are computed in logarithms
SQUARED_DISTANCE_ROUNDING = 1e-12  # of a squared distance, well above that of its root squared
LARGEST_SUMMED_SQUARE_ROOT = 1e100  # largest value whose squares are summed directly
SUMMATION_WAYS = ("over rows searched for", "over rows not ruled out", "over all rows")
CYCLES_PER_SCANNED_PAIR = 12.0  # where rows are searched for
CYCLES_PER_ROW_IN_REACH = 9000.0
TREE_WALK_CYCLES = 30000.0  # cycles of a query that walks a tree


class KernelDensityClassifier(NeighborsClassifier):
    r"""Kernel density classifier: Gaussian kernel densities of the classes, and Bayes' rule.

    .. math:: p(x | c) = \frac{1 - \epsilon}{N_c} \sum_{n \in c} N(x | x_n, \sigma^2 I)
              + \epsilon\, N(x | m, s^2 I), \qquad p(c | x) \propto p(x | c)\, p(c)

    [Barber, eq. 14.3.1 to 14.3.4]. The second term is the fictitious component of 14.3.1, the
    same for every class: at the mean m of all rows, with :math:`\epsilon = 1 / (N + 1)` and
    :math:`s^2` 100 times the larger of :math:`\sigma^2` and the mean variance of the columns.
    Far from all rows it alone is left, and the posterior tends to the prior. Without it the
    prediction tends to the nearest neighbor's as :math:`\sigma \to 0`: where classes are level,
    to nine digits, the nearest neighbors decide as with K = 1 [Barber, algorithm 14.1]. Sums are
    taken in logarithms. Where kernels reach few rows, only those are searched for, or the others
    ruled out by bytes: these are proven to add less than 1e-16 of the sum. Where they reach many,
    all are summed, see :class:`lookalike.kernels.kernel_sums.KernelSums` for how near to float64.
    Which it is, is measured on training rows.

    Parameters
    ----------
    bandwidth : float, "loo" or "cv", default="loo"
        :math:`\sigma`, the standard deviation of the Gaussians, the root of the
        :math:`\sigma^2` of [Barber, 14.3]; or the one of lowest leave-one-out or `folds`-fold log
        loss. Of more than 1000 rows a fixed sample is held out.
    background : bool, default=True
        Whether every class has the wide component.
    priors : None, "balanced", mapping or array, default=None
        p(c), by label or in the order of `classes_`; None is :math:`N_c / N`.
    algorithm, leaf_size, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    missing : {"error", "mean"}, default="error"
        A missing value is an error, or the mean of its column.
    folds : int, default=5
        Folds of ``bandwidth="cv"``. Copies of a row, where it weighs more than one, stay together.

    Attributes
    ----------
    classes_ : ndarray
        The labels in sorted order.
    bandwidth_ : float
        The bandwidth used.
    curve_ : dict of str to ndarray
        Error and log loss of the bandwidths tried, where one was selected.
    mean_, background_variance_ : ndarray, float
        Mean and variance of the background component.
    decisions_ : Decisions
        What was decided, such as how kernels are summed, and why.

    Examples
    --------
    >>> from lookalike import KernelDensityClassifier
    >>> model = KernelDensityClassifier(1.0).fit([[0.0], [1.0], [4.0]], ["a", "a", "b"])
    >>> model.predict_proba([[0.0], [1000.0]]).round(3)  # far away: two a's to one b
    array([[0.988, 0.012],
           [0.667, 0.333]])
    """

    ties = "grow"
    cost = None
    bandwidth: Any
    folds: int
    bandwidth_: float
    curve_: dict[str, Array]
    mean_: Array
    _several_outputs = False
    _choose = choose_bandwidth
    _votes = kernel_votes

    def __init__(
        self,
        bandwidth: float | str = "loo",
        *,
        background: bool = True,
        priors: object = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
        missing: str = "error",
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.background = background
        self.priors = priors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.missing = missing
        self.folds = folds
        self.engine = engine

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        require_one_output(targets)
        super()._hold(targets, weight)
        everyone = self.space_.queries(None)
        columns, scale = column_variances(self)
        if scale != 1.0:
            raise too_large(open_source(everyone), "the variances overflow or underflow float64")
        self.mean_, self._total_variance = columns.mean, float(columns.variance.sum())
        self._soft: KernelSums | None = None
        if isinstance(self.space_.rows, np.ndarray):
            given = targets.codes[:, 0], len(self.classes_), weight, self._threads()
            device = getattr(self._engine(open_source(everyone)), "device", None)  # of a GPU
            self._soft = KernelSums(everyone, *given, device=device)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bandwidth(self)

    def _shares(self, results: list[VoteResult]) -> Any:
        return results[0].votes

    def _make_ready(self) -> None:
        self.background_variance_: float = self._wide(self.bandwidth_)
        self._way = self._quickest_way()
        self.decisions_.put("sums", self._way, "measured on training rows")

    def _wide(self, bandwidth: float) -> float:
        return BACKGROUND_VARIANCE_RATIO * max(
            bandwidth**2, self._total_variance / self.n_features_in_
        )

    def _class_votes(self, queries: Any, held_out: HeldOutRows | None) -> Array:
        """Return what each class has of the votes for every query, (queries, classes)."""
        posterior = np.empty((queries.shape[0], len(self.classes_)))
        for part, answers in self._posteriors(queries, held_out, np.array([self.bandwidth_])):
            posterior[part] = answers[:, 0]
        return posterior

    def _only_nearest(self, queries: Any, held_out: HeldOutRows | None) -> AnyArray:
        """Return for which queries only the rows in reach count that are nearest."""
        alone = np.empty(queries.shape[0], bool)
        reach = self._extent(self.bandwidth_)
        for near in rows_that_matter(self, queries, held_out, **reach):
            farther = near.squared > near.first[near.query]
            alone[near.part] = np.bincount(near.query, farther, len(near.part)) == 0
        return alone

    def _extent(self, bandwidth: float) -> dict[str, float]:
        """Return how far rows matter, as `rows_that_matter` takes it."""
        spread = log_spread(self._class_weight())
        if self.space_.weight is not None:
            spread += log_spread(self.space_.weight)
        return {"bandwidth": bandwidth, "log_spread": spread}

    def _prior(self) -> Array:
        """Return p(c)."""
        rule = voting_rules(self)[0]
        prior = rule.frequency if rule.prior is None else rule.prior
        return np.asarray(prior)

    def _class_weight(self) -> Array:
        """Return p(c) / N_c, what each kernel of a class counts: 1 / N where no prior is given."""
        if self.priors is None:  # the same number, so that equal sums stay equal
            n_rows = self.n_samples_fit_ if self.space_.weight is None else self.space_.weight.sum()
            return np.full(len(self.classes_), 1.0 / n_rows)
        counts = np.bincount(self.targets_.codes[:, 0], self.space_.weight, len(self.classes_))
        return np.divide(self._prior(), counts, out=np.zeros(len(counts)), where=counts > 0)

    def _posteriors(
        self, queries: Any, held_out: HeldOutRows | None, widths: Array
    ) -> Iterator[tuple[Rows, Array]]:
        """Yield numbers of queries with their p(c | x) (queries, widths, classes)."""
        searched = np.arange(queries.shape[0])
        alone = held_out is None or held_out.part is None
        if self._soft is not None and alone and (len(widths) > 1 or self._way != SUMMATION_WAYS[0]):
            with np.errstate(over="ignore"):
                first = nearest_distances(self, queries, held_out) ** 2
            fine = (
                first * SQUARED_DISTANCE_ROUNDING <= widths.min() ** 2
            )  # or the nearest kernel would be lost
            fine &= widths.min() > 1 / LARGEST_SUMMED_SQUARE_ROOT
            fine &= (
                np.abs(queries).max(axis=1, initial=0.0).astype(np.float64)
                < LARGEST_SUMMED_SQUARE_ROOT
            )
            summed, searched = np.flatnonzero(fine), np.flatnonzero(~fine)
            near_queries = rows_of(queries, summed)
            sums = self._all_sums(
                near_queries, first[summed], some_held_out(held_out, summed), widths
            )
            yield summed, self._mixed(sums, first[summed], near_queries, widths)
        queries, held_out = rows_of(queries, searched), some_held_out(held_out, searched)
        n_classes = len(self.classes_)
        for near in rows_that_matter(self, queries, held_out, **self._extent(float(widths[-1]))):
            cell = near.query * n_classes + self.targets_.codes[near.row, 0]
            count = len(near.part) * n_classes
            each = [np.bincount(cell, gaussians(near, float(w)), count) for w in widths]
            sums = np.stack([total.reshape(-1, n_classes) for total in each], axis=1)
            near_queries = rows_of(queries, near.part)
            yield searched[near.part], self._mixed(sums, near.first_squared, near_queries, widths)

    def _all_sums(
        self, queries: Array, first: Array, held_out: HeldOutRows | None, widths: Array
    ) -> Array:
        """Return the sums (queries, widths, classes) of the kernels of rows not held out."""
        self_rows = None if held_out is None else held_out.row
        soft: Any = self._soft
        ruled_out = len(widths) == 1 and self._way == SUMMATION_WAYS[1]
        sums: Array = soft.sums(
            queries,
            first,
            widths,
            exclude=self_rows,
            threads=self._threads(),
            reach=self._reach(widths[0]) if ruled_out else None,
        )
        copies = copies_left(self, held_out)
        if copies is not None and self_rows is not None:
            sums[np.arange(len(self_rows)), :, self.targets_.codes[self_rows, 0]] += copies[:, None]
        return sums

    def _mixed(self, sums: Array, first: Array, queries: object, widths: Array) -> Array:
        """Return p(c | x) of the sums of kernels, relative to those of the nearest row."""
        joint = sums * self._class_weight()
        posterior = np.empty_like(joint)
        for index, bandwidth in enumerate(widths):
            kernels, background = self._scales(first, queries, float(bandwidth))
            mixed = joint[:, index] * kernels[:, None] + self._prior() * background[:, None]
            posterior[:, index] = mixed / mixed.sum(axis=1, keepdims=True)
        return posterior

    def _scales(self, first: Array, queries: object, bandwidth: float) -> tuple[Array, Array]:
        """Return the weights of nearest kernel and background of every query, the larger 1.

        Parameters
        ----------
        first : array of shape (n_queries,)
            The squared distance of the nearest row.
        queries : matrix
            The queries.
        bandwidth : float
            The width of the kernels.
        """
        kernels, background = self._log_scales(first, queries, bandwidth)
        return np.exp(kernels), np.exp(background)

    def _log_scales(self, first: Array, queries: object, bandwidth: float) -> tuple[Array, Array]:
        if not self.background:
            return np.zeros(len(first)), np.full(len(first), -np.inf)
        with np.errstate(over="ignore"):
            gaps = ((dense_rows(queries).astype(float, copy=False) - self.mean_) ** 2).sum(axis=1)
        n_rows = self.n_samples_fit_ if self.space_.weight is None else self.space_.weight.sum()
        wide = self._wide(bandwidth)
        narrower = self.n_features_in_ * (np.log(wide) - 2 * np.log(bandwidth))
        widths = in_widths(np.sqrt(first), bandwidth)
        with np.errstate(invalid="ignore"):
            ahead = (widths - gaps / wide - narrower) / 2
        ahead = ahead - np.log(n_rows)  # of the background before the nearest kernel
        ahead = np.where(np.isinf(widths), np.inf, ahead)  # which is the narrower by far
        return -np.maximum(ahead, 0.0), np.minimum(ahead, 0.0)

    def _reach(self, bandwidth: float) -> float:
        spread = self._extent(bandwidth)["log_spread"]
        return float(gaussian_reach(np.full(1, bandwidth), self.n_samples_fit_, spread)[0])

    def _quickest_way(self) -> str:
        """Return how sums are computed, by how many rows matter to a typical one."""
        if self._soft is None:
            return SUMMATION_WAYS[0]
        everyone = self.space_.queries(None)
        few_rows, others = (
            np.unique(np.linspace(0, len(everyone) - 1, m).astype(int)) for m in DISTANCE_PROBE_ROWS
        )
        first = nearest_distances(self, everyone[few_rows], HeldOutRows(few_rows)) ** 2
        gaps = squared_distances(everyone[few_rows], everyone[others])
        gaps[few_rows[:, None] == others] = np.inf
        share = float((gaps <= (first + self._reach(self.bandwidth_))[:, None]).mean())
        everything, within = self._soft.cycles(first, self.bandwidth_, share)
        boxes = isinstance(self.space_.index, KDTreeIndex)
        searched = (
            TREE_WALK_CYCLES / len(everyone) if boxes else CYCLES_PER_SCANNED_PAIR
        ) + share * CYCLES_PER_ROW_IN_REACH
        return SUMMATION_WAYS[int(np.argmin([searched, within, everything]))]

    def _log_shares(self, held_out: HeldOutRows, own: Rows, widths: Array) -> Array:
        """Return log p(c | x) (rows, widths) of the class of each row held out, from all rows.

        For the few whose share is too small for a float64: sums of kernels in logarithms.
        """
        everyone = self.space_.queries(None)
        codes = self.targets_.codes[:, 0]
        queries = rows_of(everyone, held_out.row)
        gaps = squared_distances(dense_rows(queries), dense_rows(everyone))
        number = np.arange(len(codes))
        is_self = number == held_out.row[:, None]
        weight = np.ones(len(codes)) if self.space_.weight is None else self.space_.weight
        counts = np.broadcast_to(weight, gaps.shape).copy()
        if held_out.part is None:
            counts[is_self] = np.maximum(counts[is_self] - 1.0, 0.0)
        else:
            counts[held_out.part == held_out.part[held_out.row][:, None]] = 0.0
        first = np.where(counts > 0, gaps, np.inf).min(axis=1)
        shares = np.empty((len(own), len(widths)))
        with np.errstate(divide="ignore"):
            log_weight, log_prior = np.log(self._class_weight()), np.log(self._prior())
        for index, width in enumerate(widths):
            scaled = (gaps - first[:, None]) / (2 * width**2)
            kernels, background = self._log_scales(first, queries, float(width))
            joint = np.empty((len(own), len(log_prior)))
            for c in range(len(log_prior)):
                sums = _log_sums(scaled[:, codes == c], counts[:, codes == c])
                joint[:, c] = np.logaddexp(
                    log_weight[c] + sums + kernels, log_prior[c] + background
                )
            total = logsumexp(joint, axis=1)
            shares[:, index] = joint[np.arange(len(own)), own] - total
        return shares

    def _rule_bandwidth(self) -> float:
        raise NotImplementedError

    def _scores(self, held_out: HeldOutRows, tried: Array) -> dict[str, Array]:
        everyone = self.space_.queries(None)
        truth = self.targets_.codes[held_out.row, 0]
        weight = self.space_.weight
        weight = np.ones(len(truth)) if weight is None else weight[held_out.row]
        error, log_loss = np.zeros(len(tried)), np.zeros(len(tried))
        for part, posterior in self._posteriors(rows_of(everyone, held_out.row), held_out, tried):
            true_class, counted = truth[part], weight[part]
            share = posterior[np.arange(len(part)), :, true_class]
            error += counted @ (posterior.argmax(axis=2) != true_class[:, None])
            log_share = np.log(np.maximum(share, np.finfo(float).tiny))
            lost = np.flatnonzero((share < LOG_SHARE_THRESHOLD).any(axis=1))
            step = max(1, NEIGHBOR_PAIRS_IN_MEMORY // self.n_samples_fit_)
            for small in np.split(lost, range(step, len(lost), step)) if len(lost) else ():
                rows = some_held_out(held_out, part[small])
                assert rows is not None
                exact = self._log_shares(rows, true_class[small], tried)
                known = (share[small] < LOG_SHARE_THRESHOLD) & np.isfinite(exact)
                log_share[small] = np.where(known, exact, log_share[small])
            log_loss -= counted @ log_share
        return {"error": error / weight.sum(), "log_loss": log_loss / weight.sum()}


def _log_sums(gaps: Array, weight: Array) -> Array:
    """Return log(sum(weight * exp(-gaps))) of every row, -inf where nothing is left."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.log(weight) - gaps
    return np.asarray(logsumexp(terms, axis=1))
