"""The folder of a study: whole or not at all, safe to open, the same for the same seed."""

from __future__ import annotations

import csv
import itertools
import json
import os
import signal
import stat
import warnings
from dataclasses import replace

import numpy as np
import pytest

import lookalike
from lookalike.cli.program import run
from lookalike.data import sample
from lookalike.errors import ParameterError, WriteError
from lookalike.explain.audit.table import AuditTable
from lookalike.report import write_study as writing
from lookalike.report.write_study import write_study as write
from lookalike.studies.results import Predictions

FILES = [
    "audit.csv",
    "model.lookalike",
    "predictions.csv",
    "report.html",
    "rows.npz",
    "source.json",
    "study.json",
]


@pytest.fixture(scope="module")
def iris():
    return lookalike.study("iris")


@pytest.fixture(scope="module")
def pages():
    return []


@pytest.fixture(autouse=True)
def pages_drawn_once(monkeypatch, pages):
    """Draw the page of a study once, and write it wherever the study is written."""
    write_page = writing.write_page

    def write_again(study, path):
        known = next((page for drawn, page in pages if drawn is study), None)
        if known is not None:
            path.write_bytes(known)
            return
        write_page(study, path)
        pages.append((study, path.read_bytes()))

    monkeypatch.setattr(writing, "write_page", write_again)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_command_writes_all_files_and_prints_the_summary_and_the_place(
    tmp_path, capsys, few_candidates
):
    out = tmp_path / "deep" / "out"
    assert run(["study", "wine", "--out", str(out), "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "% wrong (95% CI" in shown
    assert str(out / "report.html") in shown
    assert names(out) == sorted([*FILES, "neighbors.lookalike"])  # the model has no neighbors
    assert names(out.parent) == ["out"]
    found = json.loads((out / "study.json").read_text())
    assert found["schema"] == "lookalike.study/3"
    assert found["seed"] == 1


def test_json_is_printed_alone(tmp_path, capsys, few_candidates):
    assert run(["study", "iris", "--json", "--out", str(tmp_path / "out")]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "iris"


def test_the_model_file_predicts_as_the_model_did(iris, tmp_path):
    write(iris, tmp_path / "out")
    model = lookalike.load(tmp_path / "out" / "model.lookalike")
    np.testing.assert_array_equal(model.predict(sample("iris")), iris.model.predict(sample("iris")))


def test_the_audit_has_a_line_for_every_row_and_predictions_one_for_every_held_out_row(
    iris, tmp_path
):
    write(iris, tmp_path / "out")
    with open(tmp_path / "out" / "audit.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["row"]) for line in lines] == list(range(150))
    assert lines[142]["flags"] == "duplicate"
    assert lines[142]["duplicate_of"] == "101"
    with open(tmp_path / "out" / "predictions.csv", newline="") as file:
        told = list(csv.DictReader(file))
    assert [int(line["y_pred"]) for line in told] == iris.predictions.y_pred.tolist()


def test_text_that_a_spreadsheet_would_run_is_quoted_and_numbers_are_not(iris, tmp_path):
    labels = np.array(["=cmd()", "+1", "-x", "@y", "\tz", "\rz", "fine"])
    rows = np.arange(7)
    table = AuditTable(
        rows, ("",) * 7, {"suggested_label": labels, "outlier_score": -np.ones(7)}, {}
    )
    odd = replace(
        iris,
        audit=replace(iris.audit, table=table),
        predictions=Predictions(rows, labels, labels, None, np.zeros(7, np.int64)),
    )
    write(odd, tmp_path / "out")
    with open(tmp_path / "out" / "audit.csv", newline="") as file:
        lines = list(csv.reader(file))[1:]
    assert [line[3] for line in lines] == [
        "'=cmd()",
        "'+1",
        "'-x",
        "'@y",
        "'\tz",
        "'\\x0dz",
        "fine",
    ]
    assert {line[4] for line in lines} == {"-1.0"}


def test_a_study_replaces_another_and_files_that_it_did_not_write_stay(iris, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("mine")
    write(iris, out)
    (out / "report.html").write_text("old")
    (out / "notes").mkdir()
    (out / "notes" / "1.txt").write_text("mine")
    write(replace(iris, predictions=None), out)
    assert (out / "report.html").read_text() != "old"
    assert (out / "thesis.tex").read_text() == "mine"
    assert (out / "notes" / "1.txt").read_text() == "mine"
    assert names(out) == sorted({*FILES, "notes", "thesis.tex"} - {"predictions.csv"})
    assert names(tmp_path) == ["out"]


def test_files_of_these_names_that_no_study_wrote_are_not_replaced(iris, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(ParameterError, match=r"holds report\.html, which no study wrote"):
        write(iris, tmp_path)
    assert (tmp_path / "report.html").read_text() == "mine"
    with pytest.raises(ParameterError, match="is a file"):
        write(iris, tmp_path / "report.html")
    assert names(tmp_path) == ["report.html"]


def test_a_study_is_written_into_the_current_folder(iris, tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text("mine")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        write(iris, ".")
        assert names(tmp_path) == sorted((*FILES, "data.csv"))
    assert (tmp_path / "data.csv").read_text() == "mine"


def kill_after(step, write):
    """Run `write` in a process that is killed at the given call of the system; return its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only writes files
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    calls = itertools.count()

    def counted(function):
        def run(*arguments, **options):
            if next(calls) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return run

    for name in ("open", "mkdir", "fsync", "replace", "fdopen", "chmod", "close", "unlink"):
        setattr(os, name, counted(getattr(os, name)))
    try:
        write()
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
@pytest.mark.parametrize("there", [False, True])
def test_what_killed_studies_leave_behind_is_removed_by_the_next(
    iris, tmp_path, monkeypatch, there
):
    out = tmp_path / "out"
    with monkeypatch.context() as patched:  # the page takes longest, and is one file of many
        patched.setattr(writing, "write_page", lambda _, path: path.write_text("page"))
        if there:
            write(iris, out)
            (out / "mine.txt").write_text("mine")
        ends = [kill_after(step, lambda: write(iris, out)) for step in range(0, 60, 5)]
        assert ends.count(-signal.SIGKILL) >= 8
        write(iris, out)
    assert names(out) == sorted([*FILES, *(["mine.txt"] if there else [])])
    assert names(tmp_path) == ["out"]
    assert json.loads((out / "study.json").read_text())["title"] == "iris"


def test_a_device_or_pipe_in_the_folder_is_never_replaced(iris, tmp_path):
    write(iris, tmp_path)
    (tmp_path / "audit.csv").unlink()
    os.mkfifo(tmp_path / "audit.csv")
    with pytest.raises(WriteError, match="not a regular file"):
        write(iris, tmp_path)
    assert stat.S_ISFIFO((tmp_path / "audit.csv").stat().st_mode)
    assert names(tmp_path) == FILES


def test_an_interrupt_leaves_the_old_folder_and_no_part_of_the_new_one(iris, tmp_path, monkeypatch):
    out = tmp_path / "out"
    write(iris, out)
    before = {name: (out / name).read_bytes() for name in names(out)}

    def interrupted(*_):
        raise KeyboardInterrupt

    for part in ("_write_table", "save", "write_page"):
        with monkeypatch.context() as patched:
            patched.setattr(writing, part, interrupted)
            with pytest.raises(KeyboardInterrupt):
                write(iris, out)
        assert {name: (out / name).read_bytes() for name in names(out)} == before
        assert names(tmp_path) == ["out"]


def test_an_interrupt_of_the_command_is_exit_code_130_and_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.studies.study.run_analyses", interrupted)
    assert run(["study", "iris", "--out", str(tmp_path / "out")]) == 130
    assert names(tmp_path) == []


def test_the_folder_is_checked_before_the_work_begins(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("lookalike.studies.study.study", None)  # which would fail
    (tmp_path / "study.json").write_text("mine")
    assert run(["study", "digits", "--out", str(tmp_path)]) == 2
    assert "which no study wrote" in capsys.readouterr().err
    assert run(["study", "digits", "--out", "/proc/lookalike"]) == 2
    assert "could not be written" in capsys.readouterr().err


def test_the_same_seed_writes_the_same_bytes_but_for_timings(iris, tmp_path):
    for name in ("a", "b"):
        write(replace(iris, seconds=0.0), tmp_path / name)
    for file in FILES:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
