"""Neighbors written to Parquet, block by block."""

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.neighbors import save_neighbors

parquet = pytest.importorskip("pyarrow.parquet")
ROWS = np.random.default_rng(0).integers(0, 5, (70, 4)).astype(np.float32)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("lookalike.models.neighbors.neighbor_file.NEIGHBOR_FILE_PAIRS", 40)


def assert_written(path, expected):
    table = parquet.read_table(path)
    distance, row = (np.asarray(part) for part in expected)
    assert table["row"].to_pylist() == np.repeat(np.arange(len(row)), 3).tolist()
    assert table["rank"].to_pylist() == [1, 2, 3] * len(row)
    np.testing.assert_array_equal(table["neighbor"].to_numpy(), row.ravel())
    np.testing.assert_array_equal(table["distance"].to_numpy(), distance.ravel())


def test_blocks_are_those_of_kneighbors(tmp_path, engine):
    model = NearestNeighbors(3, engine=engine).fit(ROWS)
    assert save_neighbors(model, tmp_path / "own.parquet") == 70
    assert_written(tmp_path / "own.parquet", model.kneighbors())
    assert save_neighbors(model, tmp_path / "of.parquet", ROWS[:25]) == 25
    assert_written(tmp_path / "of.parquet", model.kneighbors(ROWS[:25]))


def test_queries_come_from_files_and_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=list("abcd"))
    frame.to_parquet(tmp_path / "queries.parquet")
    model = NearestNeighbors(3).fit(frame)
    save_neighbors(model, tmp_path / "out.parquet", tmp_path / "queries.parquet")
    assert_written(tmp_path / "out.parquet", model.kneighbors(frame))


def test_nothing_is_written_where_a_query_fails(tmp_path):
    def broken():
        yield ROWS[:20]
        raise ValueError("the reader broke")

    model = NearestNeighbors(3).fit(ROWS)
    with pytest.raises(ValueError, match="the reader broke"):
        save_neighbors(model, tmp_path / "out.parquet", broken)
    assert list(tmp_path.iterdir()) == []
