"""The program `lookalike`: its commands, and what it does when one fails."""

from __future__ import annotations

import os
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
from lookalike.cli.options import EnoughError, in_options, reads_files
from lookalike.cli.plan import plan
from lookalike.cli.predict import predict
from lookalike.cli.reduce import reduce
from lookalike.cli.select import select
from lookalike.cli.study import study
from lookalike.errors import LookalikeError

INTERRUPTED = 130  # exit code of a program that Ctrl-C ended
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (study, predict, explain, neighbors, reduce, cluster, select, audit, plan, compare):
    app.command()(reads_files(command))
app.command()(info)


def print_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        typer.echo(f"lookalike {lookalike.__version__}")
        raise typer.Exit


@app.callback()
def program(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - answered by print_version
        bool,
        typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True),
    ] = False,
    memory: Annotated[
        str | None, typer.Option(help="Memory to use beside the data, such as 2GB.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; -1 means all cores.")] = None,
    debug: Annotated[  # noqa: ARG001 - looked at by run, whatever else is wrong
        bool, typer.Option("--debug", help="Show where in the program an error arose.")
    ] = False,
) -> None:
    """Things that look alike must be alike: learning by similarity, and fewer dimensions."""
    context.with_resource(
        lookalike.config(memory=memory, threads=threads, progress=sys.stderr.isatty())
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 done, 1 a comparison found a difference or the program failed, 2 wrong input, 130
    interrupted.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            result = app(list(arguments), prog_name="lookalike", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong options: its own sentence
        error.show()  # type: ignore[attr-defined]
        return 2
    except (BrokenPipeError, EnoughError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except Exception as error:
        return _failed(error, debug="--debug" in arguments)
    if result == INTERRUPTED:  # which typer may have noticed itself
        print("lookalike: stopped", file=sys.stderr)
    return result if isinstance(result, int) else 0


def _warned(message: Warning | str, *_: object, **__: object) -> None:
    """Tell a warning in one line, without its place in the program."""
    from lookalike.cli.output import note

    note(" ".join(str(message).split()))


def _failed(error: Exception, *, debug: bool) -> int:
    """Say what went wrong: a mistake of the user in its own sentence, any other as ours."""
    expected = isinstance(error, (LookalikeError, OSError, MemoryError))
    if debug:
        traceback.print_exception(error)
    said = in_options(" ".join(str(error).split()))
    if isinstance(error, MemoryError) and not said:
        said = "There is not enough memory. Give fewer rows, or a smaller --memory."
    if not expected:
        kind = type(error).__name__
        more = "" if debug else " Run it with --debug before the command to see where."
        said = f"this is an error of the program, {kind}: {said[:500]}.{more}"
    from lookalike.cli.output import say

    say(said, "red")
    return 2 if expected else 1
