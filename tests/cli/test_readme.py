"""The commands of the README run as they stand, one after another."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path

from service import process

README = Path(__file__).parents[2] / "README.md"


def first_commands():
    """Return the commands of the first block, without the one that installs."""
    block = re.search(
        r"## The first minute\n.*?```bash\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    lines = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    return [words[1:] for words in lines if words[0] == "lookalike"]


def first_request():
    """Return the path and the body of the request that the README sends with curl."""
    found = re.search(r"`curl -s localhost:8765(\S+) .*? -d '(.*?)'`", README.read_text("utf-8"))
    return found[1], json.loads(found[2])


def test_the_first_commands_run_and_the_service_answers(run_cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    *commands, serve = first_commands()
    assert [words[0] for words in commands] == ["study", "predict", "explain", "neighbors"]
    for words in commands:
        code, _, stderr = run_cli(*words)
        assert code == 0, stderr
    for name in ("iris_study/report.html", "predictions.csv", "neighbors.csv"):
        assert (tmp_path / name).stat().st_size > 0
    path, body = first_request()
    with process(*serve[1:]) as service:
        service.wait_ready()
        assert service.post(path, body).json()["predictions"] == [0]


def test_the_timed_walk_takes_the_commands_as_they_stand():
    script = runpy.run_path(str(README.parent / "docs" / "first_walk.py"))
    text, page = README.read_text("utf-8"), (README.parent / "docs" / "first_walk.md").read_text()
    commands = script["commands"](text)
    assert [shlex.split(line)[1:] for line in commands] == first_commands()
    assert all(f"| `{command}" in page for command in commands)
    assert first_request()[0] in script["request"](text)
