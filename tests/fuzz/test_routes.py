"""Any request that the OpenAPI document describes, or almost, gets an answer of ours."""

# ruff: noqa: E501 - tables of values

from __future__ import annotations

from functools import cache
from urllib.parse import quote

import pytest
from fuzz.mutations import fuzzed
from fuzz.service_app import answering
from hypothesis import given
from hypothesis import strategies as st
from service import example_models

import lookalike
from lookalike.web.explorer import explore_study

PARTS = [
    "", "0", "1", "-1", "9" * 30, "9" * 5000, "nan", "label", "pca", "neighbors", "lda", "%00", "..", "%2e%2e", "a b",
    "<script>", "é", "k", "image.png", "evidence", "torn", "predicted", "corrections.csv", "1,2,3", "column:a",
]  # fmt: skip
ROOTS = [
    "/v1/models", "/v1/rows", "/v1/predict", "/explore/session", "/explore/progress", "/explore/maps", "/explore/colors",
    "/explore/rows", "/explore/thumbnails", "/explore/search", "/explore/k", "/explore/regions", "/explore/components",
    "/explore/panels", "/explore/confusion", "/explore/review", "/explore/selection", "/static", "/framed", "/docs",
]  # fmt: skip
NAMES = [
    "k",
    "row",
    "rows",
    "start",
    "count",
    "model",
    "q",
    "limit",
    "map",
    "size",
    "m",
    "true",
    "predicted",
]
MODELS = sorted(example_models())
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_schema_conformance")  # fmt: skip


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    study = lookalike.study("iris", time="5s")
    corrections = tmp_path_factory.mktemp("corrections") / "fixed.csv"
    exploration = explore_study(study, corrections)
    with answering(exploration, rows=50, result_cells=100_000) as answers:
        yield answers


@fuzzed(250)
@given(data=st.data())
def test_any_path_and_query_gets_a_result_or_a_problem(answers, data):
    parts = data.draw(st.lists(st.sampled_from(PARTS), max_size=3))
    names = data.draw(st.lists(st.sampled_from(NAMES), max_size=3))
    query = "&".join(f"{name}={data.draw(st.sampled_from(PARTS))}" for name in names)
    path = "/".join([data.draw(st.sampled_from(ROOTS)), *parts])
    path, query = quote(path, safe="/%,:."), quote(query, safe="=&%,:.")
    method = data.draw(st.sampled_from(["GET", "GET", "GET", "POST", "DELETE", "HEAD"]))
    body = data.draw(st.sampled_from([b"{}", b'{"row": 1, "action": "accept"}', b'{"rows": [1]}']))
    answers.require_answer(method, f"{path}?{query}", body if method == "POST" else None)


@fuzzed(300)
@given(data=st.data())
def test_drawn_requests_are_answered_as_documented(answers, data):
    operations = documented_operations(answers)
    operation = operations[data.draw(st.sampled_from(sorted(operations)))]
    case = data.draw(operation.as_strategy())
    if "model" in (case.query or {}):  # else most requests would name a model that is absent
        case.query["model"] = data.draw(st.sampled_from(MODELS))
    case.call_and_validate(base_url=answers.service.url, checks=checks_of(operation.path))


@cache
def documented_operations(answers):
    """Return every route of the OpenAPI document, by its method and path."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    document = schemathesis.openapi.from_dict(answers.service.get("/openapi.json").json())
    found = (result.ok() for result in document.get_all_operations())
    return {f"{operation.method} {operation.path}": operation for operation in found}


@cache
def checks_of(path):
    """Return the checks that an answer passes; the explorer documents no types and bodies."""
    import schemathesis

    names = CHECKS[:2] if path.startswith("/explore") else CHECKS
    checks = [check for check in schemathesis.checks.CHECKS.get_all() if check.__name__ in names]
    assert len(checks) == len(names)
    return checks
