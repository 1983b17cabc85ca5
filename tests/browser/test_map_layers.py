"""What is drawn over the points: names as room allows, contours, pictures of rows, axes."""

from __future__ import annotations

from playwright.sync_api import expect

TO_FIRST_NAME = """() => {
  const { camera, layers } = document.getElementById("map").scatter;
  const { x, y } = layers[0].names[0].area;
  document.getElementById("map").scatter.move(() => Object.assign(camera, { x, y, zoom: 5 }));
}"""
SHOWN = ".names span:not([hidden])"


def test_more_names_find_room_as_one_zooms_in_and_none_is_markup(window, synthetic, map_of):
    page = window(synthetic)
    map_of(page).settle()
    expect(page.locator(SHOWN)).to_have_count(8)  # of three in each class
    assert page.locator(SHOWN).first.inner_text() == "high <b>depth</b> 0"
    page.evaluate(TO_FIRST_NAME)
    map_of(page).settle()
    expect(page.locator(SHOWN)).to_have_text([f"high <b>depth</b> {place}" for place in range(3)])
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
    page = window(f"{synthetic}?row=40")
    map_of(page).settle()
    expect(page.locator("canvas.images")).to_be_hidden()
    page.keyboard.press("z")
    expect(page.locator("canvas.images")).to_be_visible()
    map_of(page).settle()
    keep(page, "pictures")
    page.keyboard.press("0")
    expect(page.locator("canvas.images")).to_be_hidden()


def test_a_plane_of_columns_says_what_its_axes_are(window, synthetic):
    page = window(f"{synthetic}?map=columns:0,2")
    expect(page.locator(".axis-x")).to_have_text("width")
    expect(page.locator(".axis-y")).to_have_text("<b>depth</b>")
