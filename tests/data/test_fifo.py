"""Named pipes are read and written as streams, and nobody waits for ever."""

from __future__ import annotations

import os
import socket
import stat
import threading

import numpy as np
import pytest

from lookalike.data import fifo, gather, open_source
from lookalike.errors import SourceError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")


@pytest.fixture
def pipe(tmp_path):
    """Make a named pipe; what it is given is written to it by another thread."""
    writers = []

    def make(content=None, name="pipe"):
        path = tmp_path / name
        os.mkfifo(path)
        if content is not None:
            writers.append(threading.Thread(target=path.write_bytes, args=(content,)))
            writers[-1].start()
        return path

    yield make
    for writer in writers:
        writer.join(20)
        assert not writer.is_alive()


def npy(tmp_path, X):
    np.save(tmp_path / "rows.npy", X)
    return (tmp_path / "rows.npy").read_bytes()


@pytest.mark.parametrize("name", ["pipe", "pipe.csv", "pipe.tsv"])
def test_a_pipe_is_read_whatever_its_name(name, pipe):
    tab = b"\t" if name.endswith("tsv") else b","
    content = b"a,b\n1,2\n3,4.5\n".replace(b",", tab)
    assert gather(open_source(pipe(content, name))).X.tolist() == [[1, 2], [3, 4.5]]


@pytest.mark.parametrize("name", ["pipe", "pipe.npy"])
def test_other_kinds_of_files_come_through_a_pipe(name, pipe, tmp_path):
    X = np.arange(6.0).reshape(3, 2)
    source = open_source(pipe(npy(tmp_path, X), name))
    np.testing.assert_array_equal(gather(source).X, X)


def test_a_pipe_without_a_byte_is_an_empty_file(pipe, monkeypatch):
    monkeypatch.setattr(fifo, "PIPE_OPEN_SECONDS", 0.5)
    with pytest.raises(SourceError, match=r"is empty|no program writes to"):
        open_source(pipe(b"", "pipe.csv"))


@pytest.mark.parametrize(
    "name", ["p", "p.csv", "p.npy", "p.npz", "p.parquet", "p.arrow", "p.jsonl"]
)
def test_a_pipe_that_nobody_writes_to_is_refused(name, pipe, monkeypatch):
    monkeypatch.setattr(fifo, "PIPE_OPEN_SECONDS", 0.05)
    path = pipe(None, name)
    with pytest.raises(SourceError, match="no program writes to"):
        open_source(path)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_writer_that_has_nothing_to_say_yet_is_waited_for(pipe, monkeypatch):
    monkeypatch.setattr(fifo, "PIPE_OPEN_SECONDS", 0.0)
    path = pipe()
    there = os.open(path, os.O_RDWR)  # both ends, so that there is a writer
    reader = fifo.open_reader(str(path))
    os.write(there, b"late")
    os.close(there)
    assert reader.read() == b"late"
    reader.close()


def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # as the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("rows.csv")
        with pytest.raises(SourceError, match="is a socket"):
            open_source("rows.csv")


def test_a_device_is_refused(tmp_path):
    (tmp_path / "rows.jsonl").symlink_to("/dev/zero")
    with pytest.raises(SourceError, match="is a device"):
        open_source(tmp_path / "rows.jsonl")
