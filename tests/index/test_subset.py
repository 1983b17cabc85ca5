import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.index.exact import ExactIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.lsh import LSHIndex
from lookalike.index.scan import ScanIndex

INDEXES = {
    "exact": ExactIndex,
    "exact by codes": lambda X: ExactIndex(X, filter="full"),
    "exact by directions": lambda X: ExactIndex(X, filter="prefix"),
    "kd_tree": KDTreeIndex,
    "scan": ScanIndex,
}


def of_subset(index, X, Q, k, mask, exclude=None):
    """Return the neighbors among the rows of the mask, by sorting all distances of the scan."""
    row = np.flatnonzero(mask)
    distance, order = ScanIndex(X[row]).query(Q, len(row))
    rows = []
    for query in range(len(Q)):
        found = row[order[query]]
        keep = found != (-1 if exclude is None else exclude[query])
        rows.append((distance[query][keep][:k], found[keep][:k]))
    return np.array([d for d, _ in rows]), np.array([r for _, r in rows])


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(INDEXES)),
    share=st.sampled_from([0.01, 0.2, 0.6, 0.95]),
    ties=st.booleans(),
    near=st.booleans(),
    seed=st.integers(0, 99),
)
def test_the_nearest_rows_of_a_subset_are_those_of_a_scan_of_it(name, share, ties, near, seed):
    rng = np.random.default_rng(seed)
    n, d, k = 700, 70 if name == "exact by directions" else 6, 4
    X = rng.standard_normal((n, d))
    X = np.rint(X) if ties else X
    mask = (X[:, 0] < np.quantile(X[:, 0], share)) if near else rng.random(n) < share
    mask[rng.choice(n, k + 1, replace=False)] = True
    Q = np.concatenate([X[:5], X[np.argsort(X[:, 0])[-5:]]])  # some far from the subset
    exclude = rng.choice(n, len(Q))
    index = INDEXES[name](X)
    for own in (None, exclude):
        found = index.query(Q, k, exclude=own, where=mask)
        distance, row = of_subset(index, X, Q, k, mask, own)
        np.testing.assert_array_equal(found.row, row)
        np.testing.assert_array_equal(found.distance, distance)


def test_lsh_searches_a_subset_exactly():
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((2000, 8)), rng.standard_normal((6, 8))
    mask = rng.random(2000) < 0.3
    found = LSHIndex(X).query(Q, 5, where=mask)
    np.testing.assert_array_equal(found.row, of_subset(None, X, Q, 5, mask)[1])


def test_precomputed_distances_have_subsets_too():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    found = ScanIndex(distance, metric="precomputed").query(distance[:4], 3, where=range(10, 30))
    np.testing.assert_array_equal(found.row, of_subset(None, X, X[:4], 3, np.arange(30) >= 10)[1])


def test_as_many_neighbors_are_returned_as_the_subset_has_rows():
    X = np.arange(40.0)[:, None]
    for make in INDEXES.values():
        index = make(np.tile(X, (1, 70)))
        found = index.query(np.full((1, 70), 39.0), 3, where=[0, 7, 20])
        assert found.row.tolist() == [[20, 7, 0]]


def test_a_subset_that_cannot_be_searched_is_refused_in_a_sentence():
    index = ExactIndex(np.eye(5))
    with pytest.raises(ShapeError, match=r"mask of shape \(4,\) for 5 rows"):
        index.query(np.eye(5), 1, where=[True] * 4)
    with pytest.raises(ParameterError, match="leaves no row"):
        index.query(np.eye(5), 1, where=[False] * 5)
    with pytest.raises(ParameterError, match=r"where\[1\]=9 names no row"):
        index.query(np.eye(5), 1, where=[0, 9])
    with pytest.raises(ParameterTypeError, match="not a list of row numbers"):
        index.query(np.eye(5), 1, where=[0.5])
    with pytest.raises(ParameterError, match="k=3 exceeds the 5 rows of the index among which"):
        index.query(np.eye(5), 3, where=[0, 1])
