"""What is said of rows that differ from training rows: columns, categories, missing cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.explain.prediction.far_predictions import FarPredictions
from lookalike.missing import is_missing
from lookalike.models.preprocessing.unknown_categories import unknown_categories
from lookalike.printable import number
from lookalike.typing import AnyArray
from lookalike.validation import few, shown

if TYPE_CHECKING:
    from lookalike.explain.prediction.table_model import TableModel

MOST_NAMED = 5  # columns or categories in a sentence


class InputNote(NamedTuple):
    """A remark on rows: what it is about, and a sentence."""

    kind: str
    detail: str


class InputNotes:
    """Gathers what is unlike training rows, chunk by chunk; `sentences` says it.

    Parameters
    ----------
    table : TableModel
        The model that the rows are for.
    """

    n_empty_texts: int
    predictions: FarPredictions

    def __init__(self, table: TableModel) -> None:
        self.absent: list[str] = []  # columns of the model that the rows lack
        self.unused: list[str] = []  # columns of the rows that the model does not read
        self.unknown: Counter[tuple[str, str]] = Counter()  # column and category
        self.missing: Counter[str] = Counter()  # cells, by column
        self.n_empty_texts = 0
        known = getattr(table.first, "categories_", None)
        self._known = known if isinstance(known, dict) else {}
        self._first = table.first
        self.predictions = FarPredictions(table.target_range)

    def note_columns(self, given: Iterable[str], needed: Iterable[str]) -> None:
        """Note which columns the rows lack, and which they have beyond those that are needed."""
        names, wanted = list(given), list(needed)
        self.absent = [name for name in wanted if name not in set(names)]
        self.unused = [name for name in names if name not in set(wanted)]

    def add(self, values: Mapping[str, AnyArray]) -> None:
        """Count missing cells and unknown categories of some rows, column by column."""
        for name, cells in values.items():
            if name in self.absent:
                continue
            known = self._known.get(name)
            if known is not None:
                unknown = unknown_categories(cells, known)
                self.unknown.update({(name, cell): count for cell, count in unknown.items()})
            self._add_missing(name, _count_missing(cells))

    def add_matrix(self, X: AnyArray, names: Sequence[str] | None) -> None:
        """Count missing cells of some rows of numbers."""
        if X.dtype.kind != "f" or np.isfinite(X.sum()):
            return
        counts = np.isnan(X).sum(axis=0)
        for index in np.flatnonzero(counts).tolist():
            name = f"x{index}" if names is None else names[index]
            self._add_missing(name, int(counts[index]))

    def add_texts(self, texts: Sequence[str]) -> None:
        """Count texts without a word."""
        self.n_empty_texts += sum(not text.strip() for text in texts)

    def sentences(self) -> list[str]:
        """Return what was found, a sentence each; none where the rows are like training rows."""
        return [note.detail for note in self.listed()]

    def listed(self) -> list[InputNote]:
        """Return what was found with its kind."""
        unknown = [
            f"{shown(cell)} in {_visible(name)}" for (name, cell), _ in self.unknown.most_common()
        ]
        fills = _fills(self._first) if self.missing else {}
        missing = [
            f"{_visible(name)} ({count:,}{fills.get(name, '')})"
            for name, count in self.missing.most_common()
        ]
        details = {
            "absent_columns": self.absent
            and f"columns that are absent, all cells missing: {_list(self.absent)}.",
            "unused_columns": self.unused
            and f"columns not used by the model: {_list(self.unused)}.",
            "unknown_categories": unknown
            and f"categories that training rows lack, in {_cells(self.unknown)}: "
            f"{_list(unknown)}; they equal none of those known.",
            "missing_values": missing
            and f"missing values, in {_cells(self.missing)}: {_list(missing)}.",
            "far_predictions": self.predictions.sentence(),
            "empty_texts": self.n_empty_texts and f"texts without a word: {self.n_empty_texts:,}.",
        }
        return [InputNote(kind, str(detail)) for kind, detail in details.items() if detail]

    def _add_missing(self, name: str, count: int) -> None:
        if count and name not in self.absent:
            self.missing[name] += count


def _fills(first: Any) -> dict[str, str]:
    """Return by column what a model imputes missing numbers with, as it is said of it."""
    if getattr(first, "encoding", None) != "onehot" or not hasattr(first, "fill_"):
        return {}
    names = first.get_feature_names_out()[: len(first.fill_)].tolist()
    return {
        name: f", imputed with {number(fill)}"
        for name, fill in zip(names, first.fill_.tolist(), strict=True)
    }


def _list(names: Sequence[str]) -> str:
    return few([_visible(name) for name in names], MOST_NAMED, str)


def _visible(name: str) -> str:
    """Return a name as it is; in quotes where it would not be seen, or would break the line."""
    return name if name.isprintable() and name.strip() == name != "" else repr(name)


def _cells(counts: Counter[Any]) -> str:
    return f"{counts.total():,} {'cell' if counts.total() == 1 else 'cells'}"


def _count_missing(cells: AnyArray) -> int:
    if cells.dtype.kind == "f":
        return int(np.isnan(cells).sum())
    if cells.dtype.kind == "M":
        return int(np.isnat(cells).sum())
    if cells.dtype.kind != "O":
        return 0
    return sum(count for cell, count in Counter(cells.tolist()).items() if is_missing(cell))
