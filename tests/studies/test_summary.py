"""The summary states figures in the field's words, and nothing that other figures contradict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from example_study import example_study

from lookalike.studies.summary import bound_applies, on_bayes_error, summarize
from lookalike.studies.task import CLASSIFICATION, REGRESSION


def text_of(study):
    return " ".join(finding.text for finding in summarize(study))


def test_a_classification_study_is_summarized_with_intervals_and_baseline():
    text = text_of(example_study())
    assert "Held-out error 10.0% (95% CI 3.0–30.0%, n = 20)" in text
    assert "baseline (most frequent class) 60.0%" in text
    assert "Estimated Bayes error (nearest-neighbor bound): 5.0–10.0%" in text
    assert "Intrinsic dimension 2.4 (TwoNN, 95% CI 2.0–2.9) of 4 features" in text
    assert "Permutation importance" in text
    assert "Prototype selection (condensed 1-NN): 12 of 100 training rows" in text
    assert "no significant difference detected (95% CI 4.0–30.0%, n = 20)" in text
    assert "2 exact duplicates" in text


def test_a_regression_study_is_summarized_by_rmse_r_squared_and_mae():
    text = text_of(example_study("regression"))
    assert "Held-out RMSE 0.1000 (95% CI 0.03000–0.3000, n = 20), R² 0.81, MAE 0.08" in text
    assert "baseline (mean) 0.6000" in text
    assert "Bayes" not in text


def test_a_bound_above_the_error_of_the_model_is_not_claimed():
    study = example_study()
    better = replace(study, held_out=replace(study.held_out, error=0.02, interval=(0.01, 0.04)))
    assert bound_applies(study.bayes_error, study.held_out)
    assert not bound_applies(study.bayes_error, better.held_out)
    text = on_bayes_error(better).text
    assert "does not apply at this sample size" in text
    assert "held-out error of the best model, 2.0%" in text


def test_a_bound_above_the_baseline_is_not_claimed():
    study = example_study()
    text = on_bayes_error(replace(study, held_out=replace(study.held_out, baseline=0.05))).text
    assert "does not apply at this sample size" in text
    assert "error of the baseline, 5.0%" in text


@pytest.mark.parametrize(
    ("task", "value", "text"),
    [
        (CLASSIFICATION, 0.0194, "1.9%"),
        (REGRESSION, 56940.3, "56,940"),
        (REGRESSION, 1234567.0, "1,234,567"),
        (REGRESSION, 0.0625, "0.06250"),
    ],
)
def test_scores_are_percentages_or_numbers_without_exponent(task, value, text):
    assert task.format(value) == text
