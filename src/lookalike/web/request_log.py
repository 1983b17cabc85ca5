"""What was predicted for which request, kept for the true labels that are known later."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import queue
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.data.write.atomic_write import require_writable
from lookalike.errors import ParameterError
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray, Array
from lookalike.validation import shown
from lookalike.web.problems import ProblemError
from lookalike.web.row_batch import OBJECT_BYTES

if TYPE_CHECKING:
    from logging import Logger


log: Logger = logging.getLogger("lookalike.web")
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ANSWERS_KEPT = 10_000  # requests whose predictions are compared with labels that come later
ROWS_KEPT = 200_000  # of all of these
LINES_WAITING = 10_000  # for the disk; further ones are dropped, and counted
GATHER_SECONDS = 0.02  # in which lines are gathered before they are written
CLOSE_SECONDS = 5.0  # in which the rest may be written when the service ends
BYTES_WAITING = 64 * 2**20  # of these lines
MAX_LOG_LINE = 2**28  # bytes that the first line of an earlier log is looked for in
LARGEST_LABEL = 1e150  # whose square is a number of float64
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

    path: Path | None
    n_dropped: int

    def __init__(self, path: Path | None) -> None:
        self.path, self.n_dropped, self._n_dropped_said = path, 0, 0
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._n_rows = 0
        self._prefix, self._numbers = secrets.token_hex(4), count(1)
        self._lines: queue.Queue[_Line | None] = queue.Queue(LINES_WAITING)
        self._bytes_waiting, self._counting = 0, threading.Lock()
        self._thread: threading.Thread | None = None
        if path is not None:
            _require_request_log(path)
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
        if len(labels) != len(answer.predictions):
            n_rows = len(answer.predictions)
            raise ProblemError(
                422, f"There are {len(labels)} labels, and the request had {n_rows} rows."
            )
        wrong, squares = 0, 0.0
        if answer.is_classification:
            pairs = zip(labels, answer.predictions.tolist(), strict=True)
            wrong = sum(not _is_equal(label, value) for label, value in pairs)
        else:
            numbers = _numbers(labels, answer.predictions.shape[1:])
            squares = float(np.sum((numbers - answer.predictions) ** 2))
            equal = np.isclose(numbers, answer.predictions, rtol=RELATIVE_TOLERANCE, atol=0.0)
            wrong = int(np.sum(~equal.reshape(len(labels), -1).all(axis=1)))
        if self._thread is not None:
            self._put({"feedback": key, "model": answer.model, "labels": list(labels)})
        return Feedback(answer, wrong, squares)

    def close(self) -> None:
        """Write what waits, and end the thread; a disk that does not answer is not waited for."""
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._lines.put(None, timeout=CLOSE_SECONDS)
            self._thread.join(CLOSE_SECONDS)
            if self._thread.is_alive():
                log.error("%s is not written to the end: it does not answer", self.path)
            self._thread = None

    def _put(self, entry: dict[str, Any]) -> None:
        line = _Line({"time": datetime.now(UTC).isoformat(), **entry})
        with self._counting:
            fits = self._bytes_waiting + line.size <= BYTES_WAITING
            self._bytes_waiting += line.size if fits else 0
        try:
            if not fits:
                raise queue.Full
            self._lines.put_nowait(line)
        except queue.Full:
            self.n_dropped += 1
            self._forget(line.size if fits else 0)

    def _forget(self, n_bytes: int) -> None:
        with self._counting:
            self._bytes_waiting -= n_bytes

    def _write(self) -> None:
        ended = False
        while not ended:
            entries = [self._lines.get()]
            if entries[0] is not None:  # being woken for every line would hold up the requests
                time.sleep(GATHER_SECONDS)
            while not self._lines.empty():
                entries.append(self._lines.get())
            lines = [line for line in entries if line is not None]
            ended = entries[-1] is None
            try:
                self._append(b"".join(line.text() for line in lines))
            except OSError as error:
                self.n_dropped += len(lines)
                log.error("%s cannot be written: %s", self.path, error.strerror)
            self._forget(sum(line.size for line in lines))
            if self.n_dropped > self._n_dropped_said:
                self._n_dropped_said = self.n_dropped
                log.error("%s lacks %s lines, dropped in all", self.path, self.n_dropped)

    def _append(self, content: bytes) -> None:
        """Add whole lines to the file: what a full disk took of them is taken back."""
        assert self.path is not None
        with open(self.path, "ab", buffering=0) as file:
            size, rest = os.fstat(file.fileno()).st_size, memoryview(content)
            try:
                while rest:
                    rest = rest[file.write(rest) or 0 :]
            except OSError:
                if os.fstat(file.fileno()).st_size > size:
                    os.ftruncate(file.fileno(), size)
                raise


def _require_request_log(path: Path) -> None:
    """Raise where lines cannot be added to a file, or would go into one that is something else."""
    require_writable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file():
        return
    with open(path, "rb") as file:
        line = file.readline(MAX_LOG_LINE)
    try:
        first = json.loads(line) if line else {"time": None}
    except (ValueError, RecursionError):
        first = None
    if not isinstance(first, dict) or "time" not in first:
        raise ParameterError(
            f"{path} is not a request log, and nothing is appended to it. Give another file."
        )


class _Line:
    """An entry that waits for the disk; the body of a request is taken over as it came."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self._body: bytes | None = entry.pop("body", None)
        self._entry = entry
        cells = entry.get("predictions", entry.get("labels", ()))
        n_cells = getattr(cells, "size", len(cells))
        self.size = len(self._body or b"") + OBJECT_BYTES * (1 + n_cells)

    def text(self) -> bytes:
        """Return the entry as a line of JSON."""
        text = json.dumps(to_jsonable(self._entry), separators=(",", ":")).encode()
        if self._body is None:
            return text + b"\n"
        flat = self._body.replace(b"\n", b" ").replace(b"\r", b" ")  # a text has no line break
        return text[:-1] + b',"request":' + flat + b"}\n"


def _is_equal(label: object, prediction: object) -> bool:
    if isinstance(prediction, float) and isinstance(label, int | float):
        return math.isclose(_float(label), prediction, rel_tol=RELATIVE_TOLERANCE)
    return label == prediction or str(label) == str(prediction)


def _float(number: float) -> float:
    """Return a number of JSON as float64; infinity where it is beyond."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _numbers(labels: Sequence[object], shape: tuple[int, ...]) -> Array:
    """Return labels as numbers; a model of several outputs has a list of them for each row."""
    numbers = np.empty((len(labels), *shape))
    for row, label in enumerate(labels):
        cells = label if shape else [label]
        if not isinstance(cells, list) or len(cells) != math.prod(shape):
            raise ProblemError(
                422, f"The label {shown(label)} is not a list of {shape[0]} numbers.", row=row
            )
        for cell in cells:
            if isinstance(cell, bool) or not isinstance(cell, int | float):
                detail = f"The label {shown(cell)} is not a number. Send numbers."
                raise ProblemError(422, detail, row=row)
            if abs(_float(cell)) > LARGEST_LABEL:
                detail = f"The label {shown(cell)} is beyond {LARGEST_LABEL:g}. Send a smaller one."
                raise ProblemError(422, detail, row=row)
        numbers[row] = cells if shape else cells[0]
    return numbers
