"""Counters of the service, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prometheus_client import CONTENT_TYPE_LATEST as MEDIA_TYPE
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS_BUCKETS = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)
ROWS_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)


class Metrics:
    """The counters of one app."""

    media_type = MEDIA_TYPE

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self.requests = counter(
            "lookalike_requests", "Requests by route and status.", ["route", "status"]
        )
        self.seconds = histogram(
            "lookalike_request_seconds", "Time of a request.", ["route"], buckets=SECONDS_BUCKETS
        )
        self.in_progress = gauge("lookalike_requests_in_progress", "Requests now.")
        self.rows = counter("lookalike_rows", "Rows by model.", ["model"])
        self.batch = histogram(
            "lookalike_batch_rows", "Rows of one call of a model.", ["model"], buckets=ROWS_BUCKETS
        )
        self.version = gauge("lookalike_model_version", "Version that serves.", ["model"])
        self.loads = counter("lookalike_model_loads", "Loads by result.", ["model", "result"])

    def served(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def observer(self, model: str) -> Callable[[int, int, float], None]:
        """Return what counts the calls of a model: requests, rows and seconds of each."""
        rows, batch = self.rows.labels(model), self.batch.labels(model)

        def observe(_: int, n_rows: int, __: float) -> None:
            rows.inc(n_rows)
            batch.observe(n_rows)

        return observe

    def loaded(self, model: str, version: int) -> None:
        """Count a model that now serves."""
        self.loads.labels(model, "loaded").inc()
        self.version.labels(model).set(version)

    def failed(self, model: str) -> None:
        """Count a file that could not be loaded."""
        self.loads.labels(model, "failed").inc()

    def text(self) -> bytes:
        """Return all counters as Prometheus reads them."""
        text: bytes = generate_latest(self.registry)
        return text
