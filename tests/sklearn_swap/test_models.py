"""scikit-learn's own tests of clusters, densities, projections and preparation, with ours."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sklearn.decomposition.tests.test_truncated_svd import X_sparse  # noqa: F401 - a fixture
from sklearn_suite import Suite, test_class

import lookalike


def cluster_by_dbscan(X, eps=0.5, *, sample_weight=None, **options):
    """Return core rows and labels, as scikit-learn's function `dbscan` does."""
    model = lookalike.DBSCAN(eps, **options).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


SCORES = ("chi2", "f_classif", "f_regression", "mutual_info_classif", "mutual_info_regression")
SUITES = (
    Suite("cluster.tests.test_dbscan", ("DBSCAN",), "cluster", extra={"dbscan": cluster_by_dbscan}),
    Suite("cluster.tests.test_hdbscan", ("HDBSCAN",), "cluster"),
    Suite("cluster.tests.test_optics", ("OPTICS", "DBSCAN"), "cluster"),
    Suite("cluster.tests.test_bisect_k_means", ("BisectingKMeans",), "cluster", float32=True),
    Suite("cluster.tests.test_k_means", ("KMeans", "MiniBatchKMeans"), "cluster"),
    Suite("decomposition.tests.test_incremental_pca", ("IncrementalPCA", "PCA"), "decomposition"),
    Suite("decomposition.tests.test_truncated_svd", ("TruncatedSVD", "PCA"), "decomposition"),
    Suite("decomposition.tests.test_kernel_pca", ("KernelPCA",), "decomposition"),
    Suite("decomposition.tests.test_pca", ("PCA",), "decomposition", float32=True),
    Suite("feature_selection.tests.test_chi2", SCORES, "feature_selection"),
    Suite("feature_selection.tests.test_feature_select", SCORES, "feature_selection"),
    Suite("feature_selection.tests.test_mutual_info", SCORES, "feature_selection"),
    Suite("impute.tests.test_knn", ("KNNImputer",), "impute"),
    Suite("impute.tests.test_impute", ("SimpleImputer", "KNNImputer"), "impute"),
    Suite("impute.tests.test_common", ("SimpleImputer", "KNNImputer"), "impute"),
    Suite("mixture.tests.test_gaussian_mixture", ("GaussianMixture",), "mixture"),
    Suite("neighbors.tests.test_kde", ("KernelDensity", "KDTree", "NearestNeighbors"), "neighbors"),
    Suite("neighbors.tests.test_lof", ("LocalOutlierFactor",), "neighbors"),
    Suite("neighbors.tests.test_nca", ("NeighborhoodComponentsAnalysis",), "neighbors"),
    Suite("preprocessing.tests.test_data", ("MinMaxScaler", "StandardScaler"), "preprocessing"),
    Suite(
        "semi_supervised.tests.test_label_propagation",
        ("LabelPropagation", "LabelSpreading"),
        "semi_supervised",
    ),
    Suite(
        "tests.test_discriminant_analysis",
        ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
        "discriminant_analysis",
    ),
)


@pytest.fixture
def global_random_seed():
    return 42


for _suite in SUITES:
    _tests = test_class(replace(_suite, named_only=True))
    globals()[_tests.__name__] = _tests
del _tests, test_class  # which are no tests themselves
