"""The command line: one file a command; errors are one sentence and exit code 2."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Run the program `lookalike`."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line needs typer and rich. Run: pip install 'lookalike[cli]'")
    from lookalike.cli.program import INTERRUPTED, run

    _write_every_letter()
    code = run(sys.argv[1:])
    if code == INTERRUPTED:  # at once: threads that still read a pipe do not outlive Python well
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _write_every_letter() -> None:
    """Let output be UTF-8 in files and pipes; a terminal shows ? for letters it does not know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
