"""The page says all that the study holds, and nothing in it can become markup or reach out."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

pytest.importorskip("matplotlib")
from example_study import DOT, NASTIER, NASTY, example_study

from lookalike.printable import printable
from lookalike.report.page import PAGE_SECTIONS, render, write_page
from lookalike.report.page.header import SECTION_OF
from lookalike.report.page.html import VOID_ELEMENTS
from lookalike.report.page.profiles import profiles
from lookalike.web.options import ServeOptions


class Reader(HTMLParser):
    """Collects elements, and fails where one closes that was not open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID_ELEMENTS:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, words):
        self.words.append(words)

    def of(self, name):
        return [attributes for element, attributes in self.elements if element == name]


@pytest.fixture(scope="module")
def text():
    return render(example_study())


@pytest.fixture(scope="module")
def page(text):
    return Reader(text)


@pytest.fixture(scope="module")
def regression():
    return Reader(render(example_study("regression")))


def test_every_section_of_a_full_study_is_there_and_linked(page):
    assert [section["id"] for section in page.of("section")] == list(PAGE_SECTIONS)
    links = [link["href"] for link in page.of("a") if "class" not in link]
    assert links == [f"#{name}" for name in PAGE_SECTIONS]


def test_what_to_do_next_is_at_most_three_links_to_places_of_the_page(page):
    names = {attributes.get("id") for _, attributes in page.elements}
    links = [link["href"][1:] for link in page.of("a") if link.get("class") == "action"]
    assert 1 <= len(links) <= 3
    assert set(links) <= names


def test_rows_link_to_the_explorer_by_their_number(page):
    links = [link["href"] for link in page.of("a") if link.get("class") == "explore"]
    assert links == [f"http://127.0.0.1:{ServeOptions().port}/row/{row}" for row in (5, 7)]


def test_the_summary_comes_before_everything_else(text):
    assert text.index('class="verdict"') < text.index("<svg")
    assert text.index("10.0% wrong") < text.index("<nav") < text.index("<section")
    assert text.index("1 label is probably wrong.") < text.index('id="leakage"')


def test_names_labels_and_texts_never_become_markup(page):
    assert not [attributes for _, attributes in page.elements if "onerror" in attributes]
    assert not page.of("script")
    told = "".join(page.words)
    assert NASTY in told
    assert printable(NASTIER) in told
    assert len(page.of("style")) == 1


def test_nothing_is_fetched_and_no_script_is_allowed(page, text):
    policy = next(meta for meta in page.of("meta") if "http-equiv" in meta)["content"]
    assert "default-src 'none'" in policy
    assert {image["src"] for image in page.of("img")} == {DOT}
    for name in ("link", "iframe", "object", "embed", "base", "form"):
        assert not page.of(name)
    assert not re.search(r"url\((?!#)", text)


def test_every_image_has_a_text_alternative_and_every_table_a_caption(page):
    pictures = [svg for svg in page.of("svg") if "role" in svg]
    assert len(pictures) == 19  # 13 plots, and 6 lines with a dot
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in pictures)
    assert all(image["alt"] for image in page.of("img"))
    assert len(page.of("caption")) == len(page.of("table"))
    assert len(page.of("figcaption")) == len(page.of("figure"))
    assert page.of("html")[0]["lang"] == "en"


def test_no_name_of_an_element_is_there_twice_and_every_reference_is_met(text):
    names = re.findall(r'\bid="([^"]*)"', text)
    assert len(names) == len(set(names))
    assert set(re.findall(r'(?:url\(#|href="#)([^")]*)', text)) <= set(names)


def test_every_topic_of_the_summary_links_to_a_place_of_the_page(page, regression):
    names = {attributes.get("id") for _, attributes in page.elements + regression.elements}
    assert set(SECTION_OF.values()) <= names
    links = [link["href"][1:] for link in page.of("a") if link.get("class") == "evidence"]
    assert len(links) == len(example_study().summary)
    assert set(links) <= names


def test_the_columns_are_profiled_with_sparklines_associations_and_alerts(page):
    told = " ".join(page.words)
    assert "ρ\N{NO-BREAK SPACE}−0.50" in told
    assert "1,234,567" in told
    assert "40 rows at the maximum" in told
    sparks = [svg for svg in page.of("svg") if svg.get("class") == "spark"]
    assert len(sparks) == 2
    assert [one for one in page.of("details") if one.get("class") == "column"]


def test_of_very_many_columns_those_with_alerts_are_shown_and_the_number_is_stated():
    study = example_study()
    quiet = replace(study.columns[1], name="quiet")
    text = str(profiles(replace(study, columns=(*([quiet] * 10_000), study.columns[0]))))
    assert "100 of 10,001 columns" in text
    assert text.index("40 rows at the maximum") < text.index(">quiet<")


def test_a_profile_that_was_skipped_leaves_the_description_of_the_column():
    study = example_study()
    bare = replace(study, columns=(replace(study.columns[0], profile=None),), target=None)
    assert "number" in str(profiles(bare))


def test_no_number_of_the_page_is_in_exponent_form(page):
    assert not re.search(r"\d(\.\d+)?e[+-]\d", " ".join(page.words))


def test_the_same_study_gives_the_same_bytes(text):
    assert render(example_study()) == text


def test_a_regression_study_has_no_confusion_matrix_but_r_squared_and_residuals(regression):
    told = "".join(regression.words)
    assert "R²" in told
    assert "± 0.25" in told
    ids = [attributes.get("id") or "" for _, attributes in regression.elements]
    assert not [name for name in ids if name.startswith("confusion-")]


def test_a_page_is_one_file_that_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    monkeypatch.setattr("lookalike.report.page.render", _small_page)
    write_page(example_study(), path)
    first = path.read_bytes()
    assert first.startswith(b"<!doctype html>")
    monkeypatch.setattr("os.replace", _no_room)
    with pytest.raises(OSError, match="room"):
        write_page(example_study(rows=90), path)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


def _small_page(study):
    return f"<!doctype html>{study.shape.n_rows} rows"


def _no_room(*_):
    raise OSError("no room")
