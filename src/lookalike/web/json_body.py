"""JSON bodies, read strictly: one meaning, no NaN, no key twice, not too deep."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from lookalike.validation import once_each
from lookalike.web.problems import ProblemError

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse_json(body: bytes, max_depth: int) -> Any:
    """Return the value of a JSON text in UTF-8, or raise a problem that says where it is wrong.

    Examples
    --------
    >>> parse_json(b'{"rows": [[1, null]]}', 8)
    {'rows': [[1, None]]}
    >>> parse_json(b'{"a": NaN}', 8)
    Traceback (most recent call last):
    lookalike.web.problems.ProblemError: NaN is not JSON. Send null where a value is missing.
    """
    if body.count(b"[") + body.count(b"{") > max_depth:  # which cannot be exceeded with fewer
        _require_depth(body, max_depth)
    try:
        text = body.decode("utf-8")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise ProblemError(400, f"Byte {error.start} of the body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ProblemError(400, f"The body is not JSON: {error.msg} at {place}.") from None
    except RecursionError:
        raise ProblemError(422, "The JSON is nested too deep.") from None
    except ProblemError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise ProblemError(400, f"The body holds a number that cannot be read: {error}.") from None


def _require_depth(body: bytes, most: int) -> None:
    depth = 0
    for match in _TOKEN.finditer(body):
        token = match[0]
        if token in (b"[", b"{"):
            depth += 1
            if depth > most:
                raise ProblemError(
                    422, f"The JSON is nested deeper than {most} levels at byte {match.start()}."
                )
        elif token in (b"]", b"}"):
            depth -= 1


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    try:
        return once_each(pairs)
    except ValueError as error:
        raise ProblemError(400, f"In an object the key {error}. Send it once.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ProblemError(400, f"{name} is not JSON. Send null where a value is missing.")
