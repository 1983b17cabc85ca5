"""Classes have the colors of the explorer's map."""

from __future__ import annotations

import re
from pathlib import Path

import lookalike
from lookalike.report.plots.palette import SIX_COLORS, TEN_COLORS, class_colors

PAGE = Path(lookalike.__file__).parent / "web" / "static" / "js" / "palette.js"
STYLE = Path(lookalike.__file__).parent / "report" / "page" / "page.css"


def listed(name):
    inside = re.search(rf"const {name} = \[(.*?)\]", PAGE.read_text("utf-8"), re.DOTALL)[1]
    return tuple(re.findall(r"#[0-9a-f]{6}", inside))


def test_the_colors_are_those_of_the_explorer_light_and_dark():
    assert listed("SIX") == SIX_COLORS
    assert listed("TEN") == TEN_COLORS
    dark = dict(re.findall(r"--((?:six|ten)-\d): (#[0-9a-f]{6})", STYLE.read_text("utf-8")))
    for name, title in (("SIX_DARK", "six"), ("TEN_DARK", "ten")):
        assert listed(name) == tuple(dark[f"{title}-{place}"] for place in range(len(listed(name))))


def test_up_to_ten_classes_each_has_a_color_of_its_own():
    for n_classes in range(1, 11):
        assert len(set(class_colors(n_classes))) == n_classes
    assert class_colors(12)[10:] == TEN_COLORS[:2]
