"""A service in this process or in one of its own, and plain HTTP calls to it, for tests."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike.web.app import create_app
from lookalike.web.limits import Limits
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer

ARROW = "application/vnd.apache.arrow.stream"


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
        if body is not None:
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

    def connect(self):
        """Return a plain socket."""
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=30)

    def wait_until(self, true):
        """Wait until a condition of the service holds; fail after half a minute."""
        deadline = time.monotonic() + 30
        while not true():
            assert time.monotonic() < deadline, "the service did not get there"
            time.sleep(0.01)

    def wait_ready(self):
        self.wait_until(lambda: self.get("/readyz").status == 200)


@contextmanager
def running(models, *, exploration=None, folder=None, limits=None, **options):
    """Serve models from a thread, on a free port."""
    chosen = ServeOptions(port=0, limits=Limits(**(limits or {})), **options)
    app = create_app(models, exploration=exploration, options=chosen, folder=folder)
    with BackgroundServer(app, chosen) as server:
        service = Service(server.url)
        service.app = app
        if models:
            token = options.get("token")
            given = {} if token is None else {"authorization": f"Bearer {token}"}
            service.wait_until(lambda: service.get("/readyz", **given).status == 200)
        yield service


@contextmanager
def process(*arguments, **environment):
    """Run `lookalike serve` as a process, on a free port."""
    command = [sys.executable, "-m", "lookalike", "serve", *map(str, arguments), "--port", "0"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | environment,
    )  # fmt: skip
    try:
        lines, found = [], None
        for line in child.stdout:
            lines.append(line)
            if found := re.search(r"http://\S+:\d+", line):
                break
        assert found, "".join(lines)
        service = Service(found[0])
        service.child, service.printed = child, lines
        yield service
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        child.stdout.close()


def arrow_stream(table, **options):
    """Return a table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def mixed_table(n_rows=80):
    """Return numbers with missing values, categories and dates, and labels of text."""
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, n_rows).round(1)
    town = rng.choice(["Graz", "Linz", "<script>alert(1)</script>"], n_rows)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, age),
            "town": pd.Series(town).where(rng.random(n_rows) > 0.1),
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 99, n_rows), "D"),
        }
    )
    return frame, np.where((age > 40) ^ (town == "Graz"), "<b>old</b>", "young")


TEXTS = [
    "ship sea boat harbor wind", "bank money loan rate credit", "goal ball team match win",
    "sea wind sail ship", "loan credit bank interest", "team goal win cup",
] * 3  # fmt: skip


def example_models():
    """Return models of numbers, tables, documents, images and projections, by name."""
    digits, iris = load_digits(), load_iris(as_frame=True)
    numbers = load_diabetes()
    frame, labels = mixed_table()
    names = [f"pixel_{i}_{j}" for i in range(8) for j in range(8)]
    pixels = pd.DataFrame(digits.data, columns=names)
    table = make_pipeline(lookalike.TablePreprocessor(), lookalike.KNeighborsClassifier(3))
    texts = make_pipeline(
        lookalike.text.TermWeights(), lookalike.KNeighborsClassifier(1, metric="cosine")
    )
    return {
        "digits": lookalike.KNeighborsClassifier(3, weights="distance").fit(
            digits.data.astype(np.float32), digits.target
        ),
        "images": lookalike.KNeighborsClassifier(3).fit(pixels, digits.target),
        "iris": lookalike.KNeighborsClassifier(5).fit(iris.data, iris.target_names[iris.target]),
        "diabetes": lookalike.KNeighborsRegressor(4).fit(numbers.data, numbers.target),
        "mixed": table.fit(frame, labels),
        "gower": lookalike.KNeighborsClassifier(3, metric="gower", missing="present").fit(
            frame[["age", "town"]], labels
        ),
        "texts": texts.fit(TEXTS, np.arange(18) % 3),
        "pca": lookalike.PCA(3).fit(iris.data),
        "ridge": lookalike.Ridge().fit(numbers.data, numbers.target),
    }
