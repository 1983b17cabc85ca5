"""Thresholds of rare classes: what they give is measured on rows that did not choose them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from example_study import example_study

from lookalike.studies.evaluate.thresholds import best_threshold, class_thresholds
from lookalike.studies.evaluation_results import ClassThreshold
from lookalike.studies.findings.model import thresholds
from lookalike.studies.results import ClassScores, Predictions


def predicted(share, y, labels=("common", "rare")):
    """Return predictions by the most probable class."""
    shares = np.column_stack([1 - share, share])
    best = np.array(labels)[shares.argmax(axis=1)]
    rows = np.arange(len(y))
    fold = np.zeros(len(y), int)
    return Predictions(rows, y, best, shares.max(axis=1), fold, shares, np.array(labels))


def rare_rows(rng, n_rows):
    """Return the probability of the rare class, and classes drawn with it."""
    share = rng.beta(0.4, 8, n_rows)
    return share, np.where(rng.random(n_rows) < share, "rare", "common")


def test_the_best_threshold_has_the_highest_balanced_accuracy_of_all():
    rng = np.random.default_rng(0)
    share, y = rare_rows(rng, 300)
    positive = y == "rare"

    def balanced(threshold):
        told = share >= threshold
        return (told[positive].mean() + (~told[~positive]).mean()) / 2

    best = max(balanced(one) for one in [*share, *(share + 1e-9)])
    assert balanced(best_threshold(share, positive)) == pytest.approx(best)


def test_measured_recall_is_that_of_fresh_rows():
    differences = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        share, y = rare_rows(rng, 1000)
        (found,) = class_thresholds(predicted(share, y), 1, ["rare"], 0)
        fresh, classes = rare_rows(rng, 20_000)
        truth = (fresh[classes == "rare"] >= found.threshold).mean()
        differences.append(found.recall - truth)
        assert found.recall_interval[0] - 0.1 <= truth <= found.recall_interval[1] + 0.1
    assert abs(np.mean(differences)) < 0.03


def test_few_rows_and_models_without_probabilities_have_no_threshold():
    share, y = rare_rows(np.random.default_rng(0), 60)
    rows = predicted(share, y)
    assert (y == "rare").sum() < 10
    assert class_thresholds(rows, 1, ["rare"], 0) == ()
    assert class_thresholds(replace(rows, probability=None), 1, ["rare"], 0) == ()


def test_a_threshold_is_stated_where_it_finds_significantly_more():
    study = example_study()
    of_class = ClassScores("a", 50, 30, 0.7, 0.34, 0.5)
    scores = replace(study.held_out, n_rows=900, classes=(of_class,))
    found = ClassThreshold("a", 0.08, 0.78, (0.65, 0.87), 0.3, 50)
    study = replace(study, held_out=scores, thresholds=(found,))
    text = thresholds(study).text
    assert "from a probability of 8.0% on" in text
    assert "78.0% (95% CI 65.0–87.0%, n = 50) instead of 34.0%" in text
    assert "a precision of 30.0% instead of 70.0%" in text
    little = replace(found, recall_interval=(0.3, 0.87))
    assert thresholds(replace(study, thresholds=(little,))) is None


def test_a_threshold_that_finds_no_more_than_rows_at_random_is_not_stated():
    study = example_study()
    scores = replace(study.held_out, n_rows=700, classes=(ClassScores("a", 30, 0, None, 0.0, 0.0),))
    at_random = ClassThreshold("a", 0.046, 0.133, (0.053, 0.297), 0.031, 30)  # 129 of 700 rows
    assert thresholds(replace(study, held_out=scores, thresholds=(at_random,))) is None
    better = replace(at_random, precision=0.4)
    assert thresholds(replace(study, held_out=scores, thresholds=(better,))) is not None
