"""A folder of images or of text files as rows; sub-folders are classes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from lookalike.data.chunk import TableChoice
from lookalike.data.source import Source
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, SourceError
from lookalike.typing import AnyArray

IMAGE_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".ppm", ".pbm",
)  # fmt: skip
TEXT_SUFFIXES = (".txt", ".text", ".md")


def open_folder(
    path: str,
    y: object = None,
    *,
    image_shape: tuple[int, ...] | None = None,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the images or texts of a folder, whichever are more, in order of their paths.

    The first sub-folder on the way to a file is its class. Hidden files are ignored; files
    of other kinds, and what is not a regular file, are counted in ``decisions``. `image_shape` is
    the height, width and, of colored ones, channels that images are brought to.
    """
    given = [name for name, value in choice.items() if value is not None]
    if given:
        raise ParameterError(
            f"{given[0]} names a column of a table, and {path!r} is a folder. Leave it out."
        )
    images, texts = _list(path, IMAGE_SUFFIXES), _list(path, TEXT_SUFFIXES)
    if not images[0] and not texts[0]:
        raise SourceError(
            f"{path!r} is a directory without images ({', '.join(IMAGE_SUFFIXES)}) or texts "
            f"({', '.join(TEXT_SUFFIXES)}). Give one that has them, or one file."
        )
    are_texts = len(texts[0]) > len(images[0])
    files, classes, n_others = texts if are_texts else images
    decisions = Decisions()
    if n_others:
        decisions.add("folder", f"{n_others} files are not read", "they are of other kinds")
    if are_texts:
        return _texts(files, classes if y is None else y, decisions)
    from lookalike.data.formats.images import ImageSource

    return ImageSource(files, classes if y is None else y, decisions, image_shape)


def _list(path: str, suffixes: tuple[str, ...]) -> tuple[list[Path], AnyArray | None, int]:
    """Return the files of one kind, the class of each, and how many others there are."""
    root = Path(path)
    every = sorted(
        Path(folder) / name
        for folder, _, names in os.walk(root)
        for name in names
        if not any(part.startswith(".") for part in (Path(folder) / name).relative_to(root).parts)
    )
    files = [file for file in every if file.suffix.lower() in suffixes and file.is_file()]
    parts = [file.relative_to(root).parts for file in files]
    if not any(len(part) > 1 for part in parts):
        return files, None, len(every) - len(files)
    alone = next((file for file, part in zip(files, parts, strict=True) if len(part) == 1), None)
    if alone is not None:
        raise SourceError(
            f"{str(alone)!r} is not in a sub-folder, and sub-folders are the classes. Put it into "
            "one of them."
        )
    classes = np.array([part[0] for part in parts])
    return files, classes, len(every) - len(files)


def _texts(files: list[Path], y: object, decisions: Decisions) -> Source:
    column = np.empty(len(files), object)
    for index, file in enumerate(files):
        try:
            column[index] = file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise SourceError(f"{str(file)!r} is not in utf-8. Convert it.") from None
    kinds: Mapping[str, Any] = {"text": "text"}
    source = ColumnsSource({"text": column}, kinds, y=y)
    source.decisions = decisions
    return source
