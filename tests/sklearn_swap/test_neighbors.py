"""scikit-learn's own tests of neighbors, with our classes in the place of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn_exceptions import IMPROVEMENTS, OPEN, page
from sklearn_suite import Suite, test_class

import lookalike

NAMES = (
    "VALID_METRICS",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
)
WITH_K = (lookalike.KNeighborsClassifier, lookalike.KNeighborsRegressor)
MANIFOLD = ("manifold._isomap", "manifold._locally_linear")
SUITES = (
    Suite("neighbors.tests.test_neighbors", NAMES, "neighbors", extra={"KNeighborsMixin": WITH_K}),
    Suite("neighbors.tests.test_neighbors_tree", NAMES, "neighbors"),
    Suite("neighbors.tests.test_kd_tree", NAMES, "neighbors", aliases={"KDTree64": "KDTree"}),
    Suite("neighbors.tests.test_ball_tree", NAMES, "neighbors", aliases={"BallTree64": "BallTree"}),
    Suite("neighbors.tests.test_graph", NAMES, "neighbors"),
    Suite("neighbors.tests.test_neighbors_pipeline", NAMES, "neighbors"),
    Suite("neighbors.tests.test_nearest_centroid", NAMES, "neighbors"),
    Suite("manifold.tests.test_isomap", NAMES, "neighbors", inside=MANIFOLD),
    Suite("manifold.tests.test_locally_linear", NAMES, "neighbors", inside=MANIFOLD),
)
PAGE = Path(__file__).parents[2] / "docs" / "coming_from_scikit_learn.md"


@pytest.fixture
def global_random_seed():
    return 42


for _suite in SUITES:
    _tests = test_class(_suite)
    globals()[_tests.__name__] = _tests
del _tests, test_class  # which are no tests themselves


def test_the_page_is_that_of_the_exceptions():
    assert PAGE.read_text(encoding="utf-8") == page()


def test_at_most_twelve_tests_differ_on_purpose_and_none_for_want_of_work():
    assert sum(len(tests) for tests in IMPROVEMENTS.values()) <= 12
    assert not OPEN
