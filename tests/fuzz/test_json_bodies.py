"""Any JSON body is answered: with a result or a problem, and never by an internal error."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from fuzz.mutations import ending, fuzzed, mutated_bytes, mutated_document
from fuzz.service_app import answering
from hypothesis import given
from hypothesis import strategies as st

from lookalike.web.json_body import parse_json
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

LIMITS = Limits(body_bytes=4096, rows=50, cells=2000, depth=6)
DOCUMENTS = [
    {"rows": [[5.1, 3.5, 1.4, 0.2], [4, 3, 2, 1]]},
    {"rows": [{"age": 41, "town": "Graz", "day": "2026-01-31"}], "columns": ["age"]},
    {"rows": ["a text", None], "reference": [["b"]]},
    {"images": ["aGFsbG8="], "rows": [[1, None, 2e308]]},
]
TARGETS = [
    "/v1/predict?model=iris",
    "/v1/predict?model=mixed&proba=true",
    "/v1/predict?model=texts",
    "/v1/neighbors?model=iris&k=3",
    "/v1/transform?model=pca",
    "/v1/explain?model=mixed",
    "/v1/explain?model=ridge",
    "/v1/predict?model=images",
]


@pytest.fixture(scope="module")
def answers():
    with answering(**asdict(LIMITS)) as answers:
        yield answers


@fuzzed(150)
@given(data=st.data())
def test_any_body_gets_a_result_or_a_problem(answers, data):
    document = data.draw(st.sampled_from(DOCUMENTS))
    if data.draw(st.booleans()):
        document = data.draw(mutated_document(document))
    body = json.dumps(document).encode()
    if data.draw(st.booleans()):
        body = data.draw(mutated_bytes(body))
    with ending():
        answers.require_answer("POST", data.draw(st.sampled_from(TARGETS)), body)


@fuzzed(300)
@given(st.binary(max_size=200) | st.text('[]{}",:\\ \n0123e-.ntfNI', max_size=80).map(str.encode))
def test_what_json_reads_is_read_the_same_or_refused_with_a_reason(body):
    try:
        result = parse_json(body, LIMITS)
    except ProblemError as error:
        result = error
    if isinstance(result, ProblemError):
        assert result.status in (400, 413, 422)
    else:
        assert json.dumps(json.loads(body)) == json.dumps(result)
