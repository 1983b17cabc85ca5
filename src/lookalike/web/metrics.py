"""Counters of the service, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST as MEDIA_TYPE
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from lookalike.explain.prediction.input_notes import InputNotes
    from lookalike.web.request_log import Feedback

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
PERCENTILE_BUCKETS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)


class Metrics:
    """The counters of one app."""

    missing: Counter
    labels: Counter
    loads: Counter

    media_type = MEDIA_TYPE

    def __init__(self) -> None:
        self.registry: CollectorRegistry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self.requests: Counter = counter(
            "lookalike_requests", "Requests by route and status.", ["route", "status"]
        )
        self.seconds: Histogram = histogram(
            "lookalike_request_seconds", "Time of a request.", ["route"], buckets=SECONDS_BUCKETS
        )
        self.in_progress: Gauge = gauge("lookalike_requests_in_progress", "Requests now.")
        self.rows: Counter = counter("lookalike_rows", "Rows by model.", ["model"])
        self.batch: Histogram = histogram(
            "lookalike_batch_rows", "Rows of one call of a model.", ["model"], buckets=ROWS_BUCKETS
        )
        self.unknown: Counter = counter(
            "lookalike_unknown_categories",
            "Cells of categories that training rows lack.",
            ["model"],
        )
        self.missing = counter("lookalike_missing_cells", "Cells that are missing.", ["model"])
        self.distance: Histogram = histogram(
            "lookalike_nearest_distance_percentile",
            "Share of training rows that are nearer to their nearest row than a row to its own.",
            ["model"],
            buckets=PERCENTILE_BUCKETS,
        )
        self.labels = counter("lookalike_feedback_rows", "Rows with a later label.", ["model"])
        self.wrong: Counter = counter(
            "lookalike_feedback_wrong", "Rows whose later label is another.", ["model"]
        )
        self.squares: Counter = counter(
            "lookalike_feedback_squared_error", "Sum of squared errors of numbers.", ["model"]
        )
        self.version: Gauge = gauge("lookalike_model_version", "Version that serves.", ["model"])
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

    def read(self, model: str, notes: InputNotes) -> None:
        """Count what is unlike training rows in the rows of a request."""
        if notes.unknown:
            self.unknown.labels(model).inc(notes.unknown.total())
        if notes.missing:
            self.missing.labels(model).inc(notes.missing.total())

    def measured(self, model: str, shares: Iterable[float]) -> None:
        """Count how far rows of a request are from training rows."""
        histogram = self.distance.labels(model)
        for share in shares:
            histogram.observe(share)

    def labeled(self, feedback: Feedback) -> None:
        """Count labels that are known later, and the errors that they show."""
        answer = feedback.answer
        self.labels.labels(answer.model).inc(len(answer.predictions))
        if answer.is_classification:
            self.wrong.labels(answer.model).inc(feedback.n_wrong)
        else:
            self.squares.labels(answer.model).inc(feedback.squared_error)

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
