"""What a study says first is true of its figures, short, and can be copied."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from example_study import example_study

from lookalike.decisions import Decision
from lookalike.studies.context import StudyOptions
from lookalike.studies.effort import Effort
from lookalike.studies.evaluation_results import ClassThreshold, OtherSplit
from lookalike.studies.overview import (
    actions,
    complete_command,
    estimates,
    runner_up,
    selection_note,
    skipped_work,
    verdict,
)
from lookalike.studies.profile_results import Alert, ColumnProfile
from lookalike.studies.results import Candidate, MetricScore


@pytest.fixture(scope="module")
def study():
    return example_study()


def with_scores(study, **changes):
    return replace(study, held_out=replace(study.held_out, **changes))


def candidate(name, error, **fields):
    return Candidate(name, name.title(), "", {}, error, (error - 0.02, error + 0.02), **fields)


def test_the_verdict_states_the_error_its_interval_and_the_baseline(study):
    better = with_scores(study, confusion_matrix=((60, 10), (5, 45)), baseline=50 / 120)
    assert verdict(better) == (
        "10.0% wrong (95% CI 3.0–30.0%); always guessing the most frequent class: 41.7%"
    )
    numbers = example_study("regression")
    assert verdict(numbers) == (
        "RMSE 0.1000 (95% CI 0.03000–0.3000); always guessing the mean: 0.6000"
    )


def test_the_verdict_says_where_a_model_is_not_better_than_the_baseline(study):
    same = with_scores(study, confusion_matrix=((60, 10), (10, 40)), baseline=50 / 120)
    assert "not a significant difference" not in verdict(same)
    equal = with_scores(study, confusion_matrix=((70, 0), (49, 1)), error=0.4, baseline=50 / 120)
    assert verdict(equal).endswith("which is not a significant difference")
    worse = with_scores(study, confusion_matrix=((40, 30), (45, 5)), error=0.6, baseline=50 / 120)
    assert verdict(worse).endswith("which is significantly better")
    kept = replace(study, winner="baseline")
    assert "no model had a better validation score" in verdict(kept)
    assert "nothing to predict" in verdict(with_scores(kept, baseline=0))


def test_the_verdict_says_the_error_of_the_latest_rows_where_it_is_higher(study):
    later = OtherSplit("time", "the latest rows", 0.4, (0.3, 0.5), 50, autocorrelation=0.9)
    worse = with_scores(study, error=0.1, interval=(0.05, 0.2), other_splits=(later,))
    assert "; of the latest rows: 40.0%" in verdict(worse)
    alike = with_scores(study, error=0.3, interval=(0.2, 0.45), other_splits=(later,))
    assert "latest" not in verdict(alike)


def test_the_verdict_leads_with_the_score_that_was_asked_for(study):
    scores = (MetricScore("auc", "AUC", 0.9, (0.8, 0.95), 0.5),)
    asked = with_scores(study, scoring="auc", scores=scores)
    assert verdict(asked) == (
        "AUC 0.900 (95% CI 0.800–0.950); always guessing the most frequent class: 0.500"
    )
    alone = with_scores(asked, scores=(replace(scores[0], baseline=None),))
    assert verdict(alone) == "AUC 0.900 (95% CI 0.800–0.950)"


def test_a_study_without_a_target_says_what_was_found_and_how_to_name_one(study):
    bare = replace(study, held_out=None, candidates=(), task="exploratory", summary=())
    assert verdict(bare) == "There was no target: nothing is predicted."
    assert estimates(bare) == ()
    assert "--target COLUMN" in actions(bare)[0].text


def test_errors_to_compare_are_those_of_the_model_the_runner_up_and_the_baseline(study):
    others = (
        candidate("svm", 0.10, reference=True),
        candidate("boosted", 0.11, stopped="far behind after 1 of 5 folds"),
        candidate("ridge", 0.14),
        candidate("forest", 0.12),
    )
    wide = replace(study, candidates=(*study.candidates, *others))
    assert runner_up(wide).name == "forest"
    kinds = [one.kind for one in estimates(wide)]
    assert kinds == ["selected", "runner_up", "bayes", "baseline"]
    selected = estimates(wide)[0]
    assert (selected.value, selected.interval) == (0.1, (0.03, 0.3))
    baseline = replace(wide, candidates=(*others, candidate("baseline", 0.6)), winner="baseline")
    assert [one.kind for one in estimates(baseline)] == ["selected", "runner_up", "bayes"]


def test_the_runner_up_is_by_the_score_that_models_were_selected_by(study):
    others = (
        candidate("ridge", 0.14, validation_score=0.95),
        candidate("forest", 0.12, validation_score=0.9),
    )
    asked = with_scores(replace(study, candidates=(*study.candidates, *others)), scoring="auc")
    assert runner_up(asked).name == "ridge"


def test_at_most_three_actions_are_named_the_gravest_first(study):
    equal = candidate("ridge", 0.12, equal_within_noise=True, difference_interval=(-0.01, 0.03))
    column = replace(study.columns[0], name="Cabin", missing=93)
    full = replace(study, candidates=(*study.candidates, equal), columns=(*study.columns, column))
    texts = [one.text for one in actions(full)]
    assert len(texts) == 3
    assert texts[0].startswith("Check ")
    assert texts[1:] == ["1 label to check", "Cabin is 77.5% missing"]
    calm = replace(full, leakage=None, audit=None)
    assert "1 other model is equal within noise" in actions(calm)[1].text


def test_a_rare_class_that_is_missed_is_an_action(study):
    scores = study.held_out
    rare = replace(scores.classes[0], label="no", recall=0.02)
    finding = replace(study.summary[0], kind="thresholds")
    threshold = ClassThreshold("no", 0.1, 0.75, (0.6, 0.9), 0.3, 100)
    missed = replace(
        study,
        leakage=None,
        held_out=replace(scores, classes=(rare, *scores.classes[1:])),
        summary=(finding,),
        thresholds=(threshold,),
    )
    assert (
        actions(missed)[0].text == "Only 2.0% of class 'no' is found: --scoring balanced_accuracy"
    )


def test_where_no_model_finds_the_rare_class_another_score_is_named(study):
    finding = replace(study.summary[0], kind="rare_classes")
    always = (*study.candidates, candidate("baseline", 0.1))
    guessing = replace(
        study, leakage=None, winner="baseline", candidates=always, summary=(finding,)
    )
    texts = [action.text for action in actions(guessing)]
    assert texts[0] == "No model finds the rare class: --scoring balanced_accuracy"
    assert not any("equal within noise" in text for text in texts)


def test_why_an_ensemble_is_kept_that_has_not_the_lowest_error_is_said(study):
    reason = "lower log loss than that of Ridge, on the same rows"
    kept = Decision("ensemble", "kept", reason)
    second = candidate("ridge", 0.1, equal_within_noise=True)
    ensemble = candidate("ensemble", 0.12)
    other = replace(study, winner="ensemble", candidates=(second, ensemble), decisions=(kept,))
    assert selection_note(other) == (
        f"It is kept for its {reason}; their errors are equal within noise."
    )
    first = replace(other, candidates=(candidate("ridge", 0.13), ensemble))
    assert selection_note(first) == ""


def test_a_column_that_is_not_used_and_a_few_duplicates_are_no_action(study):
    column = replace(study.columns[0], missing=93, role="dropped")
    audit = replace(study.audit, counts={"duplicate": 1})
    quiet = replace(study, leakage=None, audit=audit, columns=(column,), calibration=None)
    assert actions(quiet) == ()


def test_what_was_skipped_for_lack_of_time_is_named_with_the_command_that_does_it(
    study, monkeypatch
):
    late = tuple(Decision(name, "skipped", "the time budget was spent") for name in "abcdef")
    hurried = replace(study, decisions=late, candidates=study.candidates[:2])
    assert skipped_work(hurried) == "Skipped for lack of time: a, b, c and 3 others."
    assert complete_command(hurried) == "--time none"
    options = StudyOptions("my table.csv", target="a b", drop=("x",), models=("knn",), seed=3)
    words = shlex.split(complete_command(replace(hurried, origin=options)))
    given = ["lookalike", "study", "my table.csv", "--target", "a b", "--drop", "x"]
    assert words == [*given, "--models", "knn", "--seed", "3", "--time", "none"]
    monkeypatch.setenv("LOOKALIKE_EFFORT", "full")
    quick = replace(options, seed=0, models=(), effort=Effort.quick())
    words = shlex.split(complete_command(replace(hurried, origin=quick)))
    assert words == [*given, "--effort", "quick", "--time", "none"]
    assert skipped_work(replace(study, candidates=study.candidates[:2])) == ""


def test_labels_that_differ_by_case_or_spaces_only_are_to_be_written_alike(study):
    alerts = (Alert("similar_labels", "Labels that differ by case or spaces only: …"),)
    target = replace(study.target, profile=ColumnProfile(120, alerts=alerts))
    found = actions(replace(study, target=target, leakage=None))[0]
    assert found.text == "Labels differ by case or spaces only: write those of one class alike"
