"""A model and rows are explored: its training rows leave-one-out, others among themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

import lookalike
from lookalike.errors import LookalikeError
from lookalike.web.explorer import explore_model, open_exploration


@pytest.fixture
def iris_csv(tmp_path):
    data = load_iris(as_frame=True)
    frame = data.data.assign(kind=np.array(["a", "b", "c"])[data.target])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


def test_rows_that_a_model_was_fitted_on_are_left_out_in_turn(iris_csv, tmp_path):
    frame = pd.read_csv(iris_csv)
    model = lookalike.KNeighborsClassifier(4).fit(frame.drop(columns="kind"), frame["kind"])
    lookalike.save(model, tmp_path / "m.lookalike")
    exploration = open_exploration(tmp_path / "m.lookalike", data=iris_csv)
    assert exploration.neighbors.title == "KNeighborsClassifier: the model"
    names = np.array(exploration.rows.class_names)
    assert np.array_equal(names[exploration.predicted()], model.predict())
    assert exploration.session()["held_out"] is None
    shares = exploration.evidence.of_row(60)["neighbor_shares"][0]
    assert {one["name"] for one in shares} == set(frame.columns[:4])


def test_other_rows_have_neighbors_among_themselves(iris_csv):
    frame = pd.read_csv(iris_csv)
    steps = [("scale", lookalike.StandardScaler()), ("model", LogisticRegression(max_iter=500))]
    columns = frame.drop(columns="kind").to_numpy()
    model = Pipeline(steps).fit(columns, frame["kind"])
    exploration = explore_model(model, iris_csv, target="kind")
    assert "among these rows" in exploration.neighbors.title
    names = np.array(exploration.rows.class_names)
    assert np.array_equal(names[exploration.predicted()], model.predict(columns))
    assert exploration.new_items.query(cells={"sepal length (cm)": 5.0, "sepal width (cm)": 3.4,
        "petal length (cm)": 1.5, "petal width (cm)": 0.2})["prediction"] == "a"  # fmt: skip


def test_a_model_without_rows_is_refused(tmp_path):
    lookalike.save(lookalike.KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1]), tmp_path / "m")
    with pytest.raises(LookalikeError, match="--data FILE"):
        open_exploration(tmp_path / "m")
    with pytest.raises(LookalikeError, match="does not exist"):
        open_exploration(tmp_path / "nothing")
