"""A result that takes a while: computed once, in a thread of its own, and waited for.

Where the program ends meanwhile, it waits for the thread, which stops at its next step: a thread
that were cut off inside of native code would end the process with an error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from lookalike.errors import LookalikeError
from lookalike.progress import listening

Result = TypeVar("Result")
REQUEST_WAIT_SECONDS = 20.0  # seconds that a request waits


class NotReadyError(LookalikeError, TimeoutError):
    """A result that is still being computed."""


class Pending(Generic[Result]):
    """A result that is computed when it is first wanted, or before.

    Parameters
    ----------
    compute : function
        Returns the result.
    what : str
        What is going on meanwhile, for the error of a request that does not wait any longer.
    """

    def __init__(self, compute: Callable[[], Result], what: str) -> None:
        self._compute, self._what, self._lock = compute, what, threading.Lock()
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._result: Result
        self._error: BaseException | None = None
        self._stage: tuple[str, int, int | None] = ("", 0, None)

    @classmethod
    def of(cls, result: Result) -> Pending[Result]:
        """Return a result that is there already."""
        pending = cls(lambda: result, "")
        pending._result, pending._thread = result, threading.current_thread()
        pending._done.set()
        return pending

    @property
    def ready(self) -> bool:
        """Whether the result is there."""
        return self._done.is_set() and self._error is None

    @property
    def begun(self) -> bool:
        """Whether the result is there, or being computed."""
        return self._thread is not None

    @property
    def stage(self) -> dict[str, object] | None:
        """What is being done, how much of it, and of how much; None unless it is under way."""
        if not self.begun or self._done.is_set():
            return None
        label, done, total = self._stage
        return {"stage": label, "done": done, "total": total}

    @property
    def failure(self) -> str | None:
        """Why there will be no result; None where there is one, or may be one soon."""
        if self._error is None or isinstance(self._error, SystemExit):
            return None
        return str(self._error) or type(self._error).__name__

    def start(self) -> None:
        """Begin to compute, where that was not begun before."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=False)
                self._thread.start()

    def get(self, patience: float = REQUEST_WAIT_SECONDS) -> Result:
        """Return the result, waiting for it as long as a request may."""
        self.start()
        if not self._done.wait(patience):
            raise NotReadyError(f"{self._what}. Try again in a moment.")
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self) -> None:
        try:
            with listening(self._note):
                self._result = self._compute()
        except BaseException as error:
            self._error = error
        self._done.set()

    def _note(self, label: str, done: int, total: int | None) -> None:
        """Keep how far the work is; end it where the program has, and waits for its threads."""
        if not threading.main_thread().is_alive():
            raise SystemExit
        self._stage = (label, done, total)
