"""The page in a real browser, over synthetic rows: what a reader does with pointer and keys."""

from __future__ import annotations

import re

import pytest
from browser.conftest import PHONE
from browser.fake_exploration import CLASSES
from browser.fake_server import FakeServer
from playwright.sync_api import expect

HEADER = "row,action"


def test_the_page_loads_with_its_map_legend_and_quality(window, synthetic, map_of, keep):
    page = window(synthetic)
    map_of(page).settle()
    expect(page.locator("#title")).to_have_text("synthetic")
    expect(page.locator("#legend .class")).to_have_count(8)
    expect(page.locator("#status")).to_contain_text("trustworthiness 0.981")
    expect(page.locator("#subtitle")).to_contain_text("held-out error 2.1%")
    keep(page, "light")


def test_hover_shows_a_card_with_picture_and_label(window, synthetic, map_of):
    page = window(synthetic)
    row = map_of(page).isolated_row()
    map_of(page).hover(row)
    expect(page.locator("#card strong")).to_have_text(f"Row {row:,}")
    assert page.locator("#card img").evaluate("image => image.decode().then(() => true)")


def test_click_shows_neighbors_votes_contributions_and_flips(window, synthetic, map_of, keep):
    page = window(synthetic)
    row = map_of(page).isolated_row()
    map_of(page).click(row)
    panel = page.locator("#part-row")
    expect(panel.locator("h2")).to_have_text(f"Row {row:,}")
    expect(panel.locator(".neighbors tbody tr")).to_have_count(5)
    expect(panel).to_contain_text("What would flip it")
    expect(panel).to_contain_text("Stability over K")
    expect(panel).to_contain_text("1 of 5 neighbors is not near on the map")
    panel.locator("summary", has_text="Contributions to the score").click()
    expect(panel).to_contain_text("The parts sum exactly to the score.")
    assert f"row={row}" in page.url
    keep(page, "row")
    panel.locator(".neighbors .row-link").first.click()
    expect(panel.locator("h2")).not_to_have_text(f"Row {row:,}")


