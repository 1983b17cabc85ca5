"""Where the rows of a study came from, and how they were read: enough to read them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.errors import ParameterError, SourceMissingError
from lookalike.settings import config
from lookalike.studies.context import StudyContext, StudyOptions, load_context
from lookalike.studies.load.open import is_sample
from lookalike.studies.select.budget import Budget

ORIGIN_SCHEMA = "lookalike.source/1"
ORIGIN_FILE = "source.json"
BYTES_READ_AT_ONCE = 2**20  # bytes read at once
READ_AS = ("task", "split", "metric", "seed", "engine", "groups", "scoring")  # of the options


def read_again(options: StudyOptions) -> StudyContext:
    """Return the rows of a study again, without those of a test file."""
    if hasattr(options.X, "__next__"):
        raise ParameterError("The rows came from an iterator, which is read once. Give a file.")
    with config(memory=options.memory):
        return load_context(replace(options, test=None), Budget(None), test_of_file=False)


def origin_kind(options: StudyOptions) -> str:
    """Return what the data are: a sample, a file, a folder, or rows in memory."""
    X = options.X
    if is_sample(X):
        return "sample"
    if options.y is not None or not isinstance(X, (str, os.PathLike)):
        return "memory"
    if os.path.isdir(X):
        return "folder"
    return "file" if os.path.isfile(X) else "memory"  # pipes are read once


def origin_to_dict(options: StudyOptions, folder: Path) -> dict[str, object]:
    """Return where the rows came from, as JSON holds it; paths are relative to `folder` too."""
    kind, groups = origin_kind(options), options.groups
    path = os.path.abspath(options.X) if kind in ("file", "folder") else None
    return {
        "schema": ORIGIN_SCHEMA,
        "kind": kind,
        "sample": options.X if kind == "sample" else None,
        "path": None if path is None else _relative(path, folder),
        "absolute_path": path,
        "sha256": None if path is None else fingerprint(path),
        "target": options.target,
        "text": options.text,
        "dialect": dict(options.dialect or {}),
        **{name: getattr(options, name) for name in READ_AS},
        "groups": groups if isinstance(groups, str) else None,
        "drop": list(options.drop),
        "memory": options.memory,
    }


def origin_from(
    content: Mapping[str, Any], folder: Path, data: Any = None
) -> tuple[StudyOptions, str]:
    """Return what `origin_to_dict` wrote, and a sentence where the data changed since.

    `data` is the path of the data where they lie elsewhere by now.
    """
    path, changed = data, ""
    if data is None:
        path = content["sample"] or _locate(content, folder)
    if content["sha256"] is not None and fingerprint(path) != content["sha256"]:
        changed = (
            f"{path} is not what it was when the study was made: its SHA-256 differs. Figures of "
            "the study are those of the data as they were; run the study again to renew them."
        )
    options = StudyOptions(
        path,
        target=content["target"],
        text=content["text"],
        dialect=content["dialect"] or None,
        drop=tuple(content["drop"]),
        memory=content["memory"],
        **{name: content[name] for name in READ_AS},
    )
    return options, changed


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, or of the names and contents of the files of a folder."""
    digest = hashlib.sha256()
    for name, file in _files(path):
        digest.update(name.encode())
        with open(file, "rb") as stream:
            while block := stream.read(BYTES_READ_AT_ONCE):
                digest.update(block)
    return digest.hexdigest()


def _files(path: str | os.PathLike[str]) -> Iterator[tuple[str, Path]]:
    top = Path(path)
    if not top.is_dir():
        yield "", top
        return
    for file in sorted(top.rglob("*")):
        if file.is_file():
            yield file.relative_to(top).as_posix(), file


def _relative(path: str, folder: Path) -> str | None:
    try:
        return os.path.relpath(path, folder.absolute())
    except ValueError:  # another drive
        return None


def _locate(content: Mapping[str, Any], folder: Path) -> str:
    """Return the path of the data: by the place of the study, or as it was."""
    if content["kind"] == "memory":
        raise ParameterError(
            f"{folder} is a study of rows in memory, and its files do not hold them. Give the data "
            "(--data FILE), or call explore() on the study itself."
        )
    tried = []
    if content["path"] is not None:
        tried.append(os.path.normpath(folder / content["path"]))
    tried.append(content["absolute_path"])
    for place in tried:
        if os.path.isdir(place) if content["kind"] == "folder" else os.path.isfile(place):
            return str(place)
    raise SourceMissingError(
        f"The data of {folder} were {content['absolute_path']}, which is not there any more. "
        "Give their path (--data FILE)."
    )
