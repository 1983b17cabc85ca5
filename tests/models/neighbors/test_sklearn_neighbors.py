"""scikit-learn's own tests of its neighbors, run with our classes in the place of its own.

The installed test module is executed with `sklearn.neighbors` holding our classes, and every test
in it is collected here, those in EXCEPTIONS excepted, each with its reason.
"""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sklearn.neighbors

import lookalike

SWAPPED = (
    "NearestNeighbors",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
)
ONE_METRIC_LESS = "scikit-learn's rarer metrics are given as a function or precomputed"
EXCEPTIONS = {
    "test_auto_algorithm": "reads the private _fit_method; search_plan says which index answers",
    "test_k_and_radius_neighbors_duplicates": "expects radius results by row; ours come sorted",
    "test_k_and_radius_neighbors_train_is_not_query": "expects radius results by row, as above",
    "test_kneighbors_regressor_sparse": "sparse precomputed distances are not taken",
    "test_metric_params_interface": "p in metric_params is an error here, not a warning",
    "test_nearest_neighbors_validate_params": "the same errors in other words",
    "test_nearest_neighbours_works_with_p_less_than_1": "p < 1 is an error",
    "test_neighbors_minkowski_semimetric_algo_error": "p < 1 is an error, in other words",
    "test_neighbors_minkowski_semimetric_algo_warn": "p < 1 is an error",
    "test_neighbors_validate_parameters": "the same errors in other words",
    "test_pairwise_boolean_distance": "jaccard of numbers is an error, not a warning",
    "test_pipeline_with_nearest_neighbors_transformer": "sparse precomputed distances",
    "test_precomputed_sparse_invalid": "sparse precomputed distances are not taken",
    "test_precomputed_sparse_knn": "sparse precomputed distances are not taken",
    "test_precomputed_sparse_radius": "sparse precomputed distances are not taken",
    "test_radius_neighbors_classifier_when_no_neighbors": "the radius grows, as ties='grow' says",
    "test_radius_neighbors_returns_array_of_objects": "sparse precomputed distances",
    "test_radius_neighbors_sort_results": "row numbers alone may be asked for, sorted",
    "test_sparse_metric_callable": "sparse rows are not compared by Python functions",
    "test_unsupervised_inputs": "a fitted model or a tree is not taken in the place of rows",
    "test_valid_brute_metric_for_auto_algorithm": ONE_METRIC_LESS,
}
NOT_OFFERED = (  # metrics that are given as a function or precomputed; such cases are deselected
    "braycurtis",
    "canberra",
    "dice",
    "rogerstanimoto",
    "russellrao",
    "sokalmichener",
    "sokalsneath",
    "wminkowski",
    "yule",
    "DM_",
    "test_radius_neighbors_brute_backend[jaccard]",  # of numbers, which is an error here
    "brute_backend[mahalanobis",  # gives a VI with negative eigenvalues, which is an error here
)


pytestmark = [  # what scikit-learn's own functions and tests warn of; all else is an error
    pytest.mark.filterwarnings("ignore:Precomputed sparse input was not sorted"),
    pytest.mark.filterwarnings("ignore:Outlier label .* is not in training classes"),
]


@pytest.fixture
def global_dtype():
    return np.float64


@pytest.fixture
def global_random_seed():
    return 42


def _swapped_module() -> types.ModuleType:
    folder = Path(sklearn.neighbors.__file__).parent / "tests" / "test_neighbors.py"
    spec = importlib.util.spec_from_file_location("sklearn_test_neighbors", folder)
    module = importlib.util.module_from_spec(spec)
    stand_in = types.ModuleType("neighbors")
    stand_in.__dict__.update(vars(sklearn.neighbors))
    ours = {name: getattr(lookalike, name) for name in SWAPPED}
    stand_in.__dict__.update(ours)
    with mock.patch.multiple(sklearn.neighbors, **ours):
        spec.loader.exec_module(module)
    module.neighbors = stand_in
    module.KNeighborsMixin = (lookalike.KNeighborsClassifier, lookalike.KNeighborsRegressor)
    return module


_module = _swapped_module()
globals().update(
    {
        name: test
        for name, test in vars(_module).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)
