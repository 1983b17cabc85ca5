"""Connections that break the rules are ended; those that keep them are answered."""

from __future__ import annotations

import json
import socket
from http.client import HTTPResponse

import pytest
from growth import peak_bytes
from service import process, running

import lookalike

BODY = json.dumps({"rows": [[5.1, 3.5, 1.4, 0.2]]}).encode()


def request(body=BODY, length=None, more=b""):
    head = b"POST /v1/predict?model=iris HTTP/1.1\r\nHost: localhost\r\n"
    head += b"Content-Type: application/json\r\n" + more
    return head + b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body


def statuses(connection, count):
    """Return the status of each of several responses on one connection."""
    found = []
    with connection.makefile("rb") as file:
        for _ in range(count):
            found.append(int(file.readline().split()[1]))
            length = 0
            while (header := file.readline().strip()) != b"":
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            file.read(length)
    return found


def test_pipelined_requests_are_answered_in_order(service):
    with service.connect() as connection:
        wrong = request(b'{"rows": []}')
        connection.sendall(request() + wrong + request() + wrong + request())
        assert statuses(connection, 5) == [200, 422, 200, 422, 200]


def test_a_request_in_single_bytes_is_answered(service):
    with service.connect() as connection:
        for byte in request():
            connection.sendall(bytes([byte]))
        assert statuses(connection, 1) == [200]


def test_a_connection_closed_in_one_direction_still_gets_its_response(service):
    with service.connect() as connection:
        connection.sendall(request())
        connection.shutdown(socket.SHUT_WR)
        response = HTTPResponse(connection)
        response.begin()
        assert response.status == 200
        assert json.loads(response.read())["predictions"] == ["setosa"]
        assert connection.recv(10) == b""


def test_a_connection_closed_within_its_body_is_forgotten(service):
    with service.connect() as connection:
        connection.sendall(request(length=1000))
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(4096) == b""
    assert service.get("/healthz").status == 200


@pytest.mark.parametrize(
    "content",
    [
        b"\x16\x03\x01\x02\x00\x01",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nBad header\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(service, content):
    with service.connect() as connection:
        connection.sendall(content)
        connection.settimeout(10)
        try:
            received = connection.recv(4096)
        except ConnectionResetError:
            received = b""
        assert received == b"" or int(received.split()[1]) in (400, 415, 505), received
    assert service.get("/healthz").status == 200


def test_a_length_that_is_too_short_is_refused(service):
    with service.connect() as connection:
        connection.sendall(request(length=len(BODY) - 4))
        assert statuses(connection, 1) == [400]


def test_a_request_for_a_websocket_is_an_ordinary_one(service):
    with service.connect() as connection:
        connection.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert statuses(connection, 1) == [200]


def test_wrong_methods_and_paths_are_problems(service):
    for method, path, status in (
        ("GET", "/v1/predict", 405),
        ("POST", "/v1/models", 405),
        ("DELETE", "/v1/models", 405),
        ("PUT", "/healthz", 405),
        ("GET", "/v1", 404),
        ("GET", "/v1/predict/../models", 404),
    ):
        reply = service.call(method, path)
        assert reply.status == status, (method, path)
        assert reply.headers["content-type"] == "application/problem+json"


def test_connections_keep_the_rules_under_short_deadlines(models):
    limits = {"body_bytes": 4096}
    with running({"iris": models["iris"]}, header_timeout=1.0, limits=limits) as service:
        with service.connect() as connection:
            connection.sendall(request() + request(b'{"rows": []}') + request())
            assert statuses(connection, 3) == [200, 422, 200]
        with service.connect() as connection:
            connection.sendall(request())
            connection.shutdown(socket.SHUT_WR)
            assert statuses(connection, 1) == [200]
        with service.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
            assert statuses(connection, 1) == [408]
        with service.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\n" + b"X: " + b"a" * 40_000)
            assert statuses(connection, 1)[0] in (400, 408, 431)
        with service.connect() as connection:
            connection.sendall(request(length=10**9))
            assert statuses(connection, 1) == [413]
        assert service.get("/healthz").status == 200


def test_trailers_without_an_end_end_the_connection_and_take_no_memory(tmp_path, models):
    lookalike.save(models["iris"], tmp_path / "iris.lookalike")
    with process(tmp_path / "iris.lookalike") as service:
        service.wait_ready()
        assert service.post("/v1/predict", BODY).status == 200
        before = peak_bytes(service.child.pid)
        head = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
        line = b"X-Trailer: " + b"a" * 65_000 + b"\r\n"
        sent = 0
        with service.connect() as connection:
            connection.sendall(head)
            try:
                while sent < 300e6:
                    connection.sendall(line)
                    sent += len(line)
            except OSError:
                pass
        assert sent < 20e6  # what the buffers of the system take
        assert peak_bytes(service.child.pid) - before < 2e6
        assert service.post("/v1/predict", BODY).status == 200


def test_few_trailers_are_read_and_ignored(service):
    with service.connect() as connection:
        head = b"POST /v1/predict?model=iris HTTP/1.1\r\nHost: localhost\r\n"
        head += b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        part = b"%x\r\n%s\r\n0\r\nX-Trailer: 1\r\n\r\n" % (len(BODY), BODY)
        connection.sendall(head + part + request())
        assert statuses(connection, 2) == [200, 200]


def test_a_chunk_header_without_an_end_ends_the_connection(service):
    with service.connect() as connection:
        head = b"POST /v1/predict?model=iris HTTP/1.1\r\nHost: localhost\r\n"
        head += b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head)
        sent = 0
        try:
            connection.sendall(b"5;")
            while sent < 50e6:
                connection.sendall(b"e" * 65_536)
                sent += 65_536
        except OSError:
            pass
        assert sent < 20e6


def test_a_length_beside_chunks_is_refused(service):
    with service.connect() as connection:
        head = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(
            head + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        assert statuses(connection, 1) == [400]
