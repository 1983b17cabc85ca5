"""Who may call the service: Host names, bearer token, same origin, and headers of responses."""

from __future__ import annotations

import logging

import pytest
from service import running

from lookalike.errors import ParameterError
from lookalike.web.options import ServeOptions, is_loopback
from lookalike.web.security import Security

TOKEN = "a-token-of-the-tests"
ROWS = {"rows": [[5.1, 3.5, 1.4, 0.2]]}


def test_a_host_that_is_not_in_the_list_is_refused(service):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:8765"):
        reply = service.get("/healthz", host=host)
        assert reply.status == 421, host
        assert reply.headers["content-type"] == "application/problem+json"
    for host in ("localhost", "LOCALHOST:1", "[::1]:8765", "127.0.0.1"):
        assert service.get("/healthz", host=host).status == 200, host


def test_every_response_has_the_headers_that_protect_a_page(service):
    for path in ("/healthz", "/nothing", "/docs", "/static/docs/docs.js", "/v1/models"):
        headers = service.get(path, origin="https://evil.example").headers
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'self'" in policy
        assert "unsafe-inline" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_a_page_of_another_origin_can_send_nothing(service):
    path = "/v1/predict?model=iris"
    own = service.url
    assert service.post(path, ROWS, origin=own, sec_fetch_site="same-origin").status == 200
    assert service.post(path, ROWS).status == 200  # no browser
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": own.replace("127.0.0.1", "localhost")},
        {"origin": own + "0"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": own, "sec_fetch_site": "cross-site"},
    ):
        assert service.post(path, ROWS, **headers).status == 403, headers
    fetched = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "cors"}
    followed = fetched | {"sec_fetch_mode": "navigate"}
    preflight = service.call("OPTIONS", path, origin="https://evil.example")
    assert preflight.status in (403, 405)
    assert service.get("/v1/models", **fetched).status == 403
    assert service.get("/docs", **followed).status == 200


def test_only_json_and_arrow_bodies_are_read(service):
    path = "/v1/predict?model=iris"
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert service.post(path, b'{"rows": [[1,2,3,4]]}', content_type=media).status == 415
    zipped = service.post(path, b"\x1f\x8b" + b"0" * 50, content_encoding="gzip")
    assert zipped.status == 415
    given = "application/json; charset=utf-8"
    assert service.post(path, b'{"rows": [[1,2,3,4]]}', content_type=given).status == 200


def test_any_address_but_loopback_needs_a_token():
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("127.0.0.1.example.org")
    for host in ("0.0.0.0", "192.168.1.2", "::", "example.org"):
        with pytest.raises(ParameterError, match="no token"):
            ServeOptions(host)
        assert "0.0.0.0" not in ServeOptions(host, token=TOKEN).host_names
    assert TOKEN not in repr(ServeOptions("0.0.0.0", token=TOKEN))
    with pytest.raises(ParameterError, match="can be guessed"):
        ServeOptions("0.0.0.0", token="secret")


def test_with_a_token_data_are_given_to_its_bearer_alone(models, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with running({"iris": models["iris"]}, token=TOKEN) as service:
        good = {"authorization": f"Bearer {TOKEN}"}
        assert service.post("/v1/predict", ROWS, **good).status == 200
        assert service.get("/metrics", **good).status == 200
        for path in ("/v1/models", "/metrics", "/openapi.json", f"/v1/models?token={TOKEN}"):
            reply = service.get(path)
            assert reply.status == 401, path
            assert reply.headers["www-authenticate"] == "Bearer"
        for given in ("Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff"):
            assert service.post("/v1/predict", ROWS, authorization=given).status == 401
        for path in ("/healthz", "/readyz", "/docs", "/static/docs/docs.js"):
            assert service.get(path).status == 200
        for path in ("/static/../v1/models", "/static/%2e%2e/v1/models", "//v1/models"):
            assert service.get(path).status in (401, 404), path
    assert TOKEN not in caplog.text
    assert TOKEN not in "".join(capfd.readouterr())


def test_tokens_are_compared_in_constant_time(monkeypatch, models):
    compared = []
    monkeypatch.setattr(
        "lookalike.web.security.hmac.compare_digest", lambda *pair: compared.append(pair) or False
    )
    with running({}, token=TOKEN) as service:
        assert service.get("/v1/models", authorization="Bearer x").status == 401
    assert compared == [(b"x", TOKEN.encode())]
    assert Security.__doc__


def test_a_path_never_leaves_the_static_files(service):
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2fapp.py",
        "/static/..%5capp.py",
        "/static//etc/passwd",
        "/static/docs/../../app.py",
    ):
        assert service.get(path).status == 404, path


def test_two_of_a_header_that_decides_are_refused(service):
    with service.connect() as connection:
        connection.sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")
