"""Held-out rows are evaluated as they are held out: repeated, in groups, by a chosen score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import lookalike
from lookalike.studies.evaluate import evaluation
from lookalike.studies.select import model_selection, split
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.task import Score


def overlapping(n_rows, seed, shift=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.normal(size=(n_rows, 4))
    X[:, 0] += shift * y
    return X, np.array(["no", "yes"])[y]


def test_the_interval_of_300_rows_covers_the_estimates_of_other_seeds(few_candidates, monkeypatch):
    monkeypatch.setattr(split, "FOLDS", 5)
    monkeypatch.setattr(split, "REPEATS", 3)
    X, y = overlapping(300, 1)
    monkeypatch.setattr("lookalike.studies.study.search_leakage", lambda *_: None)
    studies = [lookalike.study(X, y)]
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    studies += [lookalike.study(X, y, seed=seed) for seed in range(1, 5)]
    errors = [one.held_out.error for one in studies]
    for one in studies:
        low, high = one.held_out.interval
        assert low <= min(errors)
        assert max(errors) <= high
        assert one.held_out.n_repeats == 3
    first = studies[0]
    assert first.held_out.n_rows == 300
    assert len(first.predictions.row) == 900
    assert first.held_out.error == (first.predictions.y_pred != first.predictions.y_true).mean()
    assert sum(one.support for one in first.held_out.classes) == 300
    assert "repeated 3 times" in first.summary[0].text


def test_repeats_that_the_time_did_not_allow_are_not_claimed(few_candidates, monkeypatch):
    monkeypatch.setattr(split, "REPEATS", 3)
    all_repeats = evaluation._held_out_folds
    monkeypatch.setattr(
        evaluation,
        "_held_out_folds",
        lambda context, task, rows: all_repeats(context, task, rows.first_repeats(1)),
    )
    found = lookalike.study(*overlapping(100, 1))
    assert found.held_out.n_repeats == 1
    assert "3-fold nested cross-validation, random seed 0" in found.summary[0].text
    assert "repeated" not in found.summary[0].text + found.shape.split


def test_the_winner_of_the_folds_is_fitted_on_all_rows_though_the_time_is_over(
    few_candidates, monkeypatch
):
    folds = evaluation._held_out_folds

    def slow_folds(context, task, rows):
        done = folds(context, task, rows)
        monkeypatch.setattr(context.budget, "limit", 1e-9)
        return done

    monkeypatch.setattr(evaluation, "_held_out_folds", slow_folds)
    found = lookalike.study(*overlapping(100, 1), time="10m")
    compared = [one.name for one in found.candidates if not one.skipped]
    assert found.winner != "baseline"
    assert sorted(compared) == sorted(["baseline", found.winner])


def test_every_candidate_has_the_held_out_error_of_its_own_predictions(few_candidates):
    X, y = overlapping(1200, 0)
    found = lookalike.study(X, y)
    errors = {one.name: one.held_out_error for one in found.candidates}
    winner = found.winner
    held_out = found.predictions.row
    assert errors[winner] == found.held_out.error
    assert errors["baseline"] == found.held_out.baseline
    train = np.setdiff1d(np.arange(1200), held_out)
    lda = lookalike.LinearDiscriminantAnalysis().fit(X[train], y[train])
    assert errors["lda"] == pytest.approx(
        (lda.predict(X[held_out]) != y[held_out]).mean(), abs=0.01
    )
    for one in found.candidates:
        low, high = one.held_out_interval
        assert low <= one.held_out_error <= high
        assert found.bayes_error.high <= high


def test_identical_rows_are_on_one_side_and_both_errors_are_stated(few_candidates):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(2, size=400)
    copies = rng.permutation(400)[:200]
    X, y = np.concatenate([X, X[copies]]), np.concatenate([y, y[copies]])
    found = lookalike.study(X, y)
    keys = np.array([row.tobytes() for row in X])
    for fold, (_, train) in enumerate(found.fold_models):
        held_out = found.predictions.row[found.predictions.fold == fold]
        assert not set(keys[train]) & set(keys[held_out])
    other = found.held_out.other_splits[0]
    assert (other.kind, other.n_copies > 200) == ("duplicates", True)
    sentence = next(one for one in found.summary if one.topic == "duplicates")
    assert f"{other.n_copies} held-out rows are identical to a training row" in sentence.text
    assert f"{other.error:.1%}" in sentence.text
    assert f"{found.held_out.error:.1%}" in sentence.text


def test_copies_of_training_rows_make_the_error_of_a_random_split_too_small(monkeypatch):
    kept = tuple(one for one in CANDIDATES if one.name == "nearest")
    monkeypatch.setattr("lookalike.studies.select.model_selection.CANDIDATES", kept)
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(150, 3)), 2, axis=0), np.repeat(rng.integers(2, size=150), 2)
    found = lookalike.study(X, y)
    other = found.held_out.other_splits[0]
    assert found.held_out.error > 0.35  # the labels are random
    assert other.error < 0.2
    text = next(one for one in found.summary if one.topic == "duplicates").text
    assert text.endswith("too good for new rows.")


def test_copies_among_given_test_rows_are_counted_and_left_out_of_a_second_error(few_candidates):
    X, y = overlapping(300, 0)
    found = lookalike.study(X[:200], y[:200], test=(X[150:], y[150:]))
    other = found.held_out.other_splits[0]
    assert (other.kind, other.n_copies, other.n_rows) == ("distinct", 50, 100)
    wrong = found.predictions.y_pred[50:] != found.predictions.y_true[50:]
    assert other.error == wrong.mean()


def test_groups_of_a_column_are_never_split_and_the_column_is_no_feature(few_candidates):
    X, y = overlapping(200, 0)
    patient = np.repeat(np.arange(20), 10)
    rows = {f"x{j}": X[:, j] for j in range(4)} | {"patient": patient, "ill": y}
    rows = pd.DataFrame(rows)
    found = lookalike.study(rows, target="ill", groups="patient")
    assert "patient" not in [column.name for column in found.columns]
    for fold, (_, train) in enumerate(found.fold_models):
        held_out = found.predictions.row[found.predictions.fold == fold]
        assert not set(patient[train]) & set(patient[held_out])
    same = lookalike.study(X, y, groups=patient)
    assert same.held_out.error == found.held_out.error
    assert "bootstrap over groups" in found.held_out.interval_method
    assert found.learning_curve is None  # neighbors of the same patient would answer


def test_models_are_selected_and_evaluated_by_the_score_that_is_requested(few_candidates):
    X, y = overlapping(1200, 0)
    found = lookalike.study(X, y, scoring="auc")
    best = max(found.candidates, key=lambda one: one.validation_score)
    assert found.winner == best.name
    score = next(one for one in found.held_out.scores if one.name == "auc")
    predictions = found.predictions
    reference = roc_auc_score(predictions.y_true == "yes", predictions.shares[:, 1])
    assert score.value == pytest.approx(reference)
    assert score.interval[0] < score.value < score.interval[1]
    assert f"AUC {score.value:.3f}" in found.summary[0].text
    with pytest.raises(ValueError, match="scoring='rmse' is not a score of classification"):
        lookalike.study(X, y, scoring="rmse")


def test_with_a_rare_class_the_summary_leads_with_balanced_accuracy_and_its_recall(few_candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=2000) > 2.15, "fraud", "fine")
    found = lookalike.study(X, y)
    predictions = found.predictions
    score = next(one for one in found.held_out.scores if one.name == "balanced_accuracy")
    reference = balanced_accuracy_score(predictions.y_true, predictions.y_pred)
    assert score.value == pytest.approx(reference)
    assert score.interval[0] < score.value < score.interval[1]
    text = found.summary[0].text
    rare = next(one for one in found.held_out.classes if one.label == "fraud")
    assert text.index("Balanced accuracy") < text.index("Held-out error")
    assert f"Recall of the rare class 'fraud' ({np.mean(y == 'fraud'):.1%} of the rows)" in text
    assert f"{rare.recall:.1%}" in text


def test_regression_may_be_scored_by_mean_absolute_error(few_candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    found = lookalike.study(X, X[:, 0] + rng.normal(size=300), scoring="mae")
    assert found.held_out.scoring == "mae"
    assert f"MAE {found.held_out.mae:#.4g}" in found.summary[0].text


def test_of_few_rows_the_model_of_least_error_over_all_folds_is_kept(few_candidates, monkeypatch):
    def optimistic(training):
        model = training.task.baseline().fit(training.Z, training.y)
        return FittedCandidate((("model", model),), {}, Score(0.0, (0.0, 0.0), "none"))

    spec = CandidateSpec("optimistic", "Optimistic", "Claims no error.", optimistic, lambda _: 0.01)
    known = (*model_selection.CANDIDATES, spec)
    monkeypatch.setattr(model_selection, "CANDIDATES", known)
    monkeypatch.setattr("lookalike.studies.study.search_leakage", lambda *_: None)
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    found = lookalike.study(*overlapping(120, 0, shift=3.0))
    errors = {one.name: one.validation_error for one in found.candidates}
    winner = next(one for one in found.candidates if one.name == found.winner)
    assert errors["optimistic"] == errors["baseline"] > 0.4
    assert winner.name != "optimistic"
    assert errors[winner.name] == min(errors.values())
    assert winner.validation_method == "nested cross-validation, 3 folds"
    assert found.held_out.error == winner.held_out_error > 0.4  # every fold selected "optimistic"
    assert all(one.held_out_error == errors[one.name] for one in found.candidates if one != winner)


def test_of_few_rows_models_are_compared_by_the_score_that_is_requested(few_candidates):
    found = lookalike.study(*overlapping(120, 0), scoring="balanced_accuracy")
    scores = {one.name: one.validation_score for one in found.candidates}
    assert scores[found.winner] == max(scores.values())
    assert scores["baseline"] == 0.5
