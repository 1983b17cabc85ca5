"""What leads a new reader: starters, hints, choices of categories, and a server that comes back."""

from __future__ import annotations

import pytest
from browser.fake_server import FakeServer
from playwright.sync_api import expect


def test_starters_lead_to_the_worst_label_the_strangest_row_and_a_new_item(window, synthetic, keep):
    page = window(synthetic)
    starters = page.locator("#part-row .starter")
    expect(starters).to_have_count(3)
    keep(page, "starters")
    starters.nth(1).click()
    expect(page.locator("#part-row h2")).to_have_text("Row 7")
    page.keyboard.press("Escape")
    starters.nth(0).click()
    expect(page.locator("#part-review .suspect h3").first).to_be_visible()
    page.goto(synthetic)
    page.locator("#part-row .starter").last.click()
    expect(page.locator("#part-new .pad")).to_be_visible()


def test_the_map_zooms_to_a_row_and_back_to_all(window, synthetic, map_of):
    page = window(f"{synthetic}?row=30")
    map_of(page).settle()
    zoom = "() => document.getElementById('map').scatter.camera.zoom"
    assert page.evaluate(zoom) == 1
    page.get_by_role("button", name="Zoom to this row").click()
    assert page.evaluate(zoom) > 2
    middle = page.evaluate("() => document.getElementById('map').scatter.camera.middle")
    assert map_of(page).place(30) == pytest.approx(middle)
    page.keyboard.press("0")
    page.wait_for_function(f"() => ({zoom})() === 1")


def test_a_question_mark_says_what_a_term_means_and_escape_closes_it(window, synthetic):
    page = window(f"{synthetic}?row=3")
    page.get_by_label("What is vote?").click()
    meaning = page.locator("#part-row .hint[open] p")
    expect(meaning).to_contain_text("The margin is the lead of the winner")
    page.keyboard.press("Escape")
    expect(meaning).to_have_count(0)
    expect(page.locator("#part-row h2")).to_have_text("Row 3")  # the row stays open
    expect(page.get_by_label("What is trustworthiness?")).to_be_visible()


def test_a_pasted_row_keeps_its_quotes_and_categories_are_choices(window):
    with FakeServer(300, "table") as server:
        fake = server.exploration
        session = fake.session()
        session["columns"] = [
            {"name": "Id", "type": "number", "used": False},
            {"name": "Name", "type": "text", "used": True},
            {"name": "Sex", "type": "category", "used": True},
        ]
        session["header"] = ["Id", "Survived", "Name", "Sex"]
        sexes = {"id": "column:Sex", "name": "Sex", "kind": "category", "dtype": "uint8"}
        session["colors"].append({**sexes, "categories": ["female", "male"]})
        fake.session = lambda: session
        page = window(f"{server.url}?tab=new")
        page.locator("#new-row").fill('1,0,"Braund, Mr. Owen",male')
        expect(page.locator("#cell-0")).to_have_value("Braund, Mr. Owen")
        expect(page.locator("#cell-1")).to_have_value("male")
        expect(page.locator("#cell-1 option")).to_have_text(["(empty)", "female", "male"])
        expect(page.locator("#part-new")).to_contain_text(
            "Not asked for, as no model reads it: Id."
        )
        page.locator("#new-row").fill("Name,Sex\nx,other")
        expect(page.locator("#cell-1 option").last).to_have_text("other (not in the data)")


def test_a_server_that_is_gone_grays_the_page_out_until_it_is_back(window, synthetic, keep):
    page = window(synthetic)
    page.context.set_offline(True)
    page.locator("#search").fill("seven")
    page.locator("#search").press("Enter")
    expect(page.locator("html")).to_have_attribute("data-connection", "lost")
    expect(page.locator("#offline")).to_contain_text("The server is gone")
    keep(page, "offline")
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_be_hidden()
    expect(page.locator("#messages")).to_contain_text("The server is back")
    page.locator("#search").fill("123")
    page.locator("#search").press("Enter")
    expect(page.locator("#part-row h2")).to_have_text("Row 123")
