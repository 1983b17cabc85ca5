"""Parquet and Arrow files as sources, in batches."""

import contextlib
import datetime as dt
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from lookalike.data import gather, open_source
from lookalike.data.formats.arrow import ParquetSource
from lookalike.errors import ColumnError, LookalikeError, ShapeError, SourceError

N = 1000
TABLE = pa.table(
    {
        "f": np.arange(N, dtype=np.float32),
        "i": np.arange(N, dtype=np.int16),
        "b": np.arange(N) % 2 == 0,
        "gap": pa.array([None if i == 700 else i for i in range(N)], pa.int32()),
        "c": pa.array(["x", None, "y", "x"] * (N // 4)).dictionary_encode(),
        "s": ["p", "q"] * (N // 2),
        "d": [dt.datetime(2020, 1, 1)] * N,
    }
)


def parquet(table, path):
    pyarrow.parquet.write_table(table, path, row_group_size=300)


def arrow(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=300):
            writer.write_batch(batch)


def feather(table, path):
    pyarrow.feather.write_feather(table, str(path), compression="lz4", chunksize=300)


WRITERS = {"t.parquet": parquet, "t.arrow": arrow, "t.feather": feather}


@pytest.fixture(params=WRITERS)
def write(request, tmp_path):
    def make(table):
        WRITERS[request.param](table, tmp_path / request.param)
        return tmp_path / request.param

    return make


@pytest.mark.parametrize("rows", [300, 128, 999, None])
def test_chunks_are_the_same_as_of_the_table_in_memory(write, rows):
    names = ["f", "i", "b"]
    source = open_source(write(TABLE), columns=names)
    memory = open_source(TABLE, columns=names)
    assert source.n_rows == N
    for got, wanted in zip(source.chunks(rows), memory.chunks(rows), strict=True):
        assert got.offset == wanted.offset
        assert got.X.dtype == wanted.X.dtype == source.dtype == np.float32
        np.testing.assert_array_equal(got.X, wanted.X)


def test_types_are_kept_where_no_value_can_be_missing(write):
    strict = pa.schema(
        [field.with_nullable(False) for field in TABLE.schema if field.name in "ibf"]
    )
    path = write(TABLE.select(strict.names).cast(strict))
    for name, dtype in (("i", np.int16), ("b", bool), ("f", np.float32)):
        source = open_source(path, columns=[name])
        assert source.dtype == dtype
        assert {chunk.X.dtype for chunk in source.chunks(100)} == {np.dtype(dtype)}


def test_whole_numbers_with_gaps_are_floats_that_hold_them_in_every_chunk(write):
    small = pa.array([None if i == 700 else i for i in range(N)], pa.int16())
    path = write(TABLE.append_column("small", small))
    for name, dtype in (("gap", np.float64), ("small", np.float32)):
        source = open_source(path, columns=[name])
        assert (
            {chunk.X.dtype for chunk in source.chunks(100)} == {np.dtype(dtype)} == {source.dtype}
        )
        got = gather(source).X[:, 0]
        assert np.flatnonzero(np.isnan(got)).tolist() == [700]
        np.testing.assert_array_equal(np.delete(got, 700), np.delete(np.arange(N), 700))


def test_tables_give_every_kind(write):
    source = open_source(write(TABLE), target="s")
    kinds = {column.name: column.kind for column in source.columns}
    assert kinds == {
        "f": "number",
        "i": "number",
        "b": "boolean",
        "gap": "number",
        "c": "category",
        "d": "date",
    }
    tables = list(source.tables(600))
    assert [table.offset for table in tables] == [0, 600]
    assert tables[1].values["c"][:4].tolist() == ["x", None, "y", "x"]
    assert tables[0].y[:2].tolist() == ["p", "q"]
    assert tables[0].values["d"].dtype == "datetime64[us]"


def test_short_suffixes_are_known(tmp_path):
    parquet(TABLE, tmp_path / "t.pq")
    arrow(TABLE, tmp_path / "t.ipc")
    for name in ("t.pq", "t.ipc"):
        assert open_source(tmp_path / name).n_rows == N


def test_text_where_numbers_are_needed_is_named(write):
    with pytest.raises(ColumnError, match="column 's' holds text: 'p' at row 0"):
        open_source(write(TABLE), columns=["f", "s"]).chunks()


def test_only_the_needed_columns_are_read(write):
    nested = TABLE.append_column("nested", pa.array([[1]] * N))
    path = write(nested)
    assert open_source(path, columns=["f"]).n_features == 1
    with pytest.raises(ColumnError, match="column 'nested' is of type List"):
        open_source(path)


def test_no_rows_and_doubled_names_are_errors(write):
    with pytest.raises(ShapeError, match="columns and no rows"):
        open_source(write(TABLE.slice(0, 0)))


def test_doubled_names_are_an_error(tmp_path):
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    arrow(doubled, tmp_path / "t.arrow")
    with pytest.raises(ColumnError, match="two columns named 'a'"):
        open_source(tmp_path / "t.arrow")


def test_every_truncation_is_an_error(write):
    path = write(TABLE)
    whole = path.read_bytes()
    for length in (0, 1, 7, 100, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(SourceError, match=r"damaged or truncated: .*[^.]\. Write it again"):
            gather(open_source(path))


def test_a_flipped_bit_never_ends_the_process(write):
    path = write(TABLE)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for place, bit in zip(
        rng.integers(len(whole), size=100), rng.integers(8, size=100), strict=True
    ):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(bit)
        path.write_bytes(flipped)
        with contextlib.suppress(LookalikeError):
            for _ in open_source(path, columns=["f", "i", "b", "gap", "s"]).tables():
                pass


def test_another_file_under_the_suffix_is_an_error(write):
    path = write(TABLE)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match="damaged or truncated"):
        open_source(path)


def test_labels_given_beside_a_file_must_fit(write):
    path = write(TABLE)
    assert gather(open_source(path, y=np.arange(N), columns=["f"])).y[-1] == N - 1
    with pytest.raises(ShapeError, match="y holds 3 entries, X has 1000 rows"):
        open_source(path, y=[1, 2, 3])


def test_a_whole_number_that_float64_cannot_hold_warns_once_and_names_the_cell(write):
    values = [None, 1] * 400 + [2**53 + 1] * 2
    source = open_source(write(pa.table({"a": [1] * 802, "id": values})))
    with pytest.warns(UserWarning, match="at row 800, column 'id' is not exact") as seen:
        list(source.chunks(100))
    assert len(seen) == 1


PEAK = """
from lookalike.settings import config
from lookalike.data import open_source
config(memory="16MB")
def most():  # of this process alone: getrusage begins with that of the process that started it
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1])
for chunk in open_source({small!r}).chunks(): pass
before = most()
rows = sum(len(chunk.X) for chunk in open_source({large!r}).chunks())
print(rows, most() - before)
"""


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_a_file_ten_times_the_budget_is_read_within_a_few_budgets(tmp_path, suffix):
    n = 2_000_000
    for name, rows in (("small", n // 50), ("large", n)):
        path = tmp_path / f"{name}.{suffix}"
        if suffix == "csv":
            path.write_bytes(b"a,b,c,d,e,f,g,h,i,j\n" + b"1,2,3,4,5,6,7,8,9,0\n" * rows)
            continue
        table = pa.table({f"c{j}": np.zeros(rows) for j in range(10)})
        if suffix == "parquet":
            pyarrow.parquet.write_table(
                table, path, row_group_size=50_000, use_dictionary=False, compression="none"
            )
        else:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table, max_chunksize=50_000)
    code = PEAK.format(
        small=str(tmp_path / f"small.{suffix}"), large=str(tmp_path / f"large.{suffix}")
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    rows, grown = map(int, ran.stdout.split())
    assert rows == n
    if suffix != "arrow":  # whose mapped pages count as resident until the system wants them back
        assert grown < 64_000  # kB, of 160 MB


def test_a_parquet_file_without_the_rows_that_it_counts_is_one_sentence(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": [1.0, 2.0]}), path)
    monkeypatch.setattr(ParquetSource, "_batches", lambda *_: iter(()))
    with pytest.raises(SourceError, match="holds none of the rows that it counts"):
        open_source(path)