def test_a_lasso_selects_rows_and_compares_them_with_the_rest(window, synthetic, map_of, keep):
    page = window(synthetic)
    map_of(page).settle()
    page.keyboard.press("l")
    corners = [(420, 130), (900, 130), (900, 640), (420, 640), (420, 140)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    panel = page.locator("#part-selection")
    expect(panel.locator("h2")).to_have_text(re.compile(r"[\d,]+ rows"))
    expect(panel).to_contain_text("What sets them apart")
    expect(panel.locator(".tiles li").first).to_be_visible()
    keep(page, "lasso")
    panel.get_by_label("Clear the selection").click()
    expect(panel.locator("h2")).to_have_text("No selection")


def test_search_finds_a_row_a_label_and_says_when_there_is_nothing(window, synthetic):
    page = window(synthetic)
    page.keyboard.press("/")
    page.keyboard.type("123\n")
    expect(page.locator("#part-row h2")).to_have_text("Row 123")
    page.locator("#search").fill("seven")
    page.locator("#search").press("Enter")
    expect(page.get_by_label("Name of the selection")).to_have_value("Label “seven”")
    page.locator("#search").fill("nowhere")
    page.locator("#search").press("Enter")
    expect(page.locator("#messages")).to_contain_text("Nothing found for “nowhere”")


def test_a_new_item_is_predicted_and_placed_and_a_wrong_cell_is_said(window, map_of):
    with FakeServer(300, "table") as server:
        page = window(f"{server.url}?tab=new")
        page.get_by_label("Paste a row").fill("0.1, 0.2, 0.3")
        page.get_by_role("button", name="Predict").click()
        voices = page.locator("#part-new .voice")
        expect(voices.nth(0)).to_contain_text("Selected model")
        expect(voices.nth(1)).to_contain_text("Nearest neighbors (K-NN, K = 5)")
        assert page.evaluate("document.getElementById('map').scatter.marks.query") is not None
        page.locator("#cell-0").fill("broken")
        page.get_by_role("button", name="Predict").click()
        expect(page.locator("#part-new .notice")).to_contain_text("which is not a number")


def test_the_selected_model_and_the_neighbors_speak_under_their_own_names(window, synthetic):
    page = window(f"{synthetic}?row=3")
    voices = page.locator("#part-row .voice")
    expect(voices).to_have_count(2)
    expect(voices.nth(0).locator("h3")).to_have_text("Selected model: K nearest neighbors")
    expect(voices.nth(1).locator("h3")).to_have_text("Nearest neighbors (K-NN, K = 5)")


def test_a_row_stands_beside_its_nearest_rows_with_different_cells_marked(window, keep):
    with FakeServer(300, "table") as server:
        page = window(f"{server.url}?row=50")
        compared = page.locator("#part-row .compared")
        expect(compared.locator("thead th")).to_have_count(4)  # the row and three others
        names = ["label", "width", "height", "<b>depth</b>"]
        expect(compared.locator("tbody th")).to_have_text(names)
        assert compared.locator(".differs").count() > 0
        keep(page, "beside")
        page.keyboard.press("4")  # the review of the same rows
        expect(page.locator("#part-review .compared thead th")).to_have_count(4)


def test_texts_stand_beside_their_nearest_with_shared_words_marked(window):
    with FakeServer(300, "texts") as server:
        page = window(f"{server.url}?row=50")
        quotes = page.locator("#part-row .beside blockquote")
        expect(quotes).to_have_count(4)
        expect(quotes.first.locator("mark").first).to_be_visible()
        assert page.evaluate("window.hacked") is None


def test_what_is_typed_is_offered_as_row_label_and_text(window, synthetic):
    page = window(synthetic)
    page.locator("#search").press_sequentially("seven")
    offered = page.locator("#matches [role=option]")
    expect(offered).to_have_count(2)
    expect(offered.nth(0)).to_contain_text(re.compile(r"label seven \(\d+ rows\)"))
    expect(offered.nth(1)).to_have_text("text “seven”")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name of the selection")).to_have_value("Label “seven”")
    expect(page.locator("#matches")).to_be_hidden()


def test_the_table_is_sorted_scrolled_and_filtered_by_a_condition(window, map_of, keep):
    with FakeServer(3000, "table") as server:
        page = window(server.url)
        map_of(page).settle()
        page.keyboard.press("t")
        table = page.locator("#table")
        expect(table.get_by_role("status")).to_have_text("All 3,000 rows")
        table.locator("button.sort", has_text="width").click()
        table.locator("button.sort", has_text="width").click()
        expect(table.locator("th[aria-sort=descending]")).to_contain_text("width")
        line = table.locator("tbody tr").first
        expect(line.locator("td").nth(3)).to_have_text(re.compile(r"^[01]"))
        page.locator("#table .scroller").evaluate("host => { host.scrollTop = host.scrollHeight }")
        last = table.locator("tbody tr[aria-rowindex='3001'] td").nth(3)
        expect(last).to_have_text(re.compile(r"^−"))  # the smallest
        page.locator("#condition").fill("width > 0")
        page.locator("#condition").press("Enter")
        expect(table.get_by_role("status")).to_have_text(re.compile(r"[\d,]+ rows: width > 0"))
        expect(page.get_by_label("Name of the selection")).to_have_value("width > 0")
        table.locator("tbody tr").nth(1).click()
        expect(page.locator("#part-row h2")).to_be_visible()
        keep(page, "table")


def test_bars_of_histograms_filter_the_rows_and_all_other_histograms(window, map_of, keep):
    with FakeServer(3000, "table") as server:
        page = window(f"{server.url}?table=1")
        map_of(page).settle()
        table = page.locator("#table")
        bars = table.locator(".histogram")
        expect(bars.nth(1).locator(".chosen")).to_have_count(8)
        box = bars.nth(3).bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 10, steps=4)
        page.mouse.up()
        expect(page.locator("#condition")).to_have_value(re.compile(r"^width >= .* and width < "))
        expect(table.get_by_role("status")).to_have_text(re.compile(r"[\d,]+ rows: width >= "))
        half = table.get_by_role("status").inner_text()
        box = bars.nth(1).bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.45, box["y"] + 10)  # the fourth class
        expect(page.locator("#condition")).to_have_value(re.compile('and label == "four"$'))
        expect(table.locator(".histogram .range")).to_have_count(2)
        keep(page, "histograms")
        page.mouse.click(box["x"] + box["width"] * 0.45, box["y"] + 10)  # once more: all classes
        expect(table.get_by_role("status")).to_have_text(half)
        page.locator("#condition").fill("")
        page.locator("#condition").press("Enter")
        expect(table.get_by_role("status")).to_have_text("All 3,000 rows")
        expect(table.locator(".histogram .range")).to_have_count(0)


