"""Options that several commands share, and the options on how files are read."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import wraps
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from lookalike.errors import ParameterError


class OutputClosedError(Exception):
    """The reader of the output, head for example, has closed the pipe."""


def complete_samples(incomplete: str) -> list[str]:
    """Return the samples whose names begin with `incomplete`, for shell completion."""
    from lookalike.data.samples import BUNDLED_SAMPLES

    return [name for name in BUNDLED_SAMPLES if name.startswith(incomplete)]


Data = Annotated[
    str,
    typer.Argument(
        help="A file: csv, tsv, json, jsonl, parquet, feather, arrow, xlsx, ods, sqlite, npy, "
        "npz, Stata, SPSS or SAS, each also gz, bz2, xz, zst or zip; a folder of parquet files, "
        "images or text files; - for standard input; or a sample: breast_cancer, diabetes, digits, "
        "iris, wine.",
        metavar="DATA",
        autocompletion=complete_samples,
    ),
]
Model = Annotated[
    Path, typer.Argument(help="A model file, or the folder of a study.", metavar="MODEL")
]
Target = Annotated[str | None, typer.Option(help="The column to predict.")]
Task = Annotated[
    str, typer.Option(help="auto, classification or regression: what the target column holds.")
]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")]
TextColumn = Annotated[str | None, typer.Option(help="The column that holds documents.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Scale = Annotated[
    str | None,
    typer.Option(
        help="zscore (the default), or none: columns in their own units.",
        metavar="[zscore|none]",
    ),
]
Metric = Annotated[str, typer.Option(help="The distance: euclidean, manhattan, cosine …")]
NeighborCount = Annotated[int, typer.Option("-k", "--neighbors", min=1, help="Neighbors per row.")]
Time = Annotated[str, typer.Option(help="Time budget, for example 90s; none means no limit.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
OutCsv = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write to this csv or parquet file; - is standard output (csv)."
    ),
]
OutModel = Annotated[
    Path | None, typer.Option("--model", help="Save the model to this file; - is standard output.")
]


class ColumnOptions(NamedTuple):
    """Which columns of the data are left out, and which holds documents."""

    drop: Drop = None
    text: TextColumn = None


class ComparedColumns(NamedTuple):
    """Which columns rows are not compared by, and which holds documents."""

    drop: Drop = None
    text: TextColumn = None
    target: Target = None


class TargetOptions(NamedTuple):
    """The column to predict, and what it holds."""

    target: Target = None
    task: Task = "auto"


class OutputOptions(NamedTuple):
    """The file that the table is written to, and whether the result is printed as JSON."""

    file: OutCsv = None
    json: Json = False


_FILE_PANEL = "How files are read, where the first lines leave it open"
_FILE_OPTIONS = {
    "delimiter": (str, typer.Option(help="Delimiter of the columns.", rich_help_panel=_FILE_PANEL)),
    "decimal": (str, typer.Option(help="Decimal mark, for example ,", rich_help_panel=_FILE_PANEL)),
    "thousands": (str, typer.Option(help="Thousands separator.", rich_help_panel=_FILE_PANEL)),
    "types": (
        list[str],
        typer.Option(
            help="What a column holds, COL=number, category, text, date or id; date:dmy or "
            "date:mdy says how dates are written; repeatable.",
            metavar="COL=TYPE",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "missing": (
        list[str],
        typer.Option(
            help="Missing-value marker, in addition to the default ones (empty, NA, N/A, NaN, "
            "null, ?); repeatable.",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "default_missing": (
        bool,
        typer.Option(
            "--default-missing/--no-default-missing",
            help="Whether the default missing-value markers apply.",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "header": (
        bool,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns.",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "encoding": (str, typer.Option(help="For example latin-1.", rich_help_panel=_FILE_PANEL)),
    "ragged": (
        str,
        typer.Option(
            help="error or skip: what becomes of lines with more or fewer cells than the header.",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "table": (
        str,
        typer.Option(
            help="The sheet, table of a database or member of a zip file.",
            rich_help_panel=_FILE_PANEL,
        ),
    ),
    "array": (str, typer.Option(help="The array of an npz file.", rich_help_panel=_FILE_PANEL)),
}
_NAMED_OPTIONS = ("time", "task", "scoring", "metric", "drop", "groups", "split", "memory")
_file_options: ContextVar[dict[str, Any]] = ContextVar("file_options", default={})  # noqa: B039 - never changed


def file_options() -> dict[str, Any]:
    """Return the options on how files are read that the user gave."""
    return _file_options.get()


def in_options(sentence: str) -> str:
    """Return a message of the library with its parameters named as options, as far as there are.

    Examples
    --------
    >>> in_options("Give header=False if they are data, or encoding='latin-1'.")
    "Give --no-header if they are data, or --encoding 'latin-1'."
    >>> in_options("time='soon' is not a length of time.")
    "--time 'soon' is not a length of time."
    >>> in_options("Give types={'a': 'category'}, drop=['a b'] or missing=['-9'].")
    "Give --types a=category, --drop 'a b' or --missing -9."
    """
    sentence = sentence.replace("header=False", "--no-header").replace("header=True", "--header")
    sentence = re.sub(r"\btypes=\{['\"](.{0,300}?)['\"]: '([\w:]+)'\}", _types_option, sentence)
    sentence = re.sub(r"\b(drop|missing)=\[(['\"])(.{0,300}?)\2\]", _list_option, sentence)
    sentence = re.sub(r"\btypes (?=(names|gives) ')", "--types ", sentence)
    sentence = re.sub(rf"\b({'|'.join(_NAMED_OPTIONS)})=(?=')", r"--\1 ", sentence)
    return re.sub(rf"\b({'|'.join(_FILE_OPTIONS)})=(?=\W)", r"--\1 ", sentence)


def _types_option(match: re.Match[str]) -> str:
    return f"--types {shlex.quote(f'{match[1]}={match[2]}')}"


def _list_option(match: re.Match[str]) -> str:
    return f"--{match[1]} {shlex.quote(match[3])}"


def types_of(given: Sequence[str]) -> dict[str, str]:
    """Return the types of columns that ``--types COL=TYPE`` gives.

    Examples
    --------
    >>> types_of(["Ticket=category", "a=b=text"])
    {'Ticket': 'category', 'a=b': 'text'}
    """
    types = {}
    for text in given:
        name, sign, kind = text.rpartition("=")
        if not sign or not name:
            example = shlex.quote(text.strip("=") + "=category")
            raise ParameterError(
                f"--types {text} does not name a column and its type. Give COL=TYPE, for example "
                f"--types {example}."
            )
        types[name] = kind
    return types


def spell_out_scale(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the value of a --scale that is given without any.

    Examples
    --------
    >>> spell_out_scale(["cluster", "iris", "--scale", "-o", "clusters.csv"])
    ['cluster', 'iris', '--scale', 'zscore', '-o', 'clusters.csv']
    """
    spelled: list[str] = []
    for argument, follower in zip_longest(arguments, arguments[1:], fillvalue=""):
        spelled.append(argument)
        if argument == "--scale" and (not follower or follower.startswith("-")):
            spelled.append("zscore")
    return spelled


