"""Columns as they are searched for leakage: numbers, categories, dates, names of classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lookalike.missing import is_missing
from lookalike.studies.load.columns import NAMED_ID
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows

NUMBER_PATTERN = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TOKEN_PATTERN = re.compile(r"\w+")
MOST_NUMBERS = 0.9  # part of the cells that must hold a number
IDENTIFYING_SHARE = 0.5  # part of the rows that have a value of their own
REPEATED_NAMES_SHARE = 0.05  # and, of names, part of the rows in distinct values
MOST_LABELS = 50  # classes that are looked for in texts
SECONDS_PER_DAY = 86400.0


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column: its numbers, its categories, or what is left unexplained if it is read as text."""

    name: str
    sources: tuple[str, ...]
    numbers: Array | None = None  # missing ones are NaN
    codes: Rows | None = None  # categories from zero, −1 for missing
    copies: float | None = None  # share of rows whose text does not name their own class
    is_date: bool = False
    is_identifier: bool = False


def read_columns(dataset: Dataset) -> list[ReadColumn]:
    """Return every column as it may hold the target; dates also as differences of each other."""
    columns = [_read(dataset, name) for name in dataset.names if name != dataset.text]
    return [*columns, *_differences(columns)]


def filled_columns(dataset: Dataset) -> dict[str, AnyArray]:
    """Return the columns with missing values, and the rows in which each has one."""
    filled = {}
    for name in dataset.names:
        column = dataset.column(name)
        if column.dtype.kind in "iub":
            continue
        if column.dtype.kind == "f":
            present = ~np.isnan(column)
        elif column.dtype.kind == "M":
            present = ~np.isnat(column)
        else:
            present = np.array([not _is_empty(cell) for cell in column.tolist()])
        if not present.all():
            filled[name] = present
    return filled


def _is_empty(cell: object) -> bool:
    return is_missing(cell) or str(cell).strip() == ""


def _read(dataset: Dataset, name: str) -> ReadColumn:
    column = dataset.column(name)
    if column.dtype.kind == "M":
        moment = column.astype("datetime64[s]").astype(np.float64) / SECONDS_PER_DAY
        moment[np.isnat(column)] = np.nan
        return ReadColumn(name, (name,), numbers=moment, is_date=True)
    if column.dtype.kind in "iufb":
        numbers = column.astype(np.float64)
        whole = numbers[np.isfinite(numbers)]
        distinct = len(np.unique(whole))
        integers = bool((whole == np.floor(whole)).all())
        identifies = integers and distinct > IDENTIFYING_SHARE * len(numbers)
        if not integers or identifies or not NAMED_ID.search(name):
            return ReadColumn(name, (name,), numbers=numbers, is_identifier=identifies)
        codes = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
        codes[~np.isfinite(numbers)] = -1
        several = distinct > REPEATED_NAMES_SHARE * len(numbers)
        return ReadColumn(name, (name,), numbers=numbers, codes=codes, is_identifier=several)
    cells = ["" if is_missing(cell) else str(cell).strip() for cell in column.tolist()]
    codes = np.unique(cells, return_inverse=True)[1].astype(np.int64)
    codes[np.array([not cell for cell in cells])] = -1
    distinct = len(set(cells))
    repeated = distinct < len(cells)
    return ReadColumn(
        name,
        (name,),
        numbers=_numbers_in(cells),
        codes=codes if repeated and distinct > 1 else None,
        copies=_unlike(cells, dataset.y),
        is_identifier=distinct > REPEATED_NAMES_SHARE * len(cells),
    )


def _numbers_in(cells: list[str]) -> Array | None:
    """Return the first number in every cell; None where too few have one."""
    matches = [NUMBER_PATTERN.search(cell.replace(",", "")) for cell in cells]
    numbers = np.array([float(match[0]) if match else np.nan for match in matches])
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers if np.isfinite(numbers).mean() >= MOST_NUMBERS else None


def _unlike(cells: list[str], y: AnyArray | None) -> float | None:
    """Return the share of rows whose cell does not name their class, or names others too.

    None where no cell names its class, or classes are numbers.
    """
    if y is None or y.dtype.kind not in "UO":
        return None
    names = ClassNames(np.unique(y).tolist())
    unlike = names.n_unlike(cells, y.tolist()) if names.few else len(cells)
    return unlike / len(cells) if unlike < len(cells) else None


class ClassNames:
    """The names of classes as they are looked for in texts.

    Parameters
    ----------
    classes : list
        The classes.
    """

    def __init__(self, classes: list[object]) -> None:
        labels = {str(label).strip().lower() for label in classes}
        self.few: bool = len(labels) <= MOST_LABELS
        self._words = {label: f" {' '.join(TOKEN_PATTERN.findall(label))} " for label in labels}
        words = self._words.values()
        self._literal = len(set(words)) < len(labels) or "  " in words  # "<=50K", ">50K"

    def n_unlike(self, cells: list[str], own: list[object]) -> int:
        """Return how many cells do not name the class of their row, or name others too."""
        unlike = 0
        for cell, label in zip(cells, own, strict=True):
            tokens = f" {' '.join(TOKEN_PATTERN.findall(cell.lower()))} "
            named = [
                one
                for one, words_of in self._words.items()
                if (one in cell.lower() if self._literal else words_of in tokens)
            ]
            unlike += max(named, key=len, default=None) != str(label).strip().lower()
        return unlike


def _differences(columns: list[ReadColumn]) -> Iterator[ReadColumn]:
    """Give the differences of dates, in days."""
    dates = [column for column in columns if column.is_date and column.numbers is not None]
    for first, second in combinations(dates, 2):
        if first.numbers is not None and second.numbers is not None:
            difference = second.numbers - first.numbers
            names = (first.name, second.name)
            yield ReadColumn(
                f"{second.name} − {first.name}", names, numbers=difference, is_date=True
            )