def test_columns_of_the_table_are_chosen_and_color_the_map(window):
    with FakeServer(600, "table") as server:
        page = window(f"{server.url}?table=1")
        table = page.locator("#table")
        table.get_by_label("Color the map by width").click()
        expect(page.get_by_label("Color", exact=True)).to_have_value("column:width")
        table.locator("summary", has_text="Columns 6 of 6").click()
        table.get_by_label("height", exact=True).uncheck()
        expect(table.locator("thead th")).to_have_count(5)
        page.reload()
        expect(table.locator("thead th")).to_have_count(5)


def test_a_selection_is_in_the_address_and_comes_back(window, synthetic):
    page = window(f"{synthetic}?select=label:seven&tab=selection")
    expect(page.get_by_label("Name of the selection")).to_have_value("Label “seven”")
    count = page.locator("#part-selection h2").inner_text()
    page.get_by_role("button", name="Invert").click()
    expect(page.get_by_label("Name of the selection")).to_have_value("All but: Label “seven”")
    inverted = page.locator("#part-selection h2").inner_text()
    page.reload()
    expect(page.locator("#part-selection h2")).to_have_text(inverted)
    page.go_back()
    expect(page.locator("#part-selection h2")).to_have_text(count)


def test_selections_are_kept_combined_and_exported(window, synthetic):
    page = window(f"{synthetic}?select=rows:1.2.3&tab=selection")
    panel = page.locator("#part-selection")
    panel.get_by_role("button", name="Keep").click()
    page.locator("#search").fill("seven")
    page.locator("#search").press("Enter")
    expect(panel.get_by_label("Name of the selection")).to_have_value("Label “seven”")
    seven = int(panel.locator("h2").inner_text().split()[0].replace(",", ""))
    panel.get_by_role("button", name="Add 3 rows").click()
    expect(panel.locator("h2")).to_have_text(f"{seven + 3:,} rows")
    panel.get_by_role("button", name="Intersect with 3 rows").click()
    expect(panel.locator("h2")).to_have_text("3 rows")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Export csv").click()
    assert download.value.path().read_text().split() == ["row", "1", "2", "3"]


def test_a_selection_has_a_name_and_is_there_at_the_next_visit(window, synthetic, keep):
    page = window(f"{synthetic}?select=rows:1.2.3&tab=selection")
    panel = page.locator("#part-selection")
    panel.get_by_label("Name of the selection").fill("three of them")
    panel.get_by_label("Name of the selection").press("Enter")
    panel.get_by_role("button", name="Keep").click()
    page.goto(f"{synthetic}?tab=selection")
    expect(panel.locator("h2")).to_have_text("No selection")
    panel.get_by_role("button", name="Select three of them").click()
    expect(panel.locator("h2")).to_have_text("3 rows")
    expect(panel.locator(".effects tbody tr")).to_have_count(3)
    keep(page, "selection")
    panel.get_by_role("button", name="Forget three of them").click()
    expect(panel.locator(".kept")).to_have_count(0)


def test_selected_rows_are_reviewed_and_relabeled_together(window, changeable):
    page = window(f"{changeable.url}?select=rows:1.2.5&tab=selection")
    panel = page.locator("#part-selection")
    panel.get_by_role("button", name="Review").click()
    expect(page.locator("#part-review .suspect h3").first).to_have_text("Row 1")
    page.get_by_role("tab", name="Selection").click()
    page.locator("summary", has_text="Relabel together").click()
    panel.get_by_label("New label of the selected rows").select_option("six")
    panel.get_by_role("button", name="Relabel all").click()
    panel.get_by_role("button", name="Change these test rows").click()
    expect(page.locator("#messages")).to_contain_text("3 rows relabeled as six")
    assert [changeable.exploration.label[row] for row in (1, 2, 5)] == [5, 5, 5]
    page.locator("#messages").get_by_role("button", name="Undo").click()
    expect(page.locator("#live")).to_contain_text("Undone")
    assert changeable.exploration.decided == []


