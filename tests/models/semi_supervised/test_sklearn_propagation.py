"""scikit-learn's own tests of label propagation, run with our classes in the place of its own."""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sklearn.semi_supervised
from sklearn.semi_supervised import _label_propagation as theirs

import lookalike

SWAPPED = ("LabelPropagation", "LabelSpreading")
EXCEPTIONS = {
    "test_label_propagation_build_graph_normalized": "calls the private _build_graph",
}


@pytest.fixture
def global_dtype():
    return np.float64


def _swapped_module() -> types.ModuleType:
    path = Path(sklearn.semi_supervised.__file__).parent / "tests" / "test_label_propagation.py"
    spec = importlib.util.spec_from_file_location("sklearn_test_label_propagation", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(theirs, **{name: getattr(lookalike, name) for name in SWAPPED}):
        spec.loader.exec_module(module)
    return module


_module = _swapped_module()
globals().update(
    {
        name: test
        for name, test in vars(_module).items()
        if name.startswith("test_") and name not in EXCEPTIONS
    }
)


@pytest.fixture(autouse=True)
def _ours_in_its_place(monkeypatch):
    for name in SWAPPED:
        monkeypatch.setattr(theirs, name, getattr(lookalike, name))


def test_every_exception_is_still_a_test_of_theirs():
    assert EXCEPTIONS.keys() <= vars(_module).keys()
