"""The initial mixture of EM: from clusters, rows, random responsibilities, or given."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.targets import as_finite
from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.mixture import Components
from lookalike.models.cluster.initialization import CandidateCenters, distinct, kmeans_plusplus
from lookalike.models.cluster.kmeans import KMeans
from lookalike.models.mixture.covariance_types import (
    CovarianceType,
    directions_at_floor,
    raise_to_floor,
)
from lookalike.models.mixture.em import EM, EMRun, Mixture, split
from lookalike.reductions.mixture import RandomResponsibilities
from lookalike.reductions.sample import RandomSample
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array

MIXTURE_STARTS = ("kmeans", "k-means++", "random", "random_from_data")
MIXTURE_SAMPLE_ROWS = 2**16  # rows, at most, that initial means are drawn from
MAX_COMPONENTS_COMPARED = 30  # components, at most, that BIC compares
MAX_WORSE_COMPONENTS = 2  # numbers of components in a row that may be worse than the best
COMPONENTS_TRIED_FOR_SPLIT = 4  # components that are tried for a split
SPLIT_TRIAL_ITERATIONS = 10  # iterations in which these are compared

GivenParameters = tuple[Array | None, Array | None, Array | None]  # weights, means, covariances


def checked_parameters(
    weights: object,
    means: object,
    precisions: object,
    covariance_type: CovarianceType,
    shape: tuple[int, int],
) -> GivenParameters:
    """Return initial weights, means and covariances that were given, or raise where one is wrong.

    `shape` is that of the means: components and columns.
    """
    given_weights = None if weights is None else _check_weights(weights, shape[0])
    given_means, covariances = None, None
    if means is not None:
        given_means = as_finite(means, "means_init", "Give finite means.", error=ParameterError)
        if given_means.shape != shape:
            raise ShapeError(
                f"The parameter 'means' should have the shape of ({shape[0]}, {shape[1]}), but "
                f"got {given_means.shape}. Give one row per component."
            )
    if precisions is not None:
        given = as_finite(
            precisions, "precisions_init", "Give finite precisions.", error=ParameterError
        )
        covariances = covariance_type.covariances_of(given, *shape)
    return given_weights, given_means, covariances


def first_mixture(
    em: EM, how: str, n_components: int, given: GivenParameters, seed: int
) -> Mixture:
    """Return the initial mixture, of the parameters given and, where None, of drawn ones."""
    known = all(part is not None for part in given)
    start = _even(em, n_components) if known else _drawn(em, how, n_components, seed)
    weights, means, covariances = given
    return Mixture(
        start.weights if weights is None else weights,
        start.means if means is None else means - em.shift,
        start.covariances if covariances is None else raise_to_floor(covariances, em.floor),
    )


def grow_by_bic(
    em: EM, weight: float, max_iter: int, tol: float
) -> tuple[EMRun, dict[str, AnyArray]]:
    r"""Return the run of lowest BIC: components are split one by one while BIC falls.

    .. math:: \mathrm{BIC} = -2 \log p(X) + p \log N
    """
    most = max(1, min(MAX_COMPONENTS_COMPARED, int(weight) // (len(em.shift) + 1)))
    run = first_run(em, max_iter, tol)
    best, bics = run, [_bic(em, run, weight)]
    flat = directions_at_floor(run.mixture.covariances, em.floor).max()
    while len(bics) < most and len(bics) - int(np.argmin(bics)) <= MAX_WORSE_COMPONENTS:
        run = one_more(em, run, max_iter, tol)
        if directions_at_floor(run.mixture.covariances, em.floor).max() > flat:
            em.decisions.add("BIC", f"up to {len(bics)} components", "more have too few rows")
            break
        bics.append(_bic(em, run, weight))
        best = run if bics[-1] < min(bics[:-1]) else best
    return best, {"n_components": np.arange(1, len(bics) + 1), "bic": np.array(bics)}


def n_parameters(covariance_type: CovarianceType, n_components: int, n_features: int) -> int:
    """Return the number of free parameters of a mixture."""
    means, weights = n_components * n_features, n_components - 1
    return covariance_type.n_parameters(n_components, n_features) + means + weights


def first_run(em: EM, max_iter: int, tol: float) -> EMRun:
    """Return the run of one component."""
    single = _even(em, 1)
    return em.run(em.maximize(single, em.gather(single.components(em.shift))), max_iter, tol)


def one_more(em: EM, run: EMRun, max_iter: int, tol: float) -> EMRun:
    """Return the best run from a mixture of which one component is split."""
    mixture = run.mixture
    trials = []
    for donor in np.argsort(-mixture.weights, kind="stable")[:COMPONENTS_TRIED_FOR_SPLIT]:
        weights = np.append(mixture.weights, 0.0)
        weights[donor] += 1.0  # the heaviest is split
        n_components = len(mixture.weights)
        rows = np.append(np.arange(n_components), donor)
        wider = Mixture(weights, mixture.means[rows], mixture.covariances[rows])
        halves = split(em, wider, np.array([n_components]))
        halves.weights = np.append(mixture.weights, mixture.weights[donor] / 2)
        halves.weights[donor] /= 2
        trials.append(em.run(halves, SPLIT_TRIAL_ITERATIONS, tol))
    return em.run(max(trials, key=lambda trial: trial.bound).mixture, max_iter, tol)


def _bic(em: EM, run: EMRun, weight: float) -> float:
    free = n_parameters(em.covariance_type, *run.mixture.means.shape)
    return float(free * np.log(weight) - 2 * weight * run.bound)


def _check_weights(given: object, n_components: int) -> Array:
    weights = as_finite(given, "weights_init", "Give one per component.", error=ParameterError)
    if weights.shape != (n_components,):
        raise ShapeError(
            f"The parameter 'weights' should have the shape of ({n_components},), but got "
            f"{weights.shape}. Give one per component."
        )
    if not np.all((weights >= 0) & (weights <= 1)):
        raise ParameterError(
            f"The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{weights.max():.5f}, min value {weights.min():.5f}."
        )
    if not abs(1 - weights.sum()) <= 1e-6:
        raise ParameterError(
            f"The parameter 'weights' should be normalized, but got sum(weights) = "
            f"{weights.sum():.5f}. Divide weights_init by that."
        )
    return weights


def _even(em: EM, n_components: int) -> Mixture:
    """Return components of equal weight amid the rows, each as wide as all of them."""
    covariances = em.covariance_type.of_columns(em.prior_variance, n_components)
    weights = np.full(n_components, 1 / n_components)
    return Mixture(weights, np.zeros((n_components, len(em.shift))), covariances)


def _drawn(em: EM, how: str, n_components: int, seed: int) -> Mixture:
    """Return the mixture of the groups of rows that `how` gives."""
    even = _even(em, n_components)
    if how == "random":
        drawn = em.gather(
            even.components(em.shift), shares=RandomResponsibilities(n_components, seed)
        )
        return em.maximize(even, drawn)
    means = _centers(em, how, n_components, seed) - em.shift
    unit = np.ones_like(means)
    factor = unit if em.covariance_type.diagonal else np.stack([np.diag(ones) for ones in unit])
    places = Components(em.shift, means, factor, np.zeros(n_components))
    groups = em.gather(places, nearest=True)
    return em.maximize(Mixture(even.weights, means, even.covariances), groups)


def _centers(em: EM, how: str, n_components: int, seed: int) -> Array:
    """Return rows, or centers of clusters, as initial means."""
    if how == "kmeans":
        clusters = KMeans(
            n_components, n_init=1, random_state=seed, engine=em.engine.name, n_jobs=em.threads
        )
        with warnings.catch_warnings():  # equal rows: their components are rescued or named later
            warnings.simplefilter("ignore", ConvergenceWarning)
            return clusters.fit(em.source)._centers()
    budget = settings().memory // 16 // (8 * len(em.shift))
    size = int(min(MIXTURE_SAMPLE_ROWS, max(budget, 2 * n_components)))
    drawn = em.engine.reduce(RandomSample(size, seed=seed), em.source)
    X, random = np.asarray(drawn.X, np.float64), np.random.RandomState(seed)
    if how == "random_from_data":
        return np.asarray(X[random.choice(len(X), n_components, replace=False)])
    candidates = CandidateCenters(*distinct(X, drawn.weight), em.threads, em.engine)
    return candidates.values(kmeans_plusplus(candidates, n_components, random))