def closes_quietly(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command, which ends where the reader of its output has closed the pipe."""

    @wraps(command)
    def run(*arguments: object, **options: object) -> None:
        try:
            command(*arguments, **options)
        except BrokenPipeError as error:  # which typer would end with code 1
            raise OutputClosedError from error

    vars(run)["__signature__"] = inspect.signature(command, eval_str=True)
    run.__doc__ = flowing(inspect.getdoc(command) or "")
    return run


def flowing(text: str) -> str:
    r"""Return a text whose paragraphs are one line each, for a terminal of any width to wrap.

    Examples
    --------
    >>> flowing("One sentence\nin two lines.\n\nAnother.")
    'One sentence in two lines.\n\nAnother.'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options on files added.

    A parameter whose type is a NamedTuple of options stands for all of these.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {
        n: parameter.annotation
        for n, parameter in signature.parameters.items()
        if _is_group(parameter.annotation)
    }
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind | None, option],
        )
        for name, (kind, option) in _FILE_OPTIONS.items()
    ]

    quiet = closes_quietly(command)

    @wraps(quiet)
    def run(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in _FILE_OPTIONS}
        parts = {name: [arguments.pop(n) for n in group._fields] for name, group in groups.items()}
        arguments |= {name: group(*parts[name]) for name, group in groups.items()}
        given = {name: value for name, value in given.items() if value is not None}
        if "types" in given:
            given["types"] = types_of(given["types"])
        token = _file_options.set(given)
        try:
            quiet(**arguments)
        finally:
            _file_options.reset(token)

    single = [
        part for parameter in signature.parameters.values() for part in _options_of(parameter)
    ]
    single.sort(
        key=lambda parameter: parameter.default is not parameter.empty
    )  # those that must be given first
    vars(run)["__signature__"] = signature.replace(parameters=[*single, *added])
    return run


def _is_group(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def _options_of(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the fields of a group as parameters of a command, any other parameter as it is."""
    group = parameter.annotation
    if not _is_group(group):
        return [parameter]
    defaults = {name: group._field_defaults.get(name, parameter.empty) for name in group._fields}
    return [
        parameter.replace(name=name, default=defaults[name], annotation=kind)
        for name, kind in get_type_hints(group, include_extras=True).items()
    ]
