"""An example of every plot, a function of its name; the page of plots shows text and picture."""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

import lookalike
import lookalike.explain
from lookalike import (
    HDBSCAN,
    LSA,
    PCA,
    AutoEncoder,
    GaussianMixture,
    KernelPCA,
    KMeans,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    NeighborMap,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    Ridge,
)
from lookalike.cluster import choose_clusters
from lookalike.explain import (
    dimensionality_report,
    measured_bayes_bracket,
    neighbor_learning_curve,
)
from lookalike.feature_selection import SelectByFilter, SelectByWrapper, feature_redundancy
from lookalike.index import KDTreeIndex
from lookalike.neighbors import self_search
from lookalike.report import plots
from lookalike.text import ranking_precision_recall

DOCUMENTS = [
    "engine of the car", "a truck with a diesel engine", "car and truck on the road",
    "the road is closed for the truck", "a road by the garden", "a flower in the garden",
    "soil of the garden for a rose", "the rose is a flower", "water the garden with a truck",
    "wheels of the car",
]  # fmt: skip


@cache
def wine():
    """Return the wines, standardized."""
    data = load_wine(as_frame=True)
    return (data.data - data.data.mean()) / data.data.std(), data.target_names[data.target]


@cache
def iris():
    """Return the irises, with the names of their species."""
    data = load_iris()
    return data.data, data.target_names[data.target]


@cache
def digits():
    """Return 600 images of digits."""
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


@cache
def digits_with_wrong_labels():
    """Return the images with every fiftieth label wrong, and one image that is noise."""
    X, y = digits()
    labels = y.copy()
    labels[::50] = (labels[::50] + 1) % 10
    noise = 16 * np.random.default_rng(0).random((1, 64))
    return np.vstack([X, noise]), np.append(labels, 0)


@cache
def heaps():
    """Return three heaps of points in a plane."""
    rng, which = np.random.default_rng(1), np.arange(150) % 3
    return rng.normal(size=(150, 2)) + 3.2 * np.array([[0, 0], [1, 0], [0, 1]])[which], which


@cache
def wave():
    """Return a noisy wave of one feature."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(60))[:, None]
    return x, np.sin(7 * x[:, 0]) + 0.2 * rng.normal(size=60)


@cache
def study_of_tumors():
    """Return a quick study of benign and malignant tumors."""
    data = load_breast_cancer(as_frame=True)
    tumor = data.target_names[data.target]
    return lookalike.study(data.data, tumor, effort="quick", models=["baseline", "logistic"])


@cache
def study_of_diabetes():
    """Return a quick study of the progress of a disease, a number."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return lookalike.study(X, y, effort="quick", models=["baseline", "ridge"])


def scatter():
    X, y = heaps()
    return plots.plot_scatter(X, y, flagged=[4, 19])


def histogram():
    column = study_of_diabetes().columns[2]
    ax = plots.plot_histogram(column.profile.histogram)
    ax.set(xlabel=column.name)
    return ax


def ranking():
    X, y = wine()
    scores = SelectByFilter("f", k=3).fit(X, y).scores_
    return plots.plot_ranking(X.columns, scores, most=8)


def k_selection():
    X, y = wine()
    return plots.plot_k_selection(KNeighborsClassifier("loo", k_max=30).fit(X, y).selection_)


def k_curve():
    k, accuracy = np.arange(1, 9), np.array([0.9, 0.91, 0.94, 0.95, 0.96, 0.955, 0.95, 0.94])
    return plots.plot_k_curve(k, accuracy, np.full(8, 0.01), 5, label="accuracy")


def decision_regions():
    X, y = heaps()
    return plots.plot_decision_regions(KNeighborsClassifier(5).fit(X, y), X, y)


def evidence():
    X, y = iris()
    why = lookalike.explain_prediction(KNeighborsClassifier(9).fit(X, y), X[70], leave_out=70)
    return plots.plot_evidence(why)


def feature_contributions():
    X, y = wine()
    why = lookalike.explain_prediction(KNeighborsClassifier(5).fit(X, y), X.iloc[[70]])
    return plots.plot_feature_contributions(why)


def audit():
    X, y = digits_with_wrong_labels()
    return plots.plot_audit(lookalike.audit(self_search(X, 12), y))


def flagged_rows():
    X, y = digits_with_wrong_labels()
    return plots.plot_flagged_rows(lookalike.audit(self_search(X, 12), y))


def bayes_error_bounds():
    X, y = iris()
    return plots.plot_bayes_error_bounds(measured_bayes_bracket(self_search(X, 12), y))


def nn_error_bound():
    return plots.plot_nn_error_bound((1, 2, 5, 10))


def learning_curve():
    X, y = digits()
    return plots.plot_learning_curve(neighbor_learning_curve(self_search(X, 12), y, n_draws=20))


def shell_fractions():
    return plots.plot_shell_fractions(dimensionality_report(self_search(iris()[0], 12)))


def hubness():
    return plots.plot_hubness(dimensionality_report(self_search(digits()[0], 12)))


def intrinsic_dimension():
    return plots.plot_intrinsic_dimension(lookalike.explain.intrinsic_dimension(digits()[0]))


def local_dimension():
    return plots.plot_local_dimension(lookalike.explain.intrinsic_dimension(digits()[0]))


def confusion_matrix():
    scores = study_of_tumors().held_out
    return plots.plot_confusion_matrix(scores.confusion_matrix, scores.labels, target="tumor")


