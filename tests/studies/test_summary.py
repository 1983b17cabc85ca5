"""The summary states figures in the field's words, and nothing that other figures contradict."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from example_study import example_study

from lookalike.decisions import Decision
from lookalike.studies.analysis_results import Leak, TargetLeakage
from lookalike.studies.findings.data import (
    estimated_dimension,
    feature_importance,
    intrinsic_dimension,
)
from lookalike.studies.findings.leakage import leakage
from lookalike.studies.findings.limits import bayes_error, learning_curve, prototype_selection
from lookalike.studies.summary import summarize
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def text_of(study):
    return " ".join(finding.text for finding in summarize(study))


def test_a_classification_study_is_summarized_with_intervals_and_baseline():
    text = text_of(example_study())
    assert "Held-out error 10.0% (95% CI 3.0–30.0%, n = 20)" in text
    assert "baseline (most frequent class) 60.0%" in text
    assert "Estimated Bayes error 2.0–15.0% (upper end: 95% CI of K nearest" in text
    assert "lower end, from 120 rows: limits of 1-NN" in text
    assert "Intrinsic dimension" not in text  # its coverage was not shown
    assert "Permutation importance" in text
    assert "2 exact duplicates" in text


def test_a_regression_study_is_summarized_by_rmse_r_squared_and_mae():
    text = text_of(example_study("regression"))
    assert "Held-out RMSE 0.1000 (95% CI 0.03000–0.3000, n = 20), R² 0.810, MAE 0.08" in text
    assert "baseline (mean) 0.6000" in text
    assert "Bayes" not in text


def test_a_bayes_error_without_a_lower_end_is_not_stated():
    study = example_study()
    for undecided in ("curve", "kinds", "baseline"):
        early = replace(study.bayes_error, low=0.0, converged=False, undecided=undecided)
        assert bayes_error(replace(study, bayes_error=early)) is None
    small = replace(study.bayes_error, low=0.0)
    assert bayes_error(replace(study, bayes_error=small)) is None


def test_a_learning_curve_of_neighbors_is_stated_of_no_other_model():
    study = example_study()
    error = np.array([0.2, 0.1, 0.08, 0.05])
    ahead = study.forecast._replace(error=error, low=0.9 * error, high=1.1 * error)
    kept = next(one for one in study.candidates if one.name == "knn")
    others = tuple(one for one in study.candidates if one.name != "knn")
    for chosen, stated in (
        ({"K": str(study.learning_curve.k)}, True),
        ({"K": "99"}, False),
        ({"K": str(study.learning_curve.k), "weights": "distance"}, False),
    ):
        candidates = (replace(kept, hyperparameters=chosen), *others)
        finding = learning_curve(replace(study, forecast=ahead, candidates=candidates))
        assert (finding is not None) == stated
    assert learning_curve(replace(study, forecast=ahead, winner="lda")) is None


def test_a_small_share_of_prototypes_is_not_rounded_to_none():
    study = example_study()
    few = replace(
        study.prototype_selection,
        n_prototypes=2, n_train=400, error=0.0, error_all_rows=0.0, interval=(0.0, 0.02),
    )  # fmt: skip
    text = prototype_selection(replace(study, prototype_selection=few)).text
    assert "2 of 400 training rows (0.5%)" in text
    assert "Prototype" not in text_of(replace(study, prototype_selection=few))


def test_what_says_nothing_is_left_out():
    study = example_study()
    flat = study.forecast._replace(error=np.zeros(4), low=np.zeros(4), high=np.zeros(4))
    assert learning_curve(replace(study, forecast=flat)) is None
    error = np.array([0.001, 0.0004, 0.0002, 0.0001])
    little = study.forecast._replace(error=error, low=0.5 * error, high=1.1 * error)
    assert learning_curve(replace(study, forecast=little)) is None
    dimension = replace(study.intrinsic_dimension, estimate=209.8, interval=(180.0, 240.0))
    shown = summarize(replace(study, intrinsic_dimension=dimension))
    assert "intrinsic_dimension" not in [finding.topic for finding in shown]
    few = replace(study.prototype_selection, interval=(0.04, 0.3))
    assert prototype_selection(replace(study, prototype_selection=few)) is None
    unsure = tuple(replace(one, adjusted_p=0.2) for one in study.feature_importance)
    assert feature_importance(replace(study, feature_importance=unsure)) is None


def test_every_figure_of_a_sentence_is_at_its_place_in_the_json():
    study = example_study()
    content = study.to_dict()
    for finding in summarize(study):
        assert finding.figures or not re.search(r"\d", finding.text), finding.kind
        assert all((finding.kind, finding.scope, finding.method))
        for path, text in finding.figures.items():
            assert text in finding.text
            for one in path.split("|"):
                value = content
                for step in re.split(r"\.(?!95$)", one):
                    value = value[int(step)] if isinstance(value, list) else value[step]
                assert value is not None


@pytest.mark.parametrize(
    ("task", "value", "text"),
    [
        (CLASSIFICATION_TASK, 0.0194, "1.9%"),
        (REGRESSION_TASK, 56940.3, "56,940"),
        (REGRESSION_TASK, 1234567.0, "1,234,567"),
        (REGRESSION_TASK, 0.0625, "0.06250"),
    ],
)
def test_scores_are_percentages_or_numbers_without_exponent(task, value, text):
    assert task.format(value) == text


def test_leaks_are_named_by_what_they_are():
    study = example_study()
    number = Leak("identifier", ("net",), True, 0.01, 0.3, "decision tree", 100)
    dates = Leak("timestamp", ("opened", "closed"), True, 0.01, 0.3, "decision tree", 100)
    text = leakage(replace(study, leakage=TargetLeakage((number, dates)))).text
    assert "'net' alone nearly determines the target" in text
    assert "'opened' and 'closed' nearly determine the target by their difference" in text
    dropped = TargetLeakage((replace(number, used=False),))
    assert "is an identifier" in leakage(replace(study, leakage=dropped)).text


def test_a_model_that_is_not_better_than_the_baseline_is_said_to_be_none():
    study, none = example_study(), "No significant difference from the {} of the baseline detected"
    matrices = {
        "": ((6, 1, 0), (1, 6, 0), (0, 0, 6)),
        none.format("error"): ((5, 2, 0), (3, 3, 0), (4, 1, 1)),
        "The baseline has a significantly lower error": ((5, 30, 0), (3, 3, 0), (4, 1, 1)),
    }
    for text, matrix in matrices.items():
        baseline = 1 - sum(matrix[0]) / np.sum(matrix)  # the first class is the most frequent
        scores = replace(study.held_out, confusion_matrix=matrix, baseline=baseline)
        shown = text_of(replace(study, held_out=scores))
        assert text in shown
        assert ("baseline detected" in shown) == ("No significant" in text)
    study = example_study("regression")
    wide = replace(study.held_out, interval=(0.03, 0.9))  # both have the same large residuals
    assert "of the baseline detected" not in text_of(replace(study, held_out=wide))
    unsure = replace(study.held_out, r2_interval=(-0.1, 0.3))
    assert none.format("RMSE") in text_of(replace(study, held_out=unsure))


def test_models_as_good_as_the_baseline_seldom_seem_better_or_worse():
    study, rng = example_study(), np.random.default_rng(0)
    said = 0
    for _ in range(300):
        n_rows = int(rng.integers(20, 200))
        y = np.where(np.arange(n_rows) < 0.5 * n_rows, 0, rng.integers(1, 3, n_rows))
        differs = rng.random(n_rows) < 0.3  # from the baseline: wrong of class 0, right of others
        y_pred = np.where(y == 0, differs.astype(int), np.where(differs, y, 0))
        matrix = tuple(
            tuple(int(np.sum((y == a) & (y_pred == b))) for b in range(3)) for a in range(3)
        )
        scores = replace(study.held_out, confusion_matrix=matrix, baseline=float(np.mean(y != 0)))
        said += "No significant difference from the error" in text_of(
            replace(study, held_out=scores)
        )
    assert said >= 0.95 * 300


def test_prototypes_with_a_lower_error_are_not_said_to_be_no_different():
    study, selection = example_study(), example_study().prototype_selection
    same = replace(selection, error=0.1, interval=(0.08, 0.12), error_all_rows=0.1)
    worse = replace(same, error_all_rows=0.2)
    text = prototype_selection(replace(study, prototype_selection=worse)).text
    assert "all of them 20.0%: a significantly lower error." in text
    text = prototype_selection(replace(study, prototype_selection=same)).text
    assert "no significant difference" in text


def test_the_dimension_of_independent_columns_is_not_called_lower():
    study = example_study()
    alike = replace(study.intrinsic_dimension, shuffled=(2.5, 3.2))
    same = replace(study, intrinsic_dimension=alike)
    assert intrinsic_dimension(same) is None
    shown = estimated_dimension(same).text
    assert "not significantly lower than with the values of each column shuffled" in shown
    assert "(95% CI 2.5–3.2)" in shown
    apart = replace(study.intrinsic_dimension, shuffled=(3.5, 3.9))
    lower = intrinsic_dimension(replace(study, intrinsic_dimension=apart)).text
    assert "Intrinsic dimension 2.4 (TwoNN, 95% CI 2.0–2.9) of 4 features" in lower


def test_a_rare_class_with_too_few_held_out_rows_is_named():
    study = example_study()
    target = replace(study.target, counts=(2, 59, 59))
    classes = (replace(study.held_out.classes[0], support=2), *study.held_out.classes[1:])
    few = replace(study, target=target, held_out=replace(study.held_out, classes=classes))
    text = text_of(few)
    assert "Too few held-out rows for the recall of " in text
    assert "(1.7% of the rows) with n = 2." in text


def test_integers_that_are_too_rare_for_classes_are_said_to_be_taken_as_such():
    study = example_study()
    taken = (Decision("task", "classification", "y holds 3 distinct integers"),)
    few = replace(study, decisions=taken, target=replace(study.target, counts=(2, 59, 59)))
    assert "are taken as classes, the rarest in 2 rows" in text_of(few)
    assert "--task regression" in text_of(few)
    assert "taken as classes" not in text_of(replace(few, target=study.target))
    assert "taken as classes" not in text_of(replace(few, decisions=study.decisions))
