"""A service in this process, on a free port, and plain HTTP calls to it."""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from lookalike.web.app import create_app
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer


class Reply:
    """Status, headers and body of a response."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    def json(self):
        return json.loads(self.body)


class Service:
    """A running service; `call` sends one request on a connection of its own."""

    def __init__(self, url):
        self.url, self.address = url, urlsplit(url).netloc

    def call(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            given.setdefault("content-type", "application/json")
        try:
            connection.request(method, path, body, given)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)


@contextmanager
def running(models, **options):
    """Serve models on a free port."""
    chosen = ServeOptions(port=0, **options)
    with BackgroundServer(create_app(models, options=chosen), chosen) as server:
        yield Service(server.url)
