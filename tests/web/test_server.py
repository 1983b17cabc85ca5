"""The server process: it answers what it accepted before it ends, and says where it listens."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading

import numpy as np
import pytest
from service import BackgroundServer, ServeOptions, Service, create_app, process, running

import lookalike
from lookalike.errors import ParameterError


class Held:
    """A model whose calls wait for an event."""

    n_features_in_ = 1

    def __init__(self):
        self.release = threading.Event()

    def predict(self, X):
        if X[0, 0] > 0:
            assert self.release.wait(30)
        return X[:, 0]


def test_a_shutdown_answers_what_was_accepted():
    model, replies = Held(), []
    options = ServeOptions(port=0)
    server = BackgroundServer(create_app({"held": model}, options=options), options)
    service = Service(server.url)
    service.wait_ready()

    def ask(number):
        replies.append(service.post("/v1/predict", {"rows": [[number]]}))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    service.wait_until(lambda: b"in_progress 6.0" in service.get("/metrics").body)
    closing = threading.Thread(target=server.close)
    closing.start()
    service.wait_until(lambda: _refuses(service))
    model.release.set()
    for thread in [*threads, closing]:
        thread.join()
    assert sorted(reply.json()["predictions"][0] for reply in replies) == [1, 2, 3, 4, 5, 6]


def _refuses(service):
    try:
        service.connect().close()
    except OSError:
        return True
    return False


def test_a_kept_connection_is_answered_and_then_closed_at_shutdown():
    model = Held()
    with running({"held": model}) as service:
        connection = http.client.HTTPConnection(service.address)
        body, headers = json.dumps({"rows": [[0]]}), {"content-type": "application/json"}
        for _ in range(3):
            connection.request("POST", "/v1/predict", body, headers)
            assert connection.getresponse().read()
        assert connection.sock is not None
    assert connection.sock.recv(1) == b""
    connection.close()


def test_a_signal_ends_the_process_with_success(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    path = tmp_path / "m.lookalike"
    lookalike.save(lookalike.KNeighborsClassifier(1).fit(X, list("aabb")), path)
    with process(path) as service:
        service.wait_ready()
        assert service.post("/v1/predict", {"rows": [[0, 1]]}).json()["predictions"] == ["a"]
        service.child.send_signal(signal.SIGTERM)
        assert service.child.wait(30) == 0
        assert "Traceback" not in service.child.stdout.read()


def test_a_port_in_use_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        options = ServeOptions(port=taken.getsockname()[1])
        with pytest.raises(ParameterError, match="cannot be listened on"):
            BackgroundServer(create_app({}), options)
