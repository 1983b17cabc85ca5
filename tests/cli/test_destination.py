"""Where commands write: checked before the work; - is standard output, and takes one thing."""

from __future__ import annotations

import io
import json
import os
import stat

import numpy as np
import pytest

from lookalike import load

DROP = ("--drop", "kind")
CSV = {  # commands that write a csv file
    "predict": ("predict", "MODEL", "DATA"),
    "neighbors": ("neighbors", "DATA", "-k", "2", *DROP),
    "cluster": ("cluster", "DATA", "-k", "2", *DROP),
    "select": ("select", "DATA", "--target", "kind"),
    "audit": ("audit", "DATA", "--target", "kind", "-k", "3"),
    "reduce": ("reduce", "DATA", *DROP),
}
MODELS = ("cluster", "reduce")  # that save a model


@pytest.fixture
def write(capfdbinary, model, flowers):
    """Run a command on the small table; give its exit code, what it prints, and its errors."""
    from lookalike.cli.program import run

    def run_it(command, *options):
        named = {"MODEL": model, "DATA": flowers}
        code = run([str(named.get(one, one)) for one in (*CSV[command], *options)])
        shown = capfdbinary.readouterr()
        return code, shown.out, shown.err.decode()

    return run_it


@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
@pytest.mark.parametrize("command", CSV)
def test_a_dash_writes_the_file_to_standard_output_and_nothing_else(
    command, place, write, tmp_path
):
    assert write(command, "-o", tmp_path / "out.csv")[0] == 0
    code, out, stderr = write(command, "-o", place)
    assert code == 0, stderr
    assert out == (tmp_path / "out.csv").read_bytes()
    assert out.count(b"\n") > 2


@pytest.mark.parametrize("command", MODELS)
def test_a_model_is_written_to_standard_output(command, write, tmp_path):
    code, out, stderr = write(command, "--model", "-")
    assert code == 0, stderr
    (tmp_path / "model").write_bytes(out)
    assert load(tmp_path / "model").n_features_in_ == 2


def test_a_plot_is_written_to_standard_output(write):
    code, out, stderr = write("reduce", "--plot", "-")
    assert code == 0, stderr
    assert out.lstrip().startswith(b"<?xml")


def test_scores_are_written_to_a_pipe_in_the_format_of_its_name(write, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    os.mkfifo(tmp_path / "scores.npy")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "scores.npy").read_bytes)
        assert write("reduce", "-o", tmp_path / "scores.npy")[0] == 0
        assert np.load(io.BytesIO(read.result(timeout=20))).shape == (40, 2)
    assert stat.S_ISFIFO((tmp_path / "scores.npy").stat().st_mode)


def test_a_study_is_printed_as_json_and_leaves_no_folder(run_cli, flowers, monkeypatch):
    monkeypatch.chdir(flowers.parent)
    before = sorted(os.listdir())
    options = ("--target", "kind", "--time", "2s", "-o", "-")
    code, out, stderr = run_cli("study", flowers, *options)
    assert code == 0, stderr
    assert json.loads(out)["title"] == "flowers.csv"
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("command", CSV)
def test_standard_output_takes_one_thing(command, write):
    code, out, stderr = write(command, "-o", "-", "--json")
    assert (code, out) == (2, b"")
    assert "would both go to standard output" in stderr
    if command in MODELS:
        code, out, stderr = write(command, "-o", "-", "--model", "-")
        assert (code, out) == (2, b"")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("flowers.csv/out.csv", "Not a directory"),
        (".", "it is a folder"),
        ("/proc/lookalike/out.csv", "could not be written"),
    ],
)
@pytest.mark.parametrize("command", CSV)
def test_a_place_is_checked_before_the_work(command, place, words, write, flowers, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the data were opened")

    monkeypatch.setattr("lookalike.cli.load_data.open_source", never)
    options = ("-o", "--model") if command in MODELS else ("-o",)
    for option in options:
        code, out, stderr = write(command, option, flowers.parent / place)
        assert (code, out) == (2, b"")
        assert words in stderr


def test_formats_are_checked_before_the_work(write, monkeypatch, tmp_path):
    monkeypatch.setattr("lookalike.cli.load_data.open_source", None)
    for option, name in (("-o", "scores.xls"), ("--plot", "scree.gif"), ("-o", "scores")):
        code, _, stderr = write("reduce", option, tmp_path / name)
        assert code == 2
        assert "Give a name that ends in" in stderr
