"""The race of the candidates: who is fitted next, to how many rows, and who is out."""

from __future__ import annotations

import time

import numpy as np
import pytest

from lookalike.studies.effort import Effort
from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidate_spec import CandidateSpec
from lookalike.studies.select.far_behind import is_behind, is_far_behind
from lookalike.studies.select.fold_work import FoldResult
from lookalike.studies.select.race import Race
from lookalike.studies.select.split import deal_rows
from lookalike.studies.select.training_rows import ProblemSize
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.workers import Failure

N_ROWS = 8000
Y = np.arange(N_ROWS) % 2
SIZE = ProblemSize(6400, 2, 2)


def spec(name, cost=0.01, **options):
    return CandidateSpec(name, name.title(), "A model.", None, lambda _: cost, **options)


def race_of(*specs, seconds=None, effort=None, prepared=True, **options):
    split = deal_rows(Y, CLASSIFICATION_TASK, seed=0, effort=effort or Effort())
    deadline = Deadline(None if seconds is None else time.monotonic() + seconds)
    race = Race(specs, Y, split, CLASSIFICATION_TASK, deadline=deadline, n_workers=1, **options)
    if prepared:
        for part in race.parts:
            race.note_prepared(part, {one.name: SIZE for one in specs})
    return race


def result(race, name, part, share_wrong, seconds=0.01):
    y = Y[race.split.parts[part][1]]
    wrong = np.arange(len(y)) < round(share_wrong * len(y))
    return FoldResult(name, np.where(wrong, 1 - y, y), seconds=seconds)


def run(race, errors):
    """Fit what the race asks for, with these errors, and return the order of names and folds."""
    order = []
    while (following := race.next_fit()) is not None:
        family, part, _ = following
        names = [one.spec.name for one in race.racing(family)]
        order.append((names[0], part))
        race.note_results(family, part, [result(race, name, part, errors[name]) for name in names])
    return order


def test_cheap_candidates_are_fitted_first_and_references_last():
    race = race_of(spec("slow", 5.0), spec("other", 0.001, reference=True), spec("quick", 0.1))
    order = run(race, {"slow": 0.1, "other": 0.1, "quick": 0.1})
    assert [name for name, part in order if part == 0] == ["quick", "slow", "other"]
    assert len(order) == 15
    assert {one.spec.name for one in race.complete()} == {"slow", "other", "quick"}


def test_a_candidate_far_behind_on_the_same_rows_is_not_fitted_to_the_other_folds():
    race = race_of(spec("good"), spec("bad"), spec("near"))
    order = run(race, {"good": 0.10, "bad": 0.30, "near": 0.101})
    assert [name for name, _ in order].count("bad") == 1
    assert race.contenders["bad"].stopped == "far behind after 1 of 5 folds"
    assert {one.spec.name for one in race.complete()} == {"good", "near"}


def test_by_another_score_none_is_stopped_early():
    race = race_of(spec("good"), spec("bad"), stops_early=False)
    assert len(run(race, {"good": 0.1, "bad": 0.4})) == 10


def test_nothing_is_fitted_to_a_fold_before_its_rows_are_prepared():
    race = race_of(spec("one"), prepared=False)
    assert race.next_fit() is None
    race.note_prepared(3, {"one": SIZE})
    assert race.next_fit()[1] == 3
    assert race.next_fit() is None


def test_one_without_time_for_all_rows_is_fitted_to_fewer_in_every_fold():
    slow = CandidateSpec("slow", "Slow", "A model.", None, lambda size: size.rows / 100)
    race = race_of(slow, seconds=100)
    family, _, limit = race.next_fit()
    assert family.n_rows == 1600  # 16 s for each of 5 folds
    assert race.contenders["slow"].n_rows == 1600
    assert 16 < limit <= 100


def test_one_for_which_there_is_no_time_at_all_is_skipped_with_the_reason():
    race = race_of(spec("endless", 1e6), spec("quick", 0.01), seconds=10)
    run(race, {"endless": 0.1, "quick": 0.1})
    reason = race.contenders["endless"].stopped
    assert reason.startswith("would take about 1000000 s for each of 5 folds, and ")
    assert reason.endswith("of the time are left for it")


def test_for_the_baseline_neighbors_and_what_was_asked_for_there_always_is_time():
    race = race_of(
        spec("baseline"),
        spec("knn", 9.0, family="neighbors"),
        spec("wanted", 9.0),
        spec("other", 9.0),
        seconds=0,
        first=["wanted"],
    )
    run(race, {"baseline": 0.5, "knn": 0.1, "wanted": 0.1, "other": 0.1})
    assert {one.spec.name for one in race.complete()} == {"knn", "wanted"} or {
        one.spec.name for one in race.complete()
    } == {"baseline", "knn", "wanted"}
    assert race.contenders["other"].stopped


