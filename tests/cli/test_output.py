"""Names, labels, cells and file names from data cannot act on a terminal, in any command."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from lookalike import KNeighborsClassifier, save

ATTACK = "\x1b]0;owned\x07\x1b[2J\u202e\0"
SHOWN = r"\x1b]0;owned\x07\x1b[2J\u202e\x00"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path):
    """A table whose file, columns, labels and categories hold control characters."""
    path = tmp_path / f"table{ATTACK[:-1]}.jsonl"
    rows = [
        {
            f"wide{ATTACK}": i % 7,
            f"long{ATTACK}": i % 5 + i / 100,
            f"kind{ATTACK}": f"{'ab'[i % 2]}{ATTACK}.",  # labels that end in NUL are refused
            f"town{ATTACK}": f"{'xyz'[i % 3]}{ATTACK}",
        }
        for i in range(40)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def hostile_model(hostile):
    """A model whose file name, columns and labels hold control characters."""
    frame = pd.read_json(hostile, lines=True)
    numbers = frame[[f"wide{ATTACK}", f"long{ATTACK}"]].astype(float)
    path = hostile.with_suffix(".lookalike")
    save(KNeighborsClassifier(3).fit(numbers, frame[f"kind{ATTACK}"].to_numpy(str)), path)
    return path


DROP = ("--drop", f"kind{ATTACK}", "--drop", f"town{ATTACK}")
TARGET = ("--target", f"kind{ATTACK}")
COMMANDS = {
    "plan": ("plan", "DATA", *DROP),
    "neighbors": ("neighbors", "DATA", *DROP),
    "reduce": ("reduce", "DATA", *DROP),
    "cluster": ("cluster", "DATA", "-k", "2"),
    "select": ("select", "DATA", *TARGET),
    "audit": ("audit", "DATA", *TARGET, "-k", "3"),
    "compare": ("compare", "DATA", *TARGET, "-k", "3"),
    "predict": ("predict", "MODEL", "DATA", "--proba"),
    "explain": ("explain", "MODEL", "DATA", "--row", "3"),
    "info": ("info", "MODEL"),
    "wrong column": ("plan", "DATA", "--drop", f"none{ATTACK}"),
    "wrong file": ("plan", f"none{ATTACK[:-1]}.csv"),
    "wrong text": ("reduce", "DATA", "--text", f"none{ATTACK}"),
    "wrong model": ("info", "DATA"),
    "wrong option": ("plan", "DATA", f"more{ATTACK}", "and\x1b[2J"),
    "wrong place": ("cluster", "DATA", "-o", "FOLDER"),
}
FAILING = [name for name in COMMANDS if name.startswith("wrong")]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("as_json", [False, True])
def test_control_characters_are_shown_as_codes(command, as_json, run_cli, hostile, hostile_model):
    named = {"DATA": hostile, "MODEL": hostile_model, "FOLDER": hostile.parent}
    arguments = [named.get(one, one) for one in COMMANDS[command]]
    code, out, stderr = run_cli(*arguments, *(["--json"] if as_json else []))
    assert code == (2 if command in FAILING else 0), stderr
    assert not ACTING.search(out + stderr)
    if command in ("select", "explain", "info") and not as_json:
        assert f"wide{SHOWN}" in out
    if as_json and command == "select":
        names = {one["feature"] for one in json.loads(out)["features"]}
        assert f"wide{ATTACK}" in names  # JSON means what was there


@pytest.mark.parametrize("command", ["select", "cluster", "explain", "info", "wrong column"])
def test_control_characters_are_shown_as_codes_on_a_terminal(
    command, run_cli, hostile, hostile_model, monkeypatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "400")
    named = {"DATA": hostile, "MODEL": hostile_model}
    _, out, stderr = run_cli(*(named.get(one, one) for one in COMMANDS[command]))
    shown = re.sub("\x1b\\[[0-9;]*m", "", out + stderr)  # the colors are the program's
    assert not ACTING.search(shown)
    assert "\x1b" in out + stderr


def test_a_traceback_shows_control_characters_as_codes(run_cli, hostile):
    code, _, stderr = run_cli("--debug", "plan", hostile, "--drop", f"none{ATTACK}")
    assert code == 2
    assert "Traceback" in stderr
    assert not ACTING.search(stderr)


def test_a_written_csv_holds_codes_and_numbers_as_they_are(run_cli, hostile, hostile_model):
    out = hostile.parent / "out.csv"
    assert run_cli("predict", hostile_model, hostile, "-o", out)[0] == 0
    text = out.read_text()
    assert not ACTING.search(text)
    assert f"a{SHOWN}." in text
    table = np.genfromtxt(out, delimiter=",", skip_header=1, usecols=0)
    assert table.tolist() == list(range(40))


@pytest.mark.parametrize("command", ["neighbors", "predict"])
def test_with_json_the_place_of_a_written_table_is_json(command, run_cli, flowers, model, tmp_path):
    given = (model, flowers) if command == "predict" else (flowers, "--target", "kind")
    out = tmp_path / "out.csv"
    code, shown, _ = run_cli(command, *given, "--out", out, "--json")
    assert code == 0
    assert json.loads(shown) in ({"neighbors": str(out)}, {"predictions": str(out)})
