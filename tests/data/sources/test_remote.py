import os
import sys
import threading

import numpy as np
import pytest

from lookalike.data import open_source
from lookalike.data.batches import gather
from lookalike.data.sources import remote
from lookalike.errors import ExtraMissingError, SourceError, SourceMissingError

pytest.importorskip("s3fs")
pytest.importorskip("moto.server")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
X = np.random.default_rng(0).standard_normal((300, 3)).round(6)


@pytest.fixture(scope="module")
def bucket():
    """A local S3 server with a bucket of tables."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    kept = dict(os.environ)
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.mkdir("rows")
    table = pa.table({name: X[:, place] for place, name in enumerate("abc")})
    for part, year in enumerate((2023, 2024, 2025)):
        some = table.slice(100 * part, 100)
        for place in (f"rows/flat/part{part}.parquet", f"rows/by/year={year}/part.parquet"):
            with system.open(place, "wb") as file:
                pq.write_table(some, file, row_group_size=25)
    lines = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    system.pipe("rows/table.csv", f"a,b,c\n{lines}\n".encode())
    yield system
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()
    os.environ.clear()
    os.environ.update(kept)


@pytest.mark.parametrize("path", ["s3://rows/flat", "s3://rows/flat/*.parquet"])
def test_a_folder_and_a_pattern_of_remote_files_are_one_table(bucket, path):
    source = open_source(path)
    assert source.n_rows == 300
    assert source.repeatable
    for _ in range(2):
        np.testing.assert_array_equal(gather(source).X, X)
    assert open_source("s3://rows/flat/part1.parquet").n_rows == 100


def test_folders_called_column_value_are_a_column(bucket, tmp_path):
    source = open_source("s3://rows/by", target="year")
    chunk = gather(source)
    np.testing.assert_array_equal(chunk.X, X)
    assert chunk.y.tolist() == [2023] * 100 + [2024] * 100 + [2025] * 100


def test_only_the_columns_that_are_needed_are_read(bucket, monkeypatch):
    import s3fs

    read = []
    plain = s3fs.S3File._fetch_range
    monkeypatch.setattr(
        s3fs.S3File, "_fetch_range",
        lambda self, start, end: read.append(end - start) or plain(self, start, end),
    )  # fmt: skip
    assert gather(open_source("s3://rows/flat", columns=["b"])).X.shape == (300, 1)
    assert read


def test_other_remote_files_are_fetched_once(bucket):
    source = open_source("s3://rows/table.csv")
    for _ in range(2):
        np.testing.assert_array_equal(gather(source).X, X)


def test_a_network_that_fails_for_a_moment_is_tried_again(bucket, monkeypatch):
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    failed = []
    plain = bucket.cat_file

    def flaky(*arguments, **options):
        if len(failed) < 2:
            failed.append(True)
            raise ConnectionError("the connection was reset")
        return plain(*arguments, **options)

    monkeypatch.setattr(bucket, "cat_file", flaky)
    monkeypatch.setattr(remote, "file_system", lambda path: (bucket, path.split("://")[1]))
    np.testing.assert_array_equal(gather(open_source("s3://rows/table.csv")).X, X)
    assert len(failed) == 2


def test_a_network_that_stays_away_is_an_error_in_a_sentence(bucket, monkeypatch):
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    with pytest.raises(SourceError, match=r"cannot be read: the connection was reset\. Try again"):
        remote.patiently("s3://rows/x", lambda: (_ for _ in ()).throw(
            ConnectionError("the connection was reset")))  # fmt: skip


def test_what_is_not_there_is_an_error_in_a_sentence(bucket):
    for path in ("s3://rows/none.parquet", "s3://rows/none.csv", "s3://rows/none/*.parquet"):
        with pytest.raises(SourceMissingError, match="does not exist"):
            open_source(path)


def test_missing_credentials_are_an_error_in_a_sentence(bucket, monkeypatch, tmp_path):
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(SourceError, match="no credentials were found"):
        open_source("s3://rows/flat")
    s3fs.S3FileSystem.clear_instance_cache()


def test_a_file_that_vanishes_midway_is_an_error_in_a_sentence(bucket, monkeypatch):
    monkeypatch.setattr(remote, "FIRST_PAUSE_SECONDS", 0.001)
    table = pa.table({"a": X[:, 0]})
    for part in range(2):
        with bucket.open(f"rows/brief/part{part}.parquet", "wb") as file:
            pq.write_table(table, file, row_group_size=50)
    source = open_source("s3://rows/brief")
    chunks = source.chunks(50)
    next(chunks)
    bucket.rm("rows/brief/part1.parquet")
    with pytest.raises((SourceError, SourceMissingError), match="rows/brief"):
        list(chunks)


def test_a_web_server_is_read_in_parts(tmp_path):
    pytest.importorskip("aiohttp")
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    table = pa.table({name: X[:, place] for place, name in enumerate("abc")})
    pq.write_table(table, tmp_path / "rows.parquet")
    (tmp_path / "rows.csv").write_text("a,b\n1.5,2\n3.5,4\n")

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        np.testing.assert_array_equal(gather(open_source(f"{address}/rows.csv")).X[:, 1], [2, 4])
        np.testing.assert_array_equal(gather(open_source(f"{address}/rows.parquet")).X, X)
        with pytest.raises(SourceMissingError, match="does not exist"):
            open_source(f"{address}/none.csv")
        server.shutdown()


@pytest.mark.parametrize(
    ("scheme", "package"), [("gs", "gcsfs"), ("az", "adlfs"), ("abfs", "adlfs"), ("s3", "s3fs")]
)
def test_a_file_system_that_is_not_installed_names_the_extra(monkeypatch, scheme, package):
    import fsspec

    def missing(_):
        raise ImportError(f"Please install {package}")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(
        ExtraMissingError, match=rf"{package}, which reads {scheme}:// paths.*lookalike\[remote\]"
    ):
        open_source(f"{scheme}://rows/flat.parquet")


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_other_stores_are_read_by_the_file_system_of_their_scheme(monkeypatch, scheme):
    from fsspec.implementations.memory import MemoryFileSystem

    class Emulated(MemoryFileSystem):
        protocol = scheme
        store, pseudo_dirs = {}, [""]

        @classmethod
        def _strip_protocol(cls, path):
            return super()._strip_protocol(path.replace(f"{scheme}://", "memory://", 1))

    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, scheme, Emulated)
    system = Emulated()
    table = pa.table({name: X[:, place] for place, name in enumerate("abc")})
    for part in range(3):
        with system.open(f"bucket/flat/part{part}.parquet", "wb") as file:
            pq.write_table(table.slice(100 * part, 100), file)
    for path in (f"{scheme}://bucket/flat", f"{scheme}://bucket/flat/*.parquet"):
        np.testing.assert_array_equal(gather(open_source(path)).X, X)
    system.pipe("bucket/rows.csv", b"a,b\n1,2\n3,4\n")
    np.testing.assert_array_equal(
        gather(open_source(f"{scheme}://bucket/rows.csv")).X[:, 1], [2, 4]
    )
    with pytest.raises(SourceMissingError, match="does not exist"):
        open_source(f"{scheme}://bucket/none/*.parquet")
