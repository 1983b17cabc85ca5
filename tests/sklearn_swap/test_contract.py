"""The contract of scikit-learn's estimators, for those that the tests of no family check."""

from __future__ import annotations

import pytest
from public_estimators import PUBLIC_ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks

NAMES = (
    *("BisectingKMeans", "BoostedNeighborsClassifier", "BoostedNeighborsRegressor"),
    *("IncrementalPCA", "MiniBatchKMeans", "NearestNeighbors", "QuadraticDiscriminantAnalysis"),
    *("RadiusNeighborsClassifier", "RadiusNeighborsRegressor", "SimpleImputer", "TruncatedSVD"),
)
FEWER_STEPS = {"max_iter": 5}  # of those that grow trees


def small(name):
    """Return an estimator with its defaults, and few trees."""
    model = PUBLIC_ESTIMATORS[name]()
    steps = {key: value for key, value in FEWER_STEPS.items() if hasattr(model, "max_leaf_nodes")}
    return model.set_params(**steps)


@pytest.mark.filterwarnings("default")
@parametrize_with_checks([small(name) for name in NAMES])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)
