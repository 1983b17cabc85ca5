"""Predictions keep an id; true labels that come later are compared, counted and logged."""

from __future__ import annotations

import json

import pytest
from service import running
from sklearn.datasets import load_iris

from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.web.request_log import ANSWERS_KEPT, Answer, RequestLog

X, Y = load_iris(return_X_y=True)
BODY = {"rows": X[[0, 60]].tolist()}


def sample(service, name, model):
    """Return the value of a counter of a model."""
    for line in service.get("/metrics").body.decode().splitlines():
        if line.startswith(f'{name}{{model="{model}"}}'):
            return float(line.rpartition(" ")[2])
    return 0.0


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "requests.jsonl"
    models = {
        "iris": KNeighborsClassifier(3).fit(X, Y),
        "width": KNeighborsRegressor(1).fit(X[:, :3], X[:, 3]),
    }
    with running(models, request_log=log) as served:
        served.log = log
        yield served


def test_labels_that_come_later_are_compared_with_the_prediction(service):
    reply = service.post("/v1/predict?model=iris", BODY)
    key = reply.headers["x-request-id"]
    found = service.post("/v1/feedback", {"id": key, "labels": [0, 2]})
    assert found.json() == {"model": "iris", "version": 1, "rows": 2, "wrong": 1}
    assert sample(service, "lookalike_feedback_rows_total", "iris") == 2
    assert sample(service, "lookalike_feedback_wrong_total", "iris") == 1


def test_the_error_of_numbers_is_a_root_of_squares(service):
    path = "/v1/predict?model=width"
    key = service.post(path, {"rows": X[:1, :3].tolist()}, x_request_id="mine-1").headers[
        "x-request-id"
    ]
    assert key == "mine-1"
    predicted = float(X[0, 3])
    found = service.post("/v1/feedback", {"id": key, "labels": [predicted + 2]}).json()
    assert found["rmse"] == pytest.approx(2.0)


def test_unknown_requests_and_wrong_counts_are_refused_with_a_sentence(service):
    assert service.post("/v1/feedback", {"id": "none", "labels": [1]}).status == 404
    key = service.post("/v1/predict?model=iris", BODY).headers["x-request-id"]
    reply = service.post("/v1/feedback", {"id": key, "labels": [1]})
    assert (reply.status, "1 labels" in reply.json()["detail"]) == (422, True)
    assert service.post("/v1/feedback", {"labels": [1]}).status == 422
    assert service.post("/v1/feedback", [1]).status == 422


def test_the_log_has_request_prediction_trace_and_labels_in_lines_of_json(service):
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    body = b'{"rows":\n[[5.1, 3.5, 1.4, 0.2]]}'
    service.call("POST", "/v1/predict?model=iris", body, x_request_id="traced", traceparent=trace)
    service.post("/v1/feedback", {"id": "traced", "labels": [0]})

    def lines():
        return [json.loads(line) for line in service.log.read_text().splitlines()]

    service.wait_until(
        lambda: any("feedback" in line and line["feedback"] == "traced" for line in lines())
    )
    entry = next(line for line in lines() if line.get("id") == "traced")
    assert entry["request"] == {"rows": [[5.1, 3.5, 1.4, 0.2]]}
    assert entry["predictions"] == [0]
    assert entry["trace"].startswith("00-4bf92f3577b34da6a3ce929d0e0e4736-")


def test_the_distance_to_training_rows_and_unlike_cells_are_counted(service):
    service.post("/v1/neighbors?model=iris&k=1", {"rows": [[99.0, 99.0, 99.0, 99.0]]})
    text = service.get("/metrics").body.decode()
    assert 'lookalike_nearest_distance_percentile_bucket{le="0.999",model="iris"} 0.0' in text
    assert 'lookalike_nearest_distance_percentile_count{model="iris"} 1.0' in text


def test_only_the_latest_answers_are_kept(tmp_path):
    requests = RequestLog(None)
    for number in range(ANSWERS_KEPT + 1):
        requests.record(str(number), Answer("m", 1, Y[:1], True), None, None)
    assert requests.feedback(str(ANSWERS_KEPT), [0]).n_wrong == 0
    with pytest.raises(ValueError, match="There is no request '0'"):
        requests.feedback("0", [0])


def test_a_log_that_cannot_be_written_costs_no_request(tmp_path, caplog):
    requests = RequestLog(tmp_path / "log.jsonl")
    (tmp_path / "log.jsonl").mkdir()
    requests.record("1", Answer("m", 1, Y[:1], True), b"{}", None)
    requests.close()
    assert requests.n_dropped >= 1
    assert "cannot be written" in caplog.text
