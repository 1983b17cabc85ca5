"""The Python blocks of README and of every page run as they stand, block after block."""

from __future__ import annotations

import doctest
import os
import re
from pathlib import Path

import dask
import pandas as pd
import pytest
from service import running
from sklearn.datasets import load_iris

import lookalike

ROOT = Path(__file__).parents[1]
MADE = {"_build", "api", "gallery_page", "notebook_pages", "plots"}  # by `make docs`
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if not MADE & set(path.parts) and "```python\n" in path.read_text("utf-8")
)
ELSEWHERE = {  # pages whose blocks need what a test of their own prepares
    "docs/gpu.md": "a GPU",
    "docs/graphs.md": "packages of others",
    "docs/serve.md": "a service",
    "docs/study.md": "the table of incomes",
}
OPTIONAL = ("dask", "deltalake", "distributed", "numba", "pandas", "polars", "pyiceberg")


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def require_packages(text):
    """Skip where a block imports a package that is not installed."""
    for name in OPTIONAL:
        if re.search(rf"^(from|import) {name}\b", text, re.MULTILINE):
            pytest.importorskip(name)


def run_blocks(page, names=None):
    """Run the blocks of a page one after another, and return what they defined."""
    names = {} if names is None else names
    with lookalike.config(), dask.config.set(scheduler=None):  # what a page sets ends with it
        for number, block in enumerate(blocks(page)):
            require_packages(block)
            if block.startswith(">>> "):
                test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
                flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
                runner = doctest.DocTestRunner(optionflags=flags)
                runner.run(test, clear_globs=False)
                assert runner.summarize(verbose=False).failed == 0
                names.update(test.globs)
            else:
                exec(compile(block, f"{page}, block {number}", "exec"), names)
    return names


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_the_python_blocks_of_every_page_run_one_after_another(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_blocks(page)


def test_the_blocks_of_the_service_run_beside_one(tmp_path, monkeypatch):
    iris = load_iris(as_frame=True)
    models = {
        "iris": lookalike.KNeighborsClassifier(5).fit(iris.data, iris.target),
        "pca": lookalike.PCA(3).fit(iris.data),
    }
    with running(models) as service:
        monkeypatch.setattr(lookalike, "Client", at_address(lookalike.Client, service.url))
        names = run_blocks("docs/serve.md")
    assert names["rows"].shape == (150, 5)


def at_address(client, url):
    """Return the class of clients with the address of a page replaced by that of a service."""

    def connect(given, **options):
        assert given == "http://127.0.0.1:8765"
        return client(url, **options)

    return connect


def test_the_blocks_on_studies_run_with_the_table_that_they_name(tmp_path, monkeypatch):
    source = Path(os.environ.get("LOOKALIKE_DATA", ""), "adult.csv.gz")
    if not source.is_file():
        pytest.skip("LOOKALIKE_DATA holds no adult.csv.gz")
    monkeypatch.chdir(tmp_path)
    table = pd.read_csv(source)
    small = pd.concat(
        [table[table.split == part][:n] for part, n in (("train", 800), ("test", 400))]
    )
    small.to_csv("adult.csv.gz", index=False)
    small[:20].drop(columns="income").to_csv("new_rows.csv", index=False)
    names = run_blocks("docs/study.md")
    assert len(names["study"].model.predict("new_rows.csv")) == 20
    assert names["study"].held_out.error < 0.25


def test_every_link_of_a_page_leads_to_a_file():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("csrc/*.md")]
    lost = []
    for page in pages:
        if MADE & set(page.parts):
            continue
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            target = link.split("#")[0]
            if MADE & set(Path(target).parts):
                continue
            if target and "://" not in target and not (page.parent / target).exists():
                lost.append(f"{page.relative_to(ROOT)}: {link}")
    assert not lost
