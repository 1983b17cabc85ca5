"""JSON bodies are read in linear time, and refused before lists and objects are made."""

from __future__ import annotations

import json
import threading
import time

import pytest
from growth import fastest_seconds, require_linear
from hypothesis import given
from hypothesis import strategies as st

from lookalike.web.json_body import parse_json
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

UNENDING_TEXT = b"[]" * 9 + b'"' + b'\\"' * 32_000


def read(body):
    """Return the value of a body, or the problem."""
    try:
        return parse_json(body, Limits())
    except ProblemError as error:
        return error


def test_a_text_of_escaped_quotes_without_an_end_is_refused_at_once():
    assert read(UNENDING_TEXT).status in (400, 413, 422)
    assert fastest_seconds(lambda: read(UNENDING_TEXT)) < 0.1


def test_other_requests_go_on_while_such_a_body_is_refused(service):
    replies = []
    threads = [
        threading.Thread(target=lambda: replies.append(service.post("/v1/predict", UNENDING_TEXT)))
        for _ in range(4)
    ]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    assert service.get("/healthz").status == 200
    for thread in threads:
        thread.join()
    assert time.perf_counter() - begun < 5
    assert {reply.status for reply in replies} <= {400, 413, 422}


@pytest.mark.parametrize(
    "make_body",
    [
        lambda n: b"[]" * 9 + b'"' + b'\\"' * n,
        lambda n: b"[]" * 9 + b'"' + b"\\\\" * n,
        lambda n: b'["' * n,
        lambda n: b"[" * n,
        lambda n: b"]" * n,
        lambda n: b'{"rows":[' + b"[]," * n + b"[]]}",
        lambda n: b"[" * 9 + b'"",' * n,
        lambda n: b"{" + b",".join(b'"%d":1' % i for i in range(n)) + b',"0":1}',
        lambda n: b'{"a":{"b":[[[[[[' + b"1" * n,
        lambda n: b'{"rows": [' + b"-" * n + b"]}",
        lambda n: b'{"rows": ["' + b"\\ud800" * n + b'"]}',
        lambda n: b" " * n,
    ],
)
def test_the_time_of_a_body_grows_as_its_size(make_body):
    require_linear(read, make_body, 40_000)


def test_more_lists_than_there_may_be_rows_are_refused_before_they_are_made():
    problem = read(b'{"rows":[' + b"[]," * 100_000 + b"[]]}")
    assert problem.status == 413
    assert "20,064 lists and objects" in str(problem)
    assert len(read(b'{"rows":[' + b"[]," * 9_999 + b"[]]}")["rows"]) == 10_000


def test_more_cells_than_a_request_may_have_are_refused():
    limits = Limits(cells=100)
    assert len(parse_json(b"[" + b"1," * 100 + b"1]", limits)) == 101
    with pytest.raises(ProblemError, match="more than 100 cells"):
        parse_json(b"[" + b"1," * 101 + b"1]", limits)
    assert parse_json(b'["' + b"," * 1000 + b'"]', limits) == ["," * 1000]


def test_what_is_too_deep_is_refused_with_its_byte():
    assert "deeper than 8 levels at byte 8" in str(read(b"[" * 9 + b"]" * 9))
    assert str(read(b'{"a": "' + b"[" * 50 + b'", "b": ' + b"[" * 9)).endswith("at byte 72.")


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\[]{},:é\n', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('k"\\[', max_size=3), inner)
    ),
    max_leaves=30,
)


def depth_of(value):
    if isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth_of, inner), default=0)
    return 0


@given(documents, st.booleans(), st.integers(1, 6))
def test_every_document_is_read_as_json_reads_it_and_its_depth_is_known(value, plain, depth):
    body = json.dumps(value, ensure_ascii=plain).encode()
    if depth_of(value) <= depth:
        assert parse_json(body, Limits(depth=depth)) == value
    else:
        with pytest.raises(ProblemError, match="nested deeper"):
            parse_json(body, Limits(depth=depth))
