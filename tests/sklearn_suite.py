"""scikit-learn's own test modules, executed with our classes in the place of its own.

A `Suite` names a test module of scikit-learn, the names in it that are ours, and the modules of
scikit-learn in which they stand while a test runs. `test_class` makes a class of its tests.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
import types
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from sklearn_exceptions import reason_of

import lookalike
import lookalike.cluster
import lookalike.decomposition
import lookalike.discriminant_analysis
import lookalike.feature_selection
import lookalike.neighbors


@dataclass(frozen=True)
class Suite:
    """A test module of scikit-learn and what of it is ours."""

    module: str  # such as "neighbors.tests.test_neighbors"
    names: tuple[str, ...]  # of classes and functions of scikit-learn that are replaced
    package: str  # of scikit-learn, which has these names
    inside: tuple[str, ...] = ()  # modules of scikit-learn that use ours while a test runs
    aliases: dict[str, str] = field(default_factory=dict)  # private names of the same classes
    extra: dict[str, object] = field(default_factory=dict)  # further globals of the module
    float32: bool = False  # whether tests run in both precisions
    named_only: bool = False  # leave out tests in which none of the names stands

    @property
    def stem(self) -> str:
        """The name of the file."""
        return self.module.rpartition(".")[2].removeprefix("test_")

    @functools.cached_property
    def replaced(self) -> dict[str, object]:
        """Ours, by the names that scikit-learn's tests use."""
        return {
            **{name: ours(name) for name in self.names},
            **{alias: ours(name) for alias, name in self.aliases.items()},
        }


def ours(name: str) -> object:
    """Return what replaces a name of scikit-learn."""
    homes = (
        *(lookalike.neighbors, lookalike, lookalike.feature_selection, lookalike.cluster),
        *(lookalike.decomposition, lookalike.discriminant_analysis),
    )
    return next(getattr(home, name) for home in homes if hasattr(home, name))


def test_class(suite: Suite) -> type:
    """Return a class that has the tests of a suite, with the fixtures of scikit-learn."""
    tests = {
        name: staticmethod(_with_lists(test))
        for name, test in vars(swapped_module(suite)).items()
        if name.startswith("test_") and callable(test) and _concerns(suite, test)
    }
    fixtures = {"global_dtype": _precisions(suite), "_inside": _inside(suite)}
    title = "".join(part.capitalize() for part in suite.stem.split("_"))
    marks = {"pytestmark": [pytest.mark.filterwarnings("default")]}
    return type(f"Test{title}", (), {**tests, **fixtures, **marks, "suite": suite})


def _concerns(suite: Suite, test: types.FunctionType) -> bool:
    """Return whether a test is to run: where that is asked for, one that names what is ours."""
    if not suite.named_only:
        return True
    source = inspect.getsource(test)
    return any(name in source for name in suite.replaced)


def _with_lists(test: types.FunctionType) -> types.FunctionType:
    """Return a test whose parameters are lists, as newer versions of pytest want them."""
    marks = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names, values, *rest = (
                *mark.args,
                *([mark.kwargs["argvalues"]] if len(mark.args) < 2 else []),
            )
            options = {key: value for key, value in mark.kwargs.items() if key != "argvalues"}
            mark = pytest.mark.parametrize(names, list(values), *rest, **options).mark  # noqa: PLW2901
        marks.append(mark)
    test.pytestmark = marks
    return test


def swapped_module(suite: Suite) -> types.ModuleType:
    """Execute a test module of scikit-learn afresh, with ours where it imports theirs."""
    theirs = importlib.import_module(f"sklearn.{suite.module}")
    spec = importlib.util.spec_from_file_location(
        f"sklearn_swapped_{suite.stem}", Path(theirs.__file__)
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for pickles of its functions
    with ExitStack() as patches:
        for home in _homes(suite):
            for name, replacement in suite.replaced.items():
                if hasattr(home, name):
                    patches.enter_context(mock.patch.object(home, name, replacement))
        spec.loader.exec_module(module)
    package = importlib.import_module(f"sklearn.{suite.package}")
    for name, value in list(vars(module).items()):
        if value is package:  # used as `neighbors.NearestNeighbors`
            stand_in = types.ModuleType(suite.package)
            stand_in.__dict__.update(vars(package) | suite.replaced)
            setattr(module, name, stand_in)
    vars(module).update(suite.extra)
    return module


def _homes(suite: Suite) -> list[types.ModuleType]:
    """Return the modules of a package of scikit-learn that have the names, tests left out."""
    prefix = f"sklearn.{suite.package}"
    return [
        module
        for name, module in list(sys.modules.items())
        if module is not None
        and (name == prefix or (name.startswith(f"{prefix}.") and ".tests" not in name))
    ]


def _precisions(suite: Suite) -> object:
    kinds = [np.float64, np.float32] if suite.float32 else [np.float64]

    @pytest.fixture(params=kinds, ids=lambda kind: kind.__name__ if suite.float32 else "")
    def global_dtype(self, request):
        return request.param

    return global_dtype


def _inside(suite: Suite) -> object:
    @pytest.fixture(autouse=True)
    def inside(self, request, monkeypatch):
        for home in suite.inside:
            module = importlib.import_module(f"sklearn.{home}")
            for name, replacement in suite.replaced.items():
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, replacement)
        reason = reason_of(suite.stem, request.node.name)
        if reason is not None:
            request.applymarker(pytest.mark.xfail(reason=reason, strict=True))

    return inside
