"""Layers around the routes: gzip, and beside it W3C trace context and HEAD."""

from __future__ import annotations

import gzip
import json

import pytest
from service import running
from sklearn.datasets import load_iris

from lookalike import KNeighborsClassifier
from lookalike.web.compression import MIN_COMPRESSED_BYTES

X, Y = load_iris(return_X_y=True)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture(scope="module")
def service():
    with running({"iris": KNeighborsClassifier(3).fit(X, Y)}) as served:
        yield served


def test_large_texts_are_compressed_for_those_who_accept_it(service):
    path, body = "/v1/neighbors?k=100", {"rows": X.tolist()}
    plain = service.post(path, body)
    assert "content-encoding" not in plain.headers
    packed = service.post(path, body, accept_encoding="br, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "accept-encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


@pytest.mark.parametrize("given", ["gzip;q=0", "br", "identity"])
def test_nothing_is_compressed_for_others(service, given):
    reply = service.post("/v1/neighbors?k=100", {"rows": X.tolist()}, accept_encoding=given)
    assert "content-encoding" not in reply.headers


def test_small_answers_stay_as_they_are(service):
    reply = service.post("/v1/predict", {"rows": X[:1].tolist()}, accept_encoding="gzip")
    assert len(reply.body) < MIN_COMPRESSED_BYTES
    assert "content-encoding" not in reply.headers


def test_the_trace_of_a_request_is_passed_on_with_a_span_of_our_own(service):
    reply = service.get("/healthz", traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
    version, trace, span, flags = reply.headers["traceparent"].split("-")
    assert (version, trace, flags) == ("00", TRACE, "01")
    assert span != "00f067aa0ba902b7"


def test_every_request_is_a_span_where_opentelemetry_is_installed(monkeypatch):
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="OpenTelemetry is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider, kept = sdk.TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr("lookalike.web.tracing._tracer", lambda: provider.get_tracer("test"))
    with running({"iris": KNeighborsClassifier(3).fit(X, Y)}) as served:
        kept.clear()
        body, parent = {"rows": X[:1].tolist()}, f"00-{TRACE}-00f067aa0ba902b7-01"
        reply = served.post("/v1/predict", body, traceparent=parent)
        (span,) = kept.get_finished_spans()
    ids = f"{span.context.trace_id:032x}-{span.context.span_id:016x}"
    assert reply.headers["traceparent"] == f"00-{ids}-01"
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert span.name == "POST /v1/predict"
    assert dict(span.attributes) == {
        "http.route": "/v1/predict",
        "http.response.status_code": 200,
    }


@pytest.mark.parametrize("given", ["", "00-0-0-01", f"00-{'0' * 32}-00f067aa0ba902b7-01"])
def test_a_trace_that_is_not_valid_is_not_passed_on(service, given):
    reply = service.get("/healthz", traceparent=given)
    assert reply.status == 200
    assert "traceparent" not in reply.headers


@pytest.mark.parametrize("path", ["/healthz", "/v1/models", "/docs", "/openapi.json"])
def test_head_is_answered_as_get_is_without_a_body(service, path):
    reply, whole = service.call("HEAD", path), service.get(path)
    assert (reply.status, reply.body) == (whole.status, b"")
    assert reply.headers["content-type"] == whole.headers["content-type"]


def test_problems_are_json_whether_compressed_or_not(service):
    reply = service.post("/v1/predict", {"rows": [[1]]}, accept_encoding="gzip")
    assert json.loads(reply.body)["status"] == 422
