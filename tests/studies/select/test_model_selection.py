"""Candidates are fitted in turn, each in its share of the time, and references after them."""

from __future__ import annotations

import time

import numpy as np
import pytest

from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.model_selection import _fitted_in_turn
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import CLASSIFICATION, Score


@pytest.fixture
def training():
    rows = TrainingRows(np.zeros((2000, 2)), np.arange(2000) % 2, CLASSIFICATION, seed=0)
    rows.__dict__["size"] = ProblemSize(2000, 2, 2)
    return rows


def fitted(_):
    return FittedCandidate((), {}, Score(0.2, (0.1, 0.3), "folds"))


def endless(_):
    end = time.monotonic() + 60  # stopped long before
    while time.monotonic() < end:
        np.sort(np.arange(10_000))


def test_there_is_time_for_references_though_a_candidate_takes_all_it_is_given(training):
    specs = [
        CandidateSpec("quick", "Quick", "A model.", fitted, lambda _: 0.001),
        CandidateSpec("slow", "Slow", "Takes all its time.", endless, lambda _: 0.01),
        CandidateSpec("other", "Other", "A reference.", fitted, lambda _: 0.001, reference=True),
    ]
    deadline = Deadline(time.monotonic() + 2.0)
    tried = _fitted_in_turn(specs, lambda _: training, deadline, None, None)
    assert tried["slow"].candidate.lacked_time
    assert tried["other"].fitted is not None
    assert tried["quick"].fitted is not None


def test_without_a_limit_every_candidate_is_fitted(training):
    specs = [CandidateSpec("quick", "Quick", "A model.", fitted, lambda _: 100.0)]
    tried = _fitted_in_turn(specs, lambda _: training, Deadline(None), None, None)
    assert tried["quick"].rows == 2000
