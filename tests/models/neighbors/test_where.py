import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import ColumnError, ParameterError

X = np.random.default_rng(0).standard_normal((400, 3))
REFERENCE = np.argsort(np.linalg.norm(X[:5, None] - X[None], axis=2), axis=1, kind="stable")


def nearest(mask, k=4):
    return np.array([row[mask[row]][:k] for row in REFERENCE])


@pytest.mark.parametrize("algorithm", ["auto", "exact", "brute", "kd_tree", "lsh"])
def test_masks_and_row_numbers_limit_every_algorithm(algorithm):
    mask = X[:, 1] > 0.3
    model = NearestNeighbors(4, algorithm=algorithm).fit(X)
    for where in (mask, np.flatnonzero(mask), np.flatnonzero(mask).tolist()):
        row = model.kneighbors(X[:5], return_distance=False, where=where)
        np.testing.assert_array_equal(row, nearest(mask))


def test_a_row_is_not_its_own_neighbor_in_a_subset():
    mask = X[:, 1] > 0.3
    row = NearestNeighbors(2).fit(X).kneighbors(return_distance=False, where=mask)
    assert mask[row].all()
    assert (row != np.arange(len(X))[:, None]).all()


@pytest.mark.parametrize(
    ("algorithm", "metric"),
    [
        ("exact", "euclidean"),
        ("brute", "euclidean"),
        ("kd_tree", "manhattan"),
        ("auto", "mahalanobis"),
        ("auto", "cosine"),
    ],
)
def test_radius_neighbors_are_limited_as_nearest_ones_are(algorithm, metric):
    mask = X[:, 1] > 0.3
    params = {"V": np.diag([1.0, 2.0, 0.5])} if metric == "mahalanobis" else None
    model = NearestNeighbors(algorithm=algorithm, metric=metric, metric_params=params).fit(X)
    radius = np.linspace(0.2, 1.5, 40)
    everywhere = model.radius_neighbors(X[:40], radius)
    for where in (mask, np.flatnonzero(mask), "x1 > 0.3", lambda rows: rows["x1"] > 0.3):
        distances, rows = model.radius_neighbors(X[:40], radius, where=where)
        for distance, row, all_distances, all_rows in zip(
            distances, rows, *everywhere, strict=True
        ):
            np.testing.assert_array_equal(row, all_rows[mask[all_rows]])
            np.testing.assert_array_equal(distance, all_distances[mask[all_rows]])


def test_radius_neighbors_of_training_rows_leave_each_out_in_a_subset():
    mask = X[:, 1] > 0.3
    rows = NearestNeighbors(radius=0.7).fit(X).radius_neighbors(return_distance=False, where=mask)
    assert sum(map(len, rows)) > 100
    assert all(mask[row].all() and own not in row for own, row in enumerate(rows))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_conditions_on_columns_of_a_frame_limit_the_search(library):
    frames = pytest.importorskip(library)
    data = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}
    frame = frames.table(data) if library == "pyarrow" else frames.DataFrame(data)
    model = NearestNeighbors(4).fit(frame)
    mask = (X[:, 1] > 0.3) & (X[:, 0] < 0.5)
    conditions = ["b > 0.3 and a < 0.5", lambda rows: (rows["b"] > 0.3) & (rows["a"] < 0.5)]
    if library == "polars":
        conditions.append((frames.col("b") > 0.3) & (frames.col("a") < 0.5))
        conditions.append((frame["b"] > 0.3) & (frame["a"] < 0.5))
    if library == "pandas":
        conditions.append((frame["b"] > 0.3) & (frame["a"] < 0.5))
    for where in conditions:
        row = model.kneighbors(frame[:5], return_distance=False, where=where)
        np.testing.assert_array_equal(row, nearest(mask))


def test_conditions_are_on_categories_as_they_were_given():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": X[:, 0], "city": np.where(X[:, 1] > 0, "Rome", "Oslo")})
    model = NearestNeighbors(3, metric="gower").fit(frame)
    row = model.kneighbors(frame[:9], return_distance=False, where="city == 'Rome' and size > 0")
    assert ((frame["city"] == "Rome") & (frame["size"] > 0)).to_numpy()[row].all()


def test_rows_that_stay_in_a_file_are_limited_too(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    model = NearestNeighbors(4, engine="stream").fit(tmp_path / "rows.npy")
    mask = X[:, 1] > 0.3
    for where in (mask, "x1 > 0.3"):
        row = model.kneighbors(X[:5], return_distance=False, where=where)
        np.testing.assert_array_equal(row, nearest(mask))
        within = model.radius_neighbors(X[:5], 0.8, return_distance=False, where=where)
        everywhere = NearestNeighbors().fit(X).radius_neighbors(X[:5], 0.8, return_distance=False)
        for found, near in zip(within, everywhere, strict=True):
            np.testing.assert_array_equal(found, near[mask[near]])


def test_a_condition_that_names_no_column_is_refused():
    model = NearestNeighbors(4).fit(X)
    assert model.kneighbors(X[:5], where="x1 > 0.3")[1].tolist() == nearest(X[:, 1] > 0.3).tolist()
    with pytest.raises(ColumnError, match="names the column 'age'"):
        model.kneighbors(X[:5], where="age > 0.3")
    with pytest.raises(ParameterError, match="where= leaves 2"):
        model.kneighbors(X[:5], where=[3, 4])
