"""The candidate models for tables and images, the simplest first.

To add one, write a function that takes `TrainingRows` and returns a `FittedCandidate`, and a
`CandidateSpec`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV

from lookalike.data.sources.kept_rows import read_only
from lookalike.models.decomposition.choose_components_and_k import choose_components_and_k
from lookalike.models.decomposition.pca import PCA, without_moments
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.kernel.density_classifier import KernelDensityClassifier
from lookalike.models.kernel.regressor import KernelRegressor
from lookalike.models.mixture.classifier import GaussianMixtureClassifier
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.preprocessing.scaler import StandardScaler
from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.models.rbf.network import RBFNetworkRegressor
from lookalike.studies.select.boosted_candidate import boosting_cost, fit_boosted
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.components import in_components
from lookalike.studies.select.forest_candidate import (
    extra_trees_cost,
    fit_extra_trees,
    fit_forest,
    forest_cost,
)
from lookalike.studies.select.kernel_candidate import fit_kernel_ridge, kernel_ridge_cost
from lookalike.studies.select.nca_candidate import LEARNING_ROWS, fit_nca
from lookalike.studies.select.training_rows import (
    MOST_HELD_OUT,
    ProblemSize,
    TrainingRows,
)
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

SECONDS_PER_OPERATION = 1e-9  # costs are those on one core of an ordinary machine
NEIGHBOR_COMPONENTS = 50  # that K-NN sees at most
COMPONENT_ROWS = 500  # on which components and K are selected together
LINEAR_COLUMNS = 1000  # beyond which linear models see principal components
LINEAR_COMPONENTS = 200  # how many of these
NETWORK_COMPONENTS = 100  # of an RBF network with more than LINEAR_COMPONENTS columns
WIDTH_ROWS = 5000  # that its width is selected on
MOST_CENTERED_ROWS = 100  # up to which every row is a center
MIXTURE_COLUMNS = 20  # beyond which mixtures are fitted to principal components
RIDGE_PENALTIES = tuple(float(10.0**power) for power in range(-2, 6))  # alpha of ridge regression
LOGISTIC_ITERATIONS = 200
BANDWIDTH_ROWS = 5000  # that a bandwidth is selected on: work grows with their square


def _baseline(training: TrainingRows) -> FittedCandidate:
    model = training.task.baseline()
    return FittedCandidate((("model", model.fit(training.Z, training.y)),), {})


def _nearest(training: TrainingRows) -> FittedCandidate:
    return FittedCandidate((("model", training.fitted_neighbors(1, "uniform")),), {"K": "1"})


def k_nearest(training: TrainingRows, weights: str) -> FittedCandidate:
    """Return K-NN with the K of the lowest leave-one-out error."""
    wanted = None if training.scoring is None else training.scoring.name
    known = wanted in training.k_selection.curves["loo", weights].scores
    k = training.k_selection.best("loo", weights, wanted if known else None)
    model = training.fitted_neighbors(k, weights)
    return FittedCandidate((("model", model),), {"K": str(k), "weights": weights})


def _pca_neighbors(training: TrainingRows) -> FittedCandidate:
    tuning = training.tuning[:COMPONENT_ROWS]
    select = training.either(_components_for_classification, _components_for_regression)
    components = select(training, tuning)
    pca = without_moments(PCA(components).fit(training.Z))
    rows = read_only(np.asarray(pca.transform(training.Z)))
    inner = k_nearest(training.with_features(rows), "uniform")
    hyperparameters = {"components": str(components), **inner.hyperparameters}
    return FittedCandidate((("pca", pca), *inner.steps), hyperparameters)


def _components_for_classification(training: TrainingRows, tuning: AnyArray) -> int:
    """Return the number of components of lowest leave-one-out error, K selected with it."""
    Z, y = training.Z[tuning], training.y[tuning]
    return int(choose_components_and_k(Z, y, max_components=NEIGHBOR_COMPONENTS).best[0])


def _components_for_regression(training: TrainingRows, tuning: AnyArray) -> int:
    """Return the number of components of lowest leave-one-out error of K neighbors."""
    most = min(NEIGHBOR_COMPONENTS, training.Z.shape[1], len(tuning) - 1)
    tried = sorted({max(1, round(most ** (step / 8))) for step in range(9)})
    rows = np.asarray(PCA(most).fit_transform(training.Z[tuning]))
    errors = []
    for m in tried:
        model = KNeighborsRegressor("loo").fit(rows[:, :m], training.y[tuning])
        curve = model.selection_.curves["loo", "uniform"].scores["mse"]
        errors.append(float(curve.min()))
    return int(tried[int(np.argmin(errors))])


def _kernel(training: TrainingRows) -> FittedCandidate:
    """Fit kernel smoothing, its bandwidth chosen on some of the rows."""
    kind = training.either(KernelDensityClassifier, KernelRegressor)
    tuning = training.tuning[:BANDWIDTH_ROWS]
    model = kind().fit(training.Z[tuning], training.y[tuning])
    if len(tuning) < len(training.y):
        model = type(model)(model.bandwidth_).fit(training.Z, training.y)
    return FittedCandidate((("model", model),), {"bandwidth": f"{model.bandwidth_:.4g}"})


def _network(training: TrainingRows) -> FittedCandidate:
    """Fit an RBF network of few centers, its width chosen by leave-one-out."""
    kind: type[BaseEstimator] = training.either(RBFNetworkClassifier, RBFNetworkRegressor)
    Z, steps, hyperparameters = in_components(training.Z, LINEAR_COMPONENTS, NETWORK_COMPONENTS)
    tuning = training.tuning[:WIDTH_ROWS]
    count = min(training.effort.network_centers, max(len(tuning) // 4, 1))
    options: dict[str, object] = {"n_centers": count, "random_state": training.seed}
    if len(tuning) <= MOST_CENTERED_ROWS:
        options = {"centers": "points"}
    width = float(kind(width="cv", **options).fit(Z[tuning], training.y[tuning]).width_)
    model = kind(width=width, **options).fit(Z, training.y)
    hyperparameters["centers"] = str(len(model.centers_))
    return FittedCandidate((*steps, ("model", model)), hyperparameters)


def _mixture(training: TrainingRows) -> FittedCandidate:
    """Fit a Gaussian mixture to each class, in few enough dimensions for full covariances."""
    Z, steps, hyperparameters = in_components(training.Z, MIXTURE_COLUMNS, MIXTURE_COLUMNS)
    model = GaussianMixtureClassifier(random_state=training.seed).fit(Z, training.y)
    counts = [len(mixture.weights_) for mixture in model.mixtures_]
    least, most = min(counts), max(counts)
    hyperparameters["components per class"] = str(most) if least == most else f"{least} to {most}"
    for mixture in model.mixtures_:  # predictions need the factors alone
        del mixture.covariances_, mixture.precisions_
    return FittedCandidate((*steps, ("model", model)), hyperparameters)


def linear_candidate(training: TrainingRows, model: object) -> FittedCandidate:
    """Fit a linear model; with very many columns, on their principal components."""
    Z, steps, hyperparameters = in_components(training.Z, LINEAR_COLUMNS, LINEAR_COMPONENTS)
    if not training.scaled:
        scaler = StandardScaler().fit(Z)
        Z, steps = np.asarray(scaler.transform(Z)), [*steps, ("scale", scaler)]
    tuning = training.tuning
    whole = len(tuning) == len(training.y)
    fitted = clone(model).fit(Z if whole else Z[tuning], training.y[tuning])
    if hasattr(fitted, "alpha_"):
        hyperparameters["alpha"] = f"{fitted.alpha_:g}"
    if not whole:
        chosen = {"alphas": [float(fitted.alpha_)]} if hasattr(fitted, "alpha_") else {}
        fitted = clone(model).set_params(**chosen).fit(Z, training.y)
    return FittedCandidate((*steps, ("model", fitted)), hyperparameters)


def _discriminant(training: TrainingRows) -> FittedCandidate:
    fitted = linear_candidate(training, LinearDiscriminantAnalysis("lsqr", shrinkage="auto"))
    del fitted.steps[-1][1].covariance_  # predictions do not need it, and it is large
    return fitted


def _ridge(training: TrainingRows) -> FittedCandidate:
    return linear_candidate(training, training.either(RidgeClassifierCV, RidgeCV)(RIDGE_PENALTIES))


def _logistic(training: TrainingRows) -> FittedCandidate:
    return linear_candidate(training, LogisticRegression(max_iter=LOGISTIC_ITERATIONS))


def search_cost(size: ProblemSize) -> float:
    """Return the seconds in which K is selected, by what a search takes."""
    return 0.02 + size.search * min(1.0, MOST_HELD_OUT / size.rows)


def _kernel_cost(size: ProblemSize) -> float:
    pair = 5 + 0.05 * size.columns if size.classes > 1 else 60
    tuned = 5 * min(size.rows, BANDWIDTH_ROWS) ** 2
    return 0.02 + SECONDS_PER_OPERATION * (pair * tuned + 60 * size.rows * size.columns)


def _learning_cost(size: ProblemSize) -> float:
    rows = min(size.rows, LEARNING_ROWS)
    return SECONDS_PER_OPERATION * 120 * rows**2 * (10 + min(size.columns, 100))


def _squares(size: ProblemSize, most: int) -> int:
    """Return how many products of two columns there are, of all rows, of `most` columns."""
    columns = min(size.columns, most)
    return size.rows * columns * min(size.rows, columns)


BASELINE_CANDIDATE = CandidateSpec(
    "baseline",
    "Baseline",
    "Predicts the most frequent class, or the mean, whatever the features.",
    _baseline,
    lambda _: 0.0,
)
ALL_CANDIDATES: tuple[CandidateSpec, ...] = (
    BASELINE_CANDIDATE,
    CandidateSpec(
        "nearest",
        "Nearest neighbor (1-NN)",
        "Predicts the target of the nearest training row.",
        _nearest,
        search_cost,
        family="neighbors",
    ),
    CandidateSpec(
        "knn",
        "K nearest neighbors",
        "Majority vote, or mean, of the K nearest training rows.",
        lambda training: k_nearest(training, "uniform"),
        search_cost,
        family="neighbors",
    ),
    CandidateSpec(
        "knn_weighted",
        "K nearest neighbors, distance-weighted",
        'Vote, or mean, of the K nearest training rows with weights="distance".',
        lambda training: k_nearest(training, "distance"),
        search_cost,
        family="neighbors",
    ),
    CandidateSpec(
        "pca_knn",
        "PCA and K nearest neighbors",
        "K nearest neighbors on the leading principal components.",
        _pca_neighbors,
        lambda size: (
            0.3 + 0.1 * SECONDS_PER_OPERATION * _squares(size, size.columns) + search_cost(size)
        ),
        features="linear",
    ),
    CandidateSpec(
        "nca_knn",
        "K nearest neighbors, learned feature weights",
        "K nearest neighbors by distances whose weights were learned for the target (NCA).",
        fit_nca,
        lambda size: 0.2 + _learning_cost(size) + search_cost(size),
        features="linear",
    ),
    CandidateSpec(
        "kernel",
        "Gaussian kernel",
        "Vote, or mean, of all training rows, weighted by a Gaussian kernel of the distance.",
        _kernel,
        _kernel_cost,
        features="linear",
        longest=10.0,  # predictions take as long again
    ),
    CandidateSpec(
        "forest",
        "Forest neighbors",
        "Vote, or mean, of the training rows that share the leaves of a forest of trees.",
        fit_forest,
        forest_cost,
        features="linear",
    ),
    CandidateSpec(
        "extra_trees",
        "Extra-trees neighbors",
        "Vote, or mean, of the training rows that share the leaves of trees of random thresholds.",
        fit_extra_trees,
        extra_trees_cost,
        features="linear",
    ),
    CandidateSpec(
        "lda",
        "Linear discriminant analysis",
        "One Gaussian per class with a shared, shrunken covariance.",
        _discriminant,
        lambda size: 0.05 + 0.3 * SECONDS_PER_OPERATION * _squares(size, LINEAR_COLUMNS),
        tasks=("classification",),
        features="linear",
    ),
    CandidateSpec(
        "mixture",
        "Gaussian mixture classifier",
        "One Gaussian mixture per class; predicts the most probable class.",
        _mixture,
        lambda size: (
            0.2
            + 1000 * SECONDS_PER_OPERATION * _squares(size, MIXTURE_COLUMNS)
            + 0.05 * size.classes
        ),
        tasks=("classification",),
        features="linear",
    ),
    CandidateSpec(
        "rbf_network",
        "RBF network",
        "Gaussian basis functions around a few centers, combined linearly (L2 penalty).",
        _network,
        lambda size: 0.1 + 5e-5 * size.rows,
        features="linear",
    ),
    CandidateSpec(
        "kernel_ridge",
        "Kernel ridge regression (RBF kernel)",
        "Gaussian kernels around up to 2,000 training rows, combined linearly (norm penalty).",
        fit_kernel_ridge,
        kernel_ridge_cost,
        features="linear",
    ),
    CandidateSpec(
        "boosted",
        "Boosted neighbors",
        "Sum of small trees, each fitted to the errors of those before, over their training rows.",
        fit_boosted,
        boosting_cost,
        features="trees",
    ),
    CandidateSpec(
        "ridge",
        "Ridge regression (L2 penalty)",
        "Linear regression with an L2 penalty; of classes, on targets of −1 and 1.",
        _ridge,
        lambda size: 0.05 + 0.8 * SECONDS_PER_OPERATION * _squares(size, LINEAR_COLUMNS),
        features="linear",
    ),
    CandidateSpec(
        "logistic",
        "Logistic regression",
        "Linear classifier of maximum likelihood with an L2 penalty.",
        _logistic,
        lambda size: (
            0.1
            + 300
            * SECONDS_PER_OPERATION
            * size.rows
            * min(size.columns, LINEAR_COLUMNS)
            * size.classes
        ),
        tasks=("classification",),
        features="linear",
    ),
)
