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
    "junk": (lambda path: (path.mkdir(), (path / "a.bin").touch()), "without pictures"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_one_sentence(name, refused, tmp_path):
    write, words = WRONG[name]
    write(tmp_path / name)
    said = refused("plan", tmp_path / name)
    assert words in said
    assert name in said


def test_an_array_is_chosen_by_its_name(ask, tmp_path):
    two_arrays(tmp_path / "two.npz")
    assert ask("plan", tmp_path / "two.npz", "--array", "second")[0] == 0


def test_a_name_that_is_almost_right_is_answered_with_the_right_one(
    refused, flowers, model, monkeypatch
):
    monkeypatch.chdir(flowers.parent)
    assert "There is the file 'flowers.csv'." in refused("plan", "flower.csv")
    assert "There is the sample 'digits'." in refused("plan", "digit")
    assert "There is" in refused("info", model.with_name("modle.lookalike"))


def test_a_model_in_the_place_of_data_and_data_in_that_of_a_model_are_told(refused, model, flowers):
    assert "is a model file, and rows are needed" in refused("plan", model)
    assert "is not a lookalike model file" in refused("predict", flowers, flowers)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may read everything")
def test_a_file_that_may_not_be_read_is_told(refused, flowers):
    flowers.chmod(0)
    assert "Permission denied" in refused("plan", flowers)


def test_options_of_files_are_refused_for_samples(refused):
    assert "--delimiter" in refused("plan", "iris", "--delimiter", ";")
    assert "delimiter" in refused("study", "iris", "--delimiter", ";")


def test_odd_names_of_columns_are_shown_as_they_are_and_written_safely(ask, table, tmp_path):
    rows = "\n".join(f"{i},{i % 3},{i % 2}" for i in range(30))
    path = table(f'"=cmd()\nx",<b>&amp;</b>,kind\n{rows}\n')
    code, out, _ = ask("select", path, "--target", "kind", "--json", "-o", tmp_path / "out.csv")
    assert code == 0
    assert {one["column"] for one in json.loads(out)["columns"]} == {"=cmd()\nx", "<b>&amp;</b>"}
    assert b'"\'=cmd()\nx"' in (tmp_path / "out.csv").read_bytes()
    shown = ask("select", path, "--target", "kind")[1]
    assert "=cmd() x\t" in shown


def test_a_cell_of_a_million_letters_is_text(ask, table):
    path = table("a,b\n" + "".join(f"{'x' * 1_000_000},{i}\n" for i in range(3)))
    code, _, said = ask("neighbors", path, "-k", "1", "--json")
    assert code == 0
    assert "columns of text are left out: a" in said


def test_an_error_of_the_program_ends_with_code_1_and_says_how_to_see_more(ask, monkeypatch):
    def broken(*_, **__):
        raise ValueError("two shapes\nthat do not fit")

    monkeypatch.setattr("lookalike.data.samples._bundled", broken)
    code, out, said = ask("plan", "iris")
    assert (code, out) == (1, "")
    assert said.startswith("lookalike: this is an error of the program, ValueError: two shapes ")
    assert "--debug" in said
    assert "Traceback" not in said
    code, _, said = ask("--debug", "plan", "iris")
    assert code == 1
    assert "Traceback" in said


def test_warnings_are_told_in_one_line(ask, monkeypatch):
    def doubtful(*_, **__):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = program._warned
            warnings.warn("rows look\nodd", UserWarning, stacklevel=1)
        raise FileNotFoundError("no rows")

    monkeypatch.setattr("lookalike.data.samples._bundled", doubtful)
    code, _, said = ask("plan", "iris")
    assert (code, said) == (2, "lookalike: rows look odd\nlookalike: no rows\n")
