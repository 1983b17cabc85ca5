"""MLflow logs, loads and serves models that lie in our own files, without a pickle."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import lookalike as la
from lookalike.errors import ParameterError
from lookalike.store import mlflow as flavor

mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns of its own imports

TABLE = pd.DataFrame({"age": [1.0, 2.0, 8.0, 9.0], "town": ["a", "a", "b", "b"]})
LABELS = np.array(["low", "low", "high", "high"])


@pytest.fixture
def model():
    return make_pipeline(la.TablePreprocessor(), la.KNeighborsClassifier(1)).fit(TABLE, LABELS)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_experiment("models")
    with mlflow.start_run() as run:
        yield run


def test_a_logged_model_is_loaded_with_the_same_answers(model, run):
    logged = flavor.log_model(model, "neighbors")
    loaded = flavor.load_model(logged.model_uri)
    np.testing.assert_array_equal(loaded.predict(TABLE), LABELS)
    served = mlflow.pyfunc.load_model(logged.model_uri)
    np.testing.assert_array_equal(served.predict(TABLE), LABELS)


def test_the_folder_holds_our_file_and_no_pickle(model, tmp_path):
    flavor.save_model(model, tmp_path / "model")
    names = {path.name for path in (tmp_path / "model").rglob("*")}
    assert names == {"MLmodel", "model.lookalike", "python_env.yaml", "requirements.txt"}
    loaded = la.load(tmp_path / "model" / "model.lookalike")
    np.testing.assert_array_equal(loaded.predict(TABLE), LABELS)
    with pytest.raises(ParameterError, match="not empty"):
        flavor.save_model(model, tmp_path / "model")


def test_models_without_names_take_columns_by_position(tmp_path):
    rows = TABLE[["age"]].to_numpy()
    flavor.save_model(la.StandardScaler().fit(rows), tmp_path / "scaler")
    served = mlflow.pyfunc.load_model(str(tmp_path / "scaler"))
    expected = la.StandardScaler().fit_transform(rows)
    np.testing.assert_array_equal(served.predict(TABLE[["age"]]), expected)


def test_a_served_model_answers_requests(model, tmp_path):
    server = pytest.importorskip("mlflow.pyfunc.scoring_server")
    flavor.save_model(model, tmp_path / "model")
    served = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    body = json.dumps({"dataframe_split": json.loads(TABLE.to_json(orient="split"))})
    answer = server.invocations(body, "application/json", served, None)
    assert answer.status == 200, answer.response
    assert json.loads(answer.response)["predictions"] == LABELS.tolist()
