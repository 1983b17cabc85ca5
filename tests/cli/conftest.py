"""A program to run, and tables and models to run it on."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from lookalike import KNeighborsClassifier, save
from lookalike.cli.program import run


@pytest.fixture
def run_cli(capsys):
    """Run the program; give its exit code, output and errors."""

    def run_it(*arguments):
        code = run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run_it


@pytest.fixture
def refused(run_cli):
    """Run the program on wrong input: one line, exit code 2."""

    def run_it(*arguments):
        code, out, stderr = run_cli(*arguments)
        assert code == 2, (out, stderr)
        assert out == ""
        last = stderr.splitlines()[-1]
        assert all(line.startswith("lookalike: ") for line in stderr.splitlines()), stderr
        return last

    return run_it


@pytest.fixture
def stdin(monkeypatch):
    """Let the program read these bytes from standard input."""

    def give(data: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.fixture
def table(tmp_path):
    """Write a csv file and return its place."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def flowers(table):
    """A small table of two numbers and a class."""
    lines = [f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(40)]
    return table("\n".join(["wide,long,kind", *lines, ""]), "flowers.csv")


@pytest.fixture
def model(flowers, tmp_path):
    """A model of the small table."""
    path = tmp_path / "model.lookalike"
    cells = np.genfromtxt(flowers, delimiter=",", skip_header=1, usecols=(0, 1))
    import pandas as pd

    frame = pd.DataFrame(cells, columns=["wide", "long"])
    labels = np.array([line.split(",")[2] for line in flowers.read_text().split()[1:]])
    save(KNeighborsClassifier(3).fit(frame, labels), path)
    return path
