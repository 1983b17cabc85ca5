"""Rows of NumPy's own files: .npy mapped into memory, .npz read."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from lookalike.data.chunk import Kind, TableChoice, TypeChoice
from lookalike.data.formats.byte_streams import StreamContent, called, opened, require_budget
from lookalike.data.select import select
from lookalike.data.source import Source, open_rows
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.tables import require_no_types
from lookalike.errors import ColumnError, MemoryBudgetError, SourceError
from lookalike.typing import AnyArray

FEATURE_ARRAY_NAMES = ("X", "x", "X_train", "x_train", "data", "images", "points")
TARGET_ARRAY_NAMES = ("y", "y_train", "target", "labels")
COLUMN_ARRAY_NAMES = ("feature_names", "columns", "names")  # of the columns


def open_npy(data: str | StreamContent, y: object = None, **choice: Unpack[TableChoice]) -> Source:
    """Return the rows of an .npy file, which is mapped and not loaded.

    Items of more than one dimension, for example images, are flattened: the first axis is the rows.
    """
    try:
        mapped: Any = "r" if isinstance(data, str) else None
        X = np.load(opened(data), mmap_mode=mapped, allow_pickle=False)
    except Exception as error:  # a damaged header makes NumPy raise almost anything
        raise _unreadable(called(data), error) from None
    return _shape(open_rows(_flat(X), y, **choice), X)


def open_npz(
    data: str | StreamContent,
    y: object = None,
    *,
    array: str | None = None,
    target: object = None,
    columns: object = None,
    drop: object = None,
    types: Mapping[str, Kind] | None = None,
    weight: object = None,
) -> Source:
    """Return the rows of one array of an .npz file, with another as y.

    X is the array called `array`, else the only one, else the first of X, x_train, data, images
    or points; y is the array called `target`, else y, y_train, target or labels, where present.
    Columns have the names in feature_names, columns or names, where that holds a text for each.
    """
    path = called(data)
    try:
        with _file(data) as file, np.load(file, allow_pickle=False) as archive:
            names = archive.files
            chosen = _choose(path, names, array, FEATURE_ARRAY_NAMES, "array") or names[0]
            X = read_array(archive, chosen, path)
            named = target if isinstance(target, str) and target in names else None
            if y is None and (named or target is None):
                label = _choose(path, names, named, TARGET_ARRAY_NAMES, "target")
                y = None if label in (None, chosen) else read_array(archive, str(label), path)
                target = None
            titles = _titles(archive, X)
    except (ColumnError, MemoryBudgetError):
        raise
    except Exception as error:  # a damaged archive makes NumPy raise almost anything
        raise _unreadable(path, error) from None
    if titles is None:
        choice: TypeChoice = {"target": target, "columns": columns, "drop": drop, "types": types}
        return _shape(open_rows(_flat(X), y, weight=weight, **choice), X)
    require_no_types(types)
    source = ArraySource(X, y, names=titles)
    return select(source, target=target, columns=columns, drop=drop, weight=weight)


def _titles(archive: Any, X: AnyArray) -> list[str] | None:
    """Return the names of the columns, where the archive has one for each."""
    for name in COLUMN_ARRAY_NAMES:
        if name in archive.files and X.ndim == 2:
            titles = archive[name]
            if titles.dtype.kind == "U" and titles.shape == X.shape[1:]:
                return [str(title) for title in titles]
    return None


def open_held_out(path: str) -> Source | None:
    """Return the rows of x_test with y_test, where an .npz file has them in addition to x_train."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            chosen = next((name for name in FEATURE_ARRAY_NAMES if name in archive.files), "")
            test = chosen.replace("train", "test")
            if test == chosen or not {test, "y_train", "y_test"} <= set(archive.files):
                return None
            y = read_array(archive, "y_test", repr(path))
    except MemoryBudgetError:
        raise
    except Exception as error:  # as above
        raise _unreadable(path, error) from None
    return open_npz(path, y, array=test)


def read_array(archive: Any, name: str, path: str) -> AnyArray:
    """Return an array of an archive, unless it would expand beyond the memory budget."""
    file = f"{name}.npy"
    info = archive.zip.getinfo(file if file in archive.zip.namelist() else name)
    what = f"array {name!r} of {path}"
    if info.compress_type != zipfile.ZIP_STORED:
        require_budget(what, info.file_size)
    with archive.zip.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = {(1, 0): np.lib.format.read_array_header_1_0}
        shape, _, kind = read.get(version, np.lib.format.read_array_header_2_0)(member)
    if math.prod(shape) * kind.itemsize > info.file_size:
        raise ValueError(f"its header states an array of {shape}, and it is smaller")
    array: AnyArray = archive[name]
    return array


def _file(data: str | StreamContent) -> Any:
    """Return an open file, which NumPy leaves open where it fails."""
    return open(data, "rb") if isinstance(data, str) else opened(data)


def _choose(
    path: str, names: list[str], name: str | None, common: tuple[str, ...], parameter: str
) -> str | None:
    if name is not None and name in names:
        return name
    default = next((one for one in common if one in names), None)
    if name is None and (default or parameter == "target" or len(names) == 1):
        return default
    wanted = "several arrays and none of a common name" if name is None else f"no array {name!r}"
    raise ColumnError(
        f"{path} has {wanted}. Choose one of {', '.join(names) or 'none'} with {parameter}=…"
    )


def _flat(X: AnyArray) -> AnyArray:
    return X.reshape(len(X), -1) if X.ndim > 2 else X


def _shape(source: Source, X: AnyArray) -> Source:
    """Note height and width on a source whose rows are images."""
    if isinstance(source, ArraySource) and X.ndim in (3, 4) and source.n_features == X[0].size:
        source.image_shape = X.shape[1:]
    return source


def _unreadable(path: str, error: Exception) -> SourceError:
    if "pickled" in str(error):  # what NumPy takes any other file for
        return SourceError(
            f"{path} is not a file of NumPy, or one of Python objects, which are never loaded, "
            "since they can run code. Save an array of numbers."
        )
    if "object" in str(error).lower():
        return SourceError(
            f"{path} holds Python objects, which are never loaded since they can run code. "
            "Save an array of numbers."
        )
    return SourceError(f"{path} is damaged or truncated: {error}. Save it again.")
