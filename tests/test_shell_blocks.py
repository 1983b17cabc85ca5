"""Every shell block of the pages runs as it stands, on small files of these names.

Studies compare one model here, for which ``--models`` is added; `test_readme.py` runs README's.
"""

from __future__ import annotations

import functools
import json
import re
import runpy
import shlex
import shutil
import sqlite3
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
import sklearn.datasets

pd = pytest.importorskip("pandas")
pytest.importorskip("fastapi", reason="fastapi is not installed")

from PIL import Image  # noqa: E402
from service import running  # noqa: E402

import lookalike  # noqa: E402
from lookalike.cli.program import run  # noqa: E402

ROOT = Path(__file__).parents[1]
MADE = {"_build", "api", "gallery_page", "notebook_pages", "plots"}
FEW_DIGITS = 150
RNG = np.random.default_rng(0)


def blocks(language="bash"):
    """Return the pages that have such blocks, and the commands of each in order."""
    found = {}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if not MADE & set(path.parts):
            texts = re.findall(rf"```{language}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
            commands = "".join(texts).replace("\\\n", " ").splitlines()
            if commands:
                found[path.relative_to(ROOT).as_posix()] = [line for line in commands if line]
    return found


PAGES = blocks()


def words(line):
    return shlex.split(line, comments=True)


@pytest.fixture(scope="session")
def iris_study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("iris") / "iris_study"
    assert run(["study", "iris", "--models", "knn", "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def folder(tmp_path, iris_study, monkeypatch):
    """A folder with a small file of every name that a page uses."""
    monkeypatch.chdir(tmp_path)
    digits = sklearn.datasets.load_digits
    monkeypatch.setattr(sklearn.datasets, "load_digits", functools.partial(few_rows, digits))
    write_tables(tmp_path)
    write_arrays(tmp_path)
    for name in ("iris_study", "titanic_study", "digits_study"):
        shutil.copytree(iris_study, tmp_path / name)
    shutil.copy(iris_study / "model.lookalike", tmp_path)
    (tmp_path / "models").mkdir()
    shutil.copy(iris_study / "model.lookalike", tmp_path / "models" / "iris.lookalike")
    return tmp_path


def few_rows(load, **options):
    bunch = load(**options)
    for name in ("data", "target", "images"):
        bunch[name] = bunch[name][:FEW_DIGITS]
    return bunch


def write_tables(folder):
    """Write csv files and their kin, 60 rows each."""
    kind = np.tile(["a", "b"], 30)
    number = np.where(kind == "a", 0.0, 2.0) + RNG.normal(size=60)
    iris = sklearn.datasets.load_iris(as_frame=True)
    day = pd.date_range("2026-01-01", periods=60).strftime("%d/%m/%Y")
    tables = {
        "adult.csv.gz": {
            "age": number.round(2),
            "income": np.where(kind == "a", "<=50K", ">50K"),
            "split": np.where(np.arange(60) < 40, "train", "test"),
        },
        "visits.csv": {
            "pulse": number.round(2),
            "patient": np.arange(60) // 3,
            "ill": np.where(kind == "a", "no", "yes"),
            "discharge_code": np.arange(60) % 7,
        },
        "sales.csv": {
            "store": kind,
            "day": day,
            "sold": (number * 10).round(1),
            "price": (number * 3 + 9).round(2),
        },
        "old.csv": {"x": number, "y": number**2},
        "new.csv": {**iris.data, "x": number[0], "y": number[0]},
        "rows.csv": {**iris.data, "target": iris.target},
        "flowers.csv": {**iris.data, "species": iris.target_names[iris.target]},
        "people.csv": {"age": RNG.integers(20, 60, 60), "height": RNG.integers(150, 190, 60)},
        "train.csv": {"x": number, "z": RNG.normal(size=60), "y": kind},
        "test.csv": {"x": number[:20], "z": RNG.normal(size=20), "y": kind[:20]},
        "queries.csv": {"x": number[:5], "z": number[:5]},
    }
    for name, columns in tables.items():
        pd.DataFrame(columns).to_csv(folder / name, index=False)
    reviews = [{"review": f"{word} food, {i} stars", "stars": stars} for i, (word, stars) in
               enumerate([("good", 5), ("bad", 1)] * 30)]  # fmt: skip
    (folder / "reviews.jsonl").write_text("\n".join(map(json.dumps, reviews)) + "\n")
    rows = pd.DataFrame({"x": number, "label": kind})
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("rows.csv", rows.to_csv(index=False))
        archive.writestr("other.csv", rows.to_csv(index=False))
    with sqlite3.connect(folder / "shop.sqlite") as base:
        rows.to_sql("customers", base, index=False)
        rows.to_sql("orders", base, index=False)
    write_xlsx = runpy.run_path(str(ROOT / "tests" / "table_files.py"))["write_xlsx"]
    sheet = [["size", "price"], *[[float(a), float(3 * a + 1)] for a in number.round(2)]]
    (folder / "book.xlsx").write_bytes(write_xlsx({"2023": sheet, "2024": sheet}))


def write_arrays(folder):
    """Write arrays, Parquet files and images."""
    rows = RNG.normal(size=(300, 2))
    np.save(folder / "rows.npy", rows)
    np.save(folder / "queries.npy", rows[:5])
    numbers = pd.DataFrame(rows, columns=["x", "z"])
    numbers.to_parquet(folder / "rows.parquet")
    pd.DataFrame(rows[:40], columns=["0", "1"]).to_parquet(folder / "more.parquet")
    priced = numbers.assign(kind=np.tile(["a", "b"], 150), price=np.arange(300.0) % 20)
    priced.to_parquet(folder / "items.parquet")
    for number in range(16):
        place = folder / "faces" / f"person {number % 2}" / f"{number}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        shade = RNG.integers(0, 99, (6, 5)) + 120 * (number % 2)
        Image.fromarray(shade.astype(np.uint8)).save(place)


def lookalike_lines(page):
    return [line for line in PAGES[page] if line.startswith("lookalike ")]


@pytest.mark.parametrize(
    "page", [*(page for page in PAGES if lookalike_lines(page) and page != "README.md")]
)
def test_the_commands_of_a_page_run_one_after_another(page, folder, monkeypatch, capsys):
    opened = []

    def serve(app, options, listener):
        opened.append(app.state.registry)
        listener.close()

    monkeypatch.setattr("lookalike.web.server.serve", serve)
    lines = lookalike_lines(page)
    for line in lines:
        arguments = words(line)[1:]
        if arguments[0] == "serve":  # on a port that no other test has
            arguments += ["--port", "0"]
        if arguments[0] == "study" and "--models" not in arguments:
            arguments += ["--models", "tfidf_knn" if "--text" in arguments else "knn"]
        assert run(arguments) == 0, (line, capsys.readouterr().err)
    assert len(opened) == sum(line.startswith("lookalike serve") for line in lines)
    assert not any(registry.failures for registry in opened)


def request_of(line):
    """Return method, path, body and headers of a curl command."""
    given = words(line.split(" | ")[0])
    url = next(word for word in given if word.startswith("localhost:8765"))
    body = given[given.index("-d") + 1] if "-d" in given else None
    headers = dict(given[i + 1].split(": ", 1) for i, word in enumerate(given) if word == "-H")
    parts = urlsplit(f"http://{url}")
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return "GET" if body is None else "POST", path, body, headers


def model_for(body):
    """Return a model that reads such rows."""
    row = json.loads(body)["rows"][0] if body and "rows" in body else [0.0] * 4
    if isinstance(row, str):
        texts = ["the ship left", "a ship in the harbor", "the loan rate", "a bank loan"] * 5
        study = lookalike.study(texts, ["sea", "sea", "money", "money"] * 5, models=["tfidf_knn"])
        return study.model
    if isinstance(row, dict) and "town" in row:
        town = np.tile(["Graz", "Linz"], 20)
        since = pd.date_range("2025-01-01", periods=40).strftime("%Y-%m-%d")
        table = pd.DataFrame({"age": np.arange(40) + 20, "town": town, "since": since, "y": town})
        return lookalike.study(table, target="y", models=["knn"]).model
    iris = sklearn.datasets.load_iris(as_frame=True)
    return lookalike.KNeighborsClassifier(3).fit(iris.data, iris.target)


@functools.cache
def kind_of_rows(body):
    return model_for(body)


@pytest.mark.parametrize(
    "line", [line for lines in PAGES.values() for line in lines if line.startswith("curl ")]
)
def test_a_request_of_curl_is_answered(line):
    method, path, body, headers = request_of(line)
    with running({"iris": kind_of_rows(body)}) as service:
        if path.startswith("/v1/feedback"):
            identifier = json.loads(body)["id"]
            rows = {"rows": [[5.1, 3.5, 1.4, 0.2]]}
            assert service.post("/v1/predict", rows, x_request_id=identifier).status == 200
        reply = service.call(method, path, body and body.encode(), **headers)
        assert reply.status == 200, reply.body


def test_what_pages_install_and_make_is_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    others = [line for lines in PAGES.values() for line in lines]
    others = [line for line in others if words(line) and words(line)[0] in {"pip", "make"}]
    assert len(others) >= 3
    for line in others:
        program, *rest = words(line)
        if program == "make":
            assert rest[0] in targets, line
        for extra in re.findall(r"\[([\w,]+)\]", line):
            assert set(extra.split(",")) <= set(extras["optional-dependencies"]), line


def test_every_line_of_a_shell_block_is_of_a_kind_that_is_run():
    known = ("lookalike ", "curl ", "pip install ", "make ", "#", "python ")
    for page, lines in PAGES.items():
        for line in lines:
            assert line.lstrip().startswith(known), f"{page}: {line}"


def test_commands_without_a_language_are_no_longer_there():
    for page, lines in blocks("(?:console|)").items():
        for line in lines:
            assert not line.startswith(("lookalike ", "pip ", "curl ")), f"{page}: {line}"
