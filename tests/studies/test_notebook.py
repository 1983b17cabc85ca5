"""A notebook shows a study with its leaderboard and one picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from example_study import NASTY, example_study


def test_a_notebook_shows_the_leaderboard_and_a_picture():
    shown = example_study()._repr_html_()
    assert shown.count("<tr>") == 3  # the heading and the two models that were compared
    assert "<b>K nearest neighbors</b>" in shown
    assert shown.count("<svg") == 1
    assert shown.count("<circle") == 3  # two models, and the held-out error
    assert NASTY not in shown
    assert "<script" not in shown
    ET.fromstring(shown[shown.index("<svg") : shown.index("</svg>") + 6])


def test_an_exploratory_study_has_its_summary_alone():
    from dataclasses import replace

    shown = replace(example_study(), candidates=(), held_out=None)._repr_html_()
    assert "<li>" in shown
    assert "<svg" not in shown
