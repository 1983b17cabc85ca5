"""The command line: tables out, one sentence and exit code 2 for what is wrong."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import lookalike
from lookalike.cli.program import run


def test_reduce_prints_what_the_components_explain_and_writes_scores_and_plot(tmp_path, capsys):
    scores, plot = tmp_path / "deep" / "scores.csv", tmp_path / "scree.svg"
    assert run(["reduce", "digits", "-c", "5", "--out", str(scores), "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out
    assert "1,797 rows, 64 features" in shown
    assert "54.5%" in shown
    assert np.loadtxt(scores, delimiter=",", skiprows=1).shape == (1797, 5)
    assert plot.read_text().lstrip().startswith("<?xml")


def test_reduce_makes_a_map_and_prints_its_measures(tmp_path, capsys):
    places, plot = tmp_path / "places.csv", tmp_path / "map.svg"
    asked = ["reduce", "iris", "--method", "map", "--layout", "umap"]
    assert run([*asked, "--out", str(places), "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out
    for measure in ("trustworthiness", "continuity", "neighbor preservation", "torn neighbors"):
        assert measure in shown
    assert np.loadtxt(places, delimiter=",", skiprows=1).shape == (150, 2)
    assert "trustworthiness" in plot.read_text()
    assert run([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_neighbors"] == 15
    assert run([*asked, "-c", "3"]) == 2
    assert "--components 3 has no effect" in capsys.readouterr().err


def test_the_same_command_writes_the_same_bytes(tmp_path, capsys):
    for name in ("a.svg", "b.svg"):
        assert run(["reduce", "iris", "--scale", "--plot", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="a working folder is not removed on Windows")
@pytest.mark.parametrize("command", ["study", "cluster", "plan"])
def test_a_working_folder_that_was_removed_is_named(command, tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run([command, "rows.csv"]) == 2
    assert "working folder was removed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "stderr"),
    [
        (["reduce", "absent.csv"], "absent.csv"),
        (["reduce", "iris", "-c", "9"], "n_components=9 must be between 0 and"),
        (["reduce", "iris", "--engine", "spark"], "engine='spark' is not known"),
        (["reduce", "iris", "--drop", "y"], "is a sample"),
        (["reduce", "iris", "--out", "scores.xls"], "ends in '.xls'"),
        (["reduce"], "Missing argument"),
        (["unknown"], "No such command"),
        (["--threads", "0", "reduce", "iris"], "threads=0"),
    ],
)
def test_wrong_input_gives_one_sentence_and_exit_code_2(arguments, stderr, capsys):
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert stderr in shown.err
    assert "Traceback" not in shown.err


def test_text_where_numbers_are_needed_is_named_with_its_place(tmp_path, capsys):
    path = tmp_path / "mixed.csv"
    path.write_text("age,town\n30,Graz\n40,Linz\n50,Wels\n")
    assert run(["study", str(path), "--target", "town", "--task", "regression"]) == 2
    assert "y holds 'Graz' at row 0, which is not a number" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"lookalike {lookalike.__version__}\n"


def test_a_report_of_a_bug_begins_with_all_versions(capsys):
    assert run(["--version", "--verbose"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"lookalike {lookalike.__version__}"
    assert any(line.startswith("Python 3.") for line in lines)
    assert any(line.startswith("vector instructions ") for line in lines)
    for name in ("numpy", "scikit-learn", "fastapi", "torch"):
        assert any(line.startswith(f"{name} ") for line in lines)
    assert not any(line.startswith(("pytest", "mypy")) for line in lines)
    assert run(["--verbose", "info", "iris"]) == 2
    assert "--verbose goes with --version" in capsys.readouterr().err


def test_help_names_the_commands(capsys):
    assert run(["--help"]) == 0
    assert "reduce" in capsys.readouterr().out


def test_an_unexpected_error_is_internal_with_exit_code_70_and_a_traceback_file(
    capsys, monkeypatch, tmp_path
):
    def broken(*_, **__):
        raise ValueError("a \x1b[31m bug")

    monkeypatch.setattr("lookalike.models.decomposition.pca.PCA", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(["reduce", "iris"]) == 70
    shown = " ".join(capsys.readouterr().err.split())
    assert "internal error, ValueError: a" in shown
    assert "please report it" in shown
    assert "\x1b" not in shown
    (file,) = tmp_path.glob("lookalike-error-*.txt")
    assert file.name in shown
    report = file.read_text()
    assert "Traceback" in report
    assert "arguments: ['reduce', 'iris']" in report
    assert lookalike.__version__ in report


def test_an_internal_error_is_reported_where_no_file_can_be_written(capsys, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("lookalike.models.decomposition.pca.PCA", broken)
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert run(["reduce", "iris"]) == 70
    assert "give --debug before the command" in " ".join(capsys.readouterr().err.split())
