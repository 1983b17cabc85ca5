"""Comparison with scikit-learn on the same rows: where results differ, and why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.decomposition.pca import PCA
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.targets import read_target
from lookalike.typing import AnyArray

COMPARED_METRICS = ("euclidean", "manhattan", "chebyshev", "cosine")
EQUAL_DISTANCES = "equal distances: lookalike orders them by row number"
ROUNDED_BY_SKLEARN = "rounding: the row that scikit-learn lists is farther in direct differences"
TIED_VOTE = "a tied vote: lookalike counts more neighbors, scikit-learn takes the first class"
TIED_LAST_NEIGHBOR = (
    "several rows are as near as the last neighbor: lookalike lets all of them vote"
)
ROTATED_COMPONENTS = "equal variances: any rotation of these components is right"
NOT_EXPLAINED = "not explained"


@dataclass(frozen=True)
class SklearnComparison:
    """Results of lookalike and scikit-learn for one computation.

    Attributes
    ----------
    what : str
        The computation.
    unit : str
        What was counted: "rows" or "components".
    count, same : int
        How many were compared, and on how many both agree.
    reasons : mapping
        Why the others differ, and how many for each reason.
    ours, theirs : float
        Seconds, of the quicker of two runs.
    """

    what: str
    unit: str
    count: int
    same: int
    reasons: Mapping[str, int]
    ours: float
    theirs: float

    @property
    def unexplained(self) -> int:
        """How many differ for no known reason."""
        return self.reasons.get(NOT_EXPLAINED, 0)


def compare_neighbors(X: AnyArray, k: int = 5, *, metric: str = "euclidean") -> SklearnComparison:
    """Compare the `k` nearest rows of every row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> result = compare_neighbors(load_iris().data, 5)
    >>> result.unexplained, result.same + sum(result.reasons.values()) == result.count
    (0, True)
    """
    from sklearn.neighbors import NearestNeighbors as Theirs

    _check_metric(metric)
    ours, our_time = _time(lambda: NearestNeighbors(k, metric=metric).fit(X).kneighbors())
    theirs, their_time = _time(lambda: Theirs(n_neighbors=k, metric=metric).fit(X).kneighbors())
    left, right = ours[1], theirs[1]
    differ = np.flatnonzero((left != right).any(axis=1)).tolist()
    reasons = Counter(_why_other_rows(X, row, left[row], right[row], metric) for row in differ)
    what = f"{k} nearest rows, {metric}"
    return SklearnComparison(
        what, "rows", len(X), len(X) - len(differ), reasons, our_time, their_time
    )


def compare_predictions(
    X: AnyArray,
    y: AnyArray,
    k: int = 5,
    *,
    metric: str = "euclidean",
    weights: str = "uniform",
    task: str = "auto",
) -> SklearnComparison:
    """Compare the classes or numbers that `k` neighbors give to every row."""
    from sklearn.neighbors import KNeighborsClassifier as TheirClassifier
    from sklearn.neighbors import KNeighborsRegressor as TheirRegressor

    _check_metric(metric)
    target, task = read_target("compare_predictions", X, y, task, Decisions())
    y, classes = np.asarray(target), task == "classification"
    kinds = (
        (KNeighborsClassifier, TheirClassifier)
        if classes
        else (KNeighborsRegressor, TheirRegressor)
    )
    mine, other = (kind(k, metric=metric, weights=weights).fit(X, y) for kind in kinds)
    ours, our_time = _time(lambda: mine.predict(X))
    theirs, their_time = _time(lambda: other.predict(X))
    same = ours == theirs if classes else np.isclose(ours, theirs, rtol=1e-9, atol=0)
    same = same.reshape(len(X), -1).all(axis=1)
    wide, left = mine.kneighbors(X, min(k + 1, len(X)))
    level, left, right = wide[:, -1] == wide[:, k - 1], left[:, :k], other.kneighbors(X)[1]
    reasons: Counter[str] = Counter()
    for row in np.flatnonzero(~same).tolist():
        if classes and len(X) > k and level[row]:
            reasons[TIED_LAST_NEIGHBOR] += 1
        elif (left[row] != right[row]).any():
            reasons[_why_other_rows(X, row, left[row], right[row], metric)] += 1
        else:
            reasons[TIED_VOTE if classes and _is_tie(y[left[row]], weights) else NOT_EXPLAINED] += 1
    what = f"{task} by {k} neighbors, {metric}, {weights}"
    return SklearnComparison(what, "rows", len(X), int(same.sum()), reasons, our_time, their_time)


def compare_components(X: AnyArray, n_components: int = 10) -> SklearnComparison:
    """Compare principal components, signs aside."""
    from sklearn import decomposition

    kept = min(n_components, *X.shape)
    ours, our_time = _time(lambda: PCA(kept).fit(X))
    theirs, their_time = _time(lambda: decomposition.PCA(kept).fit(np.asarray(X, np.float64)))
    cosine = np.abs(np.einsum("ij,ij->i", ours.components_, theirs.components_))
    spectrum = ours.explained_variance_
    close = np.isclose(spectrum, theirs.explained_variance_, rtol=1e-6)
    same = (cosine > 1 - 1e-6) & close
    reasons: Counter[str] = Counter()
    for component in np.flatnonzero(~same):
        others = np.delete(spectrum, component)
        level = (
            np.isclose(others, spectrum[component], rtol=1e-3).any() or spectrum[component] < 1e-9
        )
        reasons[ROTATED_COMPONENTS if close[component] and level else NOT_EXPLAINED] += 1
    return SklearnComparison(
        f"{kept} principal components",
        "components",
        kept,
        int(same.sum()),
        reasons,
        our_time,
        their_time,
    )


def _why_other_rows(X: AnyArray, row: int, left: AnyArray, right: AnyArray, metric: str) -> str:
    """Return why two lists of neighbors differ, by the reference distances in float64."""
    query = np.asarray(X[row : row + 1], np.float64)
    name = {"manhattan": "cityblock"}.get(metric, metric)
    ours, theirs = (
        np.sort(cdist(query, np.asarray(X[rows], np.float64), name)[0]) for rows in (left, right)
    )
    if np.allclose(ours, theirs, rtol=1e-12, atol=0):
        return EQUAL_DISTANCES
    return ROUNDED_BY_SKLEARN if bool((ours <= theirs * (1 + 1e-12)).all()) else NOT_EXPLAINED


def _is_tie(labels: AnyArray, weights: str) -> bool:
    counts = np.sort(np.unique(labels, return_counts=True)[1])
    return weights == "uniform" and len(counts) > 1 and counts[-1] == counts[-2]


def _check_metric(metric: str) -> None:
    if metric not in COMPARED_METRICS:
        raise ParameterError(
            f"metric={metric!r} cannot be compared. Choose one of {COMPARED_METRICS}."
        )


def _time(work: Callable[[], object]) -> tuple[Any, float]:
    """Return the result, and the seconds of the quicker of two runs."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return result, min(seconds)
