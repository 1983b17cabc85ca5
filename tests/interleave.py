"""One thread takes a step in the midst of another's call, at each place in turn: no race by chance.

A stress test meets a race where threads happen to be switched; here they are switched on purpose,
before a chosen line or instruction of the package.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import lookalike

PACKAGE = str(Path(lookalike.__file__).parent)
BLOCKED_SECONDS = 0.1  # after which a step is taken to wait for a lock that the call holds


def count_places(call, event="line"):
    """Return how many places `call` has: lines of the package that it passes, or opcodes."""
    switch = _Switch(None, event, -1)
    switch.trace(call)
    return switch.place


def switch_at(call, step, place, event="line"):
    """Return what `call` returns where another thread runs `step` before its place `place`.

    A step that waits for a lock of the call is finished after it, and one whose place a call does
    not reach, as it remembers something, is taken then. What either raises is raised.
    """
    switch = _Switch(step, event, place)
    result = switch.trace(call)
    if switch.thread is None:
        switch.start()
    switch.thread.join()
    if switch.errors:
        raise switch.errors[0]
    return result


class _Switch:
    """Counts the places that a call passes, and takes a step before one of them."""

    def __init__(self, step, event, wanted):
        self.step, self.event, self.wanted = step, event, wanted
        self.place, self.thread, self.errors = -1, None, []

    def trace(self, call):
        """Run the call, watched in this thread alone."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return call()
        finally:
            sys.settrace(before)
            self.place += 1

    def start(self):
        """Take the step in a thread, and wait unless it waits for a lock."""
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.thread.join(BLOCKED_SECONDS)

    def _enter(self, frame, *_):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = self.event == "opcode"
        frame.f_trace_lines = self.event == "line"
        return self._pass

    def _pass(self, _, event, __):
        if event == self.event:
            self.place += 1
            if self.place == self.wanted:
                self.start()
        return self._pass

    def _run(self):
        try:
            self.step()
        except BaseException as error:
            self.errors.append(error)
