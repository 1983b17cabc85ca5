"""Predictions keep an id; true labels that come later are compared, counted and logged."""

from __future__ import annotations

import errno
import json
import os
import threading
from io import FileIO

import numpy as np
import pytest
from service import running
from sklearn.datasets import load_iris

from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.errors import ParameterError, WriteError
from lookalike.web.request_log import ANSWERS_KEPT, BYTES_WAITING, Answer, RequestLog

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
        "two": KNeighborsRegressor(1).fit(X[:, :2], X[:, 2:]),
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


@pytest.mark.parametrize(
    "label",
    [10**400, -(10**400), 1e308, 1e200, True, None, "1", [], [1], [1, 2], [10**400, 1], {"a": 1}],
)
@pytest.mark.parametrize("model", ["iris", "width", "two"])
def test_any_label_is_compared_or_refused_in_a_sentence(service, model, label):
    columns = {"iris": 4, "width": 3, "two": 2}[model]
    reply = service.post(f"/v1/predict?model={model}", {"rows": X[:1, :columns].tolist()})
    key = reply.headers["x-request-id"]
    found = service.post("/v1/feedback", {"id": key, "labels": [label]})
    if model == "iris":
        assert (found.status, found.json()["wrong"]) == (200, 1)
    elif model == "two" and label == [1, 2]:
        squares = (1 - X[0, 2]) ** 2 + (2 - X[0, 3]) ** 2
        assert found.json()["rmse"] == pytest.approx(np.sqrt(squares))
    else:
        assert (found.status, "The label" in found.json()["detail"]) == (422, True)


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


def test_bodies_that_wait_for_a_slow_disk_are_bounded_and_what_is_dropped_is_said(
    tmp_path, monkeypatch, caplog
):
    begun, go_on = threading.Event(), threading.Event()
    append = RequestLog._append

    def slow(self, content):
        begun.set()
        assert go_on.wait(60)
        append(self, content)

    monkeypatch.setattr(RequestLog, "_append", slow)
    requests = RequestLog(tmp_path / "log.jsonl")
    body = b'{"rows": [[' + b" " * (BYTES_WAITING // 8) + b"1]]}"
    answer = Answer("m", 1, Y[:1], True)
    requests.record("first", answer, body, None)
    assert begun.wait(60)
    for number in range(20):
        requests.record(str(number), answer, body, None)
    assert requests.n_dropped == 21 - 7  # seven bodies fit beside the one that is written
    go_on.set()
    requests.close()
    assert requests._bytes_waiting == 0
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 7
    assert f"lacks {requests.n_dropped} lines" in caplog.text


def test_a_disk_that_takes_half_a_line_gets_it_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"

    class Full(FileIO):
        """A file on a disk that is full after twenty bytes."""

        def write(self, content):
            if self.tell() >= 20:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(content[:20])

    requests = RequestLog(path)
    answer = Answer("m", 1, Y[:1], True)
    with monkeypatch.context() as patch:
        patch.setattr("lookalike.web.request_log.open", lambda *a, **_: Full(*a), raising=False)
        requests.record("lost", answer, b"{}", None)
        requests.close()
    assert path.read_bytes() == b""
    again = RequestLog(path)
    again.record("kept", answer, b"{}", None)
    again.close()
    assert json.loads(path.read_text())["id"] == "kept"


@pytest.mark.parametrize(
    "content", [b"LKLK\0\1", b"a,b\n1,2\n", b'{"schema": 1}\n', b"[1]\n", b"{\n}", b"[" * 10**6]
)
def test_nothing_is_appended_to_a_file_that_is_something_else(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match="is not a request log"):
        RequestLog(path)
    assert path.read_bytes() == content


def test_an_earlier_log_is_continued_and_an_empty_file_begun(tmp_path):
    path = tmp_path / "log.jsonl"
    path.touch()
    for number in range(2):
        requests = RequestLog(path)
        requests.record(str(number), Answer("m", 1, Y[:1], True), b"{}", None)
        requests.close()
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["0", "1"]


@pytest.mark.skipif(os.name != "posix", reason="pipes have names on POSIX alone")
def test_a_pipe_that_nobody_reads_does_not_hold_up_the_end(tmp_path, monkeypatch, caplog):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("lookalike.web.request_log.CLOSE_SECONDS", 0.1)
    requests = RequestLog(tmp_path / "pipe")
    requests.record("1", Answer("m", 1, Y[:1], True), b"{}", None)
    requests.close()
    assert "does not answer" in caplog.text
    os.close(os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK))  # lets its thread go on


@pytest.mark.parametrize("place", ["file/log.jsonl", "."])
def test_a_place_where_no_log_can_be_is_an_error_at_the_start(tmp_path, place):
    (tmp_path / "file").touch()
    with pytest.raises(WriteError):
        RequestLog(tmp_path / place)


def test_a_log_that_cannot_be_written_costs_no_request(tmp_path, caplog):
    requests = RequestLog(tmp_path / "log.jsonl")
    (tmp_path / "log.jsonl").mkdir()
    requests.record("1", Answer("m", 1, Y[:1], True), b"{}", None)
    requests.close()
    assert requests.n_dropped >= 1
    assert "cannot be written" in caplog.text