def test_a_fit_that_was_stopped_is_tried_with_fewer_rows_and_then_given_up():
    race = race_of(spec("heavy", 1.0), seconds=1000)
    family, part, _ = race.next_fit()
    race.note_failure(family, part, Failure("memory", "needed more than 800 MB"))
    family, part, _ = race.next_fit()
    assert family.n_rows == 1600
    race.note_failure(family, part, Failure("memory", "needed more than 800 MB"))
    assert race.next_fit() is None
    assert race.contenders["heavy"].stopped == "needed more than 800 MB"


def test_a_crash_is_why_a_candidate_is_out_and_no_other():
    race = race_of(spec("crashing"), spec("sound"))
    family, part, _ = race.next_fit()
    race.note_failure(family, part, Failure("crash", "the process ended with signal SIGSEGV"))
    run(race, {"crashing": 0.1, "sound": 0.1})
    assert [one.spec.name for one in race.complete()] == ["sound"]


def test_further_repeats_are_for_those_that_might_win_and_if_the_time_allows():
    effort = Effort(repeats=3, repeated_rows=10**6)
    errors = {"good": 0.10, "close": 0.1005, "bad": 0.108}
    race = race_of(*map(spec, errors), effort=effort)
    run(race, errors)
    assert race.begin_repeat(1.0)
    for part in race.parts:
        race.note_prepared(part, dict.fromkeys(errors, SIZE))
    order = run(race, errors)
    assert {name for name, _ in order} == {"good", "close"}
    assert {part for _, part in order} == set(range(5, 10))
    assert race.complete_repeats() == 2
    late = race_of(spec("good"), effort=effort, seconds=2)
    run(late, {"good": 0.1})
    assert not late.begin_repeat(10.0)


def test_losses_are_behind_only_beyond_noise_and_by_enough():
    rng = np.random.default_rng(0)
    good, equal = (rng.random(2000) < 0.2).astype(float), (rng.random(2000) < 0.2).astype(float)
    bad = (rng.random(2000) < 0.4).astype(float)
    assert is_behind(bad, good, 0.1, 3.0)
    assert not is_behind(equal, good, 0.1, 3.0)
    assert not is_behind(good, good, 0.0, 3.0)


def test_with_few_rows_it_takes_more_to_be_far_behind():
    for n_rows, is_out in ((360, True), (180, False)):
        good, bad = np.zeros(n_rows), np.zeros(n_rows)
        bad[: round(2.5**2)] = 1.0  # 2.5 standard errors, whatever the number of rows
        assert is_far_behind(bad, good) == is_out


@pytest.mark.parametrize("kind", ["time", "memory"])
def test_a_fit_of_few_rows_that_was_stopped_is_given_up(kind):
    race = race_of(spec("one", 1.0))
    family, part, _ = race.next_fit()
    family.n_rows = 1500
    race.note_failure(family, part, Failure(kind, "stopped after 3 s"))
    assert race.contenders["one"].stopped.startswith("stopped after 3 s")


def test_the_standing_names_the_models_that_are_done_and_the_best_so_far():
    race = race_of(spec("good"), spec("bad"), spec("other", reference=True))
    assert race.standing() == "comparing models 0/3"
    run(race, {"good": 0.10, "bad": 0.30, "other": 0.05})
    assert race.standing() == "comparing models 3/3 · best 10.0% Good"


def run_side_by_side(race, errors, n_workers, seed):
    """Fit what the race asks for, several folds at a time, of which any may end first."""
    rng, running = np.random.default_rng(seed), []
    while True:
        while len(running) < n_workers and (following := race.next_fit()) is not None:
            names = [one.spec.name for one in race.racing(following[0])]
            running.append((*following[:2], names))
        if not running:
            if not race.settle():
                return
            continue
        family, part, names = running.pop(int(rng.integers(len(running))))
        race.note_results(family, part, [result(race, name, part, errors[name]) for name in names])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_workers", [2, 3, 16])
def test_who_is_far_behind_does_not_depend_on_which_fold_ends_first(n_workers, seed):
    errors = {"fair": 0.2, "poor": 0.3, "good": 0.05, "bad": 0.5, "best": 0.04, "near": 0.046}
    specs = [spec(name, cost) for cost, name in enumerate(errors, 1)]
    alone, together = race_of(*specs), race_of(*specs)
    run(alone, errors)
    assert not alone.settle()
    run_side_by_side(together, errors, n_workers, seed)
    for name, contender in alone.contenders.items():
        other = together.contenders[name]
        assert other.stopped == contender.stopped
        assert sorted(other.losses) == sorted(contender.losses)
    assert alone.contenders["bad"].stopped == "far behind after 1 of 5 folds"
    assert not alone.contenders["fair"].stopped
