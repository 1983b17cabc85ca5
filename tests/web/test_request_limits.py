"""Limits of requests: size, rows, time, and how many are in progress."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pytest
from service import ARROW, arrow_stream, running

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"


class SlowModel:
    """A model whose predictions wait for an event."""

    n_features_in_ = 1

    def __init__(self):
        self.release, self.started = threading.Event(), threading.Event()

    def predict(self, X):
        if len(X) and X[0, 0] == 7:
            self.started.set()
            assert self.release.wait(30)
        return np.asarray(X)[:, 0]


@pytest.fixture(scope="module")
def small(models):
    with running({"iris": models["iris"]}, limits={"body_bytes": 4096, "rows": 50}) as service:
        yield service


@pytest.fixture(scope="module")
def impatient(models):
    with running({"iris": models["iris"]}, timeout=0.4, header_timeout=0.3) as service:
        yield service


def answer(connection):
    """Return all that a connection sends until it ends."""
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except ConnectionResetError:
        pass
    return received


def test_a_body_that_is_too_large_is_refused_before_it_is_read(small):
    with small.connect() as connection:
        connection.sendall(
            b"POST /v1/predict HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 99999999\r\n\r\n"
        )
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")
    with small.connect() as connection:
        head = b"POST /v1/predict HTTP/1.1\r\n" + HOST + JSON
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        connection.sendall((b"400\r\n" + b"1" * 1024 + b"\r\n") * 5)
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")
    assert small.post("/v1/predict", b"[" + b" " * 5000 + b"]").status == 413


def test_too_many_rows_are_refused_by_their_number(small):
    assert small.post("/v1/predict", {"rows": [[1, 2, 3, 4]] * 51}).status == 413
    assert small.post("/v1/predict", {"rows": [[1, 2, 3, 4]] * 50}).status == 200
    nulls = pa.table({"x": pa.nulls(10**6)})
    reply = small.post("/v1/predict", arrow_stream(nulls), content_type=ARROW)
    assert reply.status == 413


def test_a_hundred_thousand_rows_are_refused(service):
    body = b'{"rows":[' + b",".join([b"[1,2,3,4]"] * 100_000) + b"]}"
    assert service.post("/v1/predict?model=iris", body).status == 413


def test_a_slow_body_ends_at_the_deadline(impatient):
    with impatient.connect() as connection:
        head = b"POST /v1/predict HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 100\r\n\r\n"
        connection.sendall(head + b"{")
        connection.settimeout(15)  # half of what the service allows by default
        assert answer(connection).startswith(b"HTTP/1.1 408")


def test_slow_headers_end_the_connection(impatient):
    with impatient.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        assert answer(connection).startswith(b"HTTP/1.1 408")
    with impatient.connect() as connection:  # nothing at all
        assert answer(connection).startswith(b"HTTP/1.1 408")


def test_huge_headers_end_the_connection(small):
    with small.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST)
        try:
            for _ in range(100):
                connection.sendall(b"X-Filler: " + b"a" * 1000 + b"\r\n")
        except OSError:
            pass
        assert answer(connection).startswith(b"HTTP/1.1 431")
    assert small.get("/healthz", x=("b" * 33_000)).status == 431
    assert small.get("/healthz").status == 200


def test_requests_beyond_the_limits_are_refused_and_health_is_not():
    model = SlowModel()
    limits = {"max_requests": 3, "max_requests_per_client": 2}
    with running({"slow": model}, **limits) as service:
        replies = []

        def ask():
            replies.append(service.post("/v1/predict", {"rows": [[7]]}))

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        registry = service.app.state.registry
        service.wait_until(lambda: b"in_progress 2.0" in service.get("/metrics").body)
        refused = service.post("/v1/predict", {"rows": [[1]]})
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert service.get("/healthz").status == 200
        model.release.set()
        for thread in threads:
            thread.join()
        assert [reply.status for reply in replies] == [200, 200]
        assert registry.ready
    with running({"slow": SlowModel()}, max_requests=0) as service:
        refused = service.post("/v1/predict", {"rows": [[1]]})
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")


def test_connections_beyond_the_limit_are_refused_and_the_others_served():
    with running({"slow": SlowModel()}, max_connections=4) as service:
        idle = [service.connect() for _ in range(4)]
        try:
            service.wait_until(lambda: service.get("/healthz").status == 503)
        finally:
            for connection in idle:
                connection.close()
        service.wait_until(lambda: service.get("/healthz").status == 200)


def test_a_model_that_takes_too_long_is_not_waited_for():
    model = SlowModel()
    with running({"slow": model}, timeout=0.2) as service:
        reply = service.post("/v1/predict", {"rows": [[7]]})
        assert reply.status == 503
        assert "0.2 seconds" in reply.json()["detail"]
        model.release.set()

        def prediction():
            return service.post("/v1/predict", {"rows": [[3]]}).json().get("predictions")

        service.wait_until(lambda: prediction() == [3.0])


def test_an_error_of_a_model_is_a_problem_without_a_stack_trace(capfd):
    class Broken(SlowModel):
        def predict(self, X):
            if X[0, 0] == 5:
                raise ZeroDivisionError("secret of the code")
            return X[:, 0]

    with running({"broken": Broken()}) as service:
        reply = service.post("/v1/predict", {"rows": [[5]]})
        assert reply.status == 500
        assert b"secret" not in reply.body
        assert b"Traceback" not in reply.body
        assert service.post("/v1/predict", {"rows": [[4]]}).status == 200
