"""Categories, sets and missing values: one definition on every engine and of every input."""

from __future__ import annotations

import gc
import sys
import warnings
from copy import copy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from interleave import count_places, switch_at

from lookalike import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors, load, save
from lookalike.data.sources.item_sets import ItemSets
from lookalike.errors import ColumnError, EngineError, MissingValueError, ParameterError
from lookalike.models.neighbors.search_options import SearchOptions
from lookalike.models.neighbors.search_space import SearchSpace

RNG = np.random.default_rng(15)
N = 40
TABLE = pd.DataFrame(
    {
        "size": RNG.integers(0, 9, N) / 2,
        "color": RNG.choice(["red", "green", "blue"], N),
        "shape": RNG.choice(["round", "square"], N),
        "old": RNG.random(N) < 0.5,
    }
)
HOLES = TABLE.astype({"old": object}).mask(RNG.random((N, 4)) < 0.2)
LABELS = RNG.choice(["yes", "no"], N)


def gower(a, b, table):
    """Gower's distance of two rows, written out."""
    total, present = 0.0, 0
    for name in table.columns:
        x, y = a[name], b[name]
        if pd.isna(x) or pd.isna(y):
            total += expected_difference(table[name].dropna())
            continue
        present += 1
        if name == "size":
            total += min(1.0, abs(x - y) / (table["size"].max() - table["size"].min()))
        else:
            total += x != y
    return total / len(table.columns) if present else 1.0


def expected_difference(cells):
    """The mean difference of all pairs of cells; sizes are read to 1/1024 of their range."""
    if cells.name != "size":
        return np.mean([[x != y for y in cells] for x in cells])
    steps = ((cells - cells.min()) / (cells.max() - cells.min()) * 1024).round().to_numpy(float)
    return np.abs(steps[:, None] - steps).mean() / 1024


def hamming(a, b):
    return np.mean([x != y for x, y in zip(a, b, strict=True)])


def jaccard(a, b):
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def nearest(distance, k):
    """Distances and rows of the k nearest, equal ones by number."""
    row = np.argsort(distance, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distance, row, 1), row


def inputs(folder, table):
    """The same table as every kind of input, with the engine that reads it."""
    dd = pytest.importorskip("dask.dataframe")
    table.to_csv(folder / "t.csv", index=False)
    pl.from_pandas(table.convert_dtypes()).write_parquet(folder / "t.parquet")
    yield "pandas", table, "auto"
    yield "polars", pl.from_pandas(table.convert_dtypes()), "auto"
    yield "arrow", pa.Table.from_pandas(table.convert_dtypes(), preserve_index=False), "memory"
    yield "csv", folder / "t.csv", "auto"
    yield "csv stream", folder / "t.csv", "stream"
    yield "parquet", folder / "t.parquet", "auto"
    yield "parquet stream", folder / "t.parquet", "stream"
    yield "frame stream", table, "stream"
    text = table.astype({"color": "string", "shape": "string"})
    yield "dask", dd.from_pandas(text, npartitions=3), "auto"


@pytest.mark.usefixtures("cluster")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_gower_over_missing_values_is_the_same_on_every_engine_and_input(tmp_path):
    table = HOLES.astype({"old": "boolean"})
    records = HOLES.to_dict("records")
    distance = np.array([[gower(a, b, HOLES) for b in records] for a in records])
    expected = nearest(distance, 5)
    seen = []
    for name, X, engine in inputs(tmp_path, table):
        for options in ({"metric": "gower"}, {"missing": "present"}):
            model = NearestNeighbors(5, engine=engine, **options).fit(X)
            found = model.kneighbors(X)
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, err_msg=name)
            seen.append(found)
            assert model.effective_metric_ == "gower"
    for found in seen[1:]:
        np.testing.assert_array_equal(found[0], seen[0][0])
        np.testing.assert_array_equal(found[1], seen[0][1])


@pytest.mark.usefixtures("cluster")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_hamming_compares_text_columns_of_every_input(tmp_path):
    rows = TABLE.values.tolist()
    expected = nearest(np.array([[hamming(a, b) for b in rows] for a in rows]), 4)
    for name, X, engine in inputs(tmp_path, TABLE):
        found = NearestNeighbors(4, metric="hamming", engine=engine).fit(X).kneighbors(X)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, err_msg=name)
        np.testing.assert_array_equal(found[1], expected[1], err_msg=name)


