"""The command line: one file per command; wrong input gives one sentence and exit code 2."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import time
from contextvars import ContextVar

__all__ = ["main"]
GC_THRESHOLD_OBJECTS = 50_000  # objects after which the collector looks for cycles, instead of 700
MOMENT_OF_IMPORT = time.monotonic()  # before what takes longest to import
SWITCH_INTERVAL_SECONDS = 0.0005  # reading threads need the interpreter often, for a moment

program_begin: ContextVar[float | None] = ContextVar("program_begin", default=None)


def main() -> None:
    """Run the program `lookalike`."""
    program_begin.set(MOMENT_OF_IMPORT)
    set_up_process()
    from lookalike.cli.standard_streams import flush_streams, open_closed_streams

    open_closed_streams()
    from lookalike.cli.program import INTERRUPT_EXIT, run

    _write_utf8()
    code = run(sys.argv[1:])
    if code != INTERRUPT_EXIT:
        atexit._run_exitfuncs()
    flush_streams()
    # At once: threads of Arrow that still read a file, or let go of one, abort a process whose
    # interpreter is being taken down (apache/arrow#34314).
    os._exit(code)


def set_up_process() -> None:
    """Set what a program may set, and a library may not: threads and the garbage collector.

    Threads of OpenMP, which reads this when it is loaded, would keep the cores busy while they
    wait: where other programs run, that takes most of the time of boosted trees. Modules and
    figures make many objects and hardly any cycles, so that these are looked for less often.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    gc.set_threshold(GC_THRESHOLD_OBJECTS)
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes; a terminal shows ? for characters it cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
