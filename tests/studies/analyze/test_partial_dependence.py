"""Partial dependence is the mean prediction with a column set to each value, as defined."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.analyze.partial_dependence import partial_dependence
from lookalike.studies.load.columns import describe_columns
from lookalike.studies.load.read import read
from lookalike.studies.select.budget import Budget, Deadline
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def dependence_of(frame, y, model, task, names, deadline=None):
    decisions = Decisions()
    dataset = read(open_source(frame, y), decisions, seed=0)
    found = partial_dependence(
        model,
        dataset,
        names,
        describe_columns(dataset, decisions),
        task=task,
        seed=0,
        deadline=deadline or Budget(None).deadline(),
        decisions=decisions,
    )
    return found, decisions


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a": rng.normal(size=80), "b": rng.normal(size=80), "kind": rng.choice(["p", "q"], 80)}
    )


def test_a_linear_model_depends_on_a_column_by_a_line(frame):
    y = 3.0 * frame["a"].to_numpy() + frame["b"].to_numpy()
    model = make_pipeline(TablePreprocessor(), Ridge(alpha=1e-9)).fit(open_source(frame), y)
    (found,) = dependence_of(frame, y, model, REGRESSION_TASK, ["a"])[0]
    slope = np.diff(found.mean) / np.diff(found.values)
    assert slope == pytest.approx(3.0, rel=1e-4)
    by_hand = model.predict(open_source(frame.assign(a=found.values[0]))).mean()
    assert found.mean[0] == pytest.approx(by_hand)
    assert found.output == "prediction"
    assert (np.array(found.low) <= found.mean).all()
    assert (np.array(found.high) >= found.mean).all()


def test_of_classes_it_is_the_probability_and_categories_keep_their_names(frame):
    y = np.where(frame["kind"] == "p", "no", "yes")
    model = make_pipeline(TablePreprocessor(), KNeighborsClassifier(5)).fit(open_source(frame), y)
    (found,) = dependence_of(frame, y, model, CLASSIFICATION_TASK, ["kind"])[0]
    assert found.values == ("p", "q")
    assert found.output == "probability of yes"
    assert found.mean[1] > found.mean[0] + 0.5


def test_where_time_is_short_a_decision_says_so(frame):
    y = frame["a"].to_numpy()
    model = make_pipeline(TablePreprocessor(), Ridge()).fit(open_source(frame), y)
    found, decisions = dependence_of(frame, y, model, REGRESSION_TASK, ["a"], Deadline(0.0))
    assert found == ()
    assert decisions.about("partial dependence")[0].choice == "skipped"
