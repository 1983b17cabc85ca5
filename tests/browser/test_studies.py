"""Real studies walked end to end in the browser: images, a table with missing values, texts."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect
from web.explorer.conftest import (  # noqa: F401 - fixtures
    digits_csv,
    digits_folder,
    table,
    table_study,
    texts,
)

from lookalike.cli.program import run
from lookalike.web.app import create_app
from lookalike.web.explorer import open_exploration
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer


@contextmanager
def served(exploration, **given):
    """Serve an exploration as `lookalike serve` does, on a free port."""
    options = ServeOptions(port=0, **given)
    app = create_app(exploration.models, exploration=exploration, options=options)
    with BackgroundServer(app, options) as server:
        yield f"{server.url}/"


@pytest.fixture(scope="module")
def images(digits_folder, tmp_path_factory):  # noqa: F811
    """The page of a study of images whose corrections are written to a file."""
    corrections = tmp_path_factory.mktemp("corrections") / "corrections.csv"
    with served(open_exploration(digits_folder, corrections=corrections)) as url:
        yield url, corrections


def test_a_row_of_a_study_of_images_is_explained(window, images, map_of, keep):
    page = window(images[0])
    page.locator("#choice select").first.select_option("lda")
    row = map_of(page).isolated_row()
    map_of(page).click(row)
    panel = page.locator("#part-row")
    expect(panel.locator("h2")).to_have_text(f"Row {row:,}")
    expect(panel.locator(".neighbors img").first).to_be_visible()
    page.locator("summary", has_text="Contributions").click()
    expect(panel).to_contain_text("The parts sum exactly to the score.")
    expect(panel).to_contain_text(re.compile(r"\d+ components of \d+: [\d.]+% of the variance"))
    page.locator("#k").focus()
    page.keyboard.press("End")
    expect(panel).to_contain_text(re.compile(r"Vote at K = \d\d"))
    page.locator("#regions").check()
    page.wait_for_function("() => document.getElementById('map').scatter.renderer.rasters.regions")
    map_of(page).settle()
    keep(page, "study_images")


def test_an_image_is_drawn_by_hand_and_placed_on_the_map(window, images, keep):
    page = window(f"{images[0]}?tab=new&map=lda")
    pad = page.locator(".pad").bounding_box()
    middle = pad["x"] + pad["width"] / 2
    page.mouse.move(middle, pad["y"] + 20)
    page.mouse.down()
    page.mouse.move(middle, pad["y"] + pad["height"] - 20, steps=8)
    page.mouse.up()
    expect(page.locator("#part-new .voice")).to_contain_text("Selected model: Nearest neighbors")
    page.wait_for_function("() => document.getElementById('map').scatter.marks.query")
    keep(page, "study_drawn_image")


def test_all_panels_of_a_study_of_images_are_filled(window, images, keep):
    page = window(f"{images[0]}?tab=study")
    panel = page.locator("#part-study")
    for name in ("Confusion matrix", "Error by K", "Learning curve", "Scree", "Columns"):
        page.locator("#part-study summary", has_text=name).click()
    expect(panel.get_by_text("Loading …")).to_have_count(0)
    expect(panel.locator(".notice")).to_have_count(0)
    page.get_by_role("button", name="Run the self-check").click()
    expect(panel).to_contain_text("200 of 200 rows have the same neighbors by brute force")
    keep(page, "study_panels")
    panel.locator(".matrix .wrong").first.click()
    expect(page.locator("#part-selection h2")).to_have_text(re.compile(r"\d+ rows?"))
    expect(page.locator("#part-selection")).to_contain_text("What sets them apart")


def test_a_label_is_repaired_exported_applied_and_undone(
    window,
    images,
    digits_csv,  # noqa: F811 - the fixture that is imported
    tmp_path,
    keep,
):
    url, corrections = images
    page = window(f"{url}?tab=review")
    error = page.locator(".moving")
    before = error.inner_text()
    while page.locator(".suspect h3").first.inner_text() == "Row 0":  # may be a test row
        page.keyboard.press("j")
    expect(page.locator(".suspect .effect")).to_contain_text("Leave-one-out error")
    row = int(page.locator(".suspect h3").first.inner_text().removeprefix("Row "))
    keep(page, "study_review")
    page.keyboard.press("r")
    expect(page.locator(".suspect h3").first.or_(page.locator(".question p"))).not_to_have_text(
        f"Row {row}"
    )
    if page.locator(".question button").count():
        page.get_by_role("button", name="Change this test row").click()
    expect(error).not_to_have_text(before)
    assert str(row) in corrections.read_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export corrections").click()
    exported = tmp_path / "corrections.csv"
    download.value.save_as(exported)
    applied = digits_csv.with_name("digits_cleaned.csv")
    command = ["audit", digits_csv, "--target", "digit", "--apply", "--corrections", exported]
    assert run([str(part) for part in command]) == 0
    given, cleaned = digits_csv.read_text().splitlines(), applied.read_text().splitlines()
    changed = [line for line in range(len(given)) if given[line] != cleaned[line]]
    assert changed == [row + 1]
    assert cleaned[row + 1].rpartition(",")[0] == given[row + 1].rpartition(",")[0]
    page.keyboard.press("u")
    expect(error).to_contain_text(before)


def test_a_table_with_missing_values_is_explored(window, table, map_of, keep):  # noqa: F811
    with served(table) as url:
        page = window(f"{url}?map=columns:0,1&color=column:town")
        expect(page.locator("#status")).to_contain_text("rows without a place (missing values)")
        expect(page.locator("#legend")).to_contain_text("<b>Wien</b>")
        row = map_of(page).isolated_row()
        map_of(page).click(row)
        expect(page.locator("#part-row .shares").first).to_be_visible()
        page.keyboard.press("2")
        page.get_by_role("button", name="Copy the selected row").click()
        page.locator("#cell-0").fill("2.5")
        page.get_by_role("button", name="Predict").click()
        voices = page.locator("#part-new .voice")
        expect(voices.locator("h3")).to_contain_text(
            ["Selected model: ", "Nearest neighbors (K-NN"]
        )
        expect(voices.locator(".predicted")).to_contain_text([re.compile("yes|no")] * 2)
        map_of(page).settle()
        shown = "(s => s.camera.toScreen(...s.marks.query))(document.getElementById('map').scatter)"
        x, y = page.evaluate(shown)  # a value beyond all others has its place in the window as well
        assert 240 < x < 864
        assert 0 < y < 800
        keep(page, "study_table")
        page.locator("#cell-0").fill("many")
        page.get_by_role("button", name="Predict").click()
        expect(page.locator("#part-new .notice")).to_contain_text("many")


def test_texts_are_searched_and_a_sentence_is_predicted(window, texts, map_of, keep):  # noqa: F811
    with served(texts) as url:
        page = window(url)
        page.locator("#search").fill("butter")
        page.locator("#search").press("Enter")
        expect(page.locator("#part-selection h2")).to_have_text(re.compile(r"\d+ rows"))
        page.keyboard.press("Escape")
        page.locator("#tab-new").click()
        page.get_by_label("Text", exact=True).fill("boil the flour with butter and salt")
        page.get_by_role("button", name="Predict").click()
        expect(page.locator("#part-new .predicted").first).to_contain_text("cooking")
        row = map_of(page).isolated_row()
        map_of(page).click(row)
        quotes = page.locator("#part-row .beside blockquote")  # its text, and those of its nearest
        expect(quotes.first).to_be_visible()
        assert quotes.locator("mark").count() > 0
        expect(page.locator("#part-row .excerpt").first).not_to_be_empty()
        keep(page, "study_texts")


def test_a_token_is_asked_for_and_is_never_in_the_address(window, texts, keep):  # noqa: F811
    with served(texts, token="correct horse battery") as url:
        page = window(url, ready="token")
        expect(page.locator("#help")).to_contain_text("This server asks for a token")
        keep(page, "token")
        page.locator("#token").fill("wrong")
        page.locator("#token").press("Enter")
        expect(page.locator("#help .notice")).to_contain_text("is not that one")
        page.locator("#token").fill("correct horse battery")
        page.locator("#token").press("Enter")
        page.wait_for_selector("html[data-ready=yes]")
        expect(page.locator("#subtitle")).to_contain_text("90 texts")
        assert "horse" not in page.url


@contextmanager
def notebook(html):
    """Serve a page on this computer, as a notebook is."""

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Notebook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/notebook"
    server.shutdown()
    server.server_close()


def test_a_notebook_shows_the_page_in_a_frame_that_opens_once(browser, table_study, keep):  # noqa: F811
    frame = table_study.explore(height=600)
    page = browser.new_page(viewport={"width": 1100, "height": 760})
    try:
        with notebook(f"<h1>notebook</h1>{frame._repr_html_()}") as address:
            page.goto(address)
            inside = page.frame_locator("iframe")
            inside.locator("html[data-ready=yes]").wait_for()
            expect(inside.locator("#subtitle")).to_contain_text("200 rows")
            keep(page, "notebook")
            page.goto(address)
            expect(inside.locator("body")).to_contain_text("This address was opened before")
    finally:
        page.close()
        frame.close()
