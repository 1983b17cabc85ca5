"""What a compressed Arrow file expands to is known before it is expanded."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import lookalike
from lookalike.data import gather, open_source
from lookalike.data.formats.arrow_blocks import expanded_size
from lookalike.errors import MemoryBudgetError

ROWS = 5000
TABLE = pa.table(
    {
        "number": np.zeros(ROWS),
        "text": pa.array(["same"] * ROWS),
        "kind": pa.array(["x", "y"] * (ROWS // 2)).dictionary_encode(),
    }
)


def written(compression, rows=None):
    file = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(file, TABLE.schema, options=options) as writer:
        writer.write_table(TABLE, max_chunksize=rows)
    return file.getvalue()


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("rows", [None, 1000])
def test_the_largest_batch_is_measured(compression, rows):
    least = TABLE.slice(0, rows).get_total_buffer_size() if rows is None else 1000 * 20
    size = expanded_size(memoryview(written(compression, rows)))
    assert 0.9 * least < size < 1.3 * least + 1000


def test_a_file_that_is_not_compressed_or_no_arrow_file_has_nothing_to_expand():
    assert expanded_size(memoryview(written(None))) == 0
    for content in (b"", b"ARROW1", b"x" * 100, b"\xff" * 100 + b"ARROW1"):
        assert expanded_size(memoryview(content)) == 0


def test_damage_never_raises():
    content = written("zstd")
    for length in range(0, len(content), 7):
        expanded_size(memoryview(content[:length]))
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 2000):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        assert expanded_size(memoryview(damaged)) >= 0


def test_a_batch_beyond_the_memory_budget_is_refused(tmp_path):
    (tmp_path / "rows.arrow").write_bytes(written("zstd"))
    with lookalike.config(memory="50kB"), pytest.raises(MemoryBudgetError, match="a batch of"):
        open_source(tmp_path / "rows.arrow")
    (tmp_path / "rows.arrow").write_bytes(written("zstd", 1000))
    with lookalike.config(memory="50kB"):
        assert open_source(tmp_path / "rows.arrow").n_rows == ROWS


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_rows_of_a_small_file_that_expands_beyond_the_budget_are_not_gathered(kind, tmp_path):
    path, table = tmp_path / f"rows.{kind}", pa.table({"a": np.zeros(200_000)})
    if kind == "parquet":
        pa.parquet.write_table(table, path)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(path, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=1000)
    with lookalike.config(memory="1MB"):
        source = open_source(path)
        assert sum(len(chunk.X) for chunk in source.chunks()) == 200_000  # in pieces
        with pytest.raises(MemoryBudgetError, match=r"expands to at least 0\.0016 GB"):
            gather(source)
    assert gather(source).X.shape == (200_000, 1)
