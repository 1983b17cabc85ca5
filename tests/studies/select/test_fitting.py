"""Which candidates there is time for, on how many rows, and which are fitted to more of them."""

from __future__ import annotations

import time

import numpy as np
import pytest

from lookalike.studies.select.budget import Deadline, TimeOver
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.fitting import CandidateFit, affordable_rows
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import CLASSIFICATION, REGRESSION, Score

COVER = ProblemSize(465_000, 54, 7, search=60.0)
ROWS = 16_000


@pytest.mark.parametrize("name", ["nearest", "knn", "knn_weighted"])
def test_neighbors_take_part_however_many_rows_there_are(name):
    spec = next(one for one in CANDIDATES if one.name == name)
    assert affordable_rows(spec, COVER, 15.0) == COVER.rows


def test_every_candidate_takes_part_on_some_of_very_many_rows():
    for spec in CANDIDATES:
        rows = affordable_rows(spec, COVER, 15.0)
        assert rows >= 1000
        assert spec.cost(COVER.first(rows)) <= 15.0, spec.name


def linear_cost(size: ProblemSize) -> float:
    return size.rows / 1000


@pytest.mark.parametrize(
    ("rows", "seconds", "affordable"),
    [(5000, 5.0, 5000), (64_000, 8.0, 8000), (64_000, 3.0, 2000), (64_000, 0.1, 1000)],
)
def test_a_candidate_without_time_for_all_rows_is_given_half_of_them_until_there_is(
    rows, seconds, affordable
):
    spec = CandidateSpec("one", "One", "A model.", lambda _: None, linear_cost)
    assert affordable_rows(spec, ProblemSize(rows, 4, 2), seconds) == affordable


@pytest.fixture
def training():
    size = ProblemSize(ROWS, 2, 2)
    rows = TrainingRows(np.zeros((ROWS, 2)), np.arange(ROWS) % 2, CLASSIFICATION, seed=0)
    rows.__dict__["size"] = size
    return rows


def candidate(error, slow_from=np.inf, **options):
    """A candidate with these errors by rows, whose time is over from this many rows on."""
    fitted: list[int] = []

    def fit(training: TrainingRows) -> FittedCandidate:
        fitted.append(len(training.y))
        if len(training.y) >= slow_from:
            raise TimeOver
        return FittedCandidate((), {"K": "1"}, Score(error(fitted[-1]), (0.0, 1.0), "folds"))

    return CandidateSpec("one", "One", "A model.", fit, linear_cost, **options), fitted


def fit_candidate(spec, training, deadline):
    fit = CandidateFit(spec, training)
    fit.fit(deadline, waiting=9)
    return fit


def in_seconds(seconds: float) -> Deadline:
    return Deadline(time.monotonic() + seconds)


def test_a_costly_candidate_is_fitted_to_few_rows_then_to_as_many_as_its_share_allows(training):
    spec, fitted = candidate(lambda n: 10 / n**0.5)
    attempt = fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000, 8000, 16_000]  # they took no time, so that there is time for all
    assert attempt.candidate.hyperparameters == {"K": "1"}
    assert attempt.before == (8000, pytest.approx(10 / 8000**0.5))
    spec, fitted = candidate(lambda n: 10 / n**0.5)
    attempt = fit_candidate(spec, training, in_seconds(10))
    assert fitted == [1000, 2000]
    assert attempt.candidate.hyperparameters == {"rows": "2,000 of 16,000, at random", "K": "1"}


def test_one_whose_time_is_over_is_kept_as_few_rows_made_it(training):
    spec, fitted = candidate(lambda n: 10 / n**0.5, slow_from=2000)
    attempt = fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000, 8000]
    assert attempt.candidate.hyperparameters["rows"] == "1,000 of 16,000, at random"
    assert not attempt.candidate.skipped


