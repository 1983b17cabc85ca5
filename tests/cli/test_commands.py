"""Each command answers on a terminal, in a pipe and as JSON, and says what is wrong in a line."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors as Theirs
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike import (
    LSA,
    PCA,
    BoostedNeighborsRegressor,
    KNeighborsClassifier,
    KNeighborsRegressor,
    load,
    save,
)
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.settings import settings

COMMANDS = ("study", "predict", "explain", "neighbors", "reduce", "select", "audit", "plan")
COMMANDS += ("compare", "info", "cluster", "card", "export")


def cells(text):
    return list(csv.reader(text.splitlines()))


def test_neighbors_are_those_of_a_slow_scan(run_cli):
    code, out, _ = run_cli("neighbors", "diabetes", "-k", "3")
    assert code == 0
    result = np.array([int(line[2]) for line in cells(out)[1:]]).reshape(-1, 3)
    from sklearn.datasets import load_diabetes

    X = load_diabetes().data
    np.testing.assert_array_equal(result, Theirs(n_neighbors=3).fit(X).kneighbors()[1])


def test_neighbors_of_other_rows_are_found_in_the_same_columns(run_cli, table):
    old = table("a,town\n1,Graz\n2,Linz\n9,Graz\n", "old.csv")
    new = table("a,town\n8,Graz\n", "new.csv")
    code, out, _ = run_cli("neighbors", old, "--query", new, "-k", "1")
    assert code == 0
    assert cells(out)[1][:3] == ["0", "1", "2"]


def test_predictions_are_those_of_the_model(run_cli, model, flowers, tmp_path):
    code, out, stderr = run_cli("predict", model, flowers, "--proba")
    assert code == 0
    assert "not used by the model: kind" in stderr
    frame = pd.read_csv(flowers)[["wide", "long"]]
    assert [line[1] for line in cells(out)[1:]] == load(model).predict(frame).tolist()
    assert cells(out)[0] == ["row", "prediction", "p(a)", "p(b)"]
    written = tmp_path / "deep" / "out.csv"
    assert run_cli("predict", model, flowers, "--proba", "-o", written)[0] == 0
    assert cells(written.read_text()) == cells(out)
    code, lines, _ = run_cli("predict", model, flowers, "--json")
    assert json.loads(lines.splitlines()[0]) == {"row": 0, "prediction": cells(out)[1][1]}


def test_a_file_larger_than_memory_is_predicted_in_pieces(run_cli, model, table):
    lines = "\n".join(f"{i % 7},{i % 5}" for i in range(30_000))
    path = table(f"wide,long\n{lines}\n")
    code, out, _ = run_cli("--memory", "1MB", "predict", model, path)
    assert code == 0
    result = [line[1] for line in cells(out)[1:]]
    assert len(result) == 30_000
    assert result[:35] == result[35:70]


def test_columns_of_mixed_types_are_matched_by_name(run_cli, table, tmp_path):
    train = table("age,town,y\n1,Graz,a\n2,Linz,a\n8,Graz,b\n9,Linz,b\n", "train.csv")
    frame = pd.read_csv(train)
    fitted = make_pipeline(TablePreprocessor(), KNeighborsClassifier(1)).fit(
        frame[["age", "town"]], frame["y"].to_numpy()
    )
    save(fitted, tmp_path / "m.lookalike")
    new = table("town,age\nGraz,2\nWien,9\n,8\n", "new.csv")
    code, out, _ = run_cli("predict", tmp_path / "m.lookalike", new)
    assert code == 0
    assert [line[1] for line in cells(out)[1:]] == ["a", "b", "b"]
    code, out, _ = run_cli("explain", tmp_path / "m.lookalike", new, "--row", "1", "--json")
    assert json.loads(out)["prediction"] == "b"
    assert json.loads(out)["features"][0]["name"].startswith(("town", "age"))


def test_a_model_of_documents_predicts_a_text_column(run_cli, refused, table, tmp_path):
    texts = ["a cat sat", "the cat ate", "stocks fell", "stocks and bonds fell"]
    fitted = make_pipeline(LSA(2), KNeighborsClassifier(1)).fit(texts, np.array(list("aabb")))
    save(fitted, tmp_path / "m.lookalike")
    new = table("id,words\n1,the cat sat\n2,bonds fell\n")
    code, out, _ = run_cli("predict", tmp_path / "m.lookalike", new, "--text", "words")
    assert code == 0
    assert [line[1] for line in cells(out)[1:]] == ["a", "b"]
    assert "--text" in refused("predict", tmp_path / "m.lookalike", new)


def test_text_that_would_be_a_formula_is_written_as_text(run_cli, table, tmp_path):
    X = np.array([[0.0], [1.0], [2.0]])
    labels = np.array(["=cmd|' /C calc'!A0", "@sum", "-2"])
    save(KNeighborsClassifier(1).fit(X, labels), tmp_path / "m.lookalike")
    code, out, _ = run_cli("predict", tmp_path / "m.lookalike", table("x\n0\n1\n2\n"))
    assert code == 0
    assert [line[1] for line in cells(out)[1:]] == ["'=cmd|' /C calc'!A0", "'@sum", "'-2"]
    save(KNeighborsRegressor(1).fit(X, [-1.5, 2.0, 3.0]), tmp_path / "m.lookalike")
    code, out, _ = run_cli("predict", tmp_path / "m.lookalike", table("x\n0\n1\n2\n"))
    assert cells(out)[1] == ["0", "-1.5"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("predict", "MODEL", "absent.csv"), "absent.csv"),
        (("predict", "absent.lookalike", "TABLE"), "absent.lookalike"),
        (("predict", "TABLE", "TABLE"), "not a lookalike model file"),
        (("predict", "MODEL", "iris"), "lacks 2 of the 2 columns"),
        (("explain", "MODEL", "TABLE", "--row", "40"), "there are 40"),
        (("info", "TABLE"), "not a lookalike model file"),
        (("select", "TABLE"), "no target"),
        (("select", "wine", "-k", "many"), "many"),
        (("neighbors", "iris", "-k", "150"), "n_neighbors = 150"),
        (("neighbors", "iris", "--metric", "odd"), "'odd' is not known"),
        (("compare", "iris", "--metric", "jaccard"), "cannot be compared"),
        (("audit", "iris", "--target", "y"), "brings its own target"),
        (("plan", "TABLE", "--decimal", "xx"), "not one character"),
    ],
)
def test_an_error_is_one_line(arguments, words, refused, model, flowers):
    named = {"MODEL": model, "TABLE": flowers}
    assert words in refused(*(named.get(one, one) for one in arguments))


def test_a_model_without_predict_is_refused(refused, flowers, tmp_path):
    save(PCA(1).fit(load_iris().data), tmp_path / "m.lookalike")
    stderr = refused("predict", tmp_path / "m.lookalike", "iris")
    assert "holds a PCA, which has no predict" in stderr
    assert "keeps no training rows" in refused("compare", tmp_path / "m.lookalike")


def test_info_shows_class_parameters_columns_and_classes(run_cli, model):
    code, out, _ = run_cli("info", model, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["class"] == "KNeighborsClassifier"
    assert result["parameters"]["n_neighbors"] == 3
    assert result["schema"]["features"] == ["wide", "long"]
    assert result["schema"]["classes"] == ["a", "b"]
    assert "KNeighborsClassifier" in run_cli("info", model)[1]


def test_explain_lists_the_neighbors_and_the_flip(run_cli, model, flowers):
    code, out, _ = run_cli("explain", model, flowers, "--row", "4", "--leave-out", "--json")
    result = json.loads(out)
    assert code == 0
    assert 4 not in result["neighbors"]
    assert sum(result["votes"].values()) >= 3
    assert {one["name"] for one in result["features"]} == {"wide", "long"}
    assert "Neighbors that voted" in run_cli("explain", model, flowers, "--row", "4")[1]


def test_explain_lists_the_neighbors_of_a_regression(run_cli, tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    save(KNeighborsRegressor(2).fit(X, X[:, 0]), tmp_path / "m.lookalike")
    np.save(tmp_path / "q.npy", X[:1] + 0.25)
    arguments = ("explain", tmp_path / "m.lookalike", tmp_path / "q.npy", "--row", "0")
    result = json.loads(run_cli(*arguments, "--json")[1])
    assert result["prediction"] == 1.0
    assert result["neighbors"] == [0, 1]
    assert result["targets"] == [0.0, 2.0]
    assert result["change_if_removed"] == [1.0, -1.0]
    assert "target" in run_cli(*arguments)[1]


def test_explain_gives_the_effect_of_every_feature_of_any_model(run_cli, refused, tmp_path):
    path = tmp_path / "m.lookalike"
    X, y = load_iris(return_X_y=True)
    fitted = make_pipeline(TablePreprocessor(), LogisticRegression()).fit(X, y)
    save(fitted, path)
    code, out, stderr = run_cli("explain", path, "iris", "--row", "60", "--json")
    result = json.loads(out)
    assert code == 0, stderr
    assert (result["prediction"], result["features"][0]["name"]) == (1, "sepal width (cm)")
    swapped = np.repeat(X[60:61], 50, axis=0)
    swapped[:, 1] = X[np.linspace(0, 149, 50).round().astype(int), 1]
    without = fitted.predict_proba(swapped)[:, 1].mean()
    assert result["score"] == fitted.predict_proba(X[60:61])[0, 1]
    np.testing.assert_allclose(
        result["features"][0]["effect"], result["score"] - without, atol=1e-12
    )
    assert (
        "Effect of each feature on the probability"
        in run_cli("explain", path, "iris", "--row", "0")[1]
    )
    assert "there are 150 rows" in refused("explain", path, "iris", "--row", "150")


def test_explain_says_that_the_training_rows_of_boosted_trees_are_not_listed(run_cli, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "m.lookalike"
    save(BoostedNeighborsRegressor(3).fit(X, y), path)
    np.save(tmp_path / "rows.npy", X[:20])
    code, out, stderr = run_cli("explain", path, tmp_path / "rows.npy", "--row", "3")
    assert code == 0, stderr
    assert "Effect of each feature on the prediction" in out
    assert "training rows are not listed" in stderr


def test_explain_gives_the_effect_of_every_word(run_cli, table, tmp_path):
    texts = ["a cat sat", "the cat ate", "stocks fell", "stocks and bonds fell"]
    fitted = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, list("aabb"))
    save(fitted, tmp_path / "m.lookalike")
    new = table("words\nthe cat and bonds\nbonds fell\n")
    arguments = ("explain", tmp_path / "m.lookalike", new, "--text", "words", "--row", "0")
    code, out, stderr = run_cli(*arguments, "--json")
    assert code == 0, stderr
    assert json.loads(out)["features"][0]["name"] == "cat"
    assert "Effect of each word" in run_cli(*arguments)[1]


def test_options_of_the_program_hold_for_one_command_only(run_cli, model, flowers):
    before = settings()
    assert run_cli("--memory", "1MB", "predict", model, flowers)[0] == 0
    assert settings() == before


def test_an_audit_finds_planted_duplicates_and_escapes_formulas(run_cli, table, tmp_path):
    X, y = load_wine(return_X_y=True)
    lines = [
        ",".join(map(repr, row.tolist())) + f",={label}" for row, label in zip(X, y, strict=True)
    ]
    lines.append(lines[0])
    path = table("\n".join([",".join(f"c{i}" for i in range(13)) + ",kind", *lines, ""]))
    written = tmp_path / "audit.csv"
    code, out, _ = run_cli("audit", path, "--target", "kind", "-o", written, "--json")
    assert code == 0
    assert set(json.loads(out)["flagged_rows"]["duplicate"]) == {0, 178}
    written = cells(written.read_text())
    assert written[0][:5] == ["part", "row", "flags", "mislabel_probability", "suggested_label"]
    assert written[1][4].startswith("'=")
    assert "duplicate" in written[1][2]
    assert "duplicate" in run_cli("audit", path, "--target", "kind")[1]


def test_features_are_ranked_by_their_univariate_scores(run_cli, tmp_path):
    code, out, _ = run_cli("select", "wine", "-k", "2", "-o", tmp_path / "r.csv", "--json")
    result = json.loads(out)["features"]
    assert code == 0
    assert [one["selected"] for one in result[:3]] == ["yes", "yes", "no"]
    assert result[0]["feature"] == "flavanoids"
    assert cells((tmp_path / "r.csv").read_text())[1][1] == "flavanoids"
    code, out, _ = run_cli("select", "iris", "--wrapper", "-k", "2", "--scale", "none")
    assert code == 0
    assert "2\tpetal length (cm), petal width (cm)\tyes" in out
    assert "preprocessing: not scaled (--scale none)" in out


def test_rows_are_clustered(run_cli, tmp_path):
    out, kept = tmp_path / "groups.csv", tmp_path / "m.lookalike"
    code, result, _ = run_cli("cluster", "iris", "-k", "3", "-o", out, "--model", kept, "--json")
    assert code == 0
    assert sorted(json.loads(result)["cluster_sizes"]) == [44, 50, 56]
    X = load_iris(as_frame=True).data
    labels = [int(line[1]) for line in cells(out.read_text())[1:]]
    assert labels == load(kept).predict(X).tolist()
    arguments = ("cluster", "iris", "-k", "3", "--scale", "none", "-o", out, "--json")
    assert sorted(json.loads(run_cli(*arguments)[1])["cluster_sizes"]) == [38, 50, 62]
    assert "petal" in run_cli("cluster", "iris", "-k", "3", "--mixture", "--scale")[1]


def test_a_plan_names_the_index(run_cli):
    code, out, _ = run_cli("plan", "iris", "--json")
    assert code == 0
    assert json.loads(out)["index"] == "kd_tree"


def test_reduce_keeps_a_model(run_cli, tmp_path):
    arguments = ("reduce", "iris", "--model", tmp_path / "m.lookalike", "--json")
    code, out, _ = run_cli(*arguments, "--scale", "none")
    assert code == 0
    assert json.loads(out)["rows"] == 150
    again = load(tmp_path / "m.lookalike")
    np.testing.assert_array_equal(again.components_, PCA(2).fit(load_iris().data).components_)
    frame = load_iris(as_frame=True).data
    scaled = (frame - frame.mean()) / frame.std(ddof=0)
    assert run_cli(*arguments)[0] == 0
    scores = load(tmp_path / "m.lookalike").transform(frame)
    np.testing.assert_allclose(scores, PCA(2).fit_transform(scaled), atol=1e-12)


@pytest.mark.parametrize("name", ["iris", "wine", "diabetes"])
def test_every_difference_from_scikit_learn_is_explained(name, run_cli):
    code, out, _ = run_cli("compare", name, "-k", "4", "--json")
    assert code == 0
    for one in json.loads(out)["comparisons"]:
        assert one["equal"] + sum(one["reasons"].values()) == one["compared"]
        assert "not explained" not in one["reasons"]
    assert "compared with scikit-learn" in run_cli("compare", name)[1]


def test_a_model_is_compared_on_its_own_rows(run_cli, model):
    code, out, _ = run_cli("compare", model, "--json")
    assert code == 0
    assert [one["comparison"].split()[0] for one in json.loads(out)["comparisons"]] == [
        "3",
        "classification",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, run_cli):
    code, out, _ = run_cli(command, "--help")
    assert code == 0
    assert "Example: lookalike" in out
    assert "--json" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_paragraphs_of_the_help_fill_the_terminal(command, run_cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = run_cli(command, "--help")[1].partition("╭")[0]
    lines = [line.strip() for line in text.splitlines()]
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        assert not line or not word or len(f"{line} {word}") > 58  # less a space on each side


def program(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "lookalike", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_python_m_lookalike_is_the_same_program():
    ended = program("--version")
    assert (ended.returncode, ended.stdout) == (0, f"lookalike {lookalike.__version__}\n")
    assert program("nothing").returncode == 2


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_with_the_script_that_is_shown(tmp_path):
    (tmp_path / "lookalike").write_text(f'#!/bin/sh\nexec {sys.executable} -m lookalike "$@"\n')
    (tmp_path / "lookalike").chmod(0o755)
    expected = {"pre": "predict", "study --delim": "--delimiter", "plan dig": "digits"}
    complete = "; ".join(
        f"COMP_WORDS=(lookalike {words}); COMP_CWORD={len(words.split())};"
        '_lookalike_completion lookalike; echo "${COMPREPLY[*]}"'
        for words in expected
    )
    ended = subprocess.run(
        ["bash", "-c", f"source <(lookalike --show-completion bash); {complete}"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.splitlines() == list(expected.values()), ended.stderr


def test_output_in_a_pipe_is_utf_8_whatever_the_system_says(table):
    path = table("größe,b\n1,2\n2,3\n3,5\n4,1\n")
    ended = subprocess.run(
        [sys.executable, "-m", "lookalike", "cluster", str(path), "-k", "2", "--json"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0
    assert json.loads(ended.stdout.decode("utf-8"))["columns"] == ["größe", "b"]


def test_tables_and_bars_are_drawn_on_a_terminal_only(run_cli, model, flowers):
    pty = pytest.importorskip("pty")
    here, there = pty.openpty()
    command = [sys.executable, "-m", "lookalike", "predict", str(model), str(flowers)]
    ended = subprocess.run(command, stdout=there, stderr=subprocess.DEVNULL, check=False)
    os.close(there)
    shown = os.read(here, 100_000).decode()
    os.close(here)
    assert ended.returncode == 0
    assert "┃" in shown
    assert "The first 20 lines" in shown
    assert "┃" not in run_cli("predict", model, flowers)[1]


@pytest.mark.skipif(os.name != "posix", reason="signals differ")
def test_an_interrupt_leaves_nothing_half_written(model, tmp_path):
    pipe, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "lookalike", "predict", str(model), str(pipe), "-o", str(out)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with suppress(BrokenPipeError), pipe.open("w") as file:
        file.write("wide,long\n")
        stopped = False
        while running.poll() is None:
            file.write("1,2\n" * 1000)
            if not stopped and list(tmp_path.glob(".lookalike-*")):
                running.send_signal(signal.SIGINT)
                stopped = True
    stderr = running.communicate()[1]
    assert running.returncode == 130
    assert stderr.endswith("lookalike: stopped\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "flowers.csv",
        model.name,
        "rows.csv",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_commands(shell):
    started = {
        "_LOOKALIKE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "lookalike pre",
        "COMP_CWORD": "1",
    }
    started |= {"_TYPER_COMPLETE_ARGS": "lookalike pre", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    from lookalike.cli.program import app  # noqa: F401

    script = "from lookalike.cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", script], env={**os.environ, **started},
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert "predict" in ended.stdout


def test_help_needs_none_of_the_heavy_libraries():
    script = (
        "import sys; from lookalike.cli.program import run; run(['--help']);"
        "assert not {'sklearn', 'scipy', 'pyarrow', 'pandas', 'matplotlib'} & set(sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_columns_are_dropped_by_name(run_cli, refused, table):
    path = table("a,b,town,name\n1,2,x,p\n3,4,y,q\n6,8,x,r\n")
    code, out, _ = run_cli("plan", path, "--drop", "town", "--drop", "name", "--json")
    assert code == 0
    assert json.loads(out)["columns"] == 2
    assert "--drop" in refused("plan", path, "--drop", "city")
    assert "--target" in refused("audit", path, "--target", "city")


@pytest.mark.parametrize("command", COMMANDS)
def test_target_is_always_the_column_to_predict(command, run_cli):
    words = " ".join(run_cli(command, "--help")[1].replace("│", " ").split())
    if "--target" in words:
        assert "The column to predict." in words
    if "--drop" in words:
        assert "A column to leave out; repeatable." in words


@pytest.mark.parametrize(
    ("given", "kept"), [({}, "passive"), ({"OMP_WAIT_POLICY": "active"}, "active")]
)
def test_threads_of_openmp_sleep_while_they_wait_unless_the_user_says_otherwise(given, kept):
    script = (
        "import atexit, os, sys; sys.argv = ['lookalike', '--version']; import lookalike.cli\n"
        "atexit.register(lambda: print(os.environ['OMP_WAIT_POLICY'])); lookalike.cli.main()"
    )
    known = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=known | given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == kept