def roc_curves():
    return plots.plot_roc_curves(study_of_tumors().roc_curves)


def precision_recall_curves():
    return plots.plot_precision_recall_curves(study_of_tumors().roc_curves)


def calibration():
    return plots.plot_calibration(study_of_tumors().calibration)


def partial_dependence():
    return plots.plot_partial_dependence(study_of_diabetes().partial_dependence[0])


def residuals():
    X, y = load_diabetes(return_X_y=True)
    predicted = Ridge().fit(X, y).predict(X)
    return plots.plot_residuals(study_of_diabetes().residuals, predicted, y - predicted)


def coefficients():
    X, y = digits()
    return plots.plot_coefficients(Ridge().fit(X, (y == 3).astype(float)), (8, 8))


def univariate_scores():
    return plots.plot_univariate_scores(SelectByFilter("f", k=3).fit(*wine()))


def selection_path():
    X, y = wine()
    return plots.plot_selection_path(SelectByWrapper(direction="forward").fit(X.iloc[:, :8], y))


def redundancy():
    return plots.plot_redundancy(feature_redundancy(wine()[0]))


def scree():
    return plots.plot_scree(PCA().fit(wine()[0]))


def spectrum():
    variance = np.array([4.0, 2.0, 1.0, 0.5, 0.3, 0.2])
    return plots.plot_spectrum(variance, np.cumsum(variance) / variance.sum())


def explained_variance():
    return plots.plot_explained_variance(PCA().fit(wine()[0]))


def loadings():
    return plots.plot_loadings(PCA().fit(wine()[0]))


def biplot():
    X, y = wine()
    return plots.plot_biplot(PCA(2).fit(X), X, y=y)


def projections():
    X, _ = heaps()
    X = X[:40] @ [[1.0, 0.8], [0.0, 0.4]]
    return plots.plot_projections(PCA().fit(X), X)


def components():
    return plots.plot_components(PCA(12).fit(digits()[0]), (8, 8))


def reconstructions():
    X, _ = digits()
    return plots.plot_reconstructions(PCA(40).fit(X), X[:8], (8, 8), n_components=(40, 15, 5))


def kernel_pca_scores():
    return plots.plot_kernel_pca_scores(
        KernelPCA(2, kernel="rbf", gamma="median").fit(wine()[0]), *wine()
    )


def kernel_pca_contours():
    X, _ = heaps()
    return plots.plot_kernel_pca_contours(KernelPCA(2, kernel="rbf", gamma="median").fit(X), X)


def neighbor_map():
    X, y = digits()
    return plots.plot_neighbor_map(NeighborMap(random_state=0).fit(X), y)


def discriminants():
    return plots.plot_discriminants(LinearDiscriminantAnalysis().fit(*wine()), *wine())


def loss_curve():
    return plots.plot_loss_curve(AutoEncoder(2, random_state=0, tol=1e-3).fit(wine()[0]))


def codes():
    X, _ = wine()
    coder = AutoEncoder(2, random_state=0, tol=1e-3).fit(X)
    return plots.plot_codes(coder, X, color=X["alcohol"])


def documents_and_terms():
    return plots.plot_documents_and_terms(LSA(2, stop_words="english").fit(DOCUMENTS), n_terms=6)


def term_contributions():
    lsa = LSA(2, stop_words="english").fit(DOCUMENTS)
    return plots.plot_term_contributions(lsa.explain("engine of a truck", 1))


def precision_recall():
    relevant = [0, 1, 2, 9]
    rankings = {"LSA": [1, 0, 3, 2, 9, 5, 4], "words in common": [1, 4, 0, 5, 3, 2, 9]}
    curves = {name: ranking_precision_recall(relevant, order) for name, order in rankings.items()}
    return plots.plot_precision_recall(curves)


def n_clusters():
    return plots.plot_n_clusters(choose_clusters(heaps()[0], range(1, 7)))


def criterion():
    return plots.plot_criterion([2, 3, 4, 5], [0.48, 0.61, 0.52, 0.44], 3, error=[0.02] * 4)


def cluster_regions():
    X, _ = heaps()
    return plots.plot_cluster_regions(KMeans(3, random_state=0).fit(X), X)


def center_images():
    return plots.plot_center_images(KMeans(10, random_state=0).fit(digits()[0]), (8, 8))


def condensed_tree():
    return plots.plot_condensed_tree(HDBSCAN(min_cluster_size=8).fit(heaps()[0]))


def mixture():
    X, _ = heaps()
    return plots.plot_mixture(GaussianMixture(3, random_state=0).fit(X), X)


def em_iterations():
    return plots.plot_em_iterations(
        GaussianMixture(3, random_state=0), heaps()[0], iterations=(0, 1, 5)
    )


def bic():
    return plots.plot_bic(GaussianMixture("bic", random_state=0).fit(heaps()[0]).curve_)


def fitted_curve():
    x, y = wave()
    return plots.plot_fitted_curve(RBFNetworkRegressor(6, random_state=0).fit(x, y), x, y)


def alpha_selection():
    return plots.plot_alpha_selection(RBFNetworkRegressor(6, random_state=0).fit(*wave()).curve_)


def rbf_centers():
    X, y = heaps()
    return plots.plot_rbf_centers(RBFNetworkClassifier(9, random_state=0).fit(X, y), X, y)


def kdtree():
    X, _ = heaps()
    return plots.plot_kdtree(KDTreeIndex(X, leaf_size=8), np.array([1.5, 1.0]))
