"""Expectation and maximization by turns: a likelihood that climbs, and no component left behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.kernels.mixture import Components
from lookalike.models.mixture.covariance_types import (
    Limits,
    Shape,
    held_up,
    inverse_factors,
    raised,
)
from lookalike.reductions.mixture import ComponentMoments, MixtureEStep, RandomResponsibilities
from lookalike.typing import Array, Rows

SLACK = 1e-9  # of the log-likelihood, that rounding may cost
ALIVE = 1e-12  # part of the weight below which a component holds nothing


class Mixture(NamedTuple):
    """The parameters; means are counted from a common point."""

    weights: Array  # (k,)
    means: Array  # (k, d)
    covariances: Array  # (k, d, d) or (k, d)
    factors: Array  # of the precisions, in the same form


class Run(NamedTuple):
    """Where one climb ended."""

    mixture: Mixture
    bounds: list[float]  # the objective a unit of weight before every round
    counts: Array  # (k,), what each component held in the last round
    converged: bool

    @property
    def bound(self) -> float:
        """Return the height reached."""
        return self.bounds[-1] if self.bounds else -np.inf


class EM(NamedTuple):
    r"""The rounds of EM over one source.

    .. math:: \mu_k = \frac{1}{N_k} \sum_n \gamma(z_{nk}) x_n, \quad
              \Sigma_k = \frac{1}{N_k} \sum_n \gamma(z_{nk}) (x_n - \mu_k)(x_n - \mu_k)^\top, \quad
              \pi_k = \frac{N_k}{N}

    [UGR]. Every round is one reduction. The covariances are those of greatest likelihood among
    all that respect the limits, so that the likelihood never falls.
    """

    engine: Engine
    source: Source
    shape: Shape
    limits: Limits
    shift: Array  # (d,), the point that means are counted from
    decisions: Decisions
    threads: int
    tell: Callable[[int, float], None]  # is told of every round, and how much it brought

    def climb(self, mixture: Mixture, max_iter: int, tol: float, bound: float = -np.inf) -> Run:
        """Go on until the objective rises by less than `tol`, or `max_iter` rounds are done.

        Where it falls by more than rounding allows, the round is taken back and the climb ends.
        """
        bounds: list[float] = []
        counts, before = mixture.weights, mixture
        for number in range(1, max_iter + 1):
            moments = self.gather(self.components(mixture))
            reached = self.objective(mixture, moments)
            if reached < bound - SLACK * max(1.0, abs(bound)):
                self.decisions.add("rounds", f"stopped at {number}", "only rounding was left")
                return Run(before, bounds or [bound], counts, True)
            bounds.append(max(reached, bound))
            before, mixture, counts = mixture, self.maximize(mixture, moments), moments.count
            self.tell(number, reached - bound)
            if abs(reached - bound) < tol:
                return Run(mixture, bounds, counts, True)
            bound = bounds[-1]
        return Run(mixture, bounds, counts, False)

    def gather(
        self,
        components: Components,
        *,
        nearest: bool = False,
        shares: RandomResponsibilities | None = None,
    ) -> ComponentMoments:
        """Return what every component holds of the rows: the one pass of a round."""
        step = MixtureEStep(components, nearest=nearest, shares=shares, threads=self.threads)
        return self.engine.reduce(step, self.source)

    def maximize(self, mixture: Mixture, moments: ComponentMoments) -> Mixture:
        """Return the parameters of greatest likelihood, given what the components hold."""
        alive = moments.count > ALIVE * moments.weight
        means = np.where(alive[:, None], mixture.means + moments.shift, mixture.means)
        estimate = self.shape.estimate(moments, self.limits.pull, self.limits.towards)
        alive = alive.reshape(-1, *[1] * (estimate.ndim - 1))
        covariances = np.where(alive, raised(estimate, self.limits.floor), mixture.covariances)
        return mixture_of(moments.count / moments.count.sum(), means, covariances)

    def objective(self, mixture: Mixture, moments: ComponentMoments) -> float:
        """Return the log-likelihood a unit of weight, with that of the prior where there is one."""
        total = moments.log_likelihood
        if self.limits.pull:
            squares = mixture.factors**2
            squares = squares if self.shape.diagonal else squares.sum(axis=2)
            gain = log_determinants(mixture.factors) - squares @ self.limits.towards / 2
            total += self.limits.pull * float(gain.sum())
        return total / moments.weight

    def components(self, mixture: Mixture) -> Components:
        """Return the mixture as the kernels take it."""
        return as_components(mixture, self.shift)


def mixture_of(weights: Array, means: Array, covariances: Array) -> Mixture:
    """Return the mixture of these parameters, or raise where a covariance is singular."""
    return Mixture(weights, means, covariances, inverse_factors(covariances))


def as_components(mixture: Mixture, shift: Array) -> Components:
    """Return a mixture as the kernels take it."""
    n_features = mixture.means.shape[1]
    with np.errstate(divide="ignore"):  # a component of no weight
        constant = np.log(mixture.weights)
    constant = constant + log_determinants(mixture.factors) - n_features / 2 * np.log(2 * np.pi)
    factors = mixture.factors
    factors = factors if factors.ndim == 2 else factors.transpose(0, 2, 1)
    means, factors = (np.ascontiguousarray(part, np.float64) for part in (mixture.means, factors))
    return Components(shift, means, factors, constant)


def log_determinants(factors: Array) -> Array:
    """Return half the logarithm of the determinant of each precision."""
    along = factors if factors.ndim == 2 else np.diagonal(factors, axis1=1, axis2=2)
    return np.asarray(np.log(along).sum(axis=1))


def rescued(em: EM, run: Run, max_iter: int, tol: float) -> Run:
    """Return a climb in which components that collapsed were put to better use, if one is found.

    A component that holds less than one row, or too few to span a volume, gives up its place: the
    heaviest component is split along its widest direction. Every decision is recorded.
    """
    for _ in range(len(run.counts) - 1 if max_iter else 0):
        fallen = collapsed(em, run)
        if not len(fallen):
            break
        listed = "components " + ", ".join(map(str, fallen))
        again = em.climb(split(em, run.mixture, fallen), max_iter, tol)
        if len(collapsed(em, again)) >= len(fallen):
            em.decisions.add(listed, "left as they are", "collapsed, and splits did not help")
            break
        em.decisions.add(listed, "rescued", "collapsed: the heaviest were split into their places")
        run = again
    return run


def collapsed(em: EM, run: Run) -> Rows:
    """Return the components that hold too few rows to span a volume; a weight of one is a row."""
    held = held_up(run.mixture.covariances, em.limits.floor)
    spike = (held > 0) & (run.counts < run.mixture.means.shape[1] + 1)
    return np.flatnonzero((run.counts < 0.5) | spike)


def split(em: EM, mixture: Mixture, places: Rows) -> Mixture:
    """Return the mixture with its heaviest components split in two, into the `places`."""
    weights, means, covariances = (part.copy() for part in mixture[:3])
    weights[places] = 0.0
    for place in places:
        donor = int(weights.argmax())
        step = _widest(covariances[donor], em.limits.towards) / 2
        means[place], means[donor] = means[donor] + step, means[donor] - step
        weights[donor] /= 2
        weights[place], covariances[place] = weights[donor], covariances[donor]
    return mixture_of(weights / weights.sum(), means, covariances)


def _widest(covariance: Array, variances: Array) -> Array:
    """Return one standard deviation along the widest direction; among equals the widest column."""
    matrix = np.diag(covariance) if covariance.ndim == 1 else covariance
    values, vectors = np.linalg.eigh(matrix)
    axis = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
    if values[-1] - values[0] <= 1e-9 * values[-1]:  # round: every direction is as wide
        axis = np.eye(len(matrix))[int(variances.argmax())]
    return np.asarray(np.sqrt(values[-1]) * axis)
