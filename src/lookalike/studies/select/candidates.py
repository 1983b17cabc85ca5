"""The models of tables and pictures that are compared: one entry each, the simplest first.

To add one, write a function that takes a `Training` and returns a `Fitted`, and an `Entry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV

from lookalike.models.decomposition.choose_components_and_k import choose_components_and_k
from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.mixture.classifier import GaussianMixtureClassifier
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.k_selection import KSelection
from lookalike.models.neighbors.kernel_classifier import SoftNeighborsClassifier
from lookalike.models.neighbors.kernel_regressor import RBFSmoother
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.preprocessing.standardizer import Standardizer
from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.models.rbf.network import RBFNetworkRegressor
from lookalike.studies.evaluate.metrics import Score, by_folds, from_curve
from lookalike.typing import AnyArray

NANO = 1e-9  # seconds; costs are those on two cores of an ordinary machine
PAIR = 3.5  # nanoseconds that a search takes for each pair of rows
FEWEST = 100  # rows that there is always time for
MOST_COMPONENTS = 50
CHOICE_ROWS = 1000  # on which components and K are chosen together
WIDE = 1000  # columns beyond which straight models see principal components
SOME = 200  # of these
ROUND = 100  # components that bumps are put on, beyond SOME columns
MANY = 10_000  # rows beyond which the number of clouds is chosen once
FULL_SHAPES = 20  # columns beyond which clouds are fitted to principal components
PENALTIES = tuple(float(10.0**power) for power in range(-2, 6))  # of large weights
ROUNDS = 200  # of the search for the logistic weights


class Size(NamedTuple):
    """What the time that a model takes depends on."""

    rows: int
    columns: int
    classes: int  # 1 of numbers


@dataclass
class Training:
    """Prepared training rows, their targets, and how their distance is measured."""

    Z: AnyArray
    y: AnyArray
    classify: bool
    seed: int
    search: Mapping[str, Any] = field(default_factory=dict)
    scaled: bool = True  # whether columns are of one scale

    @cached_property
    def selection(self) -> KSelection:
        """The errors of every K and both weightings on rows left out, from one search."""
        chosen: KSelection = neighbors(self, "loo", "uniform").fit(self.Z, self.y).selection_
        return chosen

    @property
    def size(self) -> Size:
        """How large they are."""
        classes = len(np.unique(self.y)) if self.classify else 1
        return Size(self.Z.shape[0], self.Z.shape[1], classes)


@dataclass(frozen=True)
class Fitted:
    """A model fitted on all training rows, its choices, and its score on rows left out."""

    steps: tuple[tuple[str, Any], ...]  # that follow the preparation; the last one answers
    hyperparameters: dict[str, str]
    score: Score
    rows: int = 0  # that choices were made on, 0 for all
    kept: int | None = None  # directions that are kept of a latent description; None: all


@dataclass(frozen=True)
class Entry:
    """A candidate: what it is called, which rows it takes, what it costs, how it is fitted."""

    name: str
    title: str
    description: str
    fit: Callable[[Training], Fitted]
    cost: Callable[[Size], float]  # seconds, roughly
    tasks: tuple[str, ...] = ("classification", "regression")
    space: str = "near"  # which description of rows it takes; see `Preparation`
    most: float = 600.0  # seconds beyond which it is left out, whatever the time allowed


def _baseline(training: Training) -> Fitted:
    model = constant(classify=training.classify)
    score = by_folds(lambda: model, training.Z, training.y, classify=training.classify)
    return Fitted((("model", model.fit(training.Z, training.y)),), {}, score)


def constant(*, classify: bool) -> Any:
    """Return the model that always answers the same."""
    return DummyClassifier(strategy="most_frequent") if classify else DummyRegressor()


def neighbors(training: Training, k: int | str, weights: str) -> Any:
    """Return a model of neighbors by the distance of the training rows, not fitted yet."""
    kind = KNeighborsClassifier if training.classify else KNeighborsRegressor
    return kind(k, weights=weights, **training.search)


def _nearest(training: Training) -> Fitted:
    model = neighbors(training, 1, "uniform").fit(training.Z, training.y)
    return Fitted((("model", model),), {"K": "1"}, from_curve(training.selection, 1, "uniform"))


def k_nearest(training: Training, weights: str) -> Fitted:
    """Return neighbors whose K errs least when rows are left out in turn."""
    k = training.selection.best("loo", weights)
    model = neighbors(training, k, weights).fit(training.Z, training.y)
    score = from_curve(training.selection, k, weights)
    choices = {"K": str(k), "votes": "equal" if weights == "uniform" else "by nearness"}
    return Fitted((("model", model),), choices, score)


def _pca_neighbors(training: Training) -> Fitted:
    some = np.arange(min(len(training.Z), CHOICE_ROWS))
    if training.classify:
        found = choose_components_and_k(
            training.Z[some], training.y[some], max_components=MOST_COMPONENTS
        )
        components = found.best[0]
    else:
        components = _components_for_numbers(training, some)
    pca = PCA(components).fit(training.Z)
    plain = Training(pca.transform(training.Z), training.y, training.classify, training.seed)
    inner = k_nearest(plain, "uniform")
    choices = {"components": str(components), **inner.hyperparameters}
    return Fitted((("pca", pca), *inner.steps), choices, inner.score, rows=len(some))


def _components_for_numbers(training: Training, some: AnyArray) -> int:
    """Return the number of components of least leave-one-out error of K neighbors."""
    most = min(MOST_COMPONENTS, training.Z.shape[1], len(some) - 1)
    tried = sorted({max(1, round(most ** (step / 8))) for step in range(9)})
    rows = np.asarray(PCA(most).fit_transform(training.Z[some]))
    errors = []
    for m in tried:
        model = KNeighborsRegressor("loo").fit(rows[:, :m], training.y[some])
        curve = model.selection_.curves["loo", "uniform"].scores["mse"]
        errors.append(float(curve.min()))
    return int(tried[int(np.argmin(errors))])


def _soft(training: Training) -> Fitted:
    if training.classify:
        model: Any = SoftNeighborsClassifier().fit(training.Z, training.y)
    else:
        model = RBFSmoother().fit(training.Z, training.y)
    fixed = type(model)(model.bandwidth_)
    score = by_folds(lambda: fixed, training.Z, training.y, classify=training.classify)
    return Fitted((("model", model),), {"bandwidth": f"{model.bandwidth_:.4g}"}, score)


def _network(training: Training) -> Fitted:
    kind = RBFNetworkClassifier if training.classify else RBFNetworkRegressor
    Z, steps, choices = in_components(training.Z, SOME, ROUND)
    model: Any = kind("cv", width="cv", random_state=training.seed).fit(Z, training.y)
    centers = len(model.centers_)
    fixed = kind(centers, width=float(model.width_), random_state=training.seed)
    score = by_folds(lambda: fixed, Z, training.y, classify=training.classify)
    return Fitted((*steps, ("model", model)), {**choices, "centers": str(centers)}, score)


def _mixture(training: Training) -> Fitted:
    """Fit a few bell-shaped clouds to each class, in few enough dimensions for their shapes."""
    Z, steps, choices = in_components(training.Z, FULL_SHAPES, FULL_SHAPES)
    model = GaussianMixtureClassifier(random_state=training.seed).fit(Z, training.y)
    clouds = [len(mixture.weights_) for mixture in model.mixtures_]
    least, most = min(clouds), max(clouds)
    choices["clouds a class"] = str(most) if least == most else f"{least} to {most}"
    again = model  # of few rows, four fifths may carry fewer clouds
    if len(Z) > MANY:
        numbers = dict(zip(model.classes_.tolist(), clouds, strict=True))
        again = GaussianMixtureClassifier(numbers, random_state=training.seed)
    score = by_folds(lambda: again, Z, training.y, classify=True)
    return Fitted((*steps, ("model", model)), choices, score)


def in_components(
    Z: AnyArray, beyond: int, most: int
) -> tuple[AnyArray, list[tuple[str, Any]], dict[str, str]]:
    """Return rows of more than `beyond` columns by their principal components, and the step."""
    if Z.shape[1] <= beyond:
        return Z, [], {}
    pca = PCA(min(most, len(Z) // 3 or 1)).fit(Z)
    chosen = {"components": str(pca.n_components_)}
    return np.asarray(pca.transform(Z)), [("pca", pca)], chosen


def straight(training: Training, build: Callable[[], Any], fixed: Callable[[Any], Any]) -> Fitted:
    """Fit a model that adds columns up; of very many columns, their principal components."""
    Z, steps, choices = in_components(training.Z, WIDE, SOME)
    if not training.scaled:
        scaler = Standardizer().fit(Z)
        Z, steps = np.asarray(scaler.transform(Z)), [*steps, ("scale", scaler)]
    model = build().fit(Z, training.y)
    if hasattr(model, "alpha_"):
        choices["penalty"] = f"{model.alpha_:g}"
    score = by_folds(lambda: fixed(model), Z, training.y, classify=training.classify)
    return Fitted((*steps, ("model", model)), choices, score)


def _discriminant(training: Training) -> Fitted:
    def build() -> LinearDiscriminantAnalysis:
        return LinearDiscriminantAnalysis("lsqr", shrinkage="auto")

    return straight(training, build, lambda _: build())


def _ridge(training: Training) -> Fitted:
    kind = RidgeClassifierCV if training.classify else RidgeCV

    def fixed(model: Any) -> Any:
        return kind(alphas=[float(model.alpha_)])

    return straight(training, lambda: kind(alphas=PENALTIES), fixed)


def _logistic(training: Training) -> Fitted:
    def build() -> LogisticRegression:
        return LogisticRegression(max_iter=ROUNDS)

    return straight(training, build, lambda _: build())


def search_cost(size: Size) -> float:
    """Return the seconds that a search of all rows takes, roughly."""
    return 0.1 + PAIR * NANO * size.rows**2 * (1 + size.columns / 1000)


def affordable_rows(seconds: float, columns: int) -> int:
    """Return how many rows of so many columns can be searched in the time."""
    return max(int((seconds / (PAIR * NANO * (1 + columns / 1000))) ** 0.5), FEWEST)


def _soft_cost(size: Size) -> float:
    pair = 5 + 0.05 * size.columns if size.classes > 1 else 150
    return 0.5 + NANO * (pair * size.rows**2 + 300 * size.rows * size.columns)


def _squares(size: Size, most: int) -> int:
    """Return how many products of two columns there are, of all rows, of `most` columns."""
    columns = min(size.columns, most)
    return size.rows * columns * min(size.rows, columns)


BASELINE = Entry(
    "baseline",
    "Always the same answer",
    "Every row gets the most frequent class, or the mean: what is known without looking.",
    _baseline,
    lambda _: 0.0,
)
ENTRIES: tuple[Entry, ...] = (
    BASELINE,
    Entry(
        "nearest",
        "Nearest neighbor",
        "A row gets the answer of the one training row that is nearest to it.",
        _nearest,
        search_cost,
    ),
    Entry(
        "knn",
        "K nearest neighbors",
        "The K nearest training rows vote, or are averaged; each counts the same.",
        lambda training: k_nearest(training, "uniform"),
        search_cost,
    ),
    Entry(
        "knn_weighted",
        "K nearest neighbors, weighted",
        "The K nearest training rows vote, or are averaged; nearer ones count more.",
        lambda training: k_nearest(training, "distance"),
        search_cost,
    ),
    Entry(
        "pca_knn",
        "Principal components and K neighbors",
        "Rows are described by the few directions in which they vary most; neighbors vote there.",
        _pca_neighbors,
        lambda size: 2.0 + 0.05 * NANO * _squares(size, size.columns) + search_cost(size),
        space="straight",
    ),
    Entry(
        "soft",
        "Soft neighbors",
        "All training rows have a say, which fades with distance like a bell curve.",
        _soft,
        _soft_cost,
        space="straight",
        most=120.0,
    ),
    Entry(
        "lda",
        "Linear discriminant",
        "Classes are taken for bell-shaped clouds of one shape; the likeliest one is answered.",
        _discriminant,
        lambda size: 0.3 + 0.3 * NANO * _squares(size, WIDE),
        tasks=("classification",),
        space="straight",
    ),
    Entry(
        "mixture",
        "Clouds in each class",
        "Each class is described by a few bell-shaped clouds; the likeliest class is answered.",
        _mixture,
        lambda size: 1.0 + 2000 * NANO * _squares(size, FULL_SHAPES) + 0.05 * size.classes,
        tasks=("classification",),
        space="straight",
        most=120.0,
    ),
    Entry(
        "rbf_network",
        "Radial basis network",
        "A few centers have a say, which fades with distance; their votes are weighed.",
        _network,
        lambda size: 1.0 + 1e-3 * size.rows,
        space="straight",
        most=120.0,
    ),
    Entry(
        "ridge",
        "Weighted sum, ridge regression",
        "Columns are added up with weights; large weights are paid for.",
        _ridge,
        lambda size: 0.3 + 0.8 * NANO * _squares(size, WIDE),
        space="straight",
    ),
    Entry(
        "logistic",
        "Weighted sum, logistic regression",
        "Columns are added up with weights that make the classes of the training rows probable.",
        _logistic,
        lambda size: 0.5 + 700 * NANO * size.rows * min(size.columns, WIDE) * size.classes,
        tasks=("classification",),
        space="straight",
        most=60.0,
    ),
)
