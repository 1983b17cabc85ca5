"""Options that several commands have, and how files are read, which all of them may say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer


class EnoughError(Exception):
    """The reader of the output, such as head, has enough."""


def samples_like(incomplete: str) -> list[str]:
    """Return the samples whose names begin so, for shells that complete them."""
    from lookalike.data.samples import BUNDLED

    return [name for name in BUNDLED if name.startswith(incomplete)]


Data = Annotated[
    str,
    typer.Argument(
        help="A csv(.gz), tsv, parquet, arrow, npy, npz or jsonl file, a folder of images or text "
        "files, - for standard input (csv, jsonl, parquet), or a sample: breast_cancer, diabetes, "
        "digits, iris, wine.",
        metavar="DATA",
        autocompletion=samples_like,
    ),
]
Model = Annotated[Path, typer.Argument(help="A model file.", metavar="MODEL")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Scale = Annotated[bool, typer.Option("--scale", help="Bring columns to one scale first.")]
Metric = Annotated[str, typer.Option(help="How rows are compared: euclidean, manhattan, cosine …")]
K = Annotated[int, typer.Option("-k", "--neighbors", min=1, help="Neighbors of each row.")]
OutCsv = Annotated[Path | None, typer.Option("--out", "-o", help="Write to this csv file.")]

Task = Annotated[
    str, typer.Option(help="auto, classification or regression: what the target column holds.")
]
_FILES = "How files are read, where their first lines do not tell"
_DIALECT = {
    "delimiter": (str, typer.Option(help="Sign between columns.", rich_help_panel=_FILES)),
    "decimal": (str, typer.Option(help="Decimal sign, such as ,", rich_help_panel=_FILES)),
    "thousands": (str, typer.Option(help="Sign between thousands.", rich_help_panel=_FILES)),
    "missing": (
        list[str],
        typer.Option(help="Cell that stands for no value; repeat it.", rich_help_panel=_FILES),
    ),
    "header": (
        bool,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns.",
            rich_help_panel=_FILES,
        ),
    ),
    "encoding": (str, typer.Option(help="Such as latin-1.", rich_help_panel=_FILES)),
    "array": (str, typer.Option(help="The array of an npz file.", rich_help_panel=_FILES)),
}
_given: ContextVar[dict[str, Any]] = ContextVar("dialect", default={})  # noqa: B039 - never changed


def dialect() -> dict[str, Any]:
    """Return what the user says of how files are read, and nothing of what is left open."""
    return _given.get()


def in_options(sentence: str) -> str:
    """Return a sentence of the library with its parameters of files named as options.

    Examples
    --------
    >>> in_options("Give header=False if they are data, or encoding='latin-1'.")
    "Give --no-header if they are data, or --encoding 'latin-1'."
    """
    sentence = sentence.replace("header=False", "--no-header").replace("header=True", "--header")
    return re.sub(rf"\b({'|'.join(_DIALECT)})=(?=\W)", r"--\1 ", sentence)


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of files added."""
    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind | None, option],
        )
        for name, (kind, option) in _DIALECT.items()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        said = {name: given.pop(name) for name in _DIALECT}
        token = _given.set({name: value for name, value in said.items() if value is not None})
        try:
            command(**given)
        except BrokenPipeError as error:  # which typer would end with code 1
            raise EnoughError from error
        finally:
            _given.reset(token)

    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    return run
