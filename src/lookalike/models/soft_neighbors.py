"""Soft nearest neighbours: a Gaussian at every row, Bayes' rule between the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lookalike.data.source import open_source
from lookalike.errors import ParameterError
from lookalike.models.callbacks import observed
from lookalike.models.election import Outcome, elect
from lookalike.models.kernel_sums import (
    Near,
    check_bandwidth,
    gaussian_reach,
    gaussians,
    in_widths,
    rows_that_matter,
    sample_of,
    squares,
    widths,
)
from lookalike.models.labels import Labels
from lookalike.models.neighbors_classify import NeighborsClassifier
from lookalike.models.supervised import rows_of
from lookalike.reductions.columns import Columns
from lookalike.typing import Array, Rows

WIDE = 100.0  # variance of the background, in variances of the rows


class BandwidthCurve(NamedTuple):
    """Leave-one-out scores of every bandwidth tried; all (bandwidths,)."""

    bandwidth: Array
    error: Array
    log_loss: Array


class SoftNeighborsClassifier(NeighborsClassifier):
    r"""Classes by a mixture of Gaussians, one at every row, and Bayes' rule.

    .. math:: p(x | c) = \frac{1 - \epsilon}{N_c} \sum_{n \in c} N(x | x_n, \sigma^2 I)
              + \epsilon\, N(x | m, s^2 I), \qquad p(c | x) \propto p(x | c)\, p(c)

    [Barber, eq. 14.3.1 to 14.3.4]. The second term is the fictitious component of 14.3.1, the
    same for every class: at the mean m of all rows, with :math:`\epsilon = 1 / (N + 1)` and
    :math:`s^2` 100 times the larger of :math:`\sigma^2` and the mean variance of the columns.
    Far from all rows it alone is left, and the answer tends to the prior. Without it the answer
    tends to the nearest neighbour's as :math:`\sigma \to 0`. Sums are taken in logarithms, and
    only over rows that matter: the others are proven to add less than 1e-16 of the sum.

    Parameters
    ----------
    bandwidth : float or "loo", default="loo"
        :math:`\sigma`; or the one of least leave-one-out log-loss.
    background : bool, default=True
        Whether every class has the wide component.
    prior : None, "balanced" or mapping, default=None
        p(c); None is :math:`N_c / N`.
    algorithm, leaf_size, n_jobs, engine
        As of :class:`lookalike.NearestNeighbors`.
    missing : {"error", "mean"}, default="error"
        A missing value is an error, or the mean of its column.

    Attributes
    ----------
    classes_ : ndarray
        The labels in sorted order.
    bandwidth_ : float
        The bandwidth used.
    curve_ : BandwidthCurve
        Leave-one-out error and log-loss of the bandwidths tried, where one was chosen.
    mean_, background_variance_ : ndarray, float
        Where the background lies, and how wide it is.
    decisions_ : Decisions
        What was settled on the way, and why.

    Examples
    --------
    >>> from lookalike import SoftNeighborsClassifier
    >>> model = SoftNeighborsClassifier(1.0).fit([[0.0], [1.0], [4.0]], ["a", "a", "b"])
    >>> model.predict_proba([[0.0], [1000.0]]).round(3)  # far away: two a's to one b
    array([[0.988, 0.012],
           [0.667, 0.333]])
    """

    weights = "uniform"
    metric = "euclidean"
    metric_params: Mapping[str, Any] | None = None
    p = 2.0
    ties = "grow"
    cost = None

    def __init__(
        self,
        bandwidth: float | str = "loo",
        *,
        background: bool = True,
        prior: Any = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
        missing: str = "error",
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.background = background
        self.prior = prior
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.missing = missing
        self.engine = engine

    @observed
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the rows and their labels, and choose the bandwidth where that is asked.

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : array of shape (n_rows,)
            Labels of any one kind. None where `X` is a Source that brings them.
        sample_weight : array of shape (n_rows,), optional
            A row of weight two counts as that row twice, one of weight zero as absent.
        """
        self._learn(X, y, sample_weight)
        return self

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        if not targets.flat:
            raise ParameterError("y has several outputs. Fit a model for each.")
        super()._hold(targets, weight)
        rows = open_source(self._queries(None)[0], weight=weight)
        columns = self._engine(rows).reduce(Columns(), rows)
        self.mean_, self._total_variance = columns.mean, float(columns.variance.sum())
        self.__dict__.pop("curve_", None)
        if self.bandwidth == "loo":
            self.curve_ = self._curve()
            self.bandwidth_ = float(self.curve_.bandwidth[self.curve_.log_loss.argmin()])
            self.decisions_.put(
                "bandwidth", f"{self.bandwidth_:.4g}", "least leave-one-out log-loss"
            )
        else:
            self.bandwidth_ = float(self.bandwidth)
        self.background_variance_ = self._wide(self.bandwidth_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        tags.target_tags.multi_output = False
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bandwidth(self.bandwidth, ("loo",))
        if self.missing == "present":
            raise ParameterError("missing='present' leaves densities undefined. Choose 'mean'.")

    def _wide(self, bandwidth: float) -> float:
        return WIDE * max(bandwidth**2, self._total_variance / self.n_features_in_)

    def _elections(self, X: Any, *, votes: bool) -> list[Outcome]:  # noqa: ARG002 - at hand anyway
        check_is_fitted(self)
        queries, exclude = self._queries(X)
        posterior = np.empty((queries.shape[0], len(self.classes_)))
        reach = gaussian_reach(self.bandwidth_, self.n_samples_fit_, self._weight_spread())
        for near in rows_that_matter(self, queries, exclude, beyond=reach):
            gaps = self._background_gaps(rows_of(queries, near.part))
            posterior[near.part] = self._posterior(near, gaps, self.bandwidth_)
        winner = posterior.argmax(axis=1)
        tied = (posterior == posterior.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if tied.any():  # as the nearest neighbour settles it
            everyone, here = self._electorate(X), np.flatnonzero(tied)
            some = everyone._replace(
                search=lambda part, k: everyone.search(here[part], k), n_queries=len(here)
            )
            found = elect(some, self._targets.codes[:, 0], self._juries[0], [1])
            level = posterior[here, found.winner[:, 0]] == posterior[here].max(axis=1)
            winner[here] = np.where(level, found.winner[:, 0], winner[here])
        size = np.ones((len(winner), 1), np.int64)
        outcome = Outcome(winner[:, None], size, tied[:, None], None, posterior)
        self._note_ties([outcome])
        return [outcome]

    def _shares(self, found: list[Outcome]) -> Any:
        return found[0].votes

    def _weight_spread(self) -> float:
        """Return by what factor the weights of rows may differ."""
        per_row = self._class_weight()
        weight = np.ones(1) if self._weight is None else self._weight[self._weight > 0]
        present = per_row[per_row > 0]
        return float(present.max() / present.min() * weight.max() / weight.min())

    def _prior(self) -> Array:
        jury = self._juries[0]
        prior: Any = jury.share if jury.prior is None else jury.prior
        return np.asarray(prior)

    def _class_weight(self) -> Array:
        """Return p(c) / N_c, what each kernel of a class counts."""
        counts = np.bincount(self._targets.codes[:, 0], self._weight, len(self.classes_))
        return np.divide(self._prior(), counts, out=np.zeros(len(counts)), where=counts > 0)

    def _background_gaps(self, rows: Any) -> Array:
        """Return squared distances to the mean of all rows."""
        dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows, np.float64)
        gaps: Array = ((dense - self.mean_) ** 2).sum(axis=1)
        return gaps

    def _posterior(self, near: Near, gaps: Array, bandwidth: float) -> Array:
        """Return p(c | x) of the queries of `near`."""
        n_classes = len(self.classes_)
        kernel = gaussians(near, bandwidth)
        if self._weight is not None:
            kernel = kernel * self._weight[near.row]
        place = near.query * n_classes + self._targets.codes[near.row, 0]
        sums = np.bincount(place, kernel, len(near.part) * n_classes).reshape(-1, n_classes)
        joint = sums * self._class_weight()
        if not self.background:
            shares: Array = joint / joint.sum(axis=1, keepdims=True)
            return shares
        n_rows = self.n_samples_fit_ if self._weight is None else self._weight.sum()
        wide, d = self._wide(bandwidth), self.n_features_in_
        narrower = d * (np.log(wide) - 2 * np.log(bandwidth))
        ahead = (in_widths(np.sqrt(near.first), bandwidth) - gaps / wide - narrower) / 2
        ahead = (ahead - np.log(n_rows))[:, None]  # of the background before the nearest kernel
        kernels, background = np.exp(-np.maximum(ahead, 0.0)), np.exp(np.minimum(ahead, 0.0))
        mixed = joint * kernels + self._prior() * background
        posterior: Array = mixed / mixed.sum(axis=1, keepdims=True)
        return posterior

    def _curve(self) -> BandwidthCurve:
        """Return the leave-one-out scores of every bandwidth, from one search of the rows."""
        electorate = self._electorate(None)
        if electorate.available < 1:
            raise ParameterError("bandwidth='loo' leaves no row, of n_samples = 1. Give a number.")
        tried = widths(squares(electorate), self._total_variance)
        everyone, _ = self._queries(None)
        left: Rows = sample_of(electorate.n_queries)
        if len(left) < electorate.n_queries:
            self.decisions_.put("leave-one-out", f"{len(left)} rows", "a sample chooses as well")
        truth = self._targets.codes[left, 0]
        weight = np.ones(len(left)) if self._weight is None else self._weight[left]
        reach = gaussian_reach(tried[-1], self.n_samples_fit_, self._weight_spread())
        wrong, doubt = np.zeros(len(tried)), np.zeros(len(tried))
        for near in rows_that_matter(self, rows_of(everyone, left), left, beyond=reach):
            gaps = self._background_gaps(rows_of(everyone, left[near.part]))
            own, counted = truth[near.part], weight[near.part]
            for place, bandwidth in enumerate(tried):
                posterior = self._posterior(near, gaps, float(bandwidth))
                share = posterior[np.arange(len(own)), own]
                wrong[place] += counted @ (posterior.argmax(axis=1) != own)
                doubt[place] += counted @ -np.log(np.maximum(share, np.finfo(float).tiny))
        return BandwidthCurve(tried, wrong / weight.sum(), doubt / weight.sum())