def test_hamming_compares_a_matrix_of_text():
    rows = [["a", "x"], ["a", "y"], ["b", "y"]]
    model = NearestNeighbors(3, metric="hamming").fit(rows)
    distance, row = model.kneighbors(np.array([["b", "x"]]))
    np.testing.assert_array_equal(distance, [[0.5, 0.5, 1.0]])
    np.testing.assert_array_equal(row, [[0, 2, 1]])
    distance, _ = model.kneighbors([["c", "new"]])  # never met: equals nothing
    np.testing.assert_array_equal(distance, [[1.0, 1.0, 1.0]])


BASKETS = [
    {"milk", "bread"},
    {"bread"},
    set(),
    {"milk", "eggs", "salt"},
    {"tea", "bread", "milk"},
    {"tea"},
]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        lambda sets: [sorted(one) for one in sets],
        lambda sets: pd.Series([sorted(one) for one in sets]),
        lambda sets: pd.DataFrame({"basket": [sorted(one) for one in sets]}),
        lambda sets: pl.Series([sorted(one) for one in sets]),
        lambda sets: pa.table({"basket": [sorted(one) for one in sets]}),
    ],
)
@pytest.mark.parametrize("engine", ["auto", "stream"])
def test_jaccard_compares_lists_of_items(kind, engine):
    asked = [{"milk"}, {"milk", "wine"}, set(), {f"new {j}" for j in range(100)} | {"tea"}]
    expected = nearest(np.array([[jaccard(a, b) for b in BASKETS] for a in asked]), 6)
    model = NearestNeighbors(6, metric="jaccard", engine=engine).fit(kind(BASKETS))
    distance, row = model.kneighbors(kind(asked))
    np.testing.assert_allclose(distance, expected[0], rtol=1e-15)
    np.testing.assert_array_equal(row, expected[1])


def test_jaccard_compares_columns_of_booleans_and_of_categories():
    flags = TABLE[["old"]].assign(big=TABLE["size"] > 2, young=~TABLE["old"])
    sets = [{name for name in flags if row[name]} for row in flags.to_dict("records")]
    expected = nearest(np.array([[jaccard(a, b) for b in sets] for a in sets]), 5)
    found = NearestNeighbors(5, metric="jaccard").fit(flags).kneighbors(flags)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-15)
    mixed = TABLE[["color", "shape", "old"]]
    sets = [
        {("color", row["color"]), ("shape", row["shape"])} | ({"old"} if row["old"] else set())
        for row in mixed.to_dict("records")
    ]
    expected = nearest(np.array([[jaccard(a, b) for b in sets] for a in sets]), 5)
    found = NearestNeighbors(5, metric="jaccard").fit(mixed).kneighbors(mixed)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-15)
    np.testing.assert_array_equal(found[1], expected[1])
    with pytest.raises(ColumnError, match=r"column 'size' is .* jaccard compares sets"):
        NearestNeighbors(5, metric="jaccard").fit(TABLE)


def test_sets_that_are_none_are_an_error():
    with pytest.raises(ColumnError, match="row 1 is None, where the others are sets of items"):
        NearestNeighbors(1, metric="jaccard").fit([["a"], None, ["b", "c"]])
    with pytest.raises(ColumnError, match="metric='jaccard'"):
        NearestNeighbors(1).fit(ItemSets([["a"], ["b"]]))


