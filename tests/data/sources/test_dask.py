"""Dask arrays and frames as sources."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from lookalike.data import finite, gather, open_source
from lookalike.errors import ColumnError, MissingValueError, ShapeError

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")

X = np.arange(30.0).reshape(10, 3)
FRAME = pd.DataFrame({"a": range(10), "b": np.arange(10) / 2, "c": list("xyxyxyxyxy")})


def test_chunks_are_partitions_in_order():
    source = open_source(da.from_array(X, chunks=(4, 2)))
    assert (source.n_rows, source.n_features, source.dtype) == (10, 3, np.float64)
    chunks = list(source.chunks())
    assert [(chunk.offset, len(chunk.X)) for chunk in chunks] == [(0, 4), (4, 4), (8, 2)]
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), X)
    np.testing.assert_array_equal(gather(source).X, X)
    assert [len(chunk.X) for chunk in source.chunks(3)] == [3, 1, 3, 1, 2]


def test_only_one_partition_is_computed_at_a_time():
    computed = []

    def watch(block, block_info=None):
        computed.append(block_info[0]["chunk-location"][0])
        return block

    with dask.config.set(scheduler="synchronous"):  # here, even where a cluster is at hand
        source = open_source(da.from_array(X, chunks=(4, 3)).map_blocks(watch, meta=X[:0]))
        computed.clear()
        chunks = source.chunks()
        for number in range(3):
            next(chunks)
            assert computed == list(range(number + 1))


def test_partitions_are_delayed_sources_with_global_row_numbers():
    source = open_source(da.from_array(X, chunks=(4, 3)), y=da.arange(10, chunks=4))
    parts = [part.compute() for *_, part in source.partitions()]
    assert [part.n_rows for part in parts] == [4, 4, 2]
    chunks = [chunk for part in parts for chunk in part.chunks(3)]
    assert [chunk.offset for chunk in chunks] == [0, 3, 4, 7, 8]
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), np.arange(10))
    assert next(parts[1].tables()).offset == 4
    assert next(pickle.loads(pickle.dumps(parts[2])).chunks()).offset == 8


def test_partitions_of_unknown_length_are_counted_and_empty_ones_left_out():
    array = da.from_array(X, chunks=(4, 3))
    some = array[array[:, 0] > 11]  # the first partition is empty
    source = open_source(some)
    assert source.n_rows is None
    np.testing.assert_array_equal(gather(source).X, X[4:])
    parts = [part.compute() for *_, part in source.partitions()]
    assert [next(part.chunks()).offset for part in parts] == [0, 4]
    assert source.n_rows == 6


def test_labels_and_weights_are_cut_as_the_rows_are():
    array = da.from_array(X, chunks=(4, 3))
    for y in (np.arange(10), da.arange(10, chunks=4), da.arange(10, chunks=5)):
        got = gather(open_source(array, y, weight=np.ones(10)))
        np.testing.assert_array_equal(got.y, np.arange(10))
        np.testing.assert_array_equal(got.weight, np.ones(10))
    with pytest.raises(ShapeError, match="y holds 9 entries, X has 10 rows"):
        open_source(array, np.arange(9))


def test_a_frame_gives_tables_and_chunks():
    source = open_source(dd.from_pandas(FRAME, npartitions=3), target="c")
    assert [column.name for column in source.columns] == ["a", "b"]
    got = gather(source)
    np.testing.assert_array_equal(got.X, FRAME[["a", "b"]])
    assert got.y.tolist() == FRAME["c"].tolist()
    tables = list(open_source(dd.from_pandas(FRAME, npartitions=3)).tables())
    assert np.concatenate([t.values["c"] for t in tables]).tolist() == FRAME["c"].tolist()
    assert tables[1].offset == len(tables[0].values["a"])


def test_the_kind_of_a_column_is_that_of_the_first_partition():
    names = ["few"] * 30 + [f"n{i}" for i in range(30)]
    frame = dd.from_pandas(pd.DataFrame({"s": names}), npartitions=2)
    source = open_source(frame)
    assert [part.compute().columns[0].kind for *_, part in source.partitions()] == ["category"] * 2


def test_a_series_beside_a_frame_needs_the_same_partitions():
    frame = dd.from_pandas(FRAME, npartitions=2)
    got = gather(open_source(frame[["a", "b"]], frame["c"]))
    assert got.y.tolist() == FRAME["c"].tolist()
    with pytest.raises(ShapeError, match="y has 5 partitions, the rows have 2"):
        open_source(frame[["a", "b"]], dd.from_pandas(FRAME["c"], npartitions=5))


def test_text_missing_values_and_shapes_are_told_as_elsewhere():
    frame = dd.from_pandas(FRAME, npartitions=2)
    with pytest.raises(ColumnError, match="column 'c' holds text: 'x' at row 0"):
        list(open_source(frame).chunks())
    with pytest.raises(ShapeError, match="one dimension"):
        open_source(da.ones(5, chunks=2))
    with pytest.raises(ShapeError, match="no rows"):
        open_source(da.ones((0, 3)))
    array = da.from_array(np.where(X == 25, np.nan, X), chunks=(4, 3))
    with pytest.raises(MissingValueError, match="row 8, column 'x1'"):
        list(map(finite, open_source(array).chunks()))


def test_sparse_blocks_stay_sparse():
    array = da.from_array(X, chunks=(4, 3)).map_blocks(sp.csr_array)
    chunks = list(open_source(array).chunks())
    assert all(sp.issparse(chunk.X) for chunk in chunks)
    np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in chunks]), X)


def test_columns_and_weight_are_chosen_by_name():
    got = gather(open_source(dd.from_pandas(FRAME, npartitions=2), columns=["a"], weight="b"))
    np.testing.assert_array_equal(got.weight, FRAME["b"])
    assert got.X.shape == (10, 1)
