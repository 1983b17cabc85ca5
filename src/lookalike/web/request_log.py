"""What was predicted for which request, kept for the true labels that are known later."""

from __future__ import annotations

import json
import logging
import queue
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.problems import ProblemError

log = logging.getLogger("lookalike.web")
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ANSWERS_KEPT = 10_000  # requests whose predictions are compared with labels that come later
ROWS_KEPT = 200_000  # of all of these
LINES_WAITING = 10_000  # for the disk; further ones are dropped, and counted
RELATIVE_TOLERANCE = 1e-9  # of a number that counts as predicted exactly


class Answer(NamedTuple):
    """The predictions of one request."""

    model: str
    version: int
    predictions: AnyArray
    is_classification: bool


class Feedback(NamedTuple):
    """True labels compared with what was predicted."""

    answer: Answer
    n_wrong: int
    squared_error: float  # sum over rows; 0 of classes


class RequestLog:
    """The latest answers in memory, and all of them in a file where one is given.

    Lines are written by a thread of their own: a request does not wait for the disk.

    Parameters
    ----------
    path : Path, optional
        The file that lines of JSON are appended to; opened again for every part, so that it may be
        moved away at any time.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.n_dropped = path, 0
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._n_rows = 0
        self._prefix, self._numbers = secrets.token_hex(4), count(1)
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue(LINES_WAITING)
        self._thread: threading.Thread | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._thread = threading.Thread(target=self._write, name="request-log", daemon=True)
            self._thread.start()

    def identifier(self, given: str | None) -> str:
        """Return the id of a request: the one that it brought, or a new one."""
        if given is not None and GIVEN_ID.fullmatch(given):
            return given
        return f"{self._prefix}-{next(self._numbers):x}"

    def record(self, key: str, answer: Answer, body: bytes | None, trace: str | None) -> None:
        """Keep the answer to a request; `body` is its JSON, None of another media type."""
        before = self._answers.pop(key, None)
        self._answers[key] = answer
        self._n_rows += len(answer.predictions) - (0 if before is None else len(before.predictions))
        while len(self._answers) > ANSWERS_KEPT or self._n_rows > ROWS_KEPT:
            _, oldest = self._answers.popitem(last=False)
            self._n_rows -= len(oldest.predictions)
        if self._thread is not None:
            entry = {"id": key, "model": answer.model, "version": answer.version}
            more = {"trace": trace} if trace else {}
            self._put({**entry, **more, "body": body, "predictions": answer.predictions})

    def feedback(self, key: str, labels: Sequence[object]) -> Feedback:
        """Compare true labels with the answer to a request, and keep them."""
        answer = self._answers.get(key)
        if answer is None:
            raise ProblemError(
                404,
                f"There is no request {key[:64]!r} among the last {ANSWERS_KEPT:,} predictions. "
                "Send the x-request-id of the answer that the labels are of.",
            )
        predictions = answer.predictions.tolist()
        if len(labels) != len(predictions):
            raise ProblemError(
                422, f"There are {len(labels)} labels, and the request had {len(predictions)} rows."
            )
        pairs = list(zip(labels, predictions, strict=True))
        wrong = sum(not _is_equal(label, value) for label, value in pairs)
        squares = 0.0 if answer.is_classification else _squared_error(pairs)
        if self._thread is not None:
            self._put({"feedback": key, "model": answer.model, "labels": list(labels)})
        return Feedback(answer, wrong, squares)

    def close(self) -> None:
        """Write what waits, and end the thread."""
        if self._thread is not None:
            self._lines.put(None)
            self._thread.join()
            self._thread = None

    def _put(self, entry: dict[str, Any]) -> None:
        try:
            self._lines.put_nowait({"time": datetime.now(UTC).isoformat(), **entry})
        except queue.Full:
            self.n_dropped += 1

    def _write(self) -> None:
        assert self.path is not None
        ended = False
        while not ended:
            entries = [self._lines.get()]
            while not self._lines.empty():
                entries.append(self._lines.get())
            ended = entries[-1] is None
            content = b"".join(_line(entry) for entry in entries if entry is not None)
            try:
                with open(self.path, "ab") as file:
                    file.write(content)
            except OSError as error:
                self.n_dropped += len(entries)
                log.error("%s cannot be written: %s", self.path, error.strerror)


def _line(entry: dict[str, Any]) -> bytes:
    """Return an entry as a line of JSON; the body of the request is taken over as it came."""
    body: bytes | None = entry.pop("body", None)
    text = json.dumps(to_jsonable(entry), separators=(",", ":")).encode()
    if body is None:
        return text + b"\n"
    flat = body.replace(b"\n", b" ").replace(b"\r", b" ")  # in JSON no text holds a line break
    return text[:-1] + b',"request":' + flat + b"}\n"


def _is_equal(label: object, prediction: object) -> bool:
    if isinstance(prediction, float) and isinstance(label, int | float):
        return bool(np.isclose(label, prediction, rtol=RELATIVE_TOLERANCE, atol=0.0))
    return label == prediction or str(label) == str(prediction)


def _squared_error(pairs: Sequence[tuple[object, Any]]) -> float:
    for label, _ in pairs:
        if isinstance(label, bool) or not isinstance(label, int | float):
            raise ProblemError(422, f"The label {str(label)[:60]!r} is not a number. Send numbers.")
    return float(sum((float(str(label)) - float(value)) ** 2 for label, value in pairs))