@pytest.mark.parametrize(
    ("metric", "rows", "more", "asked"),
    [
        ("gower", TABLE[:30], TABLE[30:].assign(color="violet"), TABLE.assign(color="violet")),
        ("jaccard", BASKETS, [{f"item {j}" for j in range(90)}, {"milk"}], [{"item 3"}, {"tea"}]),
    ],
)
def test_rows_with_new_categories_are_added_and_removed(metric, rows, more, asked):
    joined = pd.concat([rows, more]) if metric == "gower" else [*rows, *more]
    whole = NearestNeighbors(3, metric=metric).fit(joined)
    grown = NearestNeighbors(3, metric=metric).fit(rows).partial_fit(more)
    for mine, theirs in zip(grown.kneighbors(asked), whole.kneighbors(asked), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    grown.remove(np.arange(len(rows), len(joined)))
    back = NearestNeighbors(3, metric=metric).fit(rows).kneighbors(asked)
    for mine, theirs in zip(grown.kneighbors(asked), back, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["gower", "hamming", "jaccard"])
def test_models_of_categories_and_sets_are_stored(tmp_path, metric):
    rows = BASKETS if metric == "jaccard" else TABLE[: len(BASKETS)]
    model = KNeighborsClassifier(1, metric=metric).fit(rows, LABELS[: len(BASKETS)])
    save(model, tmp_path / "model.look")
    again = load(tmp_path / "model.look")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


@pytest.mark.usefixtures("cluster")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_missing_categories_become_the_most_frequent_and_numbers_the_mean(tmp_path):
    table = HOLES.astype({"old": "boolean"})
    filled = HOLES.copy()
    filled["size"] = filled["size"].fillna(filled["size"].mean())
    filled["old"] = filled["old"].astype(float).fillna(filled["old"].astype(float).mean())
    for name in ("color", "shape"):
        filled[name] = filled[name].fillna(filled[name].mode()[0])
    records = filled.to_dict("records")
    ends = filled["size"].max() - filled["size"].min()

    def distance(a, b):
        numbers = abs(a["size"] - b["size"]) / ends + abs(a["old"] - b["old"])
        return (numbers + (a["color"] != b["color"]) + (a["shape"] != b["shape"])) / 4

    expected = nearest(np.array([[distance(a, b) for b in records] for a in records]), 4)[0]
    for name, X, engine in inputs(tmp_path, table):
        model = NearestNeighbors(4, metric="gower", missing="mean", engine=engine).fit(X)
        np.testing.assert_allclose(model.kneighbors(X)[0], expected, rtol=1e-12, err_msg=name)


def test_weights_and_codes_are_named_by_column_on_every_engine():
    X = TABLE.assign(zip=RNG.integers(100, 104, N))
    params = {"w": {"color": 3.0}, "categorical": ["zip"]}
    records = X.to_dict("records")
    ends = X["size"].max() - X["size"].min()

    def distance(a, b):
        equal = sum(a[name] != b[name] for name in ("shape", "old", "zip"))
        return (abs(a["size"] - b["size"]) / ends + 3 * (a["color"] != b["color"]) + equal) / 7

    expected = nearest(np.array([[distance(a, b) for b in records] for a in records]), 4)[0]
    for engine in ("auto", "stream"):
        model = NearestNeighbors(4, metric="gower", metric_params=params, engine=engine).fit(X)
        np.testing.assert_allclose(model.kneighbors(X)[0], expected, rtol=1e-12)
    with pytest.raises(ColumnError, match="categorical names 'post'"):
        NearestNeighbors(metric="gower", metric_params={"categorical": ["post"]}).fit(X)


def test_models_learn_from_mixed_rows_with_missing_values(tmp_path):
    path = tmp_path / "t.csv"
    HOLES.to_csv(path, index=False)
    memory = KNeighborsClassifier(3, missing="present").fit(HOLES, LABELS)
    stream = KNeighborsClassifier(3, missing="present", engine="stream").fit(path, LABELS)
    np.testing.assert_array_equal(stream.predict(path), memory.predict(HOLES))
    numbers = KNeighborsRegressor("loo", missing="present", k_max=4).fit(HOLES, np.arange(N))
    assert len(numbers.predict(HOLES)) == N


def test_numbers_in_npy_are_compared_and_objects_are_refused(tmp_path):
    numbers = np.where(RNG.random((20, 3)) < 0.2, np.nan, RNG.normal(size=(20, 3)))
    np.save(tmp_path / "n.npy", numbers)
    np.save(tmp_path / "o.npy", np.array([["a", 1.0]], dtype=object))
    here = NearestNeighbors(3, missing="present").fit(numbers).kneighbors(numbers)
    there = NearestNeighbors(3, missing="present", engine="stream").fit(tmp_path / "n.npy")
    np.testing.assert_array_equal(there.kneighbors(numbers)[1], here[1])
    with pytest.raises(Exception, match=r"o\.npy"):
        NearestNeighbors(3, metric="gower").fit(tmp_path / "o.npy")


def test_missing_numbers_of_a_search_are_an_error_or_means():
    X = np.array([[0.0, np.nan], [1.0, 2.0], [5.0, 4.0]])
    with pytest.raises(MissingValueError):
        NearestNeighbors(1).fit(X)
    filled = np.array([[0.0, 3.0], [1.0, 2.0], [5.0, 4.0]])
    mine = NearestNeighbors(2, missing="mean").fit(X).kneighbors(X)
    theirs = NearestNeighbors(2).fit(filled).kneighbors(filled)
    np.testing.assert_array_equal(mine[0], theirs[0])
    sparse = sp.csr_array(X)
    mine = NearestNeighbors(2, missing="mean").fit(sparse).kneighbors(sparse)
    np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-14)
    with pytest.raises(ParameterError, match="missing='present' compares rows by metric"):
        NearestNeighbors(metric="manhattan", missing="present").fit(X)


