"""The client gives what the model itself gives, and tries again when the service is busy."""

from __future__ import annotations

import json
import signal
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from service import TEXTS, mixed_table, process
from sklearn.datasets import load_diabetes, load_digits, load_iris

import lookalike
from lookalike import Client
from lookalike.errors import MemoryBudgetError, ParameterError
from lookalike.web import client_bodies
from lookalike.web.client import RequestError, ServiceError

DIGITS = load_digits().data[:20]
IRIS = load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def folder(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, model in models.items():
        lookalike.save(model, folder / f"{name}.lookalike")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with process(folder) as service:
        service.wait_ready()
        yield service
        service.child.send_signal(signal.SIGINT)
        assert service.child.wait(30) == 0


def same(left, right):
    return np.array_equal(left, right) and left.dtype == right.dtype


@pytest.mark.parametrize("arrow", [True, False])
def test_every_method_gives_what_the_model_gives(server, models, monkeypatch, arrow):
    if not arrow:
        monkeypatch.setattr(client_bodies, "_pyarrow", lambda: None)
    digits, model = Client(server.url, model="digits"), models["digits"]
    assert same(digits.predict(DIGITS), model.predict(DIGITS))
    assert same(digits.predict_proba(DIGITS), model.predict_proba(DIGITS))
    for left, right in zip(digits.kneighbors(DIGITS, 7), model.kneighbors(DIGITS, 7), strict=True):
        assert same(left, right)
    assert same(digits.kneighbors(DIGITS, return_distance=False), model.kneighbors(DIGITS)[1])
    assert same(digits.classes_, model.classes_)
    assert digits.n_features_in_ == 64
    assert digits.explain(DIGITS[:2])[1]["prediction"] == 1
    assert digits.rows([3])["targets"] == [3]
    iris = Client(server.url, model="iris")
    assert same(iris.predict(IRIS), models["iris"].predict(IRIS))
    frame, _ = mixed_table()
    shown = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d")) if not arrow else frame
    assert same(Client(server.url, model="mixed").predict(shown), models["mixed"].predict(frame))
    texts = Client(server.url, model="texts")
    assert texts.predict(TEXTS[:3]).tolist() == [0, 1, 2]
    numbers = load_diabetes().data[:9]
    diabetes = Client(server.url, model="diabetes")
    assert same(diabetes.predict(numbers), models["diabetes"].predict(numbers))
    ridge = Client(server.url, model="ridge")
    assert len(ridge.explain(numbers[:1], reference=numbers)[0]["features"]) == 10


def test_the_types_of_numbers_survive(server, models):
    digits = Client(server.url, model="digits")
    for kind in (np.uint8, np.float32, np.float64, np.int64, ">f8"):
        rows = DIGITS.astype(kind)
        distances, _ = digits.kneighbors(rows, 2)
        assert same(distances, models["digits"].kneighbors(rows, 2)[0]), kind


def test_a_frame_comes_back_as_a_frame_of_its_kind(server, models):
    pca = Client(server.url, model="pca")
    part = IRIS[3:9]
    expected = models["pca"].transform(part)
    pd.testing.assert_frame_equal(pca.transform(part), expected)
    assert isinstance(pca.transform(pl.from_pandas(part)), pl.DataFrame)
    assert isinstance(pca.transform(pa.Table.from_pandas(part, preserve_index=False)), pa.Table)
    assert np.array_equal(pca.transform(part.to_numpy()), expected.to_numpy())


def test_what_the_service_refuses_is_an_error_with_its_place(server):
    iris = Client(server.url, model="iris")
    rows = IRIS.to_numpy().copy()
    rows[4, 2] = np.nan
    with pytest.raises(RequestError, match="Row 4") as error:
        iris.predict(rows)
    assert (error.value.status, error.value.row) == (422, 4)
    assert error.value.column == "petal length (cm)"
    assert isinstance(error.value, ValueError)
    with pytest.raises(RequestError, match="no model"):
        Client(server.url, model="nothing").predict(DIGITS)
    with pytest.raises(RequestError, match="several models"):
        Client(server.url).predict(DIGITS)
    with pytest.raises(lookalike.LookalikeError, match="1 dimensions"):
        iris.predict(np.zeros(4))
    with pytest.raises(ParameterError, match="not an address"):
        Client("ftp://localhost")
    with pytest.raises(ParameterError, match="token="):
        Client("http://user:secret@localhost")


def test_a_client_is_shared_by_threads(server, models):
    digits = Client(server.url, model="digits")
    rows = load_digits().data[:80]
    expected = models["digits"].predict(rows)
    found = {}

    def ask(start):
        for row in range(start, 80, 8):
            found[row] = digits.predict(rows[row : row + 1])[0]

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[row] for row in range(80)] == expected.tolist()