def test_the_slider_of_k_moves_the_vote_the_curve_and_the_regions(window, synthetic, keep):
    page = window(f"{synthetic}?row=77&regions=1&color=error")
    expect(page.locator("#k-box output")).to_have_text("= 5")
    page.locator("#k").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#k-box output")).to_have_text("= 7")
    expect(page.locator("#part-row")).to_contain_text("Vote at K = 7")
    expect(page.locator("#legend")).to_contain_text("leave-one-out at K = 7")
    assert "k=7" in page.url
    keep(page, "regions")


def test_every_chart_has_its_table_and_a_cell_of_the_matrix_its_rows(window, synthetic, keep):
    page = window(f"{synthetic}?tab=study")
    for name in ("Confusion matrix", "Error by K", "Learning curve", "Scree", "Columns"):
        page.locator("#part-study summary", has_text=name).click()
    panel = page.locator("#part-study")
    expect(panel.locator("svg.chart")).to_have_count(4)
    expect(panel.get_by_role("button", name="As a table")).to_have_count(5)
    keep(page, "study")
    for button in panel.get_by_role("button", name="As a table").all():
        button.click()
    expect(panel.locator("svg.chart")).to_have_count(0)
    page.locator("[data-panel=confusion]").get_by_role("button", name="As a table").click()
    panel.locator(".matrix .wrong").first.click()
    name = page.get_by_label("Name of the selection")
    expect(name).to_have_value(re.compile("^True .+, predicted "))


def test_review_relabels_by_keyboard_undoes_and_exports(window, changeable, keep):
    page = window(f"{changeable.url}?tab=review")
    head = page.locator(".review-head h2")
    queue = changeable.exploration.queue
    row = next(row for row in queue if row % 5)  # no test row
    before = page.locator(".moving").inner_text()
    while page.locator(".suspect h3").first.inner_text() != f"Row {row}":
        page.keyboard.press("j")
    expect(page.locator(".suspect .effect")).to_contain_text("Leave-one-out error falls from")
    keep(page, "review")
    wanted = CLASSES[changeable.exploration.truth[row]]
    with page.expect_response("**/review"):
        page.keyboard.press("r")
    expect(page.locator(".moving")).not_to_have_text(before)
    assert CLASSES[changeable.exploration.label[row]] == wanted
    expect(head).to_have_text(f"{len(queue)} suspicious rows")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export corrections").click()
    assert download.value.path().read_text().splitlines() == [HEADER, f"{row},relabel"]
    page.keyboard.press("u")
    expect(page.locator(".moving")).to_contain_text(before)
    assert CLASSES[changeable.exploration.label[row]] != wanted


def test_a_test_row_is_changed_only_after_a_second_question(window, changeable):
    row = next(row for row in range(0, 600, 5) if row not in changeable.exploration.queue)
    page = window(f"{changeable.url}?row={row}")
    form = page.locator("#part-row .relabel")
    form.locator("select").select_option("eight")
    form.get_by_role("button", name="Save the label").click()
    expect(page.locator(".question")).to_contain_text("is a test row")
    assert changeable.exploration.decided == []
    with page.expect_response("**/review"):
        page.get_by_role("button", name="Change this test row").click()
    expect(page.locator(".question")).to_have_text("")
    assert [entry[0] for entry in changeable.exploration.decided] == [row]


def test_a_chosen_label_stays_chosen_when_the_row_is_drawn_again(window, changeable):
    row = next(row for row in range(1, 600, 5) if row not in changeable.exploration.queue)
    page = window(f"{changeable.url}?row={row}")
    form = page.locator("#part-row .relabel")
    form.locator("select").select_option("eight")
    form.locator("select").focus()
    page.evaluate("document.querySelector('#part-row .relabel').dataset.old = 1")
    page.emulate_media(color_scheme="dark")  # another theme draws the panels again
    expect(page.locator("#part-row .relabel[data-old]")).to_have_count(0)
    expect(form.locator("select")).to_have_value("eight")
    expect(form.locator("select")).to_be_focused()
    expect(form.get_by_role("button", name="Save the label")).to_be_enabled()


