"""Six studies walked in the browser: images, missing values, texts, rare, 50,000 rows, a folder."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from sklearn.datasets import load_digits
from web.explorer.conftest import (  # noqa: F401 - fixtures
    digits_csv,
    digits_folder,
    quick_study,
    table,
    table_study,
    texts,
)

import lookalike
from lookalike.cli.program import run
from lookalike.web.app import create_app
from lookalike.web.explorer import explore_study, open_exploration
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """Return the folder of a study of two classes, one of them 15 rows of 600."""
    rng = np.random.default_rng(0)
    label = np.where(np.arange(600) % 40 == 7, "yes", "no")
    risk = rng.normal(size=600) + 2.5 * (label == "yes")
    lines = [f"{a:.3f},{b:.3f},{c}" for a, b, c in zip(risk, rng.random(600), label, strict=True)]
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    path.write_text("\n".join(["risk,noise,label", *lines]))
    study = quick_study(path, target="label", effort="quick")
    lookalike.write_study(study, path.parent / "study")
    return path.parent / "study"


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


def test_a_rare_class_is_seen_in_legend_table_and_report(window, rare, map_of, keep):
    with served(open_exploration(rare)) as url:
        page = window(f"{url}?map=pca&table=1")
        expect(page.locator("#legend .class")).to_contain_text(["no585", "yes15"])
        page.locator("#condition").fill('label == "yes"')
        page.locator("#condition").press("Enter")
        expect(page.locator("#table header > p")).to_contain_text("15 rows")
        expect(page.locator("#part-selection")).to_contain_text("What sets them apart")
        expect(page.locator(".effects th[scope=row]").first).to_have_text("risk")
        map_of(page).settle()
        keep(page, "study_rare")
        page.goto(f"{url}report")
        expect(page.locator(".summary")).to_contain_text("Recall of the rare class 'yes'")
        expect(page.locator("h1")).to_have_text("rare.csv")


def test_a_regression_of_50000_rows_is_walked(window, map_of, keep, monkeypatch):
    layouts = "lookalike.web.explorer.maps.lay_out"  # minutes of t-SNE, which is tested elsewhere
    monkeypatch.setattr(layouts, lambda *_: ("The map is not laid out here.", {}))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 3)).astype(np.float32)
    y = X @ [3.0, -2.0, 1.0] + 0.1 * rng.normal(size=50_000)
    study = quick_study(X, y, models=("baseline", "ridge"), effort="quick")
    with served(explore_study(study)) as url:
        page = window(f"{url}?map=columns:0,1&color=error")
        expect(page.locator("#subtitle")).to_contain_text("held-out RMSE")
        expect(page.locator("#legend .ends")).to_be_visible()
        map_of(page).settle()
        row = page.evaluate(
            "(s => s.picking.nearest(s.camera.x, s.camera.y, 1, s.visible))"
            "(document.getElementById('map').scatter)"
        )
        page.goto(f"{url}?map=columns:0,1&row={row}")
        expect(page.locator("#part-row .voice h3")).to_contain_text(
            ["Selected model: Ridge", "Nearest neighbors (K-NN"]
        )
        expect(page.locator("#part-row .compared")).to_be_visible()
        keep(page, "study_regression")


def test_a_folder_of_images_shows_them_on_the_map(window, tmp_path, map_of, keep):
    X, y = load_digits(return_X_y=True)
    for place in range(150):
        folder = tmp_path / "digits" / f"digit_{y[place]}"
        folder.mkdir(parents=True, exist_ok=True)
        pixels = (X[place].reshape(8, 8) * 15).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{place}.png")
    study = quick_study(tmp_path / "digits", models=("baseline", "knn"), effort="quick")
    with served(explore_study(study)) as url:
        page = window(f"{url}?map=pca")
        expect(page.locator("#subtitle")).to_contain_text("150 images, 10 classes")
        page.locator("#tools .plus").click(click_count=4)
        expect(page.locator("canvas.images")).to_be_visible()
        map_of(page).settle()
        keep(page, "study_folder")


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
