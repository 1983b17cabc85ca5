import numpy as np
import pytest

from lookalike.data import open_source
from lookalike.data.batches import gather
from lookalike.errors import ParameterError, SourceError, SourceMissingError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
X = np.random.default_rng(0).standard_normal((60, 2)).round(6)


@pytest.fixture
def folder(tmp_path):
    for part, town in enumerate(("Oslo", "Rome", "Wien")):
        some = X[20 * part : 20 * part + 20]
        (tmp_path / f"town={town}").mkdir()
        table = pa.table({"a": some[:, 0], "b": some[:, 1]})
        pq.write_table(table, tmp_path / f"town={town}" / "rows.parquet")
    return tmp_path


def test_a_partitioned_folder_and_a_pattern_are_one_table(folder):
    source = open_source(folder, target="town")
    chunk = gather(source)
    np.testing.assert_array_equal(chunk.X, X)
    assert chunk.y.tolist() == ["Oslo"] * 20 + ["Rome"] * 20 + ["Wien"] * 20
    pattern = gather(open_source(f"{folder}/*/rows.parquet", columns=["a", "b"]))
    np.testing.assert_array_equal(pattern.X, X)


def test_patterns_that_name_nothing_or_other_files_are_refused(folder):
    with pytest.raises(SourceMissingError, match="names no file"):
        open_source(f"{folder}/*.csv")
    (folder / "a.csv").write_text("a\n1\n")
    with pytest.raises(SourceError, match="names no Parquet or Arrow file"):
        open_source(f"{folder}/*.csv")
    with pytest.raises(ParameterError, match="takes no array= and no csv options"):
        open_source(folder, delimiter=";")


def test_a_file_that_vanishes_midway_is_an_error_in_a_sentence(folder):
    source = open_source(folder)
    tables = source.tables(20)
    next(tables)
    (folder / "town=Wien" / "rows.parquet").unlink()
    with pytest.raises(
        (SourceError, SourceMissingError), match=r"does not exist|could not be read"
    ):
        list(tables)


def test_datasets_of_other_readers_are_sources(folder):
    import pyarrow.dataset as ds

    dataset = ds.dataset(folder, partitioning="hive")
    source = open_source(dataset, target="town")
    assert source.repeatable
    np.testing.assert_array_equal(gather(source).X, X)


def test_delta_tables_come_through_their_own_reader(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(str(tmp_path / "t"), pa.table({"a": X[:, 0], "b": X[:, 1]}))
    table = deltalake.DeltaTable(str(tmp_path / "t"))
    np.testing.assert_array_equal(gather(open_source(table.to_pyarrow_dataset())).X, X)
