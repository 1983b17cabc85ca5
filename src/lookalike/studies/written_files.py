"""The JSON files in the folder of a study, checked as those of strangers before they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from lookalike.data.samples import BUNDLED_SAMPLES
from lookalike.errors import LookalikeError, ModelFileError
from lookalike.file_schema import (
    Rule,
    choice,
    fill_defaults,
    items,
    named,
    open_record,
    optional,
    parse_plain_json,
    rule_of,
    scalar,
    text,
    whole,
    wrong_field,
)
from lookalike.studies.format import METRIC_TITLES
from lookalike.studies.results import STUDY_SCHEMA, Study

MAX_JSON_BYTES = 100_000_000  # of a file of a study
FILE_OPTIONS: dict[str, Rule] = {  # of a csv or an archive, as `open_source` takes them
    **dict.fromkeys(("array", "table", "delimiter", "decimal", "thousands", "encoding"), text),
    "missing": items(scalar),
    "default_missing": scalar,
    "header": scalar,
    "ragged": scalar,
    "types": named(text),
}
_PREPARATION_RULES = {
    "texts": open_record({"column": optional(text)}),
    "table": open_record(
        {
            "columns": named(text),
            **dict.fromkeys(("scale", "encoding", "metric", "description"), text),
            "date_parts": optional(items(text)),
        }
    ),
}


def read_study(path: Path) -> dict[str, Any]:
    """Return what study.json holds, or raise a ModelFileError that names the field at fault.

    Fields that it lacks, as an earlier version did not write them, have their defaults.
    """
    content: dict[str, Any] = fill_defaults(Study, _read(path, _check_study))
    return content


def read_source(path: Path) -> dict[str, Any]:
    """Return what source.json holds, or raise a ModelFileError that names the field at fault."""
    return _read(path, _check_source)


@contextmanager
def checked_file(path: Path) -> Iterator[None]:
    """Raise a ModelFileError that names `path` in the place of what reading it raised."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(
            f"{path} is not what a study writes: {error}. Run the study again."
        ) from None
    except LookalikeError:
        raise
    except Exception as error:  # a damaged file makes readers raise almost anything
        raise ModelFileError(
            f"{path} is damaged, or of no study ({type(error).__name__}: {error}). Run the study "
            "again."
        ) from None


def _read(path: Path, check: Callable[[Any], None]) -> dict[str, Any]:
    with checked_file(path):
        if path.stat().st_size > MAX_JSON_BYTES:
            raise ModelFileError(f"it has more than {MAX_JSON_BYTES:,} bytes")
        content: dict[str, Any] = parse_plain_json(path.read_bytes())
        check(content)
    return content


@cache
def _study_rule() -> Rule:
    return rule_of(Study)


def _check_study(content: Any) -> None:
    _study_rule()(content, "")
    if not content["schema"].startswith(STUDY_SCHEMA.partition("/")[0]):
        raise wrong_field("schema", content["schema"], STUDY_SCHEMA)
    scores = content.get("held_out") or {}
    choice(*METRIC_TITLES)(scores.get("metric", "error"), "held_out.metric")
    choice("", *METRIC_TITLES)(scores.get("scoring", ""), "held_out.scoring")
    names = [candidate["name"] for candidate in content["candidates"]]
    if content["winner"] is not None and content["winner"] not in names:
        raise wrong_field("winner", content["winner"], "the name of a candidate")


def _check_source(content: Any) -> None:
    open_record({"schema": text})(content, "")
    if content["schema"].partition("/")[2] != "1":
        raise ModelFileError("it is of a newer version, which an update of lookalike reads")
    _SOURCE_RULE(content, "")
    preparation = content["preparation"]
    open_record({"kind": choice(*_PREPARATION_RULES)})(preparation, "preparation")
    _PREPARATION_RULES[preparation["kind"]](preparation, "preparation")
    named_by = {"sample": "sample", "file": "absolute_path", "folder": "absolute_path"}
    needed = named_by.get(content["kind"])
    if needed and content[needed] is None:
        raise wrong_field(needed, None, "text")


def _dialect(value: Any, field: str) -> None:
    named(lambda *_: None)(value, field)
    for name, option in value.items():
        choice(*FILE_OPTIONS)(name, f"{field}, an option,")
        optional(FILE_OPTIONS[name])(option, f"{field}.{name}")


def _column(value: object, field: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise wrong_field(field, value, "a column")


_SOURCE_RULE = open_record(
    {
        "kind": choice("sample", "file", "folder", "memory"),
        "sample": optional(choice(*BUNDLED_SAMPLES)),
        "path": optional(text),
        "absolute_path": optional(text),
        "sha256": optional(text),
        "target": optional(_column),
        "text": optional(text),
        "dialect": _dialect,
        "task": text,
        "split": optional(text),
        "metric": text,
        "seed": whole(),
        "engine": text,
        "groups": optional(text),
        "scoring": text,
        "drop": items(_column),
        "memory": optional(whole(1)),
        "preparation": lambda *_: None,
    }
)
