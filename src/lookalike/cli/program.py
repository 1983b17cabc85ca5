"""The program `lookalike`: its commands, and what happens when one fails."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

import lookalike
from lookalike.cli.audit import audit
from lookalike.cli.card import card
from lookalike.cli.cluster import cluster
from lookalike.cli.compare import compare
from lookalike.cli.explain import explain
from lookalike.cli.export import export
from lookalike.cli.index import add, build, describe, remove
from lookalike.cli.info import info
from lookalike.cli.neighbors import neighbors
from lookalike.cli.options import (
    OutputClosedError,
    closes_quietly,
    in_options,
    reads_files,
    spell_out_scale,
)
from lookalike.cli.plan import plan
from lookalike.cli.predict import predict
from lookalike.cli.reduce import reduce
from lookalike.cli.select import select
from lookalike.cli.serve import serve
from lookalike.cli.standard_streams import drop
from lookalike.cli.study import study
from lookalike.cli.version import version_lines
from lookalike.errors import LookalikeError
from lookalike.printable import printable

WRONG_INPUT = 2
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
INTERRUPT_EXIT = 130
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (study, predict, explain, neighbors, reduce, cluster, select, audit, plan, compare):
    app.command()(reads_files(command))
app.command()(closes_quietly(info))
app.command()(closes_quietly(card))
app.command()(closes_quietly(export))
index_app = typer.Typer(no_args_is_help=True, help="An exact index on disk, for rows of any size.")
index_app.command()(reads_files(build))
index_app.command()(reads_files(add))
index_app.command()(closes_quietly(remove))
index_app.command("info")(closes_quietly(describe))
app.add_typer(index_app, name="index")
app.command()(closes_quietly(serve))


@app.callback(invoke_without_command=True)
def program(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="With --version: also of what it runs on and with."),
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
    if version:
        typer.echo("\n".join(version_lines(verbose=verbose)))
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")
    if verbose:
        context.fail("--verbose goes with --version.")
    context.with_resource(
        lookalike.config(memory=memory, threads=threads, progress=sys.stderr.isatty())
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 success, 1 a difference that `compare` cannot explain, 2 wrong input, 70 an internal error,
    130 interrupted.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            result = app(spell_out_scale(arguments), prog_name="lookalike", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong options: typer has the sentence
        with contextlib.suppress(OSError):
            error.message = printable(error.message)
            error.show()  # type: ignore[attr-defined]
        return WRONG_INPUT
    except (BrokenPipeError, OutputClosedError):
        drop(sys.stdout)
        return 0
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPT_EXIT
    except Exception as error:
        return _report_error(error, arguments)
    if result == INTERRUPT_EXIT:  # which typer may have noticed itself
        with contextlib.suppress(OSError):
            print("lookalike: stopped", file=sys.stderr)
    return result if isinstance(result, int) else 0


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line, without its place in the code."""
    from lookalike.cli.output import print_note

    print_note(" ".join(str(message).split()))


def _report_error(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error in one sentence and return the exit code; unexpected ones are internal."""
    from lookalike.cli.output import print_stderr

    if "--debug" in arguments:
        with contextlib.suppress(OSError):
            sys.stderr.write(printable("".join(traceback.format_exception(error))))
    message = in_options(" ".join(str(error).split()))
    if isinstance(error, MemoryError) and not message:
        message = "There is not enough memory. Give fewer rows, or a smaller --memory."
    if isinstance(error, FileNotFoundError) and error.filename is None and _lost_folder():
        message = "The working folder was removed. Change to a folder that exists, and try again."
    if isinstance(error, (LookalikeError, OSError, MemoryError)):
        print_stderr(message, "red")
        return WRONG_INPUT
    print_stderr(
        f"internal error, {type(error).__name__}: {message[:500].rstrip('.')}. "
        f"This is a bug in lookalike. The traceback is in {_traceback_file(error, arguments)}: "
        "please report it with that file and, if you may, the data (docs/commands.md says how).",
        "red",
    )
    return INTERNAL_ERROR


def _lost_folder() -> bool:
    """Return whether the working folder is gone, so that relative paths lead nowhere."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _traceback_file(error: Exception, arguments: Sequence[str]) -> str:
    """Write what a report of an error needs to a new file, and return its path."""
    lines = [
        f"lookalike {lookalike.__version__}, Python {platform.python_version()}, "
        f"{platform.platform()}\n",
        f"arguments: {list(arguments)!r}\n\n",
        *traceback.format_exception(error),
    ]
    try:
        file, path = tempfile.mkstemp(prefix="lookalike-error-", suffix=".txt")
        with open(file, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.writelines(lines)
    except OSError as reason:
        return f"no file, as none could be written ({reason}); give --debug before the command"
    return path
