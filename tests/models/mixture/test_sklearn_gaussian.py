"""scikit-learn's own tests of its mixture, run with our class in the place of its own.

The installed test module is executed with `sklearn.mixture` holding our class, and every test in
it is collected here, those in EXCEPTIONS excepted, each with its reason. Warnings are errors, but
for those in WARNED.
"""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sklearn.mixture

import lookalike

PRIVATE = "calls private methods of scikit-learn's class"
EXCEPTIONS = {
    "test_check_weights": "the error names the largest weight as the smallest there",
    "test_gaussian_mixture_all_init_does_not_estimate_gaussian_parameters": PRIVATE,
    "test_gaussian_mixture_array_api_compliance": "arrays of other libraries become NumPy's",
    "test_gaussian_mixture_precisions_init": PRIVATE,
    "test_gaussian_mixture_precisions_init_diag": "expects the order of KMeans(random_state=0)",
    "test_gaussian_mixture_raises_where_array_api_not_implemented": "as above",
    "test_gaussian_mixture_setting_best_params": "two components on one row each with reg_covar=0 "
    "are an error here; rounding saves it there",
}

FEW_ROUNDS = "ignore:Best performing initialization did not converge"  # as the test wants
FLAT = "ignore:The rows of components .* do not vary"  # rows that are all alike, ours says so
WARNED = {
    "test_convergence_detected_with_warm_start": (FEW_ROUNDS,),
    "test_gaussian_mixture_attributes": (FEW_ROUNDS, FLAT),  # ten rows, drawn again every time
    "test_gaussian_mixture_fit_predict": (FEW_ROUNDS,),
    "test_init": (FEW_ROUNDS,),
    "test_regularisation": (FLAT,),
    "test_warm_start": (FEW_ROUNDS,),
}


@pytest.fixture
def global_dtype():
    return np.float64


@pytest.fixture
def global_random_seed():
    return 42


def _swapped_module() -> types.ModuleType:
    path = Path(sklearn.mixture.__file__).parent / "tests" / "test_gaussian_mixture.py"
    spec = importlib.util.spec_from_file_location("sklearn_test_gaussian_mixture", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.mixture, "GaussianMixture", lookalike.GaussianMixture):
        spec.loader.exec_module(module)
    return module


_module = _swapped_module()
globals().update(
    {
        name: pytest.mark.filterwarnings(*WARNED[name])(test) if name in WARNED else test
        for name, test in vars(_module).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)
