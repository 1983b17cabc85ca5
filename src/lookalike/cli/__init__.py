"""The command line: one file per command; wrong input gives one sentence and exit code 2."""

from __future__ import annotations

import atexit
import io
import os
import sys

__all__ = ["main"]
SWITCH = 0.0005  # seconds: threads that read need the interpreter often, each time for a moment


def main() -> None:
    """Run the program `lookalike`."""
    # Read when OpenMP is loaded. Its threads would keep the cores busy while they wait, which takes
    # most of the time of boosted trees where other programs run too.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line needs typer and rich. Run: pip install 'lookalike[cli]'")
    from lookalike.cli.standard_streams import flush_streams, open_closed_streams

    open_closed_streams()
    from lookalike.cli.program import INTERRUPTED, run

    _write_utf8()
    sys.setswitchinterval(SWITCH)
    code = run(sys.argv[1:])
    if code != INTERRUPTED:
        atexit._run_exitfuncs()
    flush_streams()
    # At once: threads of Arrow that still read a file, or let go of one, abort a process whose
    # interpreter is being taken down (apache/arrow#34314).
    os._exit(code)


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes; a terminal shows ? for characters it cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
