"""Label errors: how probable it is that a label is wrong, from held-out class probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from lookalike.typing import AnyArray, Array, Rows

MIN_VOTE_SHARE = 1e-3  # of models whose probabilities are shares of votes
FEW_VOTES = 0.1  # quantile of their shares between 0 and 1/2: what one vote is about, and no vote
LEAST_SMOOTH = 1e-6  # of other models: were they cut off before, noise would pass for overlap
MOST_NOISE = 0.5  # of labels; with more, wrong and right ones could not be distinguished
CLASS_BIAS_PENALTY = 0.01  # penalty on the squares of the biases of classes
CLASS_WEIGHT_PENALTY = 0.1  # penalty on the squares of the weights: few rows do not make sure
MOST_OF_CLASS = 1 / 3  # expected share of wrong labels beyond which a class is not determined
# Twice the log likelihood ratio from which on labels are taken to have noise.
NOTICED_NOISE_EVIDENCE = 1.0
# The same where noise is seldom: the 95% point of a parameter that may be 0.
SELDOM_NOISE_EVIDENCE = 2.71
SINGLE_MODEL_EVIDENCE = 3.84  # the same of one model alone: the 95% point of chi-squared
# And of much noise, which classes that overlap are mistaken for: the 99% point.
MUCH_NOISE_EVIDENCE = 6.63
CLEAR_MUCH_NOISE_EVIDENCE = 10.83  # and of much noise beyond doubt: the 99.9% point
MUCH_NOISE = 0.08  # noise
FLAG_PROBABILITY = 2 / 3  # probability from which on a label is flagged, where noise is seldom
SELDOM_NOISE = 0.02  # noise
MIN_FLAG_PROBABILITY = 0.25  # probability below which no label is flagged
ALMOST_NO_PROBABILITY = 1e-6  # in place of 0, so that there still is an order
MOST_FITTED = 100_000  # rows of which the parameters are the most likely ones
MIN_CLASS_ROWS_CHECKED = 3  # rows that a class needs for its labels to be checked
NOISE_STARTS = (-1.5, -5.0)  # of the noise: much and little
PARAMETER_BOUNDS = ((-6.0, 3.0), (-4.0, 4.0), (-20.0, 20.0))  # of log weights, biases and noise


class LabelErrors(NamedTuple):
    """How probable it is that labels are wrong, and whether any are; see `label_errors`."""

    probability: Array
    suggested: Rows
    noise: float
    cutoff: float
    evidence: float  # twice the log likelihood ratio of noise against none

    @property
    def is_clear(self) -> bool:
        """Whether there are label errors beyond doubt: significant at 1%, much noise at 0.1%."""
        much = self.noise > MUCH_NOISE
        return self.evidence >= (CLEAR_MUCH_NOISE_EVIDENCE if much else MUCH_NOISE_EVIDENCE)


def label_errors(probabilities: Sequence[Array], codes: Rows) -> LabelErrors:
    r"""Return how probable it is that each label is wrong, and by what it is flagged.

    The model: the true class of a row is c with probability

    .. math:: q_c \propto \exp\Bigl(b_c + \sum_m w_m \ln p_{mc}\Bigr),

    where :math:`p_{mc}` are the probabilities of model m without the row, :math:`w_m` its weight,
    which also corrects probabilities that are too bold or too timid, and :math:`b_c` makes them
    right for every class, rare ones included, in place of the thresholds for each class of
    confident learning [Northcutt21]. A row of another class is labeled g by mistake with
    probability :math:`\rho v_g`, wherever it stands, where :math:`v_g = 1 / (M - 1)`. All w, b
    and :math:`\rho` have the largest likelihood of the labels given (of 100,000 of them, drawn at
    random, where there are more). Then for a row labeled g

    .. math:: P(\text{wrong}) = \frac{\rho v_g (1 - q_g)}{(1 - \rho \sum_h v_h) q_g + \rho v_g}.

    Classes that overlap lower q, and noise is what disagrees where the models are sure. Where
    this takes more than a third of a class for wrong, as for a rare class that lies among another,
    the features do not determine the class: its :math:`v_g` is then almost 0, and all is fitted
    again.

    Labels are flagged from the probability on at which the expected F1 of the flagged rows is
    largest, half of that F1 [Lipton14], at least 1/4. Where noise is less than 2%, rows unlike all
    others are what is mistaken for it: there :math:`P(\text{wrong})` is multiplied by the mean
    probability of the class suggested over what that is for the rows of this class, if it is less,
    as by the thresholds of confident learning, and labels are flagged from 2/3 on.
    None are where noise raises the log likelihood by less than 1/2; by less than is significant at
    5% where noise is less than 2% or one model alone gives the probabilities, and at 1% where noise
    exceeds 8%.

    Parameters
    ----------
    probabilities : sequence of array of shape (n_rows, n_classes)
        Class probabilities from models that did not see the row, one array for each model.
    codes : array of shape (n_rows,)
        The class of each row by number. Classes with fewer than 3 rows are not checked.

    Returns
    -------
    probability : array of shape (n_rows,)
        That the label is wrong.
    suggested : array of shape (n_rows,)
        The class by number that fits best among the others.
    noise : float
        Estimated share of wrong labels.
    cutoff : float
        Probability from which on a label is flagged; above 1 where none is.
    evidence : float
        By how much noise raises twice the log likelihood.
    """
    n_rows, n_classes = probabilities[0].shape
    everyone = np.arange(n_rows)
    rare = np.bincount(codes, minlength=n_classes)[codes] < MIN_CLASS_ROWS_CHECKED
    checked = np.flatnonzero(~rare)
    if len(checked) > MOST_FITTED:
        checked = np.sort(np.random.default_rng(0).choice(checked, MOST_FITTED, replace=False))
    if n_classes == 1 or len(checked) == 0 or len(np.unique(codes[checked])) == 1:
        return LabelErrors(np.zeros(n_rows), codes.copy(), 0.0, np.inf, 0.0)
    logs = np.stack([_log_probabilities(one) for one in probabilities])
    stray = np.full(n_classes, 1 / (n_classes - 1))
    clean, _ = _Likelihood(logs[:, checked], codes[checked], None).fitted()
    for _ in range(2):
        noisy, (weights, biases, noise) = _Likelihood(
            logs[:, checked], codes[checked], stray
        ).fitted()
        q = np.exp(_log_q(logs, weights, biases))
        share = max(noise, 0.5 / n_rows)  # half a row: an order among labels all right
        probability = wrong_label_probability(q[everyone, codes], share, stray, codes)
        probability[rare] = 0.0
        count = np.bincount(codes, minlength=n_classes)
        wrong = np.bincount(codes, probability, minlength=n_classes) > MOST_OF_CLASS * count
        if not wrong.any():
            break
        stray = np.where(wrong, np.minimum(stray, ALMOST_NO_PROBABILITY), stray)
    q[everyone, codes] = -1.0
    suggested = q.argmax(axis=1)
    if noise < SELDOM_NOISE:
        probability *= _fits(np.mean(probabilities, axis=0), codes, suggested)
    cutoff, evidence = np.inf, 2 * (clean - noisy)
    if evidence > _needed(noise, len(probabilities)):
        cutoff = FLAG_PROBABILITY if noise < SELDOM_NOISE else best_cutoff(probability)
    return LabelErrors(probability, suggested, noise, cutoff, evidence)


def best_cutoff(probability: Array) -> float:
    """Return the probability from which on flagged rows have the largest expected F1.

    Examples
    --------
    >>> float(best_cutoff(np.array([1.0, 1.0, 0.6, 0.1, 0.0])))  # F1 of 5.2 / (3 + 2.7)
    0.45614035087719296
    """
    ordered = -np.sort(-probability)
    flagged = np.arange(1, len(ordered) + 1)
    f1 = 2 * np.cumsum(ordered) / (flagged + ordered.sum())
    return max(float(f1.max()) / 2, MIN_FLAG_PROBABILITY)


class _Likelihood:
    """The likelihood of the labels, as a function of weights, biases and noise."""

    def __init__(self, logs: Array, codes: Rows, stray: Array | None) -> None:
        self._logs, self._codes, self._noisy = logs, codes, stray is not None
        self._n_models, self._n_rows, self._n_classes = logs.shape
        self._stray = np.zeros(self._n_classes) if stray is None else stray
        self._everyone = np.arange(self._n_rows)

    def fitted(self) -> tuple[float, tuple[Array, Array, float]]:
        """Return minus the largest log likelihood and its parameters, by L-BFGS."""
        models, classes = self._n_models, self._n_classes
        bounds = (
            [PARAMETER_BOUNDS[0]] * models + [PARAMETER_BOUNDS[1]] * classes + [PARAMETER_BOUNDS[2]]
        )
        tried = []
        for start in NOISE_STARTS if self._noisy else NOISE_STARTS[:1]:
            first = np.concatenate([np.full(models, -np.log(models)), np.zeros(classes), [start]])
            tried.append(minimize(self._loss, first, jac=True, method="L-BFGS-B", bounds=bounds))
        best = min(tried, key=lambda fit: fit.fun)
        return float(best.fun) * self._n_rows, self._natural(best.x)

    def _natural(self, t: Array) -> tuple[Array, Array, float]:
        noise = float(MOST_NOISE * expit(t[-1])) if self._noisy else 0.0
        return np.exp(t[: self._n_models]), t[self._n_models : -1], noise

    def _loss(self, t: Array) -> tuple[float, Array]:
        """Return minus the mean log likelihood, and its gradient."""
        weights, biases, noise = self._natural(t)
        label_cells = self._everyone, self._codes
        q = np.exp(_log_q(self._logs, weights, biases))
        stray, total = self._stray[self._codes], float(self._stray.sum())
        p = np.maximum(
            (1 - noise * total) * q[label_cells] + noise * stray, np.finfo(np.float64).tiny
        )
        pull = -(1 - noise * total) * q[label_cells] / p
        slope = -pull[:, None] * q
        slope[label_cells] += pull
        by_noise = (total * q[label_cells] - stray) / p
        gradient = np.concatenate(
            [
                (np.einsum("nc,mnc->m", slope, self._logs) + 2 * CLASS_WEIGHT_PENALTY * weights)
                * weights,
                slope.sum(axis=0) + 2 * CLASS_BIAS_PENALTY * biases,
                [by_noise.sum() * noise * (1 - noise / MOST_NOISE)],
            ]
        )
        penalty = CLASS_BIAS_PENALTY * float(biases @ biases) + CLASS_WEIGHT_PENALTY * float(
            weights @ weights
        )
        return (float(-np.log(p).sum()) + penalty) / self._n_rows, gradient / self._n_rows


def _needed(noise: float, n_models: int) -> float:
    """Return twice the log likelihood ratio from which on labels are flagged."""
    if noise > MUCH_NOISE:
        return MUCH_NOISE_EVIDENCE
    if n_models == 1:
        return SINGLE_MODEL_EVIDENCE
    return SELDOM_NOISE_EVIDENCE if noise < SELDOM_NOISE else NOTICED_NOISE_EVIDENCE


def _fits(probability: Array, codes: Rows, suggested: Rows) -> Array:
    """Return the probability of the class suggested over the mean of that class, at most 1."""
    everyone, n_classes = np.arange(len(codes)), probability.shape[1]
    expected = np.bincount(codes, probability[everyone, codes], minlength=n_classes)
    typical = expected / np.maximum(np.bincount(codes, minlength=n_classes), 1)
    ratio = probability[everyone, suggested] / np.maximum(typical[suggested], MIN_VOTE_SHARE)
    return np.minimum(ratio, 1.0)


def _log_probabilities(probability: Array) -> Array:
    least, none = LEAST_SMOOTH, probability <= 0
    if 2 * np.count_nonzero(none) > np.count_nonzero(probability < MIN_VOTE_SHARE):
        few = probability[~none & (probability < 0.5)]  # shares of votes: none is not impossible
        least = (
            max(float(np.quantile(few, FEW_VOTES)), MIN_VOTE_SHARE) if len(few) else MIN_VOTE_SHARE
        )
    logs = np.log(np.clip(probability, least, 1.0))
    centered: Array = logs - logs.mean(axis=1, keepdims=True)
    return centered


def _log_q(logs: Array, weights: Array, biases: Array) -> Array:
    z = np.tensordot(weights, logs, 1) + biases
    log_q: Array = z - logsumexp(z, axis=1, keepdims=True)
    return log_q


def wrong_label_probability(own: AnyArray, noise: float, stray: Array, codes: Rows) -> Array:
    """Return the probability that a label is wrong, by that of its class."""
    entered = noise * stray[codes]
    given = (1 - noise * float(stray.sum())) * own + entered
    probability: Array = entered * (1 - own) / np.maximum(given, np.finfo(np.float64).tiny)
    return probability
