"""Every kind of claim has its place and its truth check; no sentence of small studies is false."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from example_study import claim_text, example_study

from lookalike.studies.evaluation_results import OtherSplit
from lookalike.studies.findings.claim import CLAIM_KINDS, Figures
from lookalike.studies.findings.data import audit
from lookalike.studies.findings.model import equal_models, few_rows, heavy_tails, skipped
from lookalike.studies.findings.reliability import calibration
from lookalike.studies.overview import actions
from lookalike.studies.summary import REPORT_ONLY, SUMMARY_ORDER, summarize


@pytest.fixture
def truth(monkeypatch):
    """Let tests import the problems with a known answer."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))


def test_every_kind_is_in_the_summary_or_in_the_report_alone_once():
    assert sorted([*SUMMARY_ORDER, *REPORT_ONLY]) == sorted(CLAIM_KINDS)


def test_every_kind_of_claim_has_a_truth_check(truth):
    from benchmarks.truth.checks import TRUTH_CHECKS

    assert sorted(TRUTH_CHECKS) == sorted(CLAIM_KINDS)


def test_the_registry_has_eighty_problems_of_different_names(truth):
    from benchmarks.truth.registry import REGISTRY

    assert len({one.name for one in REGISTRY}) == len(REGISTRY) >= 80
    assert {one.n_rows for one in REGISTRY} >= {60, 5000}


def test_figures_are_read_from_their_places():
    study = example_study()
    write = Figures(study)
    assert write.percent("held_out.error") == "10.0%"
    assert write.count("audit.counts.duplicate", "row") == "2 rows"
    assert write.fixed("intrinsic_dimension.interval", 1) == "2.0–2.9"
    assert write.stated_in("2 rows of 10.0%") == {
        "held_out.error": "10.0%",
        "audit.counts.duplicate": "2",
    }


def test_what_was_skipped_is_said_first_with_the_option_that_would_do_it():
    study = example_study()
    late = replace(study.candidates[0], skipped="stopped after 3 s: its time was over")
    study = replace(study, candidates=(late, *study.candidates[1:]))
    assert summarize(study)[0].kind == "skipped"
    assert "Skipped for lack of time: Most frequent class" in skipped(study).text
    assert "--time none" in skipped(study).text


def test_models_that_a_paired_test_cannot_tell_apart_are_named():
    study = example_study()
    assert equal_models(study) is None
    equal = replace(study.candidates[0], difference_interval=(-0.01, 0.02), equal_within_noise=True)
    text = equal_models(replace(study, candidates=(equal, *study.candidates[1:]))).text
    assert "Equal within noise" in text
    assert "Most frequent class (−1.0 to 2.0%)" in text


def test_equal_models_are_named_the_best_first():
    study = example_study()
    first, *others = study.candidates
    equal = replace(first, difference_interval=(-0.01, 0.02), equal_within_noise=True)
    better = replace(equal, name="b", title="Better", validation_error=0.0)
    text = equal_models(replace(study, candidates=(equal, better, *others))).text
    assert text.index("Better") < text.index("Most frequent class")


def test_labels_that_may_only_be_unusual_are_counted_with_that_word():
    study = example_study()
    counts = {"mislabel": 3}
    clear = replace(study, audit=replace(study.audit, counts=counts))
    doubtful = replace(study, audit=replace(study.audit, counts=counts, is_clear=False))
    assert "3 probable label errors" in audit(clear).text
    assert "3 labels to check (wrong, or only unusual)" in audit(doubtful).text
    assert "3 labels to check" in [action.text for action in actions(doubtful)]


def test_a_small_calibration_error_beyond_chance_is_called_small():
    study = example_study()
    few = replace(study.calibration, ece=0.007, ece_chance=0.006, n_rows=4000)
    small = replace(study, calibration=few)
    assert "no miscalibration of 2% or more" in calibration(small).text
    wrong = replace(study, calibration=replace(few, ece=0.04))
    assert ": miscalibrated" in calibration(wrong).text
    named = [[one.text for one in actions(each)] for each in (small, wrong)]
    assert ["Probabilities need calibration" in texts for texts in named] == [False, True]


def test_wide_intervals_are_said_to_come_from_too_few_rows():
    study = example_study()
    assert "from 20 rows" in few_rows(study).text
    precise = replace(study.held_out, interval=(0.09, 0.11))
    assert few_rows(replace(study, held_out=precise)) is None


def test_with_heavy_tails_mean_and_median_stand_beside_the_rmse():
    study = example_study("regression")
    residuals = replace(study.residuals, median_absolute=0.01)
    tails = replace(study.held_out, mae=0.02)
    text = heavy_tails(replace(study, held_out=tails, residuals=residuals)).text
    assert "mean absolute error is 0.02000" in text
    assert "within 0.01000 of the target" in text
    assert heavy_tails(replace(study, residuals=residuals)) is None


def test_a_series_is_compared_with_persistence_on_the_same_rows():
    study = example_study("regression")
    later = OtherSplit("time", "the latest rows", 0.2, (0.15, 0.25), 20, 0, 0.9, 0.1)
    scores = replace(study.held_out, other_splits=(later,))
    study = replace(study, held_out=scores)
    text = claim_text(replace(study, summary=summarize(study)), "persistence")
    assert text.endswith("0.2000 (95% CI 0.1500–0.2500, n = 20): the model does not beat it.")


NOT_YET_TRUE = {"audit", "bayes_error", "feature_importance"}  # false on main


@pytest.mark.parametrize("name", ["three classes", "noise, few rows", "linear", "blobs"])
def test_no_sentence_of_a_small_study_is_false(name, few_candidates, truth):
    from benchmarks.bench_truth import judge_study

    sentences = judge_study(name, 0)
    assert sentences
    wrong = [one for one in sentences if one.verdict == "false"]
    assert [one for one in wrong if one.kind not in NOT_YET_TRUE] == []
