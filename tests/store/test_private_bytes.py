"""A loaded model answers as it did, whatever happens to its file; a pipe is not a model file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

import lookalike
from lookalike import NearestNeighbors, load, save
from lookalike.errors import ModelFileError
from lookalike.store import private_bytes as private

X = np.random.default_rng(0).standard_normal((2000, 20))

USED = """
import os, sys
import numpy as np
import lookalike

folder, memory = sys.argv[1:]
lookalike.config(memory=memory)

def truncate(path):
    open(path, "r+b").truncate(0)

def overwrite(path):
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        file.seek(0)
        file.write(bytes(size))

def replace(path):
    with open(path + ".new", "wb") as file:
        file.write(b"x")
    os.replace(path + ".new", path)

for change in (truncate, overwrite, replace, os.unlink):
    path = os.path.join(folder, change.__name__)
    model = lookalike.load(path)
    change(path)
    print(model.kneighbors(np.zeros((1, 20)))[1].sum(), model.space_.rows.sum())
"""


@pytest.mark.parametrize("memory", ["1GB", "1kB"])  # read into memory, and mapped from a copy
def test_a_model_in_use_does_not_mind_what_happens_to_its_file(memory, tmp_path):
    model = NearestNeighbors(algorithm="brute").fit(X)
    for change in ("truncate", "overwrite", "replace", "unlink"):
        save(model, tmp_path / change)
    command = [sys.executable, "-c", USED, tmp_path, memory]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr  # -7 would be SIGBUS
    expected = f"{model.kneighbors(np.zeros((1, 20)))[1].sum()} {X.sum()}"
    assert ended.stdout.splitlines() == [expected] * 4
    assert sorted(os.listdir(tmp_path)) == ["overwrite", "replace", "truncate"]


def test_a_large_model_is_mapped_from_a_copy_that_stays_private(tmp_path):
    save(NearestNeighbors().fit(X), tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    with lookalike.config(memory="1kB"):
        load(tmp_path / "m").space_.rows[:] = 0
        np.testing.assert_array_equal(load(tmp_path / "m").space_.rows, X)
    assert (tmp_path / "m").read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


def test_a_large_model_of_which_no_copy_can_be_made_is_said(tmp_path, monkeypatch):
    save(NearestNeighbors().fit(X), tmp_path / "m")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(private.tempfile, "TemporaryFile", full)
    with lookalike.config(memory="1kB"), pytest.raises(ModelFileError, match="No space left"):
        load(tmp_path / "m")


def test_a_file_that_shrinks_while_it_is_read_is_truncated(tmp_path):
    (tmp_path / "m").write_bytes(b"short")
    for read in (private._in_memory, private._on_disk):
        with (
            (tmp_path / "m").open("rb", buffering=0) as file,
            pytest.raises(ModelFileError, match="truncated while it was read"),
        ):
            read(tmp_path / "m", file, 100)


def test_a_pipe_a_socket_and_a_device_are_no_model_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # as the name of a socket must be short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for path in ("pipe", "socket", "/dev/zero"):
            with pytest.raises(ModelFileError, match="is a pipe, a socket or a device"):
                load(path)
