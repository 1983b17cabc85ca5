"""Limits on products: rows by neighbors, classes and features, before memory is taken."""

from __future__ import annotations

import json

import numpy as np
import pytest
from growth import peak_bytes
from service import ARROW, process, running

import lookalike
from lookalike.errors import ParameterError
from lookalike.web.limits import Limits

RESULT_CELLS = 2_000_000
SMALL_RESULTS = {"limits": {"result_cells": 1000}}


@pytest.fixture(scope="module")
def wide_models():
    """Models with many neighbors, many classes and many features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    return {
        "neighbors": lookalike.NearestNeighbors(n_neighbors=5).fit(X),
        "classes": lookalike.KNeighborsClassifier(1).fit(X, np.arange(4000)),
        "features": lookalike.PCA(2).fit(X),
    }


def test_neighbors_beyond_rows_by_k_are_refused_in_a_sentence(wide_models):
    with running(wide_models, **SMALL_RESULTS) as service:
        body = {"rows": [[0, 0]] * 100}
        reply = service.post("/v1/neighbors?model=neighbors&k=11", body)
        assert reply.status == 413
        assert "100 rows by 11 neighbors are 1,100 cells" in reply.json()["detail"]
        assert service.post("/v1/neighbors?model=neighbors&k=10", body).status == 200
        assert service.post("/v1/neighbors?model=neighbors", body | {}).status == 200
        more = {"rows": [[0, 0]] * 201}
        assert service.post("/v1/neighbors?model=neighbors", more).status == 413


def test_probabilities_and_features_beyond_their_product_are_refused(wide_models):
    with running(wide_models, **SMALL_RESULTS) as service:
        body = {"rows": [[0, 0]] * 501}
        assert service.post("/v1/predict?model=classes", body).status == 200
        assert service.post("/v1/predict?model=classes&proba=true", body).status == 413
        assert service.post("/v1/transform?model=features", body).status == 413
        assert service.post("/v1/transform?model=features", {"rows": [[0, 0]] * 500}).status == 200
        assert service.get("/v1/rows?model=neighbors&count=501").status == 413
        assert service.get("/v1/rows?model=neighbors&count=500").status == 200


def test_rows_by_reference_rows_by_columns_are_limited(models):
    with running({"ridge": models["ridge"]}, limits={"cells": 1000}) as service:
        body = {"rows": [[0.0] * 10] * 10, "reference": [[0.1] * 10] * 11}
        assert service.post("/v1/explain", body).status == 413
        assert service.post("/v1/explain", body | {"rows": [[0.0] * 10]}).status == 200


def test_the_example_of_many_neighbors_is_refused_and_the_memory_stays_flat(wide_models, tmp_path):
    lookalike.save(wide_models["neighbors"], tmp_path / "model.lookalike")
    limit = f"result_cells={RESULT_CELLS}"
    with process(tmp_path / "model.lookalike", "--limit", limit) as service:
        service.wait_ready()
        small = json.dumps({"rows": [[0.5, 0.5]] * 10}).encode()
        assert service.post("/v1/neighbors?k=3000", small).status == 200
        before = peak_bytes(service.child.pid)
        many = json.dumps({"rows": [[0.5, 0.5]] * 10_000}).encode()
        assert service.post("/v1/neighbors?k=3000", many).status == 413
        assert peak_bytes(service.child.pid) - before < 40e6
        largest = json.dumps({"rows": [[0.5, 0.5]] * (RESULT_CELLS // 2000)}).encode()
        reply = service.post("/v1/neighbors?k=2000", largest)
        assert reply.status == 200
        assert np.shape(reply.json()["distances"]) == (1000, 2000)
        growth = peak_bytes(service.child.pid) - before
        assert growth < 50 * RESULT_CELLS, growth  # 16 of arrays, and never the whole text


def test_a_large_result_is_sent_in_parts_and_equals_that_of_arrow(wide_models):
    from lookalike.web.client import Client

    with running(wide_models) as service:
        rows = np.random.default_rng(1).normal(size=(300, 2))
        reply = service.post("/v1/predict?model=classes&proba=true", {"rows": rows.tolist()})
        assert reply.headers["transfer-encoding"] == "chunked"
        client = Client(service.url, model="classes")
        np.testing.assert_array_equal(reply.json()["probabilities"], client.predict_proba(rows))
        accepted = service.post("/v1/predict?model=classes", {"rows": [[0, 0]]}, accept=ARROW)
        assert accepted.headers["content-type"] == ARROW


def test_bodies_of_all_requests_together_are_limited(models):
    with running({"iris": models["iris"]}, limits={"bytes_in_progress": 5000}) as service:
        reply = service.post("/v1/predict", b" " * 6000 + b"{}")
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert service.post("/v1/predict", {"rows": [[1, 2, 3, 4]]}).status == 200


@pytest.fixture
def held_result(wide_models):
    """A service, and a connection that has asked for a large result and does not read it."""
    with running(wide_models, limits={"results_in_progress": 1_500_000}, timeout=20) as service:
        body = json.dumps({"rows": [[0.5, 0.5]] * 500}).encode()
        head = f"POST /v1/neighbors?model=neighbors&k=2000 HTTP/1.1\r\nhost: {service.address}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        with service.connect() as connection:
            connection.sendall(head.encode() + body)
            yield service, connection


def test_results_of_all_requests_together_are_limited(held_result):
    service, connection = held_result
    body = {"rows": [[0.5, 0.5]] * 300}

    def status():
        return service.post("/v1/neighbors?model=neighbors&k=2000", body).status

    service.wait_until(lambda: status() == 503)
    refused = service.post("/v1/neighbors?model=neighbors&k=2000", body)
    assert "results of the requests in progress" in refused.json()["detail"]
    assert refused.headers["retry-after"] == "1"
    assert service.post("/v1/neighbors?model=neighbors&k=2", body).status == 200
    rest = b""
    while not rest.endswith(b"0\r\n\r\n"):
        rest = rest[-8:] + connection.recv(2**20)
    service.wait_until(lambda: status() == 200)


def test_what_a_client_does_not_read_is_forgotten_once_it_is_gone(held_result):
    service, connection = held_result
    body = {"rows": [[0.5, 0.5]] * 300}

    def status():
        return service.post("/v1/neighbors?model=neighbors&k=2000", body).status

    service.wait_until(lambda: status() == 503)
    connection.close()
    service.wait_until(lambda: status() == 200)


@pytest.mark.parametrize("accept", ["application/json", ARROW])
def test_a_response_that_nobody_reads_ends_with_its_time(wide_models, accept):
    limits = {"results_in_progress": 1_500_000}
    with running(wide_models, limits=limits, timeout=3, max_requests=1) as service:
        body = json.dumps({"rows": [[0.5, 0.5]] * 700}).encode()
        head = f"POST /v1/neighbors?model=neighbors&k=2000 HTTP/1.1\r\nhost: {service.address}\r\n"
        head += f"content-type: application/json\r\naccept: {accept}\r\n"
        head += f"content-length: {len(body)}\r\n\r\n"
        with service.connect() as connection:
            connection.sendall(head.encode() + body)
            service.wait_until(lambda: service.get("/v1/models").status == 503)
            service.wait_until(lambda: service.get("/v1/models").status == 200)
            connection.settimeout(30)
            total = 0
            while part := connection.recv(2**20):
                total += len(part)
        assert 0 < total < 20_000_000  # of 22,400,000 and more


def test_limits_are_read_from_texts():
    assert Limits().with_values(["rows=5", "depth=3"]) == Limits(rows=5, depth=3)
    for setting in (
        "rows",
        "rows=",
        "rows=-1",
        "rows=1.5",
        "rows=x",
        "row=5",
        "=5",
        "rows=" + "9" * 99,
    ):
        with pytest.raises(ParameterError, match="Give NAME=NUMBER, with one of the names body_by"):
            Limits().with_values([setting])
    for value in (0, -1, True, 1.5, "5", None):
        with pytest.raises(ParameterError, match="The limit rows is"):
            Limits(rows=value)


def test_limits_of_the_command_and_of_the_environment(wide_models, tmp_path):
    lookalike.save(wide_models["features"], tmp_path / "model.lookalike")
    body = {"rows": [[0, 0]] * 3}
    path = tmp_path / "model.lookalike"
    with process(path, LOOKALIKE_LIMITS="rows=3 result_cells=5") as service:
        service.wait_ready()
        assert service.post("/v1/transform", body).status == 413
    with process(path, "--limit", "rows=3", LOOKALIKE_LIMITS="rows=2") as service:
        service.wait_ready()
        assert service.post("/v1/transform", body).status == 200
