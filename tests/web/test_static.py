"""The files of the page are all there, and all of them are in the package that is installed."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import lookalike

STATIC = Path(lookalike.__file__).parent / "web" / "static"
ROOT = Path(__file__).parents[2]
LONGEST_LINE = 120


def test_every_file_that_the_page_names_is_there():
    named = set()
    for path in STATIC.rglob("*"):
        if path.suffix == ".html":
            for name in re.findall(r'(?:src|href)="/static/([^"]+)"', path.read_text()):
                named.add(STATIC / name)
        elif path.suffix == ".js":
            for name in re.findall(r'from "(\.[^"]+)"', path.read_text()):
                named.add((path.parent / name).resolve())
        elif path.suffix == ".css":
            for name in re.findall(r'url\("([^":]+)"\)', path.read_text()):
                named.add((path.parent / name).resolve())
    assert len(named) > 40
    assert [str(path) for path in sorted(named) if not path.is_file()] == []


def test_the_wheel_holds_every_file_of_the_page():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert build["wheel"] == {"packages": ["src/lookalike"]}
    files = [str(path) for path in STATIC.rglob("*") if path.is_file()]
    ignored = subprocess.run(  # what git ignores is left out of a wheel
        ["git", "check-ignore", "--no-index", *files], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (ignored.returncode, ignored.stdout) == (1, "")


def test_no_line_of_the_page_is_longer_than_an_editor_shows():
    style = STATIC.parents[1] / "report" / "page" / "page.css"
    files = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".html")]
    long = [
        f"{path.name}:{number}"
        for path in [*files, style]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
