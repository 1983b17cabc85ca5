"""The arrays of a model file that have an entry for each training row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lookalike.store.encode import Encoder

ROW_COUNT = "n_samples_fit_"  # how many rows a model was fitted to, where it keeps some
ROW_LABELS = "labels_"  # the cluster of each row, as scikit-learn names it


class RowEntries(NamedTuple):
    """An array whose first axis is the training rows."""

    name: str
    shape: tuple[int, ...]


def row_entries(model: object) -> list[RowEntries]:
    """Return the arrays in the file of a model that have an entry for each training row.

    They are found by their lengths in all of its state, also of steps and members. An array that
    the file holds once and the model twice is named once.

    Examples
    --------
    >>> from lookalike import KMeans
    >>> row_entries(KMeans(2).fit([[0.0, 1.0], [0.0, 1.0], [3.0, 0.0]]))
    [RowEntries(name='labels_', shape=(3,))]
    """
    encoder = Encoder()
    root = encoder.encode(model, type(model).__name__)
    shapes = {str(number): array.shape for number, array in enumerate(encoder.arrays)}
    parts = dict(_parts(root, "", shapes))
    counts = {
        value if isinstance(value, int) else value[0]
        for name, value in parts.items()
        if name.rpartition(".")[2] in (ROW_COUNT, ROW_LABELS) and value
    }
    return [
        RowEntries(name, value)
        for name, value in parts.items()
        if isinstance(value, tuple) and value and value[0] in counts
    ]


def _parts(
    part: object, name: str, shapes: dict[str, tuple[int, ...]]
) -> Iterator[tuple[str, int | tuple[int, ...]]]:
    """Name the numbers and arrays of plain data; an array leaves `shapes` when it is named."""
    if isinstance(part, int):
        yield name, part
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from _parts(inner, f"{name}[{number}]", shapes)
    elif isinstance(part, dict) and "array" in part:
        if part["array"] in shapes:
            yield name, shapes.pop(part["array"])
    elif isinstance(part, dict) and "shape" in part:  # a sparse matrix, or an array of objects
        yield name, tuple(part["shape"])
    elif isinstance(part, dict):
        for key, inner in part.items():
            plain = key in ("object", "parameters", "state", "tuple", "dict")
            yield from _parts(inner, name if plain else f"{name}.{key}".lstrip("."), shapes)
