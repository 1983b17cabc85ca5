"""The examples give the figures that the sources print, and the docs show them."""

from __future__ import annotations

import ast
import json
import pydoc
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_regressor

import lookalike

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "gallery"
QUICK = tuple(  # of a second or two
    ast.literal_eval(
        re.search(r"^QUICK = (\(.*?\))", (GALLERY / "run.py").read_text("utf-8"), re.S | re.M)[1]
    )
)
NEEDS_DATA = ("eigenfaces", "nearest_digits")  # and are quick, too
SYSTEMS = (
    *(f"N{i}" for i in range(1, 22)),
    *(f"R{i}" for i in range(1, 6)),
    *(f"P{i}" for i in range(1, 15)),
    *(f"F{i}" for i in range(1, 4)),
)


@pytest.fixture
def example(monkeypatch):
    """Import a file of the gallery by name."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "path", [str(GALLERY), *sys.path])
    return import_module


def run(example, name, folder):
    module = example(name)
    record = example("record").Record(module.SOURCE, folder)
    module.figures(record)
    return record


@pytest.mark.parametrize("name", QUICK)
def test_the_figures_match_their_source_and_those_of_the_docs(example, name, tmp_path):
    record = run(example, name, tmp_path)
    assert record.mismatches == []
    known = json.loads((GALLERY / "measured.json").read_text("utf-8"))[name]
    assert [row._asdict() for row in record.rows] == known
    for file, caption in record.pictures:
        assert (tmp_path / file).stat().st_size > 2000
        assert caption


def test_the_eigenfaces_have_the_printed_mean_and_error(example, data_folder, tmp_path):
    record = run(example, "eigenfaces", tmp_path)
    assert record.mismatches == []
    assert {"9.70e-05", "1.121e-05"} <= {row.measured for row in record.rows}


def test_the_digits_have_the_printed_errors(example, data_folder, tmp_path):
    record = run(example, "nearest_digits", tmp_path)
    assert [row.measured for row in record.rows[:3]] == ["0", "18", "14"]


def test_numbers_match_when_they_round_to_the_digits_printed(example):
    compared = example("record").compared
    assert compared("9.70e-05", 9.7049e-5, 0.5) == (True, "9.70e-05")
    assert compared("9.70e-05", 9.706e-5, 0.5)[0] is False
    assert compared("0.999", 0.99962, 0.5)[0] is False
    assert compared("0.999", 0.99962, 1.0)[0] is True
    assert compared(["1.81", "1.91"], [1.8099, 1.912], 0.5) == (True, "1.81, 1.91")
    assert compared(18, 18, 0.5) == (True, "18")
    assert compared(14, 13, 0.5)[0] is False
    assert compared("{x1, x2}", "{x1}", 0.5)[0] is False


def test_a_mismatch_a_failure_and_missing_data_are_shown_and_end_with_an_error(
    example, tmp_path, monkeypatch, capsys
):
    runner = example("run")
    record = example("record")
    figure = record.Figure("[S]", "errors", "printed", "14", "13", False)
    fine = figure._replace(measured="14", match=True)
    results = [
        runner.Result("one", "One.", "[S]", ("N1",), [fine], [], 1.0),
        runner.Result("two", "Two.", "[S]", (), [figure], [record.Picture("a.png", "A")], 1.0),
        runner.Result(
            "three", "Three.", "[S]", (), [], [], 0.0, skipped="LOOKALIKE_DATA is not set"
        ),
        runner.Result("four", "Four.", "[S]", (), [], [], 0.0, failed="Traceback <here>"),
    ]
    assert runner.summarize(results) == 1
    assert "two: errors: printed 14, measured 13" in capsys.readouterr().out
    assert runner.summarize(results[:1]) == 0
    example("page").write_page(results, tmp_path / "index.html")
    page = (tmp_path / "index.html").read_text("utf-8")
    for words in (
        "1 do not",
        "pictures/a.png",
        "LOOKALIKE_DATA is not set",
        "Traceback &lt;here&gt;",
    ):
        assert words in page


def test_without_data_an_example_says_what_it_needs(example, monkeypatch, tmp_path):
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    missing = example("record").missing_data
    assert "mnist.npz" in missing(example("fives"))
    assert missing(example("ten_points")) == ""
    monkeypatch.setenv("LOOKALIKE_DATA", str(tmp_path))
    assert missing(example("fives")) == "LOOKALIKE_DATA has no mnist.npz"
    assert example("run").run("fives", tmp_path).skipped


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_tables_of_figures_are_those_that_were_measured(example, page):
    text = page.read_text("utf-8")
    assert example("tables").refreshed(text) == text, "make gallery writes them again"


def declared(name: str, path: Path):
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name:
            return ast.literal_eval(node.value)
    return None


def systems_table() -> dict[str, list[str]]:
    lines = (ROOT / "docs" / "sources.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row for row in cells if re.fullmatch(r"[NRPF]\d+", row[0])}


def test_every_system_of_the_sources_has_a_row_whose_names_exist():
    table = systems_table()
    assert tuple(table) == SYSTEMS
    for name, _, source, api, test, gallery, engines in table.values():
        assert source
        for call in re.findall(r"`([\w.]+)[^`]*`", re.sub(r"`\w+='?[^`]*`", "", api)):
            assert pydoc.locate(f"lookalike.{call}") is not None, call
        function, file = re.findall(r"`([^`]+)`", test)
        assert f"def {function}(" in (ROOT / "tests" / file).read_text("utf-8"), (name, function)
        assert gallery
        assert set(engines.split(", ")) <= {"memory", "stream", "Dask", "GPU", "a formula"}, name


def test_what_the_table_says_of_streams_is_so():
    rng = np.random.default_rng(0)
    X, y, score = rng.normal(size=(60, 3)), np.arange(60) % 2, rng.normal(size=60)
    fitted = set()
    for _, _, _, api, _, _, engines in systems_table().values():
        for call in re.findall(r"`(\w+(?:\([^`]*\))?)`", api):
            name = call.partition("(")[0]
            made = getattr(lookalike, name, None)
            if "stream" in engines and isinstance(made, type) and hasattr(made, "fit"):
                model = eval(call if "(" in call else f"{call}()", {name: made})
                if "engine" in model.get_params():
                    target = score if is_regressor(model) else y
                    model.set_params(engine="stream").fit(X, target)
                    fitted.add(name)
    assert len(fitted) > 10


def test_the_examples_of_a_system_are_those_that_name_it():
    shown: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    for path in sorted(GALLERY.glob("*.py")):
        for name in declared("SYSTEMS", path) or ():
            shown[name].append(path.stem)
    for name, row in systems_table().items():
        assert re.findall(r"`(\w+)`", row[5]) == shown[name], name


def test_every_example_has_a_source_and_ends_as_a_script():
    names = [path for path in GALLERY.glob("*.py") if "\ndef figures(" in path.read_text("utf-8")]
    assert len(names) > 30
    for path in names:
        assert declared("SOURCE", path), path
        assert declared("SYSTEMS", path) is not None, path
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path
