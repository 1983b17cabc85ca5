"""axe-core finds nothing serious in any part of the page, light or dark."""

from __future__ import annotations

from importlib.resources import files

import pytest

pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")

PARTS = ("row", "new", "selection", "review", "study")


@pytest.fixture(scope="module")
def axe():
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_serious_is_reported(window, synthetic, map_of, axe, dark):
    page = window(f"{synthetic}?row=40&contours=1&table=1", dark=dark)
    map_of(page).settle()
    page.evaluate(axe)
    page.locator("#search").fill("seven")
    page.locator("#search").press("Enter")
    page.wait_for_selector("#part-selection .tiles")
    found = []
    for part in PARTS:
        page.locator(f"#tab-{part}").click()
        if part == "study":
            page.locator("summary", has_text="Confusion").click()
            page.wait_for_selector(".matrix")
        report = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        found += [
            (part, one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"])
            for one in report["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    assert found == []