class Busy(BaseHTTPRequestHandler):
    """Refuses the first requests in several ways, then answers."""

    refusals: ClassVar[list] = []
    tokens: ClassVar[list] = []

    def do_GET(self):
        self.tokens.append(self.headers.get("authorization"))
        refusal = self.refusals.pop(0) if self.refusals else 200
        if refusal is None:
            self.close_connection = True
            return
        body = json.dumps({"models": [], "detail": "busy"}).encode()
        self.send_response(refusal)
        self.send_header("content-length", str(len(body)))
        if refusal in (429, 503):
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_busy_service_and_a_lost_connection_are_tried_again():
    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            Busy.refusals = [503, 429, None]
            assert Client(url, token="secret").models() == []
            assert Busy.tokens == ["Bearer secret"] * 4
            Busy.refusals = [503] * 3
            with pytest.raises(ServiceError, match="busy"):
                Client(url, retries=2).models()
            Busy.refusals = [500]
            with pytest.raises(ServiceError) as error:
                Client(url).models()
            assert error.value.status == 500
        finally:
            server.shutdown()
            thread.join()
    with pytest.raises(ServiceError, match="attempts"):
        Client(url, retries=1).models()
    assert not Client(url).ready()


class Stranger(BaseHTTPRequestHandler):
    """Answers as another program does."""

    protocol_version = "HTTP/1.1"
    answer: ClassVar[tuple] = ()

    def do_GET(self):
        status, media, body, headers = self.answer
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(status)
        for name, value in {"content-type": media, **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - as the server looks for it

    def log_message(self, *_):
        pass


STRANGE_ANSWERS = {
    "a page": (200, "text/html", b"<html>"),
    "nothing": (200, "application/json", b""),
    "half": (200, "application/json", b'{"predictions": [1'),
    "deep": (200, "application/json", b"[" * 100_000),
    "a list": (200, "application/json", b"[1]"),
    "another object": (200, "application/json", b'{"a": 1}'),
    "one prediction": (200, "application/json", b'{"predictions": 7, "rows": 7, "models": 7}'),
    "too many": (200, "application/json", b'{"predictions": [1, 2, 3], "models": [{"name": 1}]}'),
    "ragged": (200, "application/json", b'{"rows": [[1], [1, 2]], "predictions": [[1], [1, 2]]}'),
    "notes": (200, "application/json", b'{"predictions": [1, 2], "notes": {"kind": 1}}'),
    "no arrow": (200, "application/vnd.apache.arrow.stream", b"\xff\xff\xff\xff\x10" + bytes(19)),
    "a redirect": (302, "text/plain", b"", {"location": "file:///etc/passwd"}),
    "an odd wait": (503, "application/json", b"[" * 100_000, {"retry-after": "nan"}),
    "a negative wait": (503, "application/json", b"{}", {"retry-after": "-1"}),
    "a strange problem": (500, "application/json", b'{"detail": 7, "row": "x"}'),
}
QUESTIONS = {
    "predict": lambda client: client.predict(DIGITS[:2]),
    "predict_proba": lambda client: client.predict_proba(DIGITS[:2]),
    "kneighbors": lambda client: client.kneighbors(DIGITS[:2], 1),
    "transform": lambda client: client.transform(DIGITS[:2]),
    "explain": lambda client: client.explain(DIGITS[:2]),
    "models": lambda client: client.models(),
    "classes": lambda client: client.classes_,
}


@pytest.fixture(scope="module")
def stranger():
    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("answer", STRANGE_ANSWERS)
def test_an_answer_of_another_program_is_an_error_that_names_the_address(stranger, answer):
    status, media, body, *headers = STRANGE_ANSWERS[answer]
    Stranger.answer = status, media, body, headers[0] if headers else {}
    for question in QUESTIONS.values():
        with Client(stranger, retries=0) as client, pytest.raises(ServiceError) as error:
            question(client)
        assert "\n" not in str(error.value)


def test_an_answer_beyond_the_memory_budget_is_refused(stranger):
    Stranger.answer = 200, "application/json", bytes(20_000), {}
    refused = pytest.raises(MemoryBudgetError, match="10,000 bytes")
    with lookalike.config(memory="10KB"), Client(stranger) as client, refused:
        client.models()
