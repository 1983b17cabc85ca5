"""The Bayes error, estimated from what models reach and from neighbors in several spaces."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier as SklearnNeighbors
from sklearn.tree import DecisionTreeClassifier

from lookalike.confidence import wilson
from lookalike.explain.bounds import bayes_error_bracket
from lookalike.explain.representations import KNOWN_REPRESENTATIONS, nearest_labels
from lookalike.models.cross_validation import deal_folds
from lookalike.models.targets import coded_labels
from lookalike.models.trees.ordered_forest import OrderedForest
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

BAYES_ERROR_FOLDS = 5
MIN_ROWS_FOR_BAYES_ERROR = 50
HALF_POWER = 2**0.5 - 1  # fall from n/2 to n rows per what is left to fall, as n^(-1/2)
FULL_POWER = 1.0  # and as n^(-1)
NEGLIGIBLE_ERROR = 0.02  # an error whose upper end is below needs no lower one
ONE_SIDED = 1.645  # standard errors
MIN_EXTRAPOLATED_SHARE = 0.35  # part of the error that must be left after extrapolation
MAX_RATIO_BETWEEN_KINDS = 1.1  # times the lowest error, which models of another kind must reach
MAX_LOGISTIC_ITERATIONS = 200  # iterations of logistic regression
BAYES_ERROR_TREES = 30


class Reached(NamedTuple):
    """An error that a model reached on rows it was not fitted on, with its 95% interval."""

    title: str
    error: float
    interval: tuple[float, float]
    method: str


class HalfAndAll(NamedTuple):
    """The error with half of the rows and with all of them, on the same rows.

    `limit` is the lowest error that the curve may fall to: extrapolated as a power of n, with the
    fall between half and all at its upper end and the error at the low end of its interval.
    """

    title: str
    error: float
    error_half: float
    n_rows: int
    limit: float


@dataclass(frozen=True)
class BayesErrorEstimate:
    """Estimated Bayes error: an interval, and what its ends rest on.

    Attributes
    ----------
    low, high : float
        The interval; `low` is 0 where it cannot be said.
    converged : bool
        Whether the low end could be said from the rows given.
    reached : Reached
        The model whose interval ends at `high`.
    representation : HalfAndAll
        1-NN in the representation in which it errs least.
    bound : float
        Cover and Hart's lower bound for the limit of that 1-NN error.
    curve : HalfAndAll
        The learning curve of the reference that errs least.
    other_kind : HalfAndAll
        That of the best reference of another kind: trees, linear models, neighbors.
    undecided : {"", "baseline", "curve", "kinds"}
        Why the low end cannot be said: no model is clearly better than the baseline, a curve still
        falls, or only one kind of model reaches the lowest error.
    n_rows : int
        Rows that were used.
    representations : tuple of HalfAndAll
        1-NN in every representation.
    references : tuple of HalfAndAll
        Every reference.
    """

    low: float
    high: float
    converged: bool
    reached: Reached
    representation: HalfAndAll
    bound: float
    curve: HalfAndAll
    other_kind: HalfAndAll
    undecided: str
    n_rows: int
    representations: tuple[HalfAndAll, ...]
    references: tuple[HalfAndAll, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """From `low` to `high`."""
        return self.low, self.high


def estimate_bayes_error(
    X: object,
    y: object,
    *,
    reached: Sequence[Reached] = (),
    groups: Rows | None = None,
    k: int = 5,
    random_state: int = 0,
) -> BayesErrorEstimate | None:
    r"""Estimate the Bayes error from both sides; None of too few rows or of one class.

    No classifier errs less than the Bayes error in the long run, so that what any model reached
    bounds it from above: `high` is the lowest upper end of the 95% intervals of all models in
    `reached` and of the references (decision trees, a random forest, logistic regression, K
    neighbors), each by 5-fold cross-validation.

    From below there is no bound without assumptions. The error of the nearest neighbor tends to at
    most :math:`R^* (2 - \frac{M}{M-1} R^*)` [Cover67], so that its limit bounds the Bayes error
    from below. The limit is that of the representation in which 1-NN errs least (scaled columns,
    principal components, discriminants, leaves of a random forest, columns weighted by their
    importance; each learned from one half of the rows and tried on the other), extrapolated from
    half of the rows to all of them and on, as :math:`n^{-1}`. The error of the best reference is
    extrapolated in the same way, as :math:`n^{-1/2}`, and `low` is the smaller of the two. Where a
    curve still falls so fast that less than 35% of the error would be left, where only one kind of
    model (trees, linear models, neighbors) comes within 10% of the lowest error, or none is better
    than the most frequent class, the low end cannot be said and is 0: models that have not yet
    found the structure of the classes differ, and two kinds that have found it agree.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Finite numbers, best of one scale.
    y : array of shape (n_rows,)
        Labels of any one kind.
    reached : sequence of Reached
        Errors of other models on rows they were not fitted on.
    groups : array of shape (n_rows,), optional
        Rows of one group are in one fold.
    k : int, default=5
        Neighbors of the K-NN reference.
    random_state : int, default=0
        Random seed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=400)
    >>> X = rng.normal(size=(400, 2)) + 2 * y[:, None] * [1, 0]  # the Bayes error is 15.9%
    >>> found = estimate_bayes_error(X, y)
    >>> bool(found.low < 0.159 < found.high)
    True
    """
    Z = np.ascontiguousarray(X, np.float64)
    classes, codes = coded_labels(y, len(Z))
    if len(Z) < MIN_ROWS_FOR_BAYES_ERROR or len(classes) < 2:
        return None
    rng = np.random.default_rng(random_state)
    fold = deal_folds(codes, BAYES_ERROR_FOLDS, stratify=True, rng=rng, groups=groups)
    half = rng.permutation(len(Z)) % 2 == 0
    kinds = [
        [
            _half_and_all(title, model, Z, codes, fold=fold, half=half)
            for title, model in models.items()
        ]
        for models in _references(k, len(Z), random_state)
    ]
    references = tuple(reference for kind in kinds for reference in kind)
    represented = tuple(_in_representations(Z, codes, random_state, rng))
    n_rows = len(Z)
    method = f"{BAYES_ERROR_FOLDS}-fold cross-validation"
    of_references = [
        Reached(reference.title, reference.error, wilson(reference.error, n_rows), method)
        for reference in references
    ]
    best = min([*reached, *of_references], key=lambda reference: reference.interval[1])
    curve, other = sorted((min(kind, key=_error) for kind in kinds), key=_error)[:2]
    nearest = _least(represented)
    bound = bayes_error_bracket(nearest.limit, len(classes)).low
    low = min(bound, curve.limit, best.interval[0])
    baseline = 1 - np.bincount(codes).max() / n_rows
    high = best.interval[1]
    undecided = _undecided(high, float(baseline), curve, nearest, other)
    return BayesErrorEstimate(
        0.0 if undecided or high < NEGLIGIBLE_ERROR else float(low),
        float(high),
        not undecided,
        best,
        nearest,
        float(bound),
        curve,
        other,
        undecided,
        n_rows,
        represented,
        references,
    )


def _undecided(
    high: float, baseline: float, curve: HalfAndAll, nearest: HalfAndAll, other: HalfAndAll
) -> str:
    """Return why no lower end is given; nothing where one is, or where the error is very small."""
    if high < NEGLIGIBLE_ERROR:
        return ""
    if high >= baseline:
        return "baseline"
    if any(
        estimate.limit < MIN_EXTRAPOLATED_SHARE * estimate.error for estimate in (curve, nearest)
    ):
        return "curve"
    return "kinds" if other.error > MAX_RATIO_BETWEEN_KINDS * curve.error else ""


def _references(k: int, n_rows: int, seed: int) -> Sequence[Mapping[str, object]]:
    """Return references of three kinds: trees, a linear model, neighbors."""
    trees = {
        "decision tree of depth 2": DecisionTreeClassifier(max_depth=2, random_state=seed),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
        "random forest": OrderedForest(BAYES_ERROR_TREES, random_state=seed),
    }
    return (
        trees,
        {"logistic regression": LogisticRegression(max_iter=MAX_LOGISTIC_ITERATIONS)},
        {f"{k}-NN": SklearnNeighbors(max(1, min(k, n_rows // 4)))},
    )


def _error(estimate: HalfAndAll) -> float:
    return estimate.error


def _half_and_all(
    title: str, model: object, Z: Array, codes: Rows, *, fold: Rows, half: AnyArray
) -> HalfAndAll:
    """Return the cross-validated errors of a model fitted on all training rows, and on `half`."""
    wrong = np.empty((2, len(Z)), bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations, and of classes with few rows
        for part in np.unique(fold):
            held_out = fold == part
            for index, train in enumerate((~held_out, ~held_out & half)):
                predicted = _fitted_predictions(model, Z[train], codes[train], Z[held_out])
                wrong[index, held_out] = predicted != codes[held_out]
    return _extrapolate(title, wrong[0], wrong[1], HALF_POWER)


def _fitted_predictions(model: BaseEstimator, Z: Array, codes: Rows, queries: Array) -> AnyArray:
    """Return what the model predicts; where its rows are of one class, that class."""
    if (codes == codes[0]).all():
        return np.repeat(codes[0], len(queries))
    return np.asarray(model.fit(Z, codes).predict(queries))


def _in_representations(
    Z: Array, codes: Rows, seed: int, rng: np.random.Generator
) -> Iterator[HalfAndAll]:
    """Give 1-NN in every representation: learned on one half of the rows, tried on the other."""
    half = deal_folds(codes, 2, stratify=True, rng=rng)
    sides = [(np.flatnonzero(half != one), np.flatnonzero(half == one)) for one in (0, 1)]
    for title, learn in KNOWN_REPRESENTATIONS.items():
        parts = []
        try:
            for fitted_on, tried_on in sides:
                distances = learn(Z[fitted_on], codes[fitted_on], seed)
                parts.append(_nearest_errors(distances, Z[tried_on], codes[tried_on], rng))
        except (ValueError, np.linalg.LinAlgError):
            continue  # classes with too few rows for it
        on_all_rows, fewer = (np.concatenate(one) for one in zip(*parts, strict=True))
        yield _extrapolate(title, on_all_rows, fewer, FULL_POWER)


def _nearest_errors(
    distances: Callable[[Array], Any], Z: Array, codes: Rows, rng: np.random.Generator
) -> tuple[AnyArray, AnyArray]:
    """Return which rows 1-NN errs on by leave-one-out, among all rows and among half of them."""
    rows = distances(Z)
    half = rng.permutation(len(Z)) % 2 == 0
    every = nearest_labels(rows, codes, np.ones(len(Z), bool), rng) != codes
    return every, nearest_labels(rows, codes, half, rng) != codes


def _extrapolate(title: str, every: AnyArray, fewer: AnyArray, rate: float) -> HalfAndAll:
    n_rows = len(every)
    change = fewer.astype(np.float64) - every
    fall, spread = float(change.mean()), float(change.std(ddof=1)) / n_rows**0.5
    error = float(every.mean())
    left = max(fall + ONE_SIDED * spread, 0.0) / rate
    limit = max(wilson(error, n_rows)[0] - left, 0.0)
    return HalfAndAll(title, error, float(fewer.mean()), n_rows, limit)


def _least(represented: Sequence[HalfAndAll]) -> HalfAndAll:
    """Return the representation of least limit, among those that err not clearly more."""
    best = min(represented, key=lambda estimate: estimate.error)
    ceiling = wilson(best.error, best.n_rows)[1]
    return min(
        (estimate for estimate in represented if estimate.error <= ceiling),
        key=lambda estimate: estimate.limit,
    )