def test_options_of_an_index_reach_it_or_are_refused():
    X = RNG.normal(size=(400, 3))
    exact = NearestNeighbors(5).fit(X).kneighbors(X)
    for options in ({"split": "random", "leaf_size": 3}, {"leaf_size": 100}):
        model = NearestNeighbors(5, algorithm="kd_tree", **options).fit(X)
        assert {name: getattr(model.space_.index, name) for name in options} == options
        np.testing.assert_array_equal(model.kneighbors(X)[1], exact[1])
    near = KNeighborsClassifier(5, approximate=0.5).fit(X, X[:, 0] > 0)
    assert near.space_.index.approximate == 0.5
    distance, _ = near.kneighbors(X)
    assert (distance <= 1.5 * exact[0] + 1e-15).all()
    assert (
        KNeighborsRegressor(algorithm="lsh", recall=0.7).fit(X, X[:, 0]).space_.index.recall == 0.7
    )
    with pytest.raises(ParameterError, match="approximate is for the KD-tree"):
        NearestNeighbors(approximate=0.5, metric="cosine").fit(X)
    with pytest.raises(ParameterError, match="hashes columns of one weight"):
        NearestNeighbors(algorithm="lsh", metric_params={"w": [1, 2, 3]}).fit(X)
    with pytest.raises(EngineError, match="algorithm='lsh' arranges rows in memory"):
        NearestNeighbors(algorithm="lsh", engine="stream").fit(X)


def python_calls(work):
    """Return how many Python functions `work` runs; those of garbage found meanwhile are none."""
    calls = []
    gc.disable()
    sys.setprofile(lambda frame, event, _: calls.append(frame) if event == "call" else None)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return len(calls) - 1  # `work` itself


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [3, 40])
def test_a_warm_search_of_one_query_makes_at_most_sixty_python_calls(dtype, columns):
    X = np.random.default_rng(0).normal(size=(3000, columns)).astype(dtype)
    model, query = NearestNeighbors(5).fit(X), X[:1] + dtype(0.1)
    model.kneighbors(query)
    assert python_calls(lambda: model.kneighbors(query)) <= 60


@pytest.mark.parametrize("algorithm", ["exact", "brute", "kd_tree"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda model, Q: model.kneighbors(Q),
        lambda model, Q: model.radius_neighbors(Q, 2.0),
    ],
    ids=["kneighbors", "radius_neighbors"],
)
def test_whole_numbers_that_are_not_exact_in_float64_warn_once(ask, algorithm):
    model = NearestNeighbors(1, algorithm=algorithm).fit(np.eye(4))
    Q = np.zeros((2, 4), np.int64)
    Q[1, 2] = 2**53 + 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask(model, Q)
    assert len(caught) == 1
    assert str(caught[0].message).startswith("X")


def test_a_space_that_is_extended_or_reduced_is_another_one():
    X = np.random.default_rng(0).normal(size=(50, 3))
    space = SearchSpace.fit(X[:30], SearchOptions(), weight=np.ones(30))
    more = space.extend(X[30:], np.arange(50.0))
    fewer = more.remove(np.arange(10))
    assert (space.n_rows, more.n_rows, fewer.n_rows) == (30, 50, 40)
    assert fewer.weight.tolist() == list(range(10, 50))
    assert space.weight.tolist() == [1.0] * 30
    nearest = [each.nearest(each.queries(X), 2).row for each in (space, more, fewer)]
    for rows, result in zip([X[:30], X, X[10:]], nearest, strict=True):
        expected = SearchSpace.fit(rows, SearchOptions())
        assert result.tolist() == expected.nearest(expected.queries(X), 2).row.tolist()


def test_the_space_answers_as_the_model_that_has_it():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = NearestNeighbors(3).fit(X)
    space = model.space_
    near = space.nearest(space.queries(X[:5]), 3)
    assert near.row.tolist() == model.kneighbors(X[:5])[1].tolist()
    assert space.nearest_of_training(3).row.tolist() == model.kneighbors()[1].tolist()
    within = space.within(space.queries(X[:5]), 0.5)
    rows = model.radius_neighbors(X[:5], 0.5, return_distance=False)
    assert within.row.tolist() == np.concatenate(rows).tolist()
    assert space.allowed(None) is None
    assert space.allowed([1, 2]).sum() == 2


def test_a_space_may_be_copied_while_another_thread_fills_in_what_is_known_of_it():
    def make():
        space = NearestNeighbors(1).fit(RNG.normal(size=(20, 3))).space_
        for name in ("in_chunks", "on_cluster", "_plain_width"):
            vars(space).pop(name, None)
        return space

    def fill_in(space):
        return space.in_chunks, space.on_cluster, space._plain_width

    first = make()
    for place in range(count_places(lambda: copy(first), "opcode")):
        space = make()
        twin = switch_at(lambda s=space: copy(s), lambda s=space: fill_in(s), place, "opcode")
        assert twin.n_rows == 20
        assert twin.index is space.index