def test_labels_that_hold_markup_are_shown_as_text(window, synthetic):
    page = window(f"{synthetic}?row=5&tab=row")
    expect(page.locator("#legend .name").first).to_have_text("<script>window.hacked = 1</script>")
    expect(page.locator("#part-row .facts").first).to_contain_text("<script>")
    page.locator("#tab-study").click()
    page.locator("#part-study summary", has_text="Columns").click()
    expect(page.locator("[data-panel=columns]")).to_contain_text("<b>depth</b>")
    assert page.evaluate("window.hacked") is None
    assert page.locator("body script, #panel b, #legend img").count() == 0


def test_the_map_is_walked_with_the_keyboard_alone(window, synthetic, map_of):
    page = window(synthetic)
    map_of(page).settle()
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#live")).to_contain_text("Row ")
    first = page.locator("#live").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#live")).not_to_have_text(first)
    page.keyboard.press("Enter")
    expect(page.locator("#part-row h2")).to_contain_text("Row ")
    page.keyboard.press("Escape")
    expect(page.locator("#part-row h2")).to_have_text("Where to begin")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("5")
    expect(page.locator("#tab-study")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tab-review")).to_be_focused()


def test_a_correction_is_exported_with_the_keyboard_alone(window, changeable):
    page = window(changeable.url)
    press, focused = page.keyboard.press, page.locator(":focus")
    press("Tab")
    expect(focused).to_have_text("Skip to the side panel")
    press("Enter")
    press("Shift+Tab")
    expect(focused).to_have_id("tab-row")
    for _ in range(3):
        press("ArrowRight")
    expect(focused).to_have_id("tab-review")
    while focused.get_attribute("data-act") != "relabel":
        press("Tab")
        assert focused.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    with page.expect_response("**/review"):
        press("Enter")
    if page.locator(".question button").count():
        expect(focused).to_have_text("Change this test row")
        press("Enter")
    expect(page.locator("#part-review").get_by_role("button", name="Undo")).to_be_enabled()
    while focused.get_attribute("data-act") != "export":
        assert page.evaluate("document.activeElement !== document.body")
        press("Tab")
    with page.expect_download() as download:
        press("Enter")
    assert len(download.value.path().read_text().splitlines()) == 2
    press("Escape")
    press("1")
    expect(page.locator("#part-row h2")).to_have_text("Where to begin")


def test_a_row_that_is_closed_stays_closed_when_its_answer_arrives(window, changeable):
    row = changeable.exploration.queue[0]
    page, held = window(f"{changeable.url}?tab=review&row={row}"), []
    expect(page.locator("#part-row h2")).to_have_text(f"Row {row}")
    page.route(f"**/rows/{row}/evidence*", lambda route: held.append(route))  # noqa: PLW0108 - a bound method of a list has no attributes
    with page.expect_request(f"**/rows/{row}/evidence*"):
        page.keyboard.press("i")  # the decision asks for the row again, then moves to the next
    page.keyboard.press("Escape")
    expect(page.locator("#part-row h2")).to_have_text("Where to begin")
    for route in held:
        route.continue_()
    expect(page.locator("#live")).to_contain_text(f"Row {row}: ignored")
    expect(page.locator("#part-row h2")).to_have_text("Where to begin")
    assert "row=" not in page.url


def test_a_study_that_ended_is_shown_at_once_or_offered(window, changeable):
    changeable.exploration.studying = True
    untouched, touched = window(changeable.url), window(f"{changeable.url}?tab=review")
    expect(touched.locator("#progress")).to_have_text("Study: under way")
    touched.locator("#tab-study").click()
    changeable.exploration.studying, changeable.exploration.edition = False, 2
    expect(untouched.locator("#messages")).to_contain_text("The study has ended: models")
    expect(touched.locator("#messages")).to_contain_text("of the short study before")
    touched.get_by_role("button", name="Load the page again").click()
    expect(touched.locator("#messages")).to_contain_text("The study has ended: models")


def test_dark_colors_follow_the_system_and_the_button(window, synthetic, map_of, keep):
    page = window(f"{synthetic}?row=40", dark=True)
    map_of(page).settle()
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    keep(page, "dark")
    page.get_by_label("Dark colors").click()
    assert page.evaluate(ground) != dark
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.evaluate(ground) != dark  # the choice is kept


def test_a_phone_shows_map_and_panel_without_scrolling_sideways(window, synthetic, map_of, keep):
    page = window(f"{synthetic}?row=40", size=PHONE)
    map_of(page).settle()
    expect(page.locator("#status")).to_contain_text("trustworthiness 0.981")
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(wide)
    for name in ("row", "new", "selection", "review", "study"):
        page.locator(f"#tab-{name}").click()
        assert page.evaluate(wide)
        inside = f"(p => p.scrollWidth <= p.clientWidth)(document.getElementById('part-{name}'))"
        assert page.evaluate(inside), name
    page.locator("#tab-row").click()
    keep(page, "phone")


def test_back_and_forward_restore_the_view(window, synthetic, map_of):
    page = window(synthetic)
    page.get_by_label("Color", exact=True).select_option("predicted")
    page.locator("#choice select").first.select_option("pca")
    row = map_of(page).isolated_row()
    map_of(page).click(row)
    expect(page.locator("#part-row h2")).to_have_text(f"Row {row:,}")
    address = page.url
    page.go_back()
    expect(page.locator("#part-row h2")).to_have_text("Where to begin")
    page.go_back()
    expect(page.locator("#choice select").first).to_have_value("map")
    page.go_forward()
    page.go_forward()
    expect(page.locator("#part-row h2")).to_have_text(f"Row {row:,}")
    page.wait_for_url(address)
    page.reload()
    expect(page.get_by_label("Color", exact=True)).to_have_value("predicted")
    expect(page.locator("#choice select").first).to_have_value("pca")


def test_the_map_is_busy_until_the_places_of_another_projection_are_here(window, synthetic, map_of):
    page, held = window(synthetic), []
    page.route("**/explore/maps/pca", lambda route: held.append(route))  # noqa: PLW0108 - a bound method of a list has no attributes
    expect(page.locator("#map")).to_have_attribute("aria-busy", "false")
    page.locator("#choice select").first.select_option("pca")
    expect(page.locator("#map")).to_have_attribute("aria-busy", "true")
    before = map_of(page).place(17)
    held.pop().continue_()
    map_of(page).settle()
    expect(page.locator("#map")).to_have_attribute("aria-busy", "false")
    assert map_of(page).place(17) != before


def test_moving_the_map_is_kept_in_the_address(window, synthetic, map_of):
    page = window(synthetic)
    map_of(page).settle()
    page.mouse.move(640, 400)
    page.mouse.wheel(0, -400)
    page.wait_for_url("**view=**")
    place = map_of(page).place(17)
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    map_of(page).settle()
    assert map_of(page).place(17) == pytest.approx(place, abs=1)


def test_classes_are_hidden_by_the_legend(window, synthetic, map_of):
    page = window(synthetic)
    page.locator("#legend .class", has_text="seven").click()
    hidden = "document.getElementById('map').scatter.state.reduce((sum, one) => sum + (one & 1), 0)"
    shown = page.locator("#legend .class", has_text="seven").locator(".count").inner_text()
    assert page.evaluate(hidden) == int(shown)
    page.get_by_role("button", name="Show all classes").click()
    assert page.evaluate(hidden) == 0


def test_a_problem_of_the_server_is_shown_as_its_sentence(window, synthetic):
    sentence = "The neighbors of row 9 cannot be read: the file was moved."
    page = window(synthetic)
    page.route(
        "**/rows/9/evidence*",
        lambda route: route.fulfill(status=500, json={"title": "Error", "detail": sentence}),
    )
    page.keyboard.press("/")
    page.keyboard.type("9\n")
    expect(page.locator("#messages .error")).to_contain_text(sentence)
    page.route("**/search*", lambda route: route.abort())
    page.locator("#search").fill("seven")
    page.locator("#search").press("Enter")
    expect(page.locator("#messages")).to_contain_text("The server does not respond")


def test_without_webgl_the_same_points_are_drawn(window, synthetic, map_of, keep):
    page = window(f"{synthetic}?renderer=canvas")
    map_of(page).settle()
    expect(page.locator("#status")).to_contain_text("drawn without WebGL")
    row = map_of(page).isolated_row()
    map_of(page).click(row)
    expect(page.locator("#part-row h2")).to_have_text(f"Row {row:,}")
    keep(page, "canvas")
