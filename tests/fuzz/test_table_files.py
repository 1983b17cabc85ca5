"""Damaged workbooks, databases, Parquet and statistics files are read or refused in a sentence."""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from fuzz.mutations import ending, fuzzed, mutated_bytes
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.feather import write_feather
from pyarrow.parquet import write_table as write_parquet
from table_files import write_ods, write_sqlite, write_xls, write_xlsb, write_xlsx

from lookalike.data import open_source
from lookalike.data.formats import guarded_read
from lookalike.errors import LookalikeError
from lookalike.workers import worker_pool

BOOKS = {
    "t.xlsx": write_xlsx,
    "t.ods": write_ods,
    "t.xls": write_xls,
    "t.xlsb": lambda: write_xlsb([["name", "share"], ["a", 0.5], ["Zoë", 1.25]]),
}
NAMES = (*BOOKS, "t.sqlite", "t.dta", "t.sav", "t.parquet", "t.feather")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Each file as it should be."""
    folder = tmp_path_factory.mktemp("whole")
    frame = pd.DataFrame({"name": ["a", "Zoë", "c"], "share": [0.5, 1.25, -3.0]})
    pyreadstat.write_dta(frame, str(folder / "t.dta"))
    pyreadstat.write_sav(frame, str(folder / "t.sav"))
    content = {name: write() for name, write in BOOKS.items()}
    for name, write in (("t.parquet", write_parquet), ("t.feather", write_feather)):
        write(pa.table(dict(frame)), folder / name)
        content[name] = (folder / name).read_bytes()
    content["t.sqlite"] = write_sqlite(folder / "t.sqlite")
    return content | {name: (folder / name).read_bytes() for name in ("t.dta", "t.sav")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A place for the damaged files."""
    return tmp_path_factory.mktemp("damaged")


@pytest.fixture(scope="module", autouse=True)
def one_process():
    """Let all books be read by one process, which is replaced where one of them ends it."""
    with worker_pool(1, memory=400 * 10**6) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(guarded_read, "worker_pool", lambda *_, **__: nullcontext(pool))
        yield


@pytest.mark.parametrize("name", NAMES)
@fuzzed(60)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(whole, folder, name, data):
    path = folder / name
    path.write_bytes(data.draw(mutated_bytes(whole[name])))
    with ending(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of cells that do not fit their column
        try:
            for table in open_source(path).tables():
                assert table.values
        except LookalikeError as error:
            assert "\n" not in str(error)  # noqa: PT017 - most files raise, not all
