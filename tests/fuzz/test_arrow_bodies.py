"""Any Arrow body is answered: with a result or a problem, and never by a crash."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pytest
from fuzz.mutations import ending, fuzzed, mutated_bytes
from fuzz.service_app import answering
from hypothesis import given
from hypothesis import strategies as st
from service import ARROW, arrow_stream

from lookalike.web.arrow_body import read_arrow
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

LIMITS = Limits(body_bytes=2**16, rows=50, cells=2000, decoded_bytes=10_000)
TABLES = {
    "numbers": lambda: pa.table({f"x{j}": np.arange(3.0) for j in range(4)}),
    "nulls": lambda: pa.table({f"x{j}": pa.array([1, None, 2], pa.int8()) for j in range(4)}),
    "matrix": lambda: pa.table(
        {"rows": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(12.0)), 4)}
    ),
    "mixed": lambda: pa.table(
        {
            "age": pa.array([1.5, None]),
            "town": pa.array(["Graz", None]).dictionary_encode(),
            "day": pa.array([0, None], pa.timestamp("s")),
        }
    ),
    "texts": lambda: pa.table({"text": pa.array(["a ship", "a bank", None])}),
    "views": lambda: pa.table({"text": pa.array(["a long text of a ship", "b"], pa.string_view())}),
    "large": lambda: pa.table({"text": pa.array(["a", "b"], pa.large_string())}),
    "booleans": lambda: pa.table({f"x{j}": pa.array([True, None]) for j in range(4)}),
    "decimals": lambda: pa.table(
        {f"x{j}": pa.array([1, 2], pa.decimal128(9, 2)) for j in range(4)}
    ),
    "empty": lambda: pa.table({"x": pa.array([], pa.float64())}),
}


@pytest.fixture(scope="module")
def answers():
    with answering(**asdict(LIMITS)) as answers:
        yield answers


def changed(data):
    body = arrow_stream(TABLES[data.draw(st.sampled_from(sorted(TABLES)))]())
    return data.draw(mutated_bytes(body)) if data.draw(st.integers(0, 9)) else body


@fuzzed(300)
@given(data=st.data())
def test_any_stream_is_read_or_refused_and_every_column_can_be_made(data):
    problem = None
    with ending():
        try:
            columns = read_arrow(changed(data), LIMITS)
            if not isinstance(columns, np.ndarray):
                assert all(len(columns[name]) <= LIMITS.rows for name in columns)
        except ProblemError as error:
            problem = error
    assert problem is None or problem.status in (400, 413, 415, 422)


@fuzzed(60)
@given(data=st.data())
def test_any_stream_gets_a_result_or_a_problem(answers, data):
    target = data.draw(
        st.sampled_from(
            ["/v1/predict?model=iris", "/v1/predict?model=mixed", "/v1/predict?model=texts",
             "/v1/neighbors?model=iris", "/v1/transform?model=pca"]
        )
    )  # fmt: skip
    accept = data.draw(st.sampled_from([ARROW, "application/json"]))
    with ending():
        answers.require_answer("POST", target, changed(data), content_type=ARROW, accept=accept)
