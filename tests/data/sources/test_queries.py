import sqlite3

import pytest

from lookalike import NearestNeighbors
from lookalike.data import open_source
from lookalike.data.batches import gather
from lookalike.errors import RepeatError, SourceError

pa = pytest.importorskip("pyarrow")
ROWS = [[1.5, 2.0], [3.5, 4.0], [5.5, 0.0]]


def batches():
    yield pa.record_batch({"a": [1.5, 3.5], "b": [2.0, 4.0]})
    yield pa.record_batch({"a": [5.5], "b": [0.0]})


def test_a_reader_of_record_batches_is_read_once():
    schema = pa.schema([("a", pa.float64()), ("b", pa.float64())])
    source = open_source(pa.RecordBatchReader.from_batches(schema, batches()), target="b")
    assert not source.repeatable
    chunk = gather(source)
    assert chunk.X.tolist() == [[1.5], [3.5], [5.5]]
    assert chunk.y.tolist() == [2.0, 4.0, 0.0]
    with pytest.raises(RepeatError):
        gather(source)


def test_any_object_with_the_c_stream_interface_is_a_source():
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.Table.from_batches(list(batches())).__arrow_c_stream__(requested_schema)

    assert gather(open_source(Stream())).X.tolist() == ROWS
    queries = pa.table({"a": [5.0], "b": [0.0]})
    assert NearestNeighbors(1).fit(Stream()).kneighbors(queries)[1].tolist() == [[2]]


def test_a_stream_that_breaks_off_is_an_error_in_a_sentence():
    def broken():
        yield pa.record_batch({"a": [1.0]})
        raise OSError("the disk went away")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.float64())]), broken())
    with pytest.raises(SourceError, match="broke off: IOError: the disk went away"):
        gather(open_source(reader))


def test_relations_of_duckdb_are_read_again_and_results_once():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("create table t as select * from (values (1.5, 2), (3.5, 4)) v(a, b)")
    relation = open_source(connection.sql("select a::double a, b::double b from t"))
    assert relation.repeatable
    for _ in range(2):
        assert gather(relation).X.tolist() == ROWS[:2]
    with pytest.raises(SourceError, match="The query of DuckDB failed"):
        gather(open_source(connection.sql("select cast(a || 'x' as double) from t")))


def test_results_of_sqlalchemy_and_cursors_are_sources():
    cursor = sqlite3.connect(":memory:").execute("select 1.5 as a, 2 as b union select 3.5, 4")
    source = open_source(cursor, target="b")
    assert [column.name for column in source.columns] == ["a"]
    assert gather(source).y.tolist() == [2, 4]
    sqlalchemy = pytest.importorskip("sqlalchemy")
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        result = connection.execute(sqlalchemy.text("select 1.5 as a, 2.0 as b"))
        assert gather(open_source(result)).X.tolist() == ROWS[:1]


@pytest.mark.filterwarnings("ignore")  # of the libraries that Iceberg brings
def test_iceberg_tables_come_through_their_own_reader(tmp_path):
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    place = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}"}
    catalog = sql.SqlCatalog("local", **place)
    catalog.create_namespace("lake")
    rows = pa.Table.from_batches(list(batches()))
    table = catalog.create_table("lake.rows", schema=rows.schema)
    table.append(rows)
    scan = table.scan(row_filter="a > 2")
    source = open_source(scan.to_arrow_batch_reader(), target="b")
    assert not source.repeatable
    chunk = gather(source)
    assert (chunk.X.tolist(), chunk.y.tolist()) == ([[3.5], [5.5]], [4.0, 0.0])
    again = open_source(lambda: iter(table.scan().to_arrow_batch_reader()))  # as often as needed
    assert [gather(again).X.tolist() for _ in range(2)] == [ROWS, ROWS]
    catalog.close()
