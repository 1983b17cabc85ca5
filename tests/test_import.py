"""Importing the package is quick and brings in nothing that it does not need."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.neighbors
from public_names import NAMESPACES, PUBLIC

import lookalike
from lookalike.lazy import lazy_names

ROOT = Path(lookalike.__file__).parent
PACKAGES = sorted(
    ".".join(("lookalike", *path.relative_to(ROOT).parts[:-1]))
    for path in ROOT.rglob("__init__.py")
)


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
        "print(sorted({'dask', 'torch', 'matplotlib'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


@pytest.mark.parametrize("name", lookalike.__all__)
def test_every_public_name_is_there(name):
    assert getattr(lookalike, name) is not None
    assert name in dir(lookalike)


def test_the_public_names_are_these():
    assert lookalike.__all__ == [
        "AutoEncoder",
        "BoostedNeighborsClassifier",
        "BoostedNeighborsRegressor",
        "Client",
        "CondensedNearestNeighbour",
        "DBSCAN",
        "EditedNearestNeighbours",
        "ForestNeighborsClassifier",
        "ForestNeighborsRegressor",
        "GaussianMixture",
        "GaussianMixtureClassifier",
        "HDBSCAN",
        "KMeans",
        "KNNImputer",
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "KernelClassifier",
        "KernelDensity",
        "KernelDensityClassifier",
        "KernelPCA",
        "KernelRegressor",
        "LSA",
        "LabelPropagation",
        "LabelSpreading",
        "LinearDiscriminantAnalysis",
        "LookalikeError",
        "MinMaxScaler",
        "NearestNeighbors",
        "NeighborMap",
        "NeighborhoodComponentsAnalysis",
        "OPTICS",
        "PCA",
        "RBFNetworkClassifier",
        "RBFNetworkRegressor",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "Ridge",
        "SimpleImputer",
        "StandardScaler",
        "TablePreprocessor",
        "audit",
        "config",
        "explain_prediction",
        "load",
        "save",
        "study",
        "write_study",
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_the_names_that_it_lists(package):
    if package == "lookalike.kernels.gpu":
        pytest.importorskip("torch", reason="torch is not installed")
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None
        assert name in dir(module)


OWN_NAMESPACES = {"linalg", "calibration", "ensemble"}  # names that the top level need not have


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_of_a_package_is_hidden_by_a_module_of_it(package):
    module = import_module(package)
    modules = {path.stem for path in Path(module.__file__).parent.iterdir()}
    assert not modules & set(getattr(module, "__all__", ()))


def test_every_name_of_a_family_of_models_is_a_name_of_the_package():
    families = [name for name in PACKAGES if name.count(".") == 2 and ".models." in name]
    for family in families:
        if family.rpartition(".")[2] not in OWN_NAMESPACES:
            assert set(import_module(family).__all__) <= set(lookalike.models.__all__), family
    assert set(lookalike.models.__all__) <= set(PUBLIC)


def test_no_name_is_public_in_two_places():
    homes = [name for space in NAMESPACES for name in import_module(f"lookalike.{space}").__all__]
    twice = {name for name in homes if homes.count(name) > 1} | (
        set(homes) & set(lookalike.__all__)
    )
    theirs = (sklearn.neighbors, sklearn.cluster, sklearn.decomposition)
    theirs += (sklearn.discriminant_analysis,)
    swapped = set(lookalike.__all__) & {name for module in theirs for name in module.__all__}
    swapped &= set(homes)  # for the change of an import
    assert twice == {"explain_prediction"} | swapped  # which everyone calls first


def test_type_checkers_are_shown_every_public_name():
    for package in (lookalike, lookalike.explain):
        tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
        block = next(node for node in tree.body if isinstance(node, ast.If))
        assert sorted(name.name for line in block.body for name in line.names) == package.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nearest'"):
        _ = lookalike.nearest


def test_every_public_name_has_a_docstring_with_an_example_or_parameters():
    for name, value in PUBLIC.items():
        assert len(value.__doc__) > 40, name


def test_a_public_name_whose_module_cannot_be_loaded_says_why(monkeypatch):
    module = ModuleType("lookalike.half")
    monkeypatch.setitem(sys.modules, "lookalike.half", module)
    _, get, _ = lazy_names("lookalike", {"half": ["Whole"]})
    with pytest.raises(ImportError, match=r"Whole cannot be loaded: .*no attribute"):
        get("Whole")
