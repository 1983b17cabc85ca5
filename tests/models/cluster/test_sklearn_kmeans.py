"""scikit-learn's own tests of k-means, run with our class in the place of its own.

The installed test module is executed with `sklearn.cluster` holding our class, and every test in
it is collected here, those in EXCEPTIONS excepted, each with its reason.
"""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sklearn.cluster

import lookalike

PRIVATE = "reads a private attribute; our own tests cover what it stands for"
EXCEPTIONS = {
    "test_float_precision": "centers stay float64: the mean of float32 rows is no float32 number",
    "test_kmeans_init_auto_with_initial_centroids": PRIVATE,
    "test_n_init_auto": PRIVATE,
    "test_sample_weight_init": PRIVATE,
    "test_sample_weight_zero": PRIVATE,
    "test_warning_elkan_1_cluster": "elkan is no other algorithm here, so there is nothing to say",
}

NOT_OFFERED = ("MiniBatchKMeans",)  # parametrizations that are deselected

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def global_dtype():
    return np.float64


@pytest.fixture
def global_random_seed():
    return 42


def _swapped_module() -> types.ModuleType:
    path = Path(sklearn.cluster.__file__).parent / "tests" / "test_k_means.py"
    spec = importlib.util.spec_from_file_location("sklearn_test_k_means", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.cluster, "KMeans", lookalike.KMeans):
        spec.loader.exec_module(module)
    return module


globals().update(
    {
        name: test
        for name, test in vars(_swapped_module()).items()
        if name.startswith("test_") and "minibatch" not in name and name not in EXCEPTIONS
    }
)
