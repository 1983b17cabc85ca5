"""Where commands write: checked before the work; - is standard output, and takes one thing."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path

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


@pytest.mark.skipif(os.name != "posix", reason="links need a permission on other systems")
@pytest.mark.parametrize("command", CSV)
def test_links_in_a_circle_are_a_sentence(command, write, tmp_path):
    circle = tmp_path / "circle.csv"
    circle.symlink_to(circle)
    code, out, stderr = write(command, "-o", circle)
    assert (code, out) == (2, b"")
    assert "symbolic links" in stderr


def test_formats_are_checked_before_the_work(write, monkeypatch, tmp_path):
    monkeypatch.setattr("lookalike.cli.load_data.open_source", None)
    for option, name in (("-o", "scores.xls"), ("--plot", "scree.gif"), ("-o", "scores")):
        code, _, stderr = write("reduce", option, tmp_path / name)
        assert code == 2
        assert "Give a name that ends in" in stderr


def aliases(path, folder):
    """Give other names of a file: a link, a hard link, a relative path, one with detours."""
    symbolic, hard = folder / "symbolic.csv", folder / "hard.csv"
    symbolic.symlink_to(path)
    os.link(path, hard)
    return [path, symbolic, hard, os.path.relpath(path), path.parent / "deep" / ".." / path.name]


@pytest.mark.skipif(os.name != "posix", reason="links need a permission on other systems")
@pytest.mark.parametrize("command", CSV)
def test_an_output_never_replaces_an_input_by_any_of_its_names(
    command, write, flowers, model, tmp_path
):
    (flowers.parent / "deep").mkdir(exist_ok=True)
    for path in [flowers, model] if command == "predict" else [flowers]:
        folder = tmp_path / f"names_{path.name}"
        folder.mkdir()
        before = path.read_bytes()
        for name in aliases(path, folder):
            code, _, stderr = write(command, "-o", name)
            assert code == 2
            assert "which is read. Give another file for the output." in stderr, stderr
            assert path.read_bytes() == before


@pytest.mark.parametrize("command", MODELS)
def test_a_model_or_picture_never_replaces_an_input(command, write, flowers):
    before = flowers.read_bytes()
    assert "which is read" in write(command, "--model", flowers)[2]
    if command == "reduce":
        assert "which is read" in write(command, "--plot", flowers)[2]
    assert flowers.read_bytes() == before


def test_two_outputs_do_not_go_to_one_file(write, tmp_path):
    code, _, stderr = write("cluster", "-o", tmp_path / "x", "--model", tmp_path / "." / "x")
    assert code == 2
    assert "Two outputs would go to" in stderr
    assert not (tmp_path / "x").exists()


def test_other_inputs_of_commands_are_not_replaced_either(flowers, tmp_path, capfd, monkeypatch):
    from lookalike.cli.program import run

    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other.csv"
    other.write_bytes(flowers.read_bytes())
    lines = [
        ["neighbors", flowers, "--query", other, "--drop", "kind", "-o", other],
        ["audit", flowers, "--target", "kind", "--test", other, "-o", other],
        ["index", "build", other, "--drop", "kind", "-o", other],
    ]
    for line in lines:
        assert run([str(word) for word in line]) == 2
        assert "which is read" in capfd.readouterr().err
        assert other.read_bytes() == flowers.read_bytes()


def test_a_study_does_not_replace_the_table_that_it_reads(flowers, tmp_path, capfd):
    from lookalike.cli.program import run

    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.json").write_text('{"schema": "lookalike.study/1"}', encoding="utf-8")
    (folder / "predictions.csv").write_bytes(flowers.read_bytes())
    line = ["study", folder / "predictions.csv", "--target", "kind", "-o", folder]
    assert run([str(word) for word in line]) == 2
    assert "which is read" in capfd.readouterr().err
    assert (folder / "predictions.csv").read_bytes() == flowers.read_bytes()


def test_a_file_of_a_folder_that_is_read_is_not_replaced(tmp_path, capfd):
    from lookalike.cli.program import run

    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"text {name}", encoding="utf-8")
    line = ["neighbors", tmp_path, "-o", tmp_path / "a.txt", "-k", "1"]
    assert run([str(word) for word in line]) == 2
    assert "would replace part of" in capfd.readouterr().err
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "text a"


def test_corrections_that_were_listed_before_are_not_replaced(flowers, tmp_path, capfd):
    from lookalike.cli.program import run

    table, listed = tmp_path / "t.csv", tmp_path / "t_corrections.csv"
    table.write_bytes(flowers.read_bytes())
    listed.write_text("row,action,label\n0,drop,\n", encoding="utf-8")
    assert run(["audit", str(table), "--target", "kind", "-k", "3", "--apply"]) == 2
    assert f"Apply it with --corrections {listed}" in capfd.readouterr().err
    assert not (tmp_path / "t_cleaned.csv").exists()
    advice = ["--apply", "--corrections", str(listed)]
    assert run(["audit", str(table), "--target", "kind", *advice]) == 0


READ_OPTIONS = {"audit --corrections", "serve --token-file"}
WRITTEN_OPTIONS = {  # a line of each, in which it names a file that is read
    "audit --out": "audit DATA --target kind --out DATA",
    "card --out": "card MODEL --out MODEL",
    "cluster --model": "cluster DATA --drop kind --model DATA",
    "cluster --out": "cluster DATA --drop kind --out DATA",
    "index build --out": "index build DATA --drop kind --out DATA",
    "neighbors --out": "neighbors DATA --drop kind --out DATA",
    "predict --out": "predict MODEL DATA --out MODEL",
    "reduce --model": "reduce DATA --drop kind --model DATA",
    "reduce --out": "reduce DATA --drop kind --out DATA",
    "reduce --plot": "reduce DATA --drop kind --plot DATA",
    "select --out": "select DATA --target kind --out DATA",
    "serve --corrections": "serve DATA --data DATA --corrections DATA",
    "serve --request-log": "serve MODEL --request-log MODEL",
    "study --out": "study DATA --target kind --out DATA",
}


def path_options(command, name=""):
    """Give every option of every command that takes a path."""
    if hasattr(command, "commands"):
        for below, other in command.commands.items():
            yield from path_options(other, f"{name} {below}".strip())
        return
    for parameter in command.params:
        of_path = parameter.type_descriptor.annotation is Path
        if parameter.param_type_name == "option" and of_path:
            yield f"{name} {parameter.opts[0]}"


def test_every_option_that_names_a_file_is_read_or_is_listed_as_written():
    from typer.main import get_command

    from lookalike.cli.program import app

    assert {*path_options(get_command(app))} == READ_OPTIONS | WRITTEN_OPTIONS.keys()


@pytest.mark.parametrize("option", WRITTEN_OPTIONS)
def test_no_option_of_any_command_writes_over_a_file_that_is_read(option, flowers, model, capfd):
    from lookalike.cli.program import run

    read = {"DATA": flowers, "MODEL": model}
    before = {name: path.read_bytes() for name, path in read.items()}
    line = [str(read.get(word, word)) for word in WRITTEN_OPTIONS[option].split()]
    assert run(line) == 2, option
    assert "lookalike: " in capfd.readouterr().err
    assert {name: path.read_bytes() for name, path in read.items()} == before
