"""A folder of Parquet files is one table."""

import numpy as np
import pytest

from lookalike import PCA
from lookalike.data import open_source
from lookalike.errors import ColumnError, SourceError, SourceMissingError

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


def test_columns_of_another_order_are_read_by_name(folder):
    table = pa.table({"c0": [1.0], "c2": [1.0], "y": ["no"], "c1": [2.0]})
    parquet.write_table(table, folder / "part3.parquet")
    *_, last = open_source(folder, target=3).chunks()
    assert (last.X.tolist(), last.y.tolist()) == ([[1.0, 2.0, 1.0]], ["no"])


OTHER_PARTS = {
    "lacks one": ({"c0": [1.0], "c2": [1.0]}, r"part3\.parquet' has no column 'c1', which .*part0"),
    "has more": (
        {"c0": [1.0], "c1": [2.0], "c2": [1.0], "z": [1.0]},
        r"part0\.parquet' has no column 'z', which .*part3",
    ),
    "other type": (
        {"c0": [1.0], "c1": ["x"], "c2": [1.0]},
        r"part3\.parquet' holds string in column 'c1', and .*part0\.parquet' holds double",
    ),
}


@pytest.mark.parametrize("case", OTHER_PARTS)
@pytest.mark.parametrize("pattern", [False, True])
def test_a_file_of_other_columns_is_named_and_the_advice_works(folder, case, pattern):
    columns, message = OTHER_PARTS[case]
    parquet.write_table(pa.table({**columns, "y": ["no"]}), folder / "part3.parquet")
    data = str(folder / "*.parquet") if pattern else folder
    with pytest.raises(ColumnError, match=message) as caught:
        open_source(data, target="y")
    column = str(caught.value).split("drop='")[1].split("'")[0]
    for choice in ({"drop": column}, {"drop": [column]}, {"columns": ["c0", "c2"]}):
        source = open_source(data, target="y", **choice)
        assert sum(len(chunk.X) for chunk in source.chunks()) == 91


def test_a_damaged_file_is_named(folder):
    (folder / "part3.parquet").write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(SourceError, match=r"part3\.parquet' is damaged or truncated"):
        open_source(folder, target="y")


@pytest.mark.parametrize("pattern", [False, True])
def test_whole_numbers_and_fractions_are_one_type(tmp_path, pattern):
    parquet.write_table(pa.table({"a": [1, 2], "b": [1, 2]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"a": [0.5, None], "b": [3, 4]}), tmp_path / "1.parquet")
    source = open_source(str(tmp_path / "*.parquet") if pattern else tmp_path)
    cells = np.concatenate([chunk.X for chunk in source.chunks()])[:, 0]
    np.testing.assert_array_equal(cells, [1, 2, 0.5, np.nan])
