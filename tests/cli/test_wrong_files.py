"""Files that are damaged, of another kind, or odd: one helpful sentence, or a sensible result."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from table_files import compress_zstd, write_sqlite, write_xlsx, write_zip

from lookalike.cli import program


def empty_parquet(path):
    pa.parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), path)


def objects(path):
    np.savez(path, X=np.array([{}, [1]], object))


def two_arrays(path):
    np.savez(path, first=np.eye(9)[:, :2], second=np.eye(9)[:, :3])


WRONG = {
    "empty.csv": (lambda path: path.touch(), "is empty"),
    "junk.csv": (lambda path: path.write_bytes(bytes(range(256)) * 20), "is not text"),
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
    "text.npz": (lambda path: path.write_text("a,b"), "is not a file of NumPy"),
    "bad.jsonl": (lambda path: path.write_text('{"a": 1}\nno'), "no JSON in line 2"),
    "list.jsonl": (lambda path: path.write_text('{"a": [[1]]}'), "a list under 'a' in line 1"),
    "table.xyz": (lambda path: path.touch(), "a suffix that is not known"),
    "table.xlsx": (lambda path: path.touch(), "is damaged, or not a spreadsheet"),
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


@pytest.mark.parametrize("name", ["two.xlsx", "two.sqlite", "two.zip", "two.json"])
def test_a_table_is_chosen_as_the_error_says(refused, run_cli, tmp_path, name):
    path = tmp_path / name
    rows = [["a", "b"], [1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]
    csv = b"a,b\n1,2\n3,4\n5,7\n"
    objects = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    write = {
        "two.xlsx": lambda: write_xlsx({"of 2023": rows, "of 2024": rows}),
        "two.sqlite": lambda: write_sqlite(path, ("of 2023", "of 2024")),
        "two.zip": lambda: write_zip({"a/of 2023.csv": csv, "b/of 2024.csv": csv}),
        "two.json": lambda: json.dumps({"of 2023": objects, "of 2024": objects}).encode(),
    }
    path.write_bytes(write[name]())
    advice = re.findall(r"--table '[^']*'", refused("plan", path))
    assert len(advice) == 2
    for option in advice:
        assert run_cli("plan", path, *shlex.split(option))[0] == 0


@pytest.mark.parametrize("name", ["t.xlsx", "t.csv.zst", "t.json"])
def test_corrections_of_what_is_not_rewritten_are_refused_before_the_work(
    refused, tmp_path, name, flowers
):
    path = tmp_path / name
    rows = [line.split(",") for line in flowers.read_text().splitlines()]
    csv = flowers.read_bytes()
    path.write_bytes(compress_zstd(csv) if name == "t.csv.zst" else write_xlsx({"t": rows}))
    said = refused("audit", path, "--target", "kind", "-k", "3", "--apply")
    assert "not rewritten" in said
    assert name in said


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
    rows = "\n".join(f"{i * i},{i % 3},{i % 2}" for i in range(30))
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
    assert "column 'a': dropped (all values present are xxx" in stderr
    assert len(stderr) < 1000


def test_an_error_of_the_program_ends_with_code_70_and_says_where_more_is(
    run_cli, monkeypatch, tmp_path
):
    def broken(*_, **__):
        raise ValueError("two shapes\nthat do not fit")

    monkeypatch.setattr("lookalike.data.samples._bundle", broken)
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

    monkeypatch.setattr("lookalike.data.samples._bundle", doubtful)
    code, _, stderr = run_cli("plan", "iris")
    assert (code, stderr) == (2, "lookalike: rows look odd\nlookalike: no rows\n")


def test_a_line_that_is_not_json_is_left_out_by_the_command_of_the_error(
    refused, run_cli, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("t.jsonl").write_text(
        '{"a": 1, "b": 2}\n{"a": 2, "b"\n{"a": 3, "b": 5}\n{"a": 4, "b": 7}\n'
    )
    message = refused("neighbors", "t.jsonl", "-k", "1")
    assert "line 2, column 13" in message
    command = message.partition("leave it out: ")[2].rstrip(".")
    subprocess.run(command, shell=True, check=True)
    assert run_cli("neighbors", "good.jsonl", "-k", "1")[0] == 0


def test_nul_bytes_are_taken_out_by_the_command_of_the_error(
    refused, run_cli, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(b"a,b\n1,2\n3,\x004\n6,8\n")
    message = refused("neighbors", "t.csv", "-k", "1")
    command = message.partition("take the NUL bytes out: ")[2].rstrip(".")
    subprocess.run(command.replace("FILE", "t.csv"), shell=True, check=True)
    assert run_cli("neighbors", "clean.csv", "-k", "1")[0] == 0
