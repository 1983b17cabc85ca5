"""JSON bodies, read strictly: one meaning, no NaN, no key twice, not too deep, not too many."""

from __future__ import annotations

import json
from typing import NoReturn

import numpy as np

from lookalike.validation import once_each
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

LISTS_BESIDE_ROWS = 64  # lists and objects of a body that are not rows
SCANNED_BYTES = 2**18  # of a body that are looked at together
DEPTH_STEPS = np.zeros(256, np.int8)  # of the depth, by the byte that is read
DEPTH_STEPS[[ord("["), ord("{")]], DEPTH_STEPS[[ord("]"), ord("}")]] = 1, -1


def parse_json(body: bytes, limits: Limits) -> object:
    """Return the value of a JSON text in UTF-8, or raise a problem that says where it is wrong.

    Nesting and the number of lists and objects are known before the first of them is made, in a
    time that grows as the body does, whatever is in it.

    Examples
    --------
    >>> parse_json(b'{"rows": [[1, null]]}', Limits())
    {'rows': [[1, None]]}
    >>> parse_json(b'{"a": NaN}', Limits())
    Traceback (most recent call last):
    lookalike.web.problems.ProblemError: NaN is not JSON. Send null where a value is missing.
    """
    n_brackets, n_commas = body.count(b"[") + body.count(b"{"), body.count(b",")
    if n_brackets > limits.depth or n_commas > limits.cells:  # no limit is exceeded with fewer
        _require_structure(body, limits)
    try:
        text = body.decode("utf-8")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise ProblemError(400, f"Byte {error.start} of the body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise ProblemError(400, f"The body is not JSON: {error.msg} at {position}.") from None
    except RecursionError:
        raise ProblemError(422, "The JSON is nested too deep.") from None
    except ProblemError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise ProblemError(400, f"The body holds a number that cannot be read: {error}.") from None


def _require_structure(body: bytes, limits: Limits) -> None:
    """Raise a problem where lists and objects are nested too deep, or they or cells are too many.

    Escaped backslashes and quotes are blanked out, so that each quote begins or ends a text, and
    what stands after an odd number of quotes is inside of one. Where that is not so, the body is
    not JSON, and no parser reads on beyond that byte.
    """
    if b"\\" in body:
        body = body.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")
    most = 2 * limits.rows + LISTS_BESIDE_ROWS  # rows, and as many to compare them with
    depth = n_brackets = n_commas = n_quotes = 0
    for start in range(0, len(body), SCANNED_BYTES):
        block = np.frombuffer(body[start : start + SCANNED_BYTES], np.uint8)
        quotes = np.cumsum(block == ord('"')) + n_quotes
        steps = DEPTH_STEPS[block] * (quotes % 2 == 0)
        positions = np.flatnonzero(steps)
        depths = depth + np.cumsum(steps[positions], dtype=np.int64)
        if (too_deep := np.flatnonzero(depths > limits.depth)).size:
            byte = start + positions[too_deep[0]]
            raise ProblemError(
                422, f"The JSON is nested deeper than {limits.depth} levels at byte {byte}."
            )
        n_brackets += len(positions)
        n_commas += int(np.count_nonzero((block == ord(",")) & (quotes % 2 == 0)))
        if n_brackets > 2 * most:  # each is opened and closed
            raise ProblemError(
                413, f"The JSON holds more than {most:,} lists and objects. Send fewer rows."
            )
        if n_commas > limits.cells:
            raise ProblemError(
                413, f"The JSON holds more than {limits.cells:,} cells. Send fewer rows."
            )
        depth, n_quotes = int(depths[-1]) if depths.size else depth, int(quotes[-1])


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    try:
        return once_each(pairs)
    except ValueError as error:
        raise ProblemError(400, f"In an object the key {error}. Send it once.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ProblemError(400, f"{name} is not JSON. Send null where a value is missing.")
