"""Rows of very different magnitudes: neighbors are right, or an error names row and column."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import MagnitudeError
from lookalike.index.disk import DiskIndex, build_index_file
from lookalike.index.exact import ExactIndex
from lookalike.index.kdtree import KDTreeIndex
from lookalike.index.lsh import LSHIndex
from lookalike.index.rescale import distance_scale
from lookalike.index.scan import ScanIndex

OUTLIER = 7


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((400, 3))


def with_outlier(rows, size):
    """Return the rows with one cell of another magnitude."""
    mixed = rows.copy()
    mixed[OUTLIER, 1] = size
    return mixed


def build_on_disk(tmp_path):
    def build(X):
        build_index_file(tmp_path / "rows.index", X)
        return DiskIndex(tmp_path / "rows.index")

    return build


@pytest.fixture(params=["exact", "prefix", "full", "kd_tree", "lsh", "scan", "nan", "disk"])
def build(request, tmp_path):
    return {
        "exact": ExactIndex,
        "prefix": lambda X: ExactIndex(X, filter="prefix"),
        "full": lambda X: ExactIndex(X, filter="full"),
        "kd_tree": KDTreeIndex,
        "lsh": lambda X: LSHIndex(X, recall=0.999),
        "scan": ScanIndex,
        "nan": lambda X: ScanIndex(X, metric="nan_euclidean"),
        "disk": build_on_disk(tmp_path),
    }[request.param]


@pytest.mark.parametrize("size", [1e101, 1e145, -1e200, 1e220])
def test_one_large_row_changes_no_other_neighbor(build, rows, size):
    index = build(with_outlier(rows, size))
    queries = np.delete(rows, OUTLIER, axis=0)[:50]
    result = index.query(queries, 4)
    reference = ScanIndex(np.delete(rows, OUTLIER, axis=0)).query(queries, 4)
    np.testing.assert_array_equal(result.distance, reference.distance)
    near = index.query_radius(queries, 0.5)
    wanted = ScanIndex(np.delete(rows, OUTLIER, axis=0)).query_radius(queries, 0.5)
    np.testing.assert_array_equal(near.distance, wanted.distance)


def test_magnitudes_that_no_scale_brings_together_are_named_with_row_and_column(build, rows):
    with pytest.raises(MagnitudeError, match=r"1\.7e\+308 at row 7, column 1"):
        build(with_outlier(rows, 1.7e308))


def test_rows_of_one_large_magnitude_and_zeros_are_searched(build, rows):
    large = np.where(rows > 1, 0.0, rows) * 1e300
    scale = distance_scale(np.abs(large).max())
    result = build(large).query(large[:20], 3)
    reference = ScanIndex(large * scale).query(large[:20] * scale, 3)
    np.testing.assert_array_equal(result.distance, reference.distance / scale)


@pytest.mark.parametrize("kind", [ExactIndex, KDTreeIndex, ScanIndex])
def test_a_query_that_cannot_be_told_from_a_row_is_an_error_and_not_at_distance_zero(kind):
    index = kind(np.array([[0.0, 0.0], [1e300, 1e300], [0.0, 1e300], [1e300, 0.0]]))
    assert index.query([[0.0, 0.0]], 1).distance[0, 0] == 0.0
    with pytest.raises(MagnitudeError, match="vanishes"):
        index.query([[1e-3, 0.0]], 1)


def test_rows_that_are_added_are_looked_at_too(rows):
    for index in (ExactIndex(rows), KDTreeIndex(rows), ScanIndex(rows)):
        with pytest.raises(MagnitudeError, match=r"row 407, column 1"):
            index.add(with_outlier(rows, 1.7e308))


def test_segments_of_mixed_magnitudes_are_searched_or_refused(rows, tmp_path):
    index = build_on_disk(tmp_path)(rows)
    index.add(with_outlier(rows, 1e200))
    reference = ScanIndex(np.concatenate([rows, np.delete(rows, OUTLIER, axis=0)]))
    result = index.query(rows[:30], 4)
    np.testing.assert_array_equal(result.distance, reference.query(rows[:30], 4).distance)
    for mixed in (with_outlier(rows, 1.7e308), with_outlier(rows, 1e-100)):
        with pytest.raises(MagnitudeError, match="row 7, column 1"):
            index.add(mixed)
    assert index.n_rows == 800


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "minkowski"])
def test_models_search_rows_of_mixed_magnitudes(rows, metric):
    power = {"p": 3} if metric == "minkowski" else {}
    model = NearestNeighbors(n_neighbors=4, metric=metric, **power)
    plain = np.delete(rows, OUTLIER, axis=0)
    reference = model.fit(plain).kneighbors(plain[:30])[0]
    result = model.fit(with_outlier(rows, 1e200)).kneighbors(plain[:30])[0]
    np.testing.assert_allclose(result, reference, rtol=1e-12)


def test_rows_in_chunks_have_the_neighbors_of_rows_in_memory(rows):
    mixed = with_outlier(rows, 1e200)
    model = NearestNeighbors(n_neighbors=4, engine="stream").fit(mixed)
    result = model.kneighbors(rows[:20])[0]
    np.testing.assert_array_equal(result, ExactIndex(mixed).query(rows[:20], 4).distance)
    with pytest.raises(MagnitudeError, match="row 7, column 1"):
        NearestNeighbors(n_neighbors=4, engine="stream").fit(
            with_outlier(rows, 1.7e308)
        ).kneighbors(rows[:20])


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_a_value_without_a_variance_is_named(rows, metric, tmp_path):
    mixed = with_outlier(rows, 1e200)
    with pytest.raises(MagnitudeError, match="row 7, column 1"):
        NearestNeighbors(metric=metric).fit(mixed)
    with pytest.raises(MagnitudeError, match=r"'x1' holds 1e\+200"):
        build_index_file(tmp_path / "i", mixed, metric=metric)
