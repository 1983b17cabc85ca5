"""Expectation-maximization of a mixture; collapsed components are replaced by splits."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import ParameterError
from lookalike.interrupt import interruptible
from lookalike.kernels.mixture import Components
from lookalike.models.mixture.covariance_types import (
    CovarianceType,
    directions_at_floor,
    inverse_factors,
    raise_to_floor,
)
from lookalike.reductions.mixture import ComponentMoments, MixtureEStep, RandomResponsibilities
from lookalike.typing import Array, Rows

LIKELIHOOD_ROUNDING = 1e-9  # of the log-likelihood, that rounding may cost
MIN_COMPONENT_WEIGHT_SHARE = 1e-12  # part of the weight below which a component has no rows


class Mixture:
    """The parameters of a mixture; a singular covariance is refused.

    Weights are (k,), means (k, d) and counted from a common point, covariances (k, d, d) or (k, d),
    and the factors of the precisions in the same form.
    """

    weights: Array
    means: Array
    covariances: Array

    def __init__(self, weights: Array, means: Array, covariances: Array) -> None:
        self.weights, self.means, self.covariances = weights, means, covariances
        self.factors: Array = inverse_factors(covariances)

    def components(self, shift: Array) -> Components:
        """Return the mixture as the kernels take it; its means are counted from `shift`."""
        return as_components(self.weights, self.means, self.factors, shift)


class EMRun(NamedTuple):
    """The result of one run of EM."""

    mixture: Mixture
    bounds: list[float]  # the objective a unit of weight before every iteration
    counts: Array  # (k,), weight of the rows of each component in the last iteration
    converged: bool

    @property
    def bound(self) -> float:
        """Return the last lower bound."""
        return self.bounds[-1] if self.bounds else -np.inf


class EM:
    r"""EM over one source.

    .. math:: \mu_k = \frac{1}{N_k} \sum_n \gamma(z_{nk}) x_n, \quad
              \Sigma_k = \frac{1}{N_k} \sum_n \gamma(z_{nk}) (x_n - \mu_k)(x_n - \mu_k)^\top, \quad
              \pi_k = \frac{N_k}{N}

    [UGR]. Every iteration is one reduction. The covariances are those of greatest likelihood among
    all that respect the limits, so that the likelihood never falls.

    Parameters
    ----------
    engine, source
        Who reads the rows, and the rows.
    covariance_type : CovarianceType
        How covariances are estimated.
    floor : ndarray of shape (d,)
        The minimum variance along each column.
    prior_count, prior_variance : float and ndarray of shape (d,)
        Rows that the prior counts for in every component, 0 without one, and their variances.
    shift : ndarray of shape (d,)
        The point that means are counted from.
    decisions, threads
        Where decisions are recorded, and the threads.
    log : function
        Called after every iteration, with the gain.
    """

    engine: Engine
    source: Source
    covariance_type: CovarianceType
    floor: Array
    prior_count: float
    prior_variance: Array
    shift: Array
    decisions: Decisions
    threads: int
    log: Callable[[int, float], None]

    def __init__(
        self,
        engine: Engine,
        source: Source,
        covariance_type: CovarianceType,
        *,
        floor: Array,
        prior_count: float,
        prior_variance: Array,
        shift: Array,
        decisions: Decisions,
        threads: int,
        log: Callable[[int, float], None],
    ) -> None:
        self.engine, self.source, self.covariance_type = engine, source, covariance_type
        self.floor, self.prior_count, self.prior_variance = floor, prior_count, prior_variance
        self.shift, self.decisions = shift, decisions
        self.threads, self.log = threads, log

    def over(self, source: Source, decisions: Decisions) -> EM:
        """Return the same EM over other rows."""
        other = copy.copy(self)
        other.source, other.decisions = source, decisions
        return other

    def run(self, mixture: Mixture, max_iter: int, tol: float, bound: float = -np.inf) -> EMRun:
        """Iterate until the objective rises by less than `tol`, or `max_iter` times.

        Where it falls by more than rounding allows, or an iteration leaves a component without a
        covariance, that iteration is undone and EM ends.
        """
        bounds: list[float] = []
        counts, before = mixture.weights, (mixture, mixture.weights)
        for number in range(1, max_iter + 1):
            moments = self.gather(mixture.components(self.shift))
            reached = self.objective(mixture, moments)
            if reached < bound - LIKELIHOOD_ROUNDING * max(1.0, abs(bound)):
                self.decisions.add("iterations", f"stopped at {number}", "only rounding was left")
                return EMRun(before[0], bounds or [bound], before[1], True)
            bounds.append(max(reached, bound))
            before = mixture, counts
            try:
                mixture, counts = self.maximize(mixture, moments), moments.count
            except ParameterError as error:  # a component has shrunk to a point
                self.decisions.add("iterations", f"stopped at {number}", str(error))
                return EMRun(mixture, bounds, counts, False)
            self.log(number, reached - bound)
            if abs(reached - bound) < tol:
                return EMRun(mixture, bounds, counts, True)
            bound = bounds[-1]
        return EMRun(mixture, bounds, counts, False)

    def gather(
        self,
        components: Components,
        *,
        nearest: bool = False,
        shares: RandomResponsibilities | None = None,
    ) -> ComponentMoments:
        """Return the moments of the rows of every component: the E-step, one pass."""
        step = MixtureEStep(components, nearest=nearest, shares=shares, threads=self.threads)
        return self.engine.reduce(step, self.source)

    def maximize(self, mixture: Mixture, moments: ComponentMoments) -> Mixture:
        """Return the parameters of greatest likelihood, given the moments: the M-step."""
        alive = moments.count > MIN_COMPONENT_WEIGHT_SHARE * moments.weight
        means = np.where(alive[:, None], mixture.means + moments.shift, mixture.means)
        estimate = self.covariance_type.estimate(moments, self.prior_count, self.prior_variance)
        alive = alive.reshape(-1, *[1] * (estimate.ndim - 1))
        estimate = raise_to_floor(estimate, self.floor)
        covariances = np.where(alive, estimate, mixture.covariances)
        return Mixture(moments.count / moments.count.sum(), means, covariances)

    def objective(self, mixture: Mixture, moments: ComponentMoments) -> float:
        """Return the log-likelihood a unit of weight, with that of the prior where there is one."""
        total = moments.log_likelihood
        if self.prior_count:
            squares = mixture.factors**2
            squares = squares if self.covariance_type.diagonal else squares.sum(axis=2)
            gain = log_determinants(mixture.factors) - squares @ self.prior_variance / 2
            total += self.prior_count * float(gain.sum())
        return total / moments.weight


def as_components(weights: Array, means: Array, factors: Array, shift: Array) -> Components:
    """Return a mixture as the kernels take it; `factors` are those of the precisions."""
    n_features = means.shape[1]
    with np.errstate(divide="ignore"):  # a component of no weight
        constant = np.log(weights)
    constant = constant + log_determinants(factors) - n_features / 2 * np.log(2 * np.pi)
    factors = factors if factors.ndim == 2 else factors.transpose(0, 2, 1)
    means, factors = (np.ascontiguousarray(part, np.float64) for part in (means, factors))
    return Components(shift, means, factors, constant)


def log_determinants(factors: Array) -> Array:
    """Return half the logarithm of the determinant of each precision."""
    along = factors if factors.ndim == 2 else np.diagonal(factors, axis1=1, axis2=2)
    return np.asarray(np.log(along).sum(axis=1))


def rescue_collapsed(em: EM, run: EMRun, max_iter: int, tol: float) -> EMRun:
    """Return a run in which collapsed components were replaced, where that helps.

    A component of less than one row, or of too few to span a volume, is replaced: the heaviest
    component is split along its widest direction. Every decision is recorded.
    """
    for _ in range(len(run.counts) - 1 if max_iter else 0):
        lost = collapsed(em, run)
        if not len(lost):
            break
        listed = "components " + ", ".join(map(str, lost))
        again = em.run(split(em, run.mixture, lost), max_iter, tol)
        if len(collapsed(em, again)) >= len(lost):
            em.decisions.add(listed, "left as they are", "collapsed, and splits did not help")
            break
        em.decisions.add(listed, "rescued", "collapsed: the heaviest were split into their places")
        run = again
    return run


def collapsed(em: EM, run: EMRun) -> Rows:
    """Return the components of too few rows to span a volume; a weight of one is a row."""
    at_floor = directions_at_floor(run.mixture.covariances, em.floor)
    spike = (at_floor > 0) & (run.counts < run.mixture.means.shape[1] + 1)
    return np.flatnonzero((run.counts < 0.5) | spike)


def split(em: EM, mixture: Mixture, places: Rows) -> Mixture:
    """Return the mixture with its heaviest components split in two, into the `places`."""
    weights, means = mixture.weights.copy(), mixture.means.copy()
    covariances = mixture.covariances.copy()
    weights[places] = 0.0
    for number in places:
        donor = int(weights.argmax())
        step = _widest(covariances[donor], em.prior_variance) / 2
        means[number], means[donor] = means[donor] + step, means[donor] - step
        weights[donor] /= 2
        weights[number], covariances[number] = weights[donor], covariances[donor]
    return Mixture(weights / weights.sum(), means, covariances)


def _widest(covariance: Array, variances: Array) -> Array:
    """Return one standard deviation along the widest direction; among equals the widest column."""
    matrix = np.diag(covariance) if covariance.ndim == 1 else covariance
    values, vectors = interruptible(np.linalg.eigh, matrix)
    axis = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
    if values[-1] - values[0] <= 1e-9 * values[-1]:  # round: every direction is as wide
        axis = np.eye(len(matrix))[int(variances.argmax())]
    return np.asarray(np.sqrt(values[-1]) * axis)
