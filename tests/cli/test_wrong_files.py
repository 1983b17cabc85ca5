"""Files that are damaged, of another kind, or odd: one helpful sentence, or a sensible result."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from lookalike.cli import program


def empty_parquet(path):
    pa.parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), path)


def objects(path):
    np.savez(path, X=np.array([{}, [1]], object))


def two_arrays(path):
    np.savez(path, first=np.ones((9, 2)), second=np.zeros((9, 2)))


WRONG = {
    "empty.csv": (lambda path: path.touch(), "is empty"),
    "junk.csv": (lambda path: path.write_bytes(bytes(range(256)) * 20), "is no text"),
    "ragged.csv": (lambda path: path.write_text("a,b\n1,2\n3,4,5\n"), "3 cells in row 1 (line 3)"),
    "doubled.csv": (lambda path: path.write_text("a,a\n1,2\n"), "two columns named 'a'"),
    "cut.csv.gz": (
        lambda path: path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 9)[:-9]),
        "damaged or truncated",
    ),
    "empty.parquet": (empty_parquet, "columns and no rows"),
    "no.parquet": (lambda path: path.write_bytes(b"PAR1PAR1"), "damaged or truncated"),
    "two.npz": (two_arrays, "Choose one of first, second with --array"),
    "objects.npz": (objects, "which are never loaded"),
    "text.npz": (lambda path: path.write_text("a,b"), "is no file of NumPy"),
    "bad.jsonl": (lambda path: path.write_text('{"a": 1}\nno'), "no JSON in line 2"),
    "list.jsonl": (lambda path: path.write_text('{"a": [1]}'), "a list under 'a' in line 1"),
    "table.xlsx": (lambda path: path.touch(), "a suffix that is not known"),
    "junk": (lambda path: (path.mkdir(), (path / "a.bin").touch()), "without images"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_one_sentence(name, refused, tmp_path):
    write, words = WRONG[name]
    write(tmp_path / name)
    stderr = refused("plan", tmp_path / name)
    assert words in stderr
    assert name in stderr


def test_an_array_is_chosen_by_its_name(run_cli, tmp_path):
    two_arrays(tmp_path / "two.npz")
    assert run_cli("plan", tmp_path / "two.npz", "--array", "second")[0] == 0


def test_a_name_that_is_almost_right_is_answered_with_the_right_one(
    refused, flowers, model, monkeypatch
):
    monkeypatch.chdir(flowers.parent)
    assert "There is the file 'flowers.csv'." in refused("plan", "flower.csv")
    assert "There is the sample 'digits'." in refused("plan", "digit")
    assert "There is" in refused("info", model.with_name("modle.lookalike"))


def test_a_model_in_the_place_of_data_and_data_in_that_of_a_model_are_refused(
    refused, model, flowers
):
    assert "is a model file, and rows are needed" in refused("plan", model)
    assert "is not a lookalike model file" in refused("predict", flowers, flowers)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may read everything")
def test_an_unreadable_file_is_refused(refused, flowers):
    flowers.chmod(0)
    assert "Permission denied" in refused("plan", flowers)


def test_options_of_files_are_refused_for_samples(refused):
    assert "--delimiter" in refused("plan", "iris", "--delimiter", ";")
    assert "delimiter" in refused("study", "iris", "--delimiter", ";")


def test_odd_names_of_columns_are_shown_as_they_are_and_written_safely(run_cli, table, tmp_path):
    rows = "\n".join(f"{i},{i % 3},{i % 2}" for i in range(30))
    path = table(f'"=cmd()\nx",<b>&amp;</b>,kind\n{rows}\n')
    code, out, _ = run_cli("select", path, "--target", "kind", "--json", "-o", tmp_path / "out.csv")
    assert code == 0
    assert {one["feature"] for one in json.loads(out)["features"]} == {"=cmd()\nx", "<b>&amp;</b>"}
    assert b'"\'=cmd()\nx"' in (tmp_path / "out.csv").read_bytes()
    shown = run_cli("select", path, "--target", "kind")[1]
    assert "=cmd() x\t" in shown


def test_a_cell_of_a_million_letters_is_text(run_cli, table):
    path = table("a,b\n" + "".join(f"{'x' * 1_000_000},{i}\n" for i in range(3)))
    code, _, stderr = run_cli("neighbors", path, "-k", "1", "--json")
    assert code == 0
    assert "text columns are left out: a" in stderr


def test_an_error_of_the_program_ends_with_code_70_and_says_where_more_is(
    run_cli, monkeypatch, tmp_path
):
    def broken(*_, **__):
        raise ValueError("two shapes\nthat do not fit")

    monkeypatch.setattr("lookalike.data.samples._bundled", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, stderr = run_cli("plan", "iris")
    assert (code, out) == (70, "")
    assert stderr.startswith("lookalike: internal error, ValueError: two shapes ")
    assert str(tmp_path) in stderr
    assert "Traceback" not in stderr
    code, _, stderr = run_cli("--debug", "plan", "iris")
    assert code == 70
    assert "Traceback" in stderr


def test_a_warning_is_one_line(run_cli, monkeypatch):
    def doubtful(*_, **__):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = program._show_warning
            warnings.warn("rows look\nodd", UserWarning, stacklevel=1)
        raise FileNotFoundError("no rows")

    monkeypatch.setattr("lookalike.data.samples._bundled", doubtful)
    code, _, stderr = run_cli("plan", "iris")
    assert (code, stderr) == (2, "lookalike: rows look odd\nlookalike: no rows\n")
