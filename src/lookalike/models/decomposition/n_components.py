"""Rules for the number of components, given the spectrum of the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from lookalike.errors import ParameterError
from lookalike.interrupt import interruptible
from lookalike.kernels.scatter import Moments
from lookalike.models.linalg.eigenvectors import principal_axes
from lookalike.reductions.covariance import Covariance
from lookalike.typing import Array

COMPONENT_RULES = ("knee", "parallel", "mle", "cv")
PARALLEL_ANALYSIS_DRAWS = 40  # of random tables in parallel analysis
PARALLEL_ANALYSIS_QUANTILE = 0.95
VARIANCE_FRACTIONS = (0.8, 0.9, 0.95, 0.99)


class PCASpectrum:
    """The eigenvalues of a covariance, the largest first, and how many of them each rule keeps.

    They were computed from `n_rows` rows; `column_variance` has the variances of the columns.
    """

    def __init__(self, variance: Array, n_rows: int, ddof: int, column_variance: Array) -> None:
        self._variance, self._n_rows, self._ddof = variance, n_rows, ddof
        self._column_variance = column_variance

    def by_rule(
        self, rule: str, rng: np.random.RandomState, errors: Array | None
    ) -> tuple[int, str]:
        """Return how many components `rule` keeps, at least one, and the reason."""
        if rule == "knee":
            return scree_knee(self._variance), "they stand before the knee of the scree plot"
        if rule == "mle":
            return self.minka_mle(), "the most likely number by Minka's evidence"
        if rule == "cv" and errors is not None:
            best = int(errors.argmin())
            return max(1, best), f"{best} predict held-out values best"
        kept = self.parallel_analysis(rng)
        return max(1, kept), f"{kept} exceed the variance of unrelated columns"

    def by_all_rules(self, rng: np.random.RandomState, errors: Array | None) -> dict[str, int]:
        """Return what each rule keeps; nothing where only leading eigenvalues are known."""
        n_features = len(self._column_variance)
        if len(self._variance) < min(self._n_rows, n_features):
            return {}
        kept = {f"{part:g}": n_explaining(self._variance, part) for part in VARIANCE_FRACTIONS}
        for rule in COMPONENT_RULES:
            if rule == "mle" and self._n_rows < n_features:
                continue
            if rule == "cv" and errors is None:
                continue
            kept[rule] = self.by_rule(rule, rng, errors)[0]
        return kept

    def parallel_analysis(self, rng: np.random.RandomState) -> int:
        """Return how many leading variances exceed those of unrelated columns [Horn65].

        Tables of as many normal rows, with independent columns of the same variances, are drawn
        `DRAWS` times; a component is kept while its variance exceeds the 95% quantile of theirs.
        The scatter of a table is drawn directly (Bartlett), whatever the number of rows.
        """
        n_features = len(self._column_variance)
        deviation = np.sqrt(self._column_variance)
        degrees = self._n_rows - 1
        known = min(len(self._variance), n_features)
        if degrees < 1:
            return 0
        drawn = np.zeros((PARALLEL_ANALYSIS_DRAWS, known))
        for draw in range(PARALLEL_ANALYSIS_DRAWS):
            root = _wishart_root(n_features, degrees, rng) * deviation[:, None]
            squares = interruptible(np.linalg.svd, root, compute_uv=False)[:known] ** 2
            drawn[draw, : len(squares)] = squares / (self._n_rows - self._ddof)
        random = np.quantile(drawn, PARALLEL_ANALYSIS_QUANTILE, axis=0)
        above = self._variance[:known] > random
        return known if above.all() else int(above.argmin())

    def minka_mle(self) -> int:
        r"""Return the dimension that Minka's approximate evidence favors [Minka00, eq. 30].

        Pairs of equal variances, whose rotation is undetermined, are left out of the sum over
        pairs, where they would count as infinitely likely.
        """
        n_rows, n_features = self._n_rows, len(self._column_variance)
        if n_rows < n_features:
            raise ParameterError(
                "n_components='mle' is only supported if n_samples >= n_features, and there are "
                f"{n_rows} rows of {n_features} columns. Choose another rule."
            )
        variance = self._variance
        if n_features == 1 or variance[0] <= 0:
            return 1
        evidence = _minka_evidence(variance / variance[0], n_rows)
        return 1 + int(evidence.argmax())


def n_explaining(variance: Array, fraction: float) -> int:
    r"""Return the least k whose components explain more than `fraction` of the variance.

    .. math:: \sum_{i=1}^k \lambda_i \Big/ \sum_{i=1}^d \lambda_i > T

    [LUMS], with scikit-learn's strict sign. One where nothing varies.
    """
    total = variance.sum()
    if total <= 0:
        return 1
    ratio = np.cumsum(variance) / total
    return min(int(np.searchsorted(ratio, fraction, side="right")) + 1, len(variance))


def scree_knee(variance: Array) -> int:
    """Return how many variances stand before the knee of the scree plot.

    "Usually there is a fast decrease in the eigenvalue magnitude followed by a flat area"
    [UCSD]. The knee is the point farthest below the straight line from the first to the last
    variance that is not zero; it begins the flat part and is not kept.

    Examples
    --------
    >>> scree_knee(np.array([9.0, 8.0, 0.3, 0.2, 0.1]))
    2
    """
    variance = variance[variance > 0]
    if len(variance) < 3:
        return max(1, len(variance))
    line = np.linspace(variance[0], variance[-1], len(variance))
    below = line - variance
    if below.max() <= 1e-12 * variance[0]:  # a straight spectrum has no knee
        return len(variance)
    return max(1, int(below.argmax()))


def cv_prediction_errors(folds: Sequence[Moments]) -> Array:
    r"""Return the error of predicting held-out values with 0, 1, 2, … components.

    The rows of a fold are held out, the model of k components and equal noise [Tipping99]
    is fitted to the others, and every value of a held-out row is predicted from the other
    values of its row: no value helps to predict itself, so that the error rises again when k is
    too large, which that of a plain projection never does [Bro08]. With the precision
    :math:`P = (W W^\top + \sigma^2 I)^{-1}` the error of value j is
    :math:`(P (x - \mu))_j / P_{jj}`, so that moments of the fold suffice:

    .. math:: \sum_n \sum_j \hat e_{nj}^2 = \sum_j (P S P)_{jj} / P_{jj}^2
    """
    n_features = len(folds[0].mean)
    join = Covariance()
    errors, least = np.zeros(n_features), n_features
    for held_out in folds:
        if held_out.count == 0:
            continue
        others = join.init(n_features)
        for fold in folds:
            others = others if fold is held_out else join.merge(others, fold)
        curve = _fold_errors(others, held_out)
        least = min(least, len(curve))
        errors[:least] += curve[:least]
    return errors[:least]


def _wishart_root(n_features: int, degrees: int, rng: np.random.RandomState) -> Array:
    """Return a matrix L whose L L' is distributed as the scatter of unit normal columns."""
    if degrees < n_features:
        return rng.standard_normal((n_features, degrees))
    root = np.tril(rng.standard_normal((n_features, n_features)), -1)
    root[np.diag_indices(n_features)] = np.sqrt(rng.chisquare(degrees - np.arange(n_features)))
    return root


