"""Tables of an SQLite database, read and never written."""

from __future__ import annotations

import io
import sqlite3

import pytest
from table_files import expected, read_values, write_sqlite

from lookalike.data import open_source
from lookalike.errors import SourceError


@pytest.mark.parametrize("name", ["t.sqlite", "t.sqlite3", "t.db", "odd name?#%.db"])
def test_the_only_table_is_read(tmp_path, name):
    path = tmp_path / name
    write_sqlite(path)
    before = path.read_bytes()
    path.chmod(0o444)
    assert read_values(open_source(path)) == expected()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_database_is_read_from_a_stream(tmp_path):
    content = write_sqlite(tmp_path / "t.db", ("old", "odd name"))
    assert read_values(open_source(io.BytesIO(content), table="odd name")) == expected()


def test_a_view_is_a_table(tmp_path):
    path = tmp_path / "t.db"
    write_sqlite(path)
    database = sqlite3.connect(path)
    database.execute("CREATE VIEW grown AS SELECT count, share FROM rows WHERE count > 3")
    database.commit()
    database.close()
    assert read_values(open_source(path, table="grown")) == {
        "count": [5.0, 12.0], "share": [-3.0, 0.001]
    }  # fmt: skip


def test_what_is_wrong_is_one_sentence(tmp_path):
    path = tmp_path / "t.db"
    database = sqlite3.connect(path)
    with pytest.raises(SourceError, match="holds no table with rows"):
        open_source(path)
    database.execute("CREATE TABLE t (a INT)")
    database.commit()
    database.close()
    with pytest.raises(SourceError, match=r"Table 't' of .*t\.db' has no rows"):
        open_source(path)
    path.write_bytes(b"SQLite format 3\0 and no more")
    with pytest.raises(SourceError, match=r"t\.db' cannot be read as an SQLite database"):
        open_source(path)
