"""How much work a study puts into its models."""

import pytest

import lookalike
from lookalike.errors import LookalikeError
from lookalike.studies.effort import Effort


def test_the_environment_decides_where_nothing_is_said(monkeypatch):
    monkeypatch.setenv("LOOKALIKE_EFFORT", "quick")
    assert Effort.named(None) == Effort.quick()
    assert Effort.named("full") == Effort.full()
    monkeypatch.delenv("LOOKALIKE_EFFORT")
    assert Effort.named(None) == Effort.full()


def test_an_unknown_effort_is_an_error_that_names_the_known_ones():
    with pytest.raises(LookalikeError, match="effort='much' is not an effort"):
        lookalike.study("iris", effort="much")


def test_the_effort_of_a_study_is_obeyed(few_candidates):
    effort = Effort(folds=4, repeats=2, references=False)
    study = lookalike.study("iris", effort=effort)
    assert study.shape.split == "4-fold cross-validation, random seed 0, repeated 2 times"
    assert study.held_out.n_repeats == 2