def _minka_evidence(spectrum: Array, n_rows: int) -> Array:
    """Return the log-evidence of dimensions 1, …, d - 1, of a spectrum that starts with one."""
    d = len(spectrum)
    tiny = 1e-15
    k = np.arange(1, d)
    volume = gammaln((d - k + 1) / 2) - np.log(np.pi) * (d - k + 1) / 2
    log_spectrum = np.log(np.maximum(spectrum, tiny))
    noise = np.maximum((spectrum.sum() - np.cumsum(spectrum)[:-1]) / (d - k), tiny)
    free = d * k - k * (k + 1) / 2
    evidence = (
        np.cumsum(volume)
        - k * np.log(2)
        - np.cumsum(log_spectrum)[:-1] * n_rows / 2
        - np.log(noise) * n_rows * (d - k) / 2
        + np.log(2 * np.pi) * (free + k) / 2
        - k * np.log(n_rows) / 2
    )
    return np.where(
        spectrum[:-1] < tiny, -np.inf, evidence - _pair_sums(spectrum, noise, n_rows) / 2
    )


def _pair_sums(spectrum: Array, noise: Array, n_rows: int) -> Array:
    """Return the sum over the pairs (i, j) with i < j, i <= k, for k = 1, …, d - 1."""
    d = len(spectrum)
    inverse = 1.0 / np.maximum(spectrum, 1e-15)
    difference = spectrum[:, None] - spectrum[None, :]
    differs = np.triu(difference > 1e-12, 1)
    log_gap = np.log(np.where(differs, difference * n_rows, 1.0)).sum(axis=1).cumsum()
    log_kept = np.log(np.where(differs, inverse[None, :] - inverse[:, None], 1.0))
    log_kept = log_kept.sum(axis=0).cumsum()  # of the pairs within the first k
    beyond = differs.sum(axis=1, keepdims=True) - differs.cumsum(axis=1)
    sums = np.empty(d - 1)
    for k in range(1, d):
        to_noise = np.maximum(1.0 / noise[k - 1] - inverse[:k], 1e-15)
        sums[k - 1] = log_gap[k - 1] + log_kept[k - 1] + beyond[:k, k - 1] @ np.log(to_noise)
    return sums


def _fold_errors(others: Moments, held_out: Moments) -> Array:
    """Return the summed squared errors in `held_out` for every number of components."""
    variance, axes, rank = principal_axes(others.scatter / others.count)
    d = len(variance)
    difference = (held_out.mean - others.mean) + (held_out.tail - others.tail)
    scatter = held_out.scatter + held_out.count * np.outer(difference, difference)
    turned = axes @ scatter @ axes.T
    # P = E / noise + B, where E projects onto what is left and B = sum_kept u u' / variance
    ese, esb, bsb = np.diag(scatter).copy(), np.zeros(d), np.zeros(d)
    e, b = np.ones(d), np.zeros(d)
    errors = np.empty(max(1, rank))
    for k in range(len(errors)):
        noise = max(float(variance[k:].mean()), np.finfo(float).tiny)
        precision = e / noise + b
        errors[k] = ((ese / noise**2 + 2 * esb / noise + bsb) / precision**2).sum()
        u, scale = axes[k], max(float(variance[k]), np.finfo(float).tiny)
        es = turned[k, k:] @ axes[k:]
        bs = (turned[k, :k] / variance[:k]) @ axes[:k]
        self_part = u**2 * turned[k, k]
        ese += self_part - 2 * u * es
        esb += u * es / scale - u * bs - self_part / scale
        bsb += 2 * u * bs / scale + self_part / scale**2
        e -= u**2
        b += u**2 / scale
    return errors
