"""A folder of Parquet files is one table."""

import numpy as np
import pytest

from lookalike import PCA
from lookalike.data import open_source
from lookalike.errors import ColumnError, SourceMissingError

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ROWS = np.random.default_rng(0).normal(size=(90, 3))


@pytest.fixture
def folder(tmp_path):
    for number, start in enumerate((0, 40, 70)):
        part = ROWS[start : (40, 70, 90)[number]]
        label = np.where(part[:, 0] > 0, "yes", "no")
        table = pa.table({**{f"c{j}": part[:, j] for j in range(3)}, "y": label})
        parquet.write_table(table, tmp_path / f"part{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def test_rows_come_file_by_file_with_their_numbers(folder):
    source = open_source(folder, target="y")
    chunks = list(source.chunks(25))
    assert [(chunk.offset, len(chunk.X)) for chunk in chunks] == [
        (0, 25), (25, 15), (40, 25), (65, 5), (70, 20)
    ]  # fmt: skip
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), ROWS)
    assert source.n_rows == 90
    assert chunks[0].y[0] == ("yes" if ROWS[0, 0] > 0 else "no")


def test_workers_read_the_files_and_the_bits_are_the_same(folder, cluster):
    columns = ["c0", "c1", "c2"]
    here = PCA(2, engine="stream").fit(open_source(folder, columns=columns))
    there = PCA(2, engine="dask").fit(open_source(folder, columns=columns))
    np.testing.assert_array_equal(here.components_, there.components_)


def test_a_file_that_vanishes_midway_is_one_sentence(folder):
    source = open_source(folder, columns=["c0", "c1", "c2"])
    (folder / "part2.parquet").unlink()
    with pytest.raises(SourceMissingError, match=r"part2\.parquet.*is gone"):
        PCA(2, engine="stream").fit(source)


def test_a_file_of_other_columns_is_named(folder):
    table = pa.table({"c0": [1.0], "c2": [1.0], "c1": [2.0], "y": ["no"]})
    parquet.write_table(table, folder / "part3.parquet")
    with pytest.raises(ColumnError, match="from row 90 on has the column 'c2' where"):
        open_source(folder, target="y")
