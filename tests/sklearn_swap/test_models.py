"""scikit-learn's own tests of clusters, densities, projections and preparation, with ours."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sklearn_suite import Suite, test_class

SCORES = ("chi2", "f_classif", "f_regression", "mutual_info_classif", "mutual_info_regression")
SUITES = (
    Suite("cluster.tests.test_dbscan", ("DBSCAN",), "cluster"),
    Suite("cluster.tests.test_hdbscan", ("HDBSCAN",), "cluster"),
    Suite("cluster.tests.test_optics", ("OPTICS", "DBSCAN"), "cluster"),
    Suite("cluster.tests.test_k_means", ("KMeans",), "cluster"),
    Suite("decomposition.tests.test_kernel_pca", ("KernelPCA",), "decomposition"),
    Suite("decomposition.tests.test_pca", ("PCA",), "decomposition"),
    Suite("feature_selection.tests.test_chi2", SCORES, "feature_selection"),
    Suite("feature_selection.tests.test_feature_select", SCORES, "feature_selection"),
    Suite("feature_selection.tests.test_mutual_info", SCORES, "feature_selection"),
    Suite("impute.tests.test_knn", ("KNNImputer",), "impute"),
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
        ("LinearDiscriminantAnalysis",),
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
