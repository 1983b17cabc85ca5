"""The leaderboard is in order of what models were selected by, and says which are equal."""

from __future__ import annotations

import re
from dataclasses import replace

from example_study import example_study

from lookalike.report.page.leaderboard import leaderboard
from lookalike.studies.results import Candidate


def candidate(name, error, **fields):
    return Candidate(name, name, "How.", {}, error, (error - 0.02, error + 0.02), **fields)


def board(*others, winner="knn", scoring=""):
    study = example_study()
    own = replace(study.candidates[1], title="knn", validation_score=0.8)
    scores = replace(study.held_out, scoring=scoring)
    return leaderboard(replace(study, candidates=(*others, own), winner=winner, held_out=scores))


def names(shown):
    return re.findall(r"<summary>(.*?)</summary>", shown)


def test_models_are_in_order_of_their_validation_error_whichever_was_selected():
    shown = board(candidate("worse", 0.3), candidate("better", 0.1))
    assert names(shown) == ["better", "knn", "worse"]
    assert shown.index("selected") > shown.index("better")


def test_models_are_in_order_of_the_score_that_was_asked_for():
    shown = board(candidate("top", 0.3, validation_score=0.9), scoring="auc")
    assert names(shown) == ["top", "knn"]
    assert "0.900" in shown


def test_models_that_a_paired_test_finds_equal_are_marked_and_references_named():
    shown = board(
        candidate("same", 0.12, equal_within_noise=True, difference_interval=(-0.01, 0.02)),
        candidate("other", 0.13),
        candidate("svm", 0.1, reference=True),
    )
    assert shown.count("equal within noise") == 1
    assert "reference, not kept" in shown
    assert "−1.0 to 2.0%" in shown


def test_what_a_model_is_opens_on_demand():
    shown = board(candidate("one", 0.2))
    assert "<details><summary>one</summary>" in shown
    assert ">How.<" in shown
