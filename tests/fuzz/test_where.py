"""Any condition of where= chooses rows or is refused in a sentence."""

# ruff: noqa: E501 - tables of values

from __future__ import annotations

import numpy as np
from fuzz.mutations import ending, fuzzed
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data.predicate import rows_where
from lookalike.errors import LookalikeError

COLUMNS = {
    "age": np.arange(6.0),
    "count": np.arange(6),
    "small": np.arange(6, dtype=np.uint8),
    "town": np.array(["Rome", "Oslo"] * 3),
    "name": np.array(["a", None, "b", "c", None, "d"], object),
    "price": np.array([1, None, 2.5, 3, None, 4], object),
    "day": np.arange(6).astype("datetime64[D]"),
    "flag": np.array([True, False] * 3),
    "two words": np.arange(6),
}
PARTS = [
    *COLUMNS, "`two words`", "`", "1", "0", "2.5", "1e999", "10**9", "'Rome'", "'", "True", "None", "[1, 2]", "(", ")",
    "[", "]", "{1}", "[age]", "and", "or", "not", "in", "not in", "is", "==", "!=", "<", "<=", ">", "+", "-", "*", "/", "%", "//",
    "**", "&", "|", "~", "^", "<<", "@", ",", ":", "lambda", "if", "else", "f'{age}'", "__import__('os')", "age.sum()",
    "age[0]", "99999999999999999999", "\\", "\n", "#", ";", ":=", "...", "1j", "b'x'", "'%99999999d'", "'x' * 99999999999",
]  # fmt: skip
texts = st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join) | st.text(max_size=30)


@st.composite
def conditions(draw, depth=3):
    """Draw conditions that are likely to be read."""
    if depth == 0 or draw(st.booleans()):
        left, right = (draw(st.sampled_from([*PARTS[:18], "age + count"])) for _ in range(2))
        return (
            f"{left} {draw(st.sampled_from(['==', '<', '>=', 'in', 'not in', '+', '%']))} {right}"
        )
    parts = [draw(conditions(depth - 1)) for _ in range(2)]
    return f"({parts[0]}) {draw(st.sampled_from(['and', 'or', '&', '|', '<', '*']))} ({parts[1]})"


@fuzzed(400)
@given(st.one_of(texts, conditions()))
def test_any_condition_chooses_rows_or_is_refused(where):
    with ending(20):
        try:
            result = rows_where(where, COLUMNS)
        except LookalikeError as error:
            result = error
    if isinstance(result, LookalikeError):
        assert "where=" in str(result)
    else:
        assert (result.dtype, result.shape) == (bool, (6,))
