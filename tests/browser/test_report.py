"""The report of a study in Chromium: axe-core finds nothing, and no column is cut off."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import pytest

pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
from browser.conftest import PHONE, WIDE
from example_study import example_study

from lookalike.report.page import write_page
from lookalike.studies.analysis_results import FlaggedRow, Neighbor

A4 = {"width": 703, "height": 1000}  # pixels of a page less its margins
OVERFLOWING = """() => [...document.querySelectorAll("table, p, li, figure, dl")]
  .filter((one) => one.offsetParent && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.textContent.slice(0, 60))"""
OPEN_ALL = "() => { for (const one of document.querySelectorAll('details')) one.open = true }"
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module", params=["classification", "regression"])
def report(request, tmp_path_factory):
    """Return the address of a report in which every part is filled in."""
    names = [f"a rather long column name {i}" for i in range(9)]
    near = tuple(
        Neighbor(row, 0.1, "no", values={name: f"{row}.{i}" for i, name in enumerate(names)})
        for row in (1, 2, 3)
    )
    values = {name: f"1.{i}" for i, name in enumerate(names)}
    row = FlaggedRow(40, "mislabel", 0.9, "yes", "no", values=values, neighbors=near)
    study = example_study(request.param)
    flagged = (*study.audit.flagged_rows, row)
    study = replace(study, audit=replace(study.audit, flagged_rows=flagged))
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_page(study, path)
    return path.as_uri()


def open_report(browser, report, *, size=WIDE, dark=False):
    page = browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
    page.goto(report)
    page.evaluate(
        "() => document.querySelectorAll('details').forEach((one) => { one.open = true })"
    )
    return page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_serious_is_reported(browser, report, size, dark):
    page = open_report(browser, report, size=size, dark=dark)
    page.evaluate(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    page.close()
    found = [
        (one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
        for one in result["violations"]
        if one["impact"] in SERIOUS
    ]
    assert found == []


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_column_is_beyond_the_edge(browser, report, size):
    page = open_report(browser, report, size=size)
    found = page.evaluate(OVERFLOWING)
    page.close()
    assert found == []


def test_no_column_is_cut_on_paper(browser, report):
    page = open_report(browser, report, size=A4)
    page.emulate_media(media="print")
    found = page.evaluate(OVERFLOWING)
    page.close()
    assert found == []


def test_the_answer_is_on_the_first_screen(browser, report):
    page = open_report(browser, report)
    for name in (".verdict", ".chart", "figure", ".actions"):
        box = page.locator(name).first.bounding_box()
        assert box["y"] + box["height"] <= WIDE["height"], name
    page.close()


def test_an_action_leads_to_its_section(browser, report):
    page = open_report(browser, report)
    page.locator("a.action", has_text="label").or_(page.locator("a.action")).first.click()
    target = page.url.partition("#")[2]
    assert page.locator(f"#{target}").first.bounding_box()["y"] < WIDE["height"]
    page.close()
