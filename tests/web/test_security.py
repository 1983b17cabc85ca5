"""Who may call the service: Host names, bearer token, same origin, and headers of responses."""

from __future__ import annotations

import pytest
from web.conftest import running

TOKEN = "a-token-of-the-tests"


@pytest.fixture(scope="module")
def service():
    with running({}) as service:
        yield service


def test_a_host_that_is_not_in_the_list_is_refused(service):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:8765"):
        reply = service.get("/healthz", host=host)
        assert reply.status == 421, host
        assert reply.headers["content-type"] == "application/problem+json"
    for host in ("localhost", "LOCALHOST:1", "[::1]:8765", "127.0.0.1"):
        assert service.get("/healthz", host=host).status == 200, host


def test_every_response_has_the_headers_that_protect_a_page(service):
    for path in ("/healthz", "/nothing"):
        headers = service.get(path).headers
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
