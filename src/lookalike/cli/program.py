"""The program `lookalike`: its commands, and what happens when one fails."""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

import lookalike
from lookalike.cli.audit import audit
from lookalike.cli.cluster import cluster
from lookalike.cli.compare import compare
from lookalike.cli.explain import explain
from lookalike.cli.info import info
from lookalike.cli.neighbors import neighbors
from lookalike.cli.options import OutputClosedError, closes_quietly, in_options, reads_files
from lookalike.cli.plan import plan
from lookalike.cli.predict import predict
from lookalike.cli.reduce import reduce
from lookalike.cli.select import select
from lookalike.cli.standard_streams import drop
from lookalike.cli.study import study
from lookalike.errors import LookalikeError
from lookalike.printable import printable

INTERRUPTED = 130  # exit code of a program that Ctrl-C ended
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (study, predict, explain, neighbors, reduce, cluster, select, audit, plan, compare):
    app.command()(reads_files(command))
app.command()(closes_quietly(info))


def print_version(requested: bool) -> None:
    """Print the version and end."""
    if requested:
        typer.echo(f"lookalike {lookalike.__version__}")
        raise typer.Exit


@app.callback()
def program(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - handled by print_version
        bool,
        typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True),
    ] = False,
    memory: Annotated[
        str | None, typer.Option(help="Memory to use in addition to the data, for example 2GB.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; -1 means all cores.")] = None,
    debug: Annotated[  # noqa: ARG001 - handled by run
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
) -> None:
    """Learning by similarity and dimension reduction, exact and explained."""
    context.with_resource(
        lookalike.config(memory=memory, threads=threads, progress=sys.stderr.isatty())
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 success, 1 an unexplained difference or an internal error, 2 wrong input, 130 interrupted.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            result = app(list(arguments), prog_name="lookalike", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong options: typer has the sentence
        with contextlib.suppress(OSError):
            error.message = printable(error.message)
            error.show()  # type: ignore[attr-defined]
        return 2
    except (BrokenPipeError, OutputClosedError):
        drop(sys.stdout)
        return 0
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except Exception as error:
        return _report_error(error, debug="--debug" in arguments)
    if result == INTERRUPTED:  # which typer may have noticed itself
        with contextlib.suppress(OSError):
            print("lookalike: stopped", file=sys.stderr)
    return result if isinstance(result, int) else 0


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line, without its place in the code."""
    from lookalike.cli.output import print_note

    print_note(" ".join(str(message).split()))


def _report_error(error: Exception, *, debug: bool) -> int:
    """Print an error in one sentence and return the exit code; unexpected ones are internal."""
    expected = isinstance(error, (LookalikeError, OSError, MemoryError))
    if debug:
        with contextlib.suppress(OSError):
            sys.stderr.write(printable("".join(traceback.format_exception(error))))
    message = in_options(" ".join(str(error).split()))
    if isinstance(error, MemoryError) and not message:
        message = "There is not enough memory. Give fewer rows, or a smaller --memory."
    if not expected:
        kind = type(error).__name__
        more = "" if debug else " Give --debug before the command for the traceback."
        message = f"internal error, {kind}: {message[:500]}.{more}"
    from lookalike.cli.output import print_stderr

    print_stderr(message, "red")
    return 2 if expected else 1
