"""Held-out rows are evaluated as they are held out: repeated, in groups, by a chosen score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_study import claim_text
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import lookalike
from lookalike.studies.effort import Effort
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.race import Race


def overlapping(n_rows, seed, shift=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.normal(size=(n_rows, 4))
    X[:, 0] += shift * y
    return X, np.array(["no", "yes"])[y]


REPEATED = replace(Effort.quick(), folds=5, repeats=3)


def test_the_interval_of_300_rows_covers_the_estimates_of_other_seeds(few_candidates, monkeypatch):
    X, y = overlapping(300, 1)
    monkeypatch.setattr("lookalike.studies.study.search_leakage", lambda *_, **__: None)
    studies = [lookalike.study(X, y, effort=REPEATED)]
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    studies += [lookalike.study(X, y, seed=seed, effort=REPEATED) for seed in range(1, 5)]
    errors = [study.held_out.error for study in studies]
    for study in studies:
        low, high = study.held_out.interval
        assert low <= min(errors)
        assert max(errors) <= high
        assert study.held_out.n_repeats == 3
    first = studies[0]
    assert first.held_out.n_rows == 300
    assert len(first.predictions.row) == 900
    wrong = (first.predictions.y_pred != first.predictions.y_true).mean()
    assert wrong <= first.held_out.error < wrong + 0.03  # selecting the winner is optimistic
    assert sum(scores.support for scores in first.held_out.classes) == 300
    assert "repeated 3 times" in claim_text(first)


def test_repeats_that_the_time_did_not_allow_are_not_claimed(few_candidates, monkeypatch):
    monkeypatch.setattr(Race, "begin_repeat", lambda *_: False)
    study = lookalike.study(*overlapping(100, 1), effort=REPEATED)
    assert study.held_out.n_repeats == 1
    assert "5-fold cross-validation, random seed 0" in claim_text(study)
    assert "repeated" not in claim_text(study) + study.shape.split


def test_neighbors_are_compared_and_the_winner_is_fitted_on_all_rows_though_the_time_is_over(
    few_candidates,
):
    study = lookalike.study(*overlapping(300, 1, shift=3.0), time="0.001s")
    compared = [one.name for one in study.candidates if one.validation_error is not None]
    assert compared == ["baseline", "knn"]
    assert study.winner == "knn"
    assert study.model.predict(overlapping(5, 2)[0]).shape == (5,)
    assert sorted(study.model.training_rows_.tolist()) == list(range(300))


def test_the_error_is_that_of_the_model_that_is_kept(few_candidates, monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    study = lookalike.study(*overlapping(400, 3), effort=REPEATED)
    X, y = overlapping(20_000, 4)
    true_error = (study.model.predict(X) != y).mean()
    low, high = study.held_out.interval
    assert low <= true_error <= high
    winner = next(one for one in study.candidates if one.name == study.winner)
    assert (winner.held_out_error, winner.held_out_interval) == (study.held_out.error, (low, high))


def test_every_candidate_has_the_error_of_its_own_predictions_on_the_same_rows(few_candidates):
    X, y = overlapping(1200, 0)
    study = lookalike.study(X, y)
    errors = {one.name: one.held_out_error for one in study.candidates}
    assert errors[study.winner] == study.held_out.error
    assert errors["baseline"] == study.held_out.baseline
    wrong = np.zeros(1200, bool)
    for fold, (_, train) in enumerate(study.fold_models):
        held_out = study.predictions.row[study.predictions.fold == fold]
        lda = lookalike.LinearDiscriminantAnalysis().fit(X[train], y[train])
        wrong[held_out] = lda.predict(X[held_out]) != y[held_out]
    assert errors["lda"] == pytest.approx(wrong.mean(), abs=0.01)
    for one in study.candidates:
        low, high = one.held_out_interval
        assert low <= one.held_out_error <= high


def test_identical_rows_are_on_one_side_and_both_errors_are_stated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    copies = rng.permutation(400)[:200]
    X, y = np.concatenate([X, X[copies]]), np.concatenate([y, y[copies]])
    found = lookalike.study(X, y, models=["nearest"])
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
    kept = tuple(one for one in ALL_CANDIDATES if one.name == "nearest")
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
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
    assert "over groups" in found.held_out.interval_method
    assert found.learning_curve is None  # neighbors of the same patient would answer


def test_models_are_selected_and_evaluated_by_the_score_that_is_requested(few_candidates):
    X, y = overlapping(1200, 0)
    found = lookalike.study(X, y, scoring="auc")
    best = max(found.candidates, key=lambda one: one.validation_score)
    assert found.winner == best.name
    score = next(one for one in found.held_out.scores if one.name == "auc")
    predictions = found.predictions
    reference = roc_auc_score(predictions.y_true == "yes", predictions.shares[:, 1])
    assert score.value == pytest.approx(reference, abs=0.01)
    assert score.interval[0] < score.value < score.interval[1]
    assert f"AUC {score.value:.3f}" in claim_text(found, "requested_score")
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
    text = " ".join(one.text for one in found.summary)
    rare = next(one for one in found.held_out.classes if one.label == "fraud")
    assert text.index("Balanced accuracy") < text.index("Held-out error")
    assert f"Recall of the rare class 'fraud' ({np.mean(y == 'fraud'):.1%} of the rows)" in text
    assert f"{rare.recall:.1%}" in text


def test_regression_may_be_scored_by_mean_absolute_error(few_candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    found = lookalike.study(X, X[:, 0] + rng.normal(size=300), scoring="mae")
    assert found.held_out.scoring == "mae"
    assert f"MAE {found.held_out.mae:#.4g}" in claim_text(found)


def test_the_model_of_the_lowest_error_over_all_folds_is_kept(few_candidates, monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    study = lookalike.study(*overlapping(120, 0, shift=3.0))
    errors = {one.name: one.validation_error for one in study.candidates if not one.stopped}
    winner = next(one for one in study.candidates if one.name == study.winner)
    assert errors[winner.name] == min(errors.values())
    assert winner.validation_method == "3-fold cross-validation"
    assert study.held_out.error == winner.held_out_error >= errors[winner.name]


def test_a_model_that_was_stopped_early_says_so_and_is_not_kept(few_candidates, monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    X = np.random.default_rng(0).normal(size=(1500, 2))
    study = lookalike.study(X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other"))
    lda = next(one for one in study.candidates if one.name == "lda")
    assert study.winner == "knn"
    assert lda.stopped == "far behind after 1 of 3 folds"
    assert lda.validation_method == "far behind after 1 of 3 folds"
    assert lda.held_out_error is None


def test_models_equal_within_noise_are_marked_by_a_paired_test(few_candidates, monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    study = lookalike.study(*overlapping(200, 0, shift=2.0))
    others = [one for one in study.candidates if one.name != study.winner]
    knn = next(one for one in others if one.name in ("knn", "lda"))
    low, high = knn.difference_interval
    assert low <= 0 <= high
    assert knn.equal_within_noise


def test_of_few_rows_models_are_compared_by_the_score_that_is_requested(few_candidates):
    found = lookalike.study(*overlapping(120, 0), scoring="balanced_accuracy")
    scores = {one.name: one.validation_score for one in found.candidates}
    assert scores[found.winner] == max(scores.values())
    assert scores["baseline"] == 0.5


def test_two_processes_compare_the_models_as_one_does():
    X, y = overlapping(1100, 3)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 20))])
    effort = replace(Effort.quick(), ensemble=True)

    def compared(threads):
        with lookalike.config(threads=threads):
            study = lookalike.study(X, y, effort=effort)
        candidates = [replace(one, seconds=0.0) for one in study.candidates]
        return study.winner, candidates, study.held_out, study.predictions.y_pred.tolist()

    assert compared(2) == compared(1)