def test_one_without_time_for_few_rows_says_so(training):
    spec, fitted = candidate(lambda _: 0.1)
    attempt = fit_candidate(spec, training, in_seconds(0.2))
    assert not fitted
    assert "would take about 1.0 s" in attempt.candidate.skipped
    assert attempt.candidate.lacked_time
    spec, _ = candidate(lambda _: 0.1, slow_from=0)
    attempt = fit_candidate(spec, training, in_seconds(10))
    assert attempt.candidate.lacked_time
    assert attempt.fitted is None


def test_one_that_more_rows_would_not_bring_to_the_front_is_not_fitted_to_them(training):
    training.losses.append(0.05)
    spec, fitted = candidate(lambda _: 0.4)
    fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000, 8000]  # a sixteenth of it might have won, but it does not fall
    training.losses.append(0.01)
    spec, fitted = candidate(lambda _: 0.4)
    fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000]
    spec, fitted = candidate(lambda _: 0.4, reference=True)
    fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000, 8000, 16_000]


def test_one_whose_error_falls_with_the_number_of_rows_is_fitted_to_all(training):
    training.losses.append(0.05)
    spec, fitted = candidate(lambda n: 300 / n)  # 0.3 of 1,000 rows, 0.019 of all
    attempt = fit_candidate(spec, training, in_seconds(100))
    assert fitted == [1000, 8000, 16_000]
    assert attempt.fitted.score.value < 0.05


def test_one_that_takes_little_of_its_share_is_fitted_to_all_rows_at_once(training):
    spec, fitted = candidate(lambda _: 0.4)
    fit_candidate(spec, training, in_seconds(400))  # 16 of 60 seconds
    assert fitted == [16_000]


def test_nearly_all_rows_are_all_rows(training):
    spec, fitted = candidate(lambda n: 10 / n**0.5)
    fit_candidate(spec, training.first(ROWS - 7), in_seconds(100))
    assert fitted[-1] == ROWS - 7


def test_the_fall_of_the_loss_so_far_says_whether_it_may_win(training):
    training.losses.append(0.1)
    spec, _ = candidate(lambda _: 0.2)
    some = FittedCandidate((), {}, Score(0.2, (0.0, 1.0), "folds"))
    attempt = CandidateFit(spec, training)
    attempt.fitted, attempt.rows = some, 4000
    assert attempt.may_win  # with the number of rows: a quarter of it
    attempt.before = 1000, 0.21
    assert not attempt.may_win
    attempt.before = 1000, 0.4
    assert attempt.may_win


def test_squared_errors_fall_with_the_root_of_the_number_of_rows_at_best(training):
    training.task = REGRESSION
    training.losses.append(0.01)
    spec, _ = candidate(lambda _: 0.2)
    some = FittedCandidate((), {}, Score(0.2, (0.0, 1.0), "folds"))  # an RMSE
    attempt = CandidateFit(spec, training)
    attempt.fitted, attempt.rows = some, 4000
    assert not attempt.may_win  # 0.04 becomes 0.016 at best
    training.losses[0] = 0.02
    assert attempt.may_win


def test_in_the_time_that_is_left_the_best_are_fitted_to_more_rows(training):
    spec, fitted = candidate(lambda n: 10 / n**0.5)
    attempt = fit_candidate(spec, training, in_seconds(10))
    attempt.fit_more(in_seconds(1))
    assert attempt.rows == 2000
    training.losses.append(0.0001)
    attempt.fit_more(in_seconds(100))
    assert attempt.rows == 2000
    training.losses.clear()
    attempt.fit_more(in_seconds(100))
    assert fitted == [1000, 2000, 16_000]
    assert attempt.rows == ROWS


def test_a_baseline_is_fitted_to_all_rows(training):
    spec, fitted = candidate(lambda _: 0.5)
    spec = CandidateSpec("baseline", "Baseline", "", spec.fit, lambda _: 0.0)
    assert fit_candidate(spec, training, Deadline(None)).fitted is not None
    assert fitted == [ROWS]
