"""What is drawn over the points: names that find room as one zooms in, contours, pictures of rows."""

from __future__ import annotations

from playwright.sync_api import expect

SHOWN = ".names span:not([hidden])"


def test_more_names_find_room_as_one_zooms_in_and_none_is_markup(window, synthetic, map_of):
    page = window(synthetic)
    map_of(page).settle()
    expect(page.locator(SHOWN)).to_have_count(
        8
    )  # one of three in each class: the others lie under it
    assert page.locator(SHOWN).first.inner_text() == "high <b>depth</b> 0"
    for _ in range(6):
        page.keyboard.press("m")
        page.keyboard.press("+")
    map_of(page).settle()
    near = page.locator(SHOWN).all_inner_texts()
    assert 0 < len(near) < 8  # others are out of sight
    page.keyboard.press("n")
    expect(page.locator(SHOWN)).to_have_count(0)
    assert "names=0" in page.url


def test_contours_are_drawn_on_demand_and_kept_in_the_address(window, synthetic, map_of, keep):
    page = window(f"{synthetic}?names=0")
    map_of(page).settle()
    expect(page.locator("canvas.contours")).to_be_hidden()
    page.get_by_label("Contours").check()
    expect(page.locator("canvas.contours")).to_be_visible()
    map_of(page).settle()
    keep(page, "contours")
    assert "contours=1" in page.url
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    expect(page.locator("canvas.contours")).to_be_visible()


def test_pictures_of_rows_appear_where_they_have_room(window, synthetic, map_of, keep):
    page = window(synthetic)
    map_of(page).settle()
    expect(page.locator("canvas.images")).to_be_hidden()
    row = map_of(page).isolated_row()
    page.mouse.move(*map_of(page).place(row))
    for _ in range(8):
        page.mouse.wheel(0, -400)
    expect(page.locator("canvas.images")).to_be_visible()
    map_of(page).settle()
    keep(page, "pictures")
    page.keyboard.press("0")
    expect(page.locator("canvas.images")).to_be_hidden()


def test_a_plane_of_columns_says_what_its_axes_are(window, synthetic):
    page = window(f"{synthetic}?map=columns:0,2")
    expect(page.locator(".axis-x")).to_have_text("width")
    expect(page.locator(".axis-y")).to_have_text("<b>depth</b>")
