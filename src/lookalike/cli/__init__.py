"""The command line: one file a command; errors are one sentence and exit code 2."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the program `lookalike`."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line needs typer and rich. Run: pip install 'lookalike[cli]'")
    from lookalike.cli.program import run

    sys.exit(run(sys.argv[1:]))
