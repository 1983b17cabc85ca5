"""The OpenAPI document is kept: drawn requests give what it says, and never an internal error."""

from __future__ import annotations

import json

import hypothesis
import hypothesis.strategies as st
import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

ROUTES = [
    ("GET", "/healthz"),
    ("GET", "/v1/models"),
    ("GET", "/v1/rows"),
    ("POST", "/v1/predict"),
    ("POST", "/v1/neighbors"),
    ("POST", "/v1/transform"),
    ("POST", "/v1/explain"),
]
KEPT = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
        "response_schema_conformance")  # fmt: skip


@pytest.fixture(scope="module")
def schema(service):
    document = json.loads(service.get("/openapi.json").body)
    return schemathesis.openapi.from_dict(document)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_drawn_requests_are_answered_as_documented(schema, service, models, method, path):
    names = sorted(models)
    operation = schema[path][method]
    checks = [one for one in schemathesis.checks.CHECKS.get_all() if one.__name__ in KEPT]
    assert len(checks) == len(KEPT)
    healthy = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much]

    @hypothesis.settings(
        max_examples=20, deadline=None, derandomize=True, database=None,
        suppress_health_check=healthy,
    )  # fmt: skip
    @hypothesis.given(case=operation.as_strategy(), name=st.sampled_from(names))
    def ask(case, name):
        if "model" in (case.query or {}):  # else most requests would name a model that is absent
            case.query["model"] = name
        case.call_and_validate(base_url=service.url, checks=checks)

    ask()


def test_every_route_lists_its_problems(schema, service):
    document = json.loads(service.get("/openapi.json").body)
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            if path.startswith("/v1"):
                assert {"200", "401", "404", "413", "422", "503"} <= set(route["responses"])
                problem = route["responses"]["422"]["content"]
                assert list(problem) == ["application/problem+json"], (method, path)
