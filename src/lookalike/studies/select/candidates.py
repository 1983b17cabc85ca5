"""The candidate models for tables and images, the simplest first.

To add one, write a function that takes `TrainingRows` and returns a `FittedCandidate`, and a
`CandidateSpec`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV

from lookalike.data.kept_rows import read_only
from lookalike.models.decomposition.choose_components_and_k import choose_components_and_k
from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.mixture.classifier import GaussianMixtureClassifier
from lookalike.models.neighbors.kernel_classifier import SoftNeighborsClassifier
from lookalike.models.neighbors.kernel_regressor import RBFSmoother
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.preprocessing.standardizer import Standardizer
from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.models.rbf.network import RBFNetworkRegressor
from lookalike.studies.evaluate.metrics import score_of_k
from lookalike.studies.select.boosted_candidate import boosting_cost, fit_boosted
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.components import in_components
from lookalike.studies.select.forest_candidate import TREES, fit_forest
from lookalike.studies.select.kernel_candidate import fit_kernel_ridge, kernel_ridge_cost
from lookalike.studies.select.nca_candidate import LEARNING_ROWS, fit_nca
from lookalike.studies.select.training_rows import (
    MOST_HELD_OUT,
    ProblemSize,
    TrainingRows,
    neighbors,
)
from lookalike.studies.task import Score
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

NANO = 1e-9  # seconds; costs are those on two cores of an ordinary machine
MOST_COMPONENTS = 50
CHOICE_ROWS = 500  # on which components and K are selected together
WIDE = 1000  # columns beyond which linear models see principal components
SOME = 200  # of these
ROUND = 100  # components of an RBF network, beyond SOME columns
CENTERS = 128  # of an RBF network
NETWORK_ROWS = 5000  # that its width is selected on
FEW_POINTS = 100  # rows up to which every one is a center
ROWS_PER_COMPONENT = 10  # of a class with which numbers of mixture components are selected once
FULL_SHAPES = 20  # columns beyond which mixtures are fitted to principal components
PENALTIES = tuple(float(10.0**power) for power in range(-2, 6))  # alpha of ridge regression
ROUNDS = 200  # iterations of logistic regression
TRIAL_ROWS = 5000  # of a first look at kernel smoothing, whose work grows with their square


def _baseline(training: TrainingRows) -> FittedCandidate:
    model = training.task.baseline()
    score = training.validated(lambda: model)
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {}, score)


def _nearest(training: TrainingRows) -> FittedCandidate:
    model = training.fitted_neighbors(1, "uniform")
    return FittedCandidate((("model", model),), {"K": "1"}, _score_of_k(training, 1, "uniform"))


def k_nearest(training: TrainingRows, weights: str) -> FittedCandidate:
    """Return K-NN with the K of the lowest leave-one-out error."""
    wanted = None if training.scoring is None else training.scoring.name
    known = wanted in training.k_selection.curves["loo", weights].scores
    k = training.k_selection.best("loo", weights, wanted if known else None)
    model = training.fitted_neighbors(k, weights)
    score = _score_of_k(training, k, weights)
    return FittedCandidate((("model", model),), {"K": str(k), "weights": weights}, score)


def _score_of_k(training: TrainingRows, k: int, weights: str) -> Score:
    if training.scoring is not None:
        return training.validated(lambda: neighbors(training, k, weights))
    return score_of_k(training.k_selection, k, weights, training.task)


def _pca_neighbors(training: TrainingRows) -> FittedCandidate:
    some = training.tuning[:CHOICE_ROWS]
    select = training.either(_components_for_classification, _components_for_regression)
    components = select(training, some)
    pca = PCA(components).fit(training.Z)._lean()
    rows = read_only(np.asarray(pca.transform(training.Z)))
    inner = k_nearest(training.with_features(rows), "uniform")
    hyperparameters = {"components": str(components), **inner.hyperparameters}
    return FittedCandidate(
        (("pca", pca), *inner.steps), hyperparameters, inner.score, rows=len(some)
    )


def _components_for_classification(training: TrainingRows, some: AnyArray) -> int:
    """Return the number of components of lowest leave-one-out error, K selected with it."""
    Z, y = training.Z[some], training.y[some]
    return int(choose_components_and_k(Z, y, max_components=MOST_COMPONENTS).best[0])


def _components_for_regression(training: TrainingRows, some: AnyArray) -> int:
    """Return the number of components of lowest leave-one-out error of K neighbors."""
    most = min(MOST_COMPONENTS, training.Z.shape[1], len(some) - 1)
    tried = sorted({max(1, round(most ** (step / 8))) for step in range(9)})
    rows = np.asarray(PCA(most).fit_transform(training.Z[some]))
    errors = []
    for m in tried:
        model = KNeighborsRegressor("loo").fit(rows[:, :m], training.y[some])
        curve = model.selection_.curves["loo", "uniform"].scores["mse"]
        errors.append(float(curve.min()))
    return int(tried[int(np.argmin(errors))])


def _kernel(training: TrainingRows) -> FittedCandidate:
    """Fit kernel smoothing; to few rows where these are far behind the best candidate so far."""
    kind = training.either(SoftNeighborsClassifier, RBFSmoother)
    if len(training.y) > TRIAL_ROWS:
        first = training.first(TRIAL_ROWS)
        few = first.tuning
        trial = kind(kind().fit(first.Z[few], first.y[few]).bandwidth_)
        behind = first.tried(trial, f"{TRIAL_ROWS:,} rows", len(training.y))
        if behind is not None:
            chosen = {"bandwidth": f"{trial.bandwidth_:.4g}", **training.part(trial)}
            return FittedCandidate((("model", trial),), chosen, behind, rows=TRIAL_ROWS)
    some = training.tuning
    model = kind().fit(training.Z[some], training.y[some])
    fixed = type(model)(model.bandwidth_)
    score = training.validated(lambda: fixed)
    if len(some) < len(training.y):
        model = fixed.fit(training.Z, training.y)
    return FittedCandidate((("model", model),), {"bandwidth": f"{model.bandwidth_:.4g}"}, score)


def _network(training: TrainingRows) -> FittedCandidate:
    """Fit an RBF network of few centers, its width chosen by leave-one-out."""
    kind: type[BaseEstimator] = training.either(RBFNetworkClassifier, RBFNetworkRegressor)
    Z, steps, hyperparameters = in_components(training.Z, SOME, ROUND)
    some = training.tuning[:NETWORK_ROWS]
    count = min(CENTERS, max(len(some) // 4, 1))
    options: dict[str, object] = {"n_centers": count, "random_state": training.seed}
    if len(some) <= FEW_POINTS:
        options = {"centers": "points"}
    width = float(kind(width="cv", **options).fit(Z[some], training.y[some]).width_)
    fixed = kind(width=width, **options)
    score = training.validated(lambda: fixed, Z)
    model = fixed.fit(Z, training.y)
    hyperparameters["centers"] = str(len(model.centers_))
    rows = len(some) if len(some) < len(training.y) else 0
    return FittedCandidate((*steps, ("model", model)), hyperparameters, score, rows=rows)


def _weighted_neighbors(training: TrainingRows) -> FittedCandidate:
    steps, chosen, score, rows = fit_nca(training)
    return FittedCandidate(tuple(steps), chosen, score, rows=rows)


def _forest(training: TrainingRows) -> FittedCandidate:
    model, chosen, score, rows = fit_forest(training)
    return FittedCandidate((("model", model),), chosen, score, rows=rows)


def _mixture(training: TrainingRows) -> FittedCandidate:
    """Fit a Gaussian mixture to each class, in few enough dimensions for full covariances."""
    Z, steps, hyperparameters = in_components(training.Z, FULL_SHAPES, FULL_SHAPES)
    model = GaussianMixtureClassifier(random_state=training.seed).fit(Z, training.y)
    counts = [len(mixture.weights_) for mixture in model.mixtures_]
    least, most = min(counts), max(counts)
    hyperparameters["components per class"] = str(most) if least == most else f"{least} to {most}"
    again = model  # of few rows, four fifths may carry fewer components
    rows = np.unique(training.y, return_counts=True)[1]
    if (rows >= ROWS_PER_COMPONENT * np.array(counts)).all():
        numbers = dict(zip(model.classes_.tolist(), counts, strict=True))
        again = GaussianMixtureClassifier(numbers, random_state=training.seed)
    score = training.validated(lambda: again, Z)
    for mixture in model.mixtures_:  # predictions need the factors alone
        del mixture.covariances_, mixture.precisions_
    return FittedCandidate((*steps, ("model", model)), hyperparameters, score)


def linear_candidate(
    training: TrainingRows, build: Callable[[], Any], fixed: Callable[[object], Any]
) -> FittedCandidate:
    """Fit a linear model; of very many columns, on their principal components."""
    Z, steps, hyperparameters = in_components(training.Z, WIDE, SOME)
    if not training.scaled:
        scaler = Standardizer().fit(Z)
        Z, steps = np.asarray(scaler.transform(Z)), [*steps, ("scale", scaler)]
    some = training.tuning
    whole = len(some) == len(training.y)
    model = build().fit(Z if whole else Z[some], training.y[some])
    if hasattr(model, "alpha_"):
        hyperparameters["alpha"] = f"{model.alpha_:g}"
    score = training.validated(lambda: fixed(model), Z)
    if not whole:
        model = fixed(model).fit(Z, training.y)
    return FittedCandidate((*steps, ("model", model)), hyperparameters, score)


def _discriminant(training: TrainingRows) -> FittedCandidate:
    def build() -> LinearDiscriminantAnalysis:
        return LinearDiscriminantAnalysis("lsqr", shrinkage="auto")

    fitted = linear_candidate(training, build, lambda _: build())
    del fitted.steps[-1][1].covariance_  # predictions do not need it, and it is large
    return fitted


def _ridge(training: TrainingRows) -> FittedCandidate:
    kind = training.either(RidgeClassifierCV, RidgeCV)

    def fixed(model: BaseEstimator) -> BaseEstimator:
        return kind(alphas=[float(model.alpha_)])

    return linear_candidate(training, lambda: kind(alphas=PENALTIES), fixed)


def _logistic(training: TrainingRows) -> FittedCandidate:
    def build() -> LogisticRegression:
        return LogisticRegression(max_iter=ROUNDS)

    return linear_candidate(training, build, lambda _: build())


def search_cost(size: ProblemSize) -> float:
    """Return the seconds in which K is selected, by what a search was measured to take."""
    return 0.1 + size.search * min(1.0, MOST_HELD_OUT / size.rows)


def _kernel_cost(size: ProblemSize) -> float:
    pair = 5 + 0.05 * size.columns if size.classes > 1 else 150
    return 0.5 + NANO * (pair * size.rows**2 + 300 * size.rows * size.columns)


def _learning_cost(size: ProblemSize) -> float:
    rows = min(size.rows, LEARNING_ROWS)
    return NANO * 60 * rows**2 * (10 + min(size.columns, 100))


def _forest_cost(size: ProblemSize) -> float:
    tried = size.columns**0.5 if size.classes > 1 else max(size.columns / 3, 1.0)
    grown = 25 * TREES * size.rows * np.log2(size.rows + 1) * tried
    return float(2.0 + NANO * grown)


def _squares(size: ProblemSize, most: int) -> int:
    """Return how many products of two columns there are, of all rows, of `most` columns."""
    columns = min(size.columns, most)
    return size.rows * columns * min(size.rows, columns)


BASELINE = CandidateSpec(
    "baseline",
    "Baseline",
    "Predicts the most frequent class, or the mean, whatever the features.",
    _baseline,
    lambda _: 0.0,
)
CANDIDATES: tuple[CandidateSpec, ...] = (
    BASELINE,
    CandidateSpec(
        "nearest",
        "Nearest neighbor (1-NN)",
        "Predicts the target of the nearest training row.",
        _nearest,
        search_cost,
    ),
    CandidateSpec(
        "knn",
        "K nearest neighbors",
        "Majority vote, or mean, of the K nearest training rows.",
        lambda training: k_nearest(training, "uniform"),
        search_cost,
    ),
    CandidateSpec(
        "knn_weighted",
        "K nearest neighbors, distance-weighted",
        'Vote, or mean, of the K nearest training rows with weights="distance".',
        lambda training: k_nearest(training, "distance"),
        search_cost,
    ),
    CandidateSpec(
        "pca_knn",
        "PCA and K nearest neighbors",
        "K nearest neighbors on the leading principal components.",
        _pca_neighbors,
        lambda size: 2.0 + 0.05 * NANO * _squares(size, size.columns) + search_cost(size),
        features="linear",
    ),
    CandidateSpec(
        "nca_knn",
        "K nearest neighbors, learned feature weights",
        "K nearest neighbors by distances whose weights were learned for the target (NCA).",
        _weighted_neighbors,
        lambda size: 0.5 + _learning_cost(size) + search_cost(size),
        features="linear",
        most=60.0,
    ),
    CandidateSpec(
        "kernel",
        "Gaussian kernel",
        "Vote, or mean, of all training rows, weighted by a Gaussian kernel of the distance.",
        _kernel,
        _kernel_cost,
        features="linear",
        most=15.0,  # predictions take as long again
    ),
    CandidateSpec(
        "forest",
        "Forest neighbors",
        "Vote, or mean, of the training rows that share the leaves of a forest of trees.",
        _forest,
        _forest_cost,
        features="linear",
    ),
    CandidateSpec(
        "lda",
        "Linear discriminant analysis",
        "One Gaussian per class with a shared, shrunken covariance.",
        _discriminant,
        lambda size: 0.3 + 0.3 * NANO * _squares(size, WIDE),
        tasks=("classification",),
        features="linear",
    ),
    CandidateSpec(
        "mixture",
        "Gaussian mixture classifier",
        "One Gaussian mixture per class; predicts the most probable class.",
        _mixture,
        lambda size: 1.0 + 2000 * NANO * _squares(size, FULL_SHAPES) + 0.05 * size.classes,
        tasks=("classification",),
        features="linear",
        most=120.0,
    ),
    CandidateSpec(
        "rbf_network",
        "RBF network",
        "Gaussian basis functions around a few centers, combined linearly (L2 penalty).",
        _network,
        lambda size: 0.3 + 2e-4 * size.rows,
        features="linear",
        most=120.0,
    ),
    CandidateSpec(
        "kernel_ridge",
        "Kernel ridge regression (RBF kernel)",
        "Gaussian kernels around up to 2,000 training rows, combined linearly (norm penalty).",
        fit_kernel_ridge,
        kernel_ridge_cost,
        features="linear",
        most=120.0,
    ),
    CandidateSpec(
        "boosted",
        "Boosted neighbors",
        "Sum of small trees, each fitted to the errors of those before, over their training rows.",
        fit_boosted,
        boosting_cost,
        features="linear",
        most=120.0,
    ),
    CandidateSpec(
        "ridge",
        "Ridge regression (L2 penalty)",
        "Linear regression with an L2 penalty; of classes, on targets of −1 and 1.",
        _ridge,
        lambda size: 0.3 + 0.8 * NANO * _squares(size, WIDE),
        features="linear",
    ),
    CandidateSpec(
        "logistic",
        "Logistic regression",
        "Linear classifier of maximum likelihood with an L2 penalty.",
        _logistic,
        lambda size: 0.5 + 700 * NANO * size.rows * min(size.columns, WIDE) * size.classes,
        tasks=("classification",),
        features="linear",
        most=60.0,
    ),
)
