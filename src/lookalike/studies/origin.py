"""Where the rows of a study came from, and how they were read: enough to read them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lookalike.data.samples import BUNDLED
from lookalike.errors import ParameterError, SourceMissingError
from lookalike.settings import config
from lookalike.studies.context import StudyContext, StudyOptions, load_context
from lookalike.studies.load.open import open_data
from lookalike.studies.select.budget import Budget

SCHEMA = "lookalike.source/1"
FILE = "source.json"
BLOCK = 2**20  # bytes read at once
READ_AS = ("task", "split", "metric", "seed", "engine", "groups", "scoring")  # of the options


@dataclass(frozen=True)
class Origin:
    """The data of a study as they were given, with the options they were read with.

    Attributes
    ----------
    X, y : object
        As given to :func:`lookalike.study`: a path, the name of a sample, or rows in memory.
    target, text, dialect, options
        How they were read.
    memory : int
        The memory budget in bytes: rows beyond it were sampled.
    """

    X: Any
    y: object
    target: str | None
    text: str | None
    dialect: Mapping[str, object] | None
    options: StudyOptions
    memory: int

    @property
    def kind(self) -> str:
        """What the data are: a sample, a file, a folder, or rows in memory."""
        if isinstance(self.X, str) and self.X in BUNDLED:
            return "sample"
        if self.y is not None or not isinstance(self.X, (str, os.PathLike)):
            return "memory"
        if os.path.isdir(self.X):
            return "folder"
        return "file" if os.path.isfile(self.X) else "memory"  # pipes are read once

    def read(self) -> StudyContext:
        """Return the rows again, without those of a test file."""
        if hasattr(self.X, "__next__"):
            raise ParameterError("The rows came from an iterator, which is read once. Give a file.")
        options = replace(self.options, test=None)
        with config(memory=self.memory):
            data = open_data(
                self.X, self.y, target=self.target, text=self.text, dialect=self.dialect
            )
            return load_context(replace(data, test=None), options, Budget(None))

    def to_dict(self, folder: Path) -> dict[str, object]:
        """Return the origin as JSON holds it; paths are relative to `folder` and absolute."""
        path = os.path.abspath(self.X) if self.kind in ("file", "folder") else None
        groups = self.options.groups
        options = {name: getattr(self.options, name) for name in READ_AS}
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "sample": self.X if self.kind == "sample" else None,
            "path": None if path is None else _relative(path, folder),
            "absolute_path": path,
            "sha256": None if path is None else fingerprint(path),
            "target": self.target,
            "text": self.text,
            "dialect": dict(self.dialect or {}),
            **options,
            "groups": groups if isinstance(groups, str) else None,
            "drop": list(self.options.drop),
            "memory": self.memory,
        }


def origin_from(content: Mapping[str, Any], folder: Path, data: Any = None) -> tuple[Origin, str]:
    """Return the origin that `to_dict` wrote, and a sentence where the data changed since.

    `data` is the path of the data where they lie elsewhere by now.
    """
    options = StudyOptions(**{name: content[name] for name in READ_AS}, drop=tuple(content["drop"]))
    place, changed = data, ""
    if data is None:
        place = content["sample"] or _locate(content, folder)
    if content["sha256"] is not None and fingerprint(place) != content["sha256"]:
        changed = (
            f"{place} is not what it was when the study was made: its SHA-256 differs. Figures of "
            "the study are those of the data as they were; run the study again to renew them."
        )
    dialect = content["dialect"] or None
    origin = Origin(
        place, None, content["target"], content["text"], dialect, options, content["memory"]
    )
    return origin, changed


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, or of the names and contents of the files of a folder."""
    digest = hashlib.sha256()
    for name, file in _files(path):
        digest.update(name.encode())
        with open(file, "rb") as stream:
            while block := stream.read(BLOCK):
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
        if os.path.exists(place):
            return str(place)
    raise SourceMissingError(
        f"The data of {folder} were {content['absolute_path']}, which is not there any more. "
        "Give their path (--data FILE)."
    )
