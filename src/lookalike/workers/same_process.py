"""The pool's interface without processes: work runs here, when its outcome is asked for."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Hashable
from types import TracebackType
from typing import Any

from lookalike.settings import config
from lookalike.workers.work import Failure, Outcome, Work, failure_of, out_of_time


class SameProcess:
    """Runs work in this process, one after another, in the order in which it was submitted.

    Errors are failures as in a `WorkerPool`. Nothing stops work that has begun: only work whose
    limit is 0 seconds is not begun, and memory is not limited.
    """

    n_workers = 0

    def __init__(self, *, threads: int = 1) -> None:
        self.threads = threads
        self._queue: deque[Work] = deque()

    @property
    def n_free(self) -> int:
        """1 where nothing waits."""
        return int(not self._queue)

    def submit(self, work: Work) -> None:
        """Put work at the end of the queue."""
        self._queue.append(work)

    def share(self, value: Any) -> Any:
        """Return an array that work can read and not change; other values as they are."""
        if not hasattr(value, "setflags"):
            return value
        view = value.view()
        view.setflags(write=False)
        return view

    def next_outcome(self, timeout: float | None = None) -> Outcome | None:  # noqa: ARG002
        """Run the next work; None where there is none."""
        if not self._queue:
            return None
        work = self._queue.popleft()
        if work.seconds <= 0:
            return Outcome(work.key, failure=out_of_time(0.0))
        begin, cpu_begin = time.monotonic(), time.process_time()
        value, failure = self._run(work)
        seconds, cpu_seconds = time.monotonic() - begin, time.process_time() - cpu_begin
        return Outcome(work.key, value, failure, seconds, cpu_seconds)

    def cancel(self, key: Hashable) -> None:
        """Drop work that waits."""
        self._queue = deque(work for work in self._queue if work.key != key)

    def close(self) -> None:
        """Drop all work."""
        self._queue.clear()

    def __enter__(self) -> SameProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, work: Work) -> tuple[Any, Failure | None]:
        with config(threads=self.threads, progress=False), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return work.function(*work.args), None
            except Exception as error:
                return None, failure_of(error, None)
