"""Importing the package is quick and brings in nothing that it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lookalike


def run(code: str, **environment: str) -> str:
    import os

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_imports_no_heavy_library():
    heavy = {
        "dask",
        "torch",
        "matplotlib",
        "pandas",
        "fastapi",
        "sklearn",
        "scipy",
        "pyarrow",
        "polars",
    }
    code = f"import lookalike, sys; print(sorted({heavy!r} & set(sys.modules)))"
    assert run(code) == "[]"


def test_fitting_a_model_on_arrays_imports_neither_dask_nor_matplotlib():
    code = (
        "import lookalike, sys, numpy as np; lookalike.PCA(1).fit(np.eye(3));"
        "print(sorted({'dask', 'torch', 'matplotlib', 'fastapi'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


@pytest.mark.parametrize("name", lookalike.__all__)
def test_every_public_name_is_there(name):
    assert getattr(lookalike, name) is not None
    assert name in dir(lookalike)


def test_the_public_names_are_these():
    assert lookalike.__all__ == [
        "AutoEncoder",
        "CondensedNeighbors",
        "EditedNeighbors",
        "GaussianMixture",
        "GaussianMixtureClassifier",
        "Imputer",
        "KCenter",
        "KMeans",
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "KernelPCA",
        "LSA",
        "LinearDiscriminantAnalysis",
        "LinearScore",
        "LookalikeError",
        "NearestNeighbors",
        "PCA",
        "Preparer",
        "RBFNetworkClassifier",
        "RBFNetworkRegressor",
        "RBFSmoother",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "SelectByFilter",
        "SelectByWrapper",
        "SoftNeighborsClassifier",
        "Standardizer",
        "TermWeights",
        "audit",
        "bayes_error_bracket",
        "chi_square",
        "choose_clusters",
        "choose_components",
        "choose_components_and_k",
        "config",
        "conformal_intervals",
        "conformal_sets",
        "curse_report",
        "explain_prediction",
        "f_score",
        "feature_redundancy",
        "intrinsic_dimension",
        "learning_curve",
        "load",
        "measured_bayes_bracket",
        "mutual_information",
        "nn_bound",
        "pearson",
        "sample_size",
        "save",
        "search_plan",
        "select_exhaustively",
        "self_search",
        "signal_to_noise",
        "study",
        "write_study",
    ]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nearest'"):
        _ = lookalike.nearest


def test_every_public_name_has_a_docstring_with_an_example_or_parameters():
    for name in lookalike.__all__:
        assert len(getattr(lookalike, name).__doc__) > 40, name
