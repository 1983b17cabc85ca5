"""Colors of the rows: one typed array for each thing that rows are colored by."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.maps import category_codes, category_names, column_numbers

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

STABILITY_TITLES = ("predicted at every K", "predicted at some K", "predicted at no K")
FLAG_ORDER = (
    "mislabel",
    "conflict",
    "leak",
    "duplicate",
    "near_duplicate",
    "outlier",
    "hub",
    "empty",
)
MAX_CATEGORIES_OF_COLUMN = 1000  # of a column; one of more is text


class Colors:
    """The colors of an exploration, each computed when it is first shown."""

    def __init__(self, exploration: ExplorationState) -> None:
        self._exploration = exploration
        self._lock = threading.RLock()
        self._lazy = self._makers()

    def listed(self) -> list[dict[str, object]]:
        """Return what rows can be colored by."""
        return [describe() for describe, _ in self._lazy.values()]

    def get(self, key: str) -> AnyArray:
        """Return the array of a color, one entry for every row."""
        with self._lock:
            if key not in self._lazy:
                raise ParameterError(f"There is no color {key!r}; see the session for their ids.")
            return self._lazy[key][1]()

    def _makers(self) -> dict[str, tuple[Callable[[], dict[str, object]], Callable[[], AnyArray]]]:
        rows = self._exploration.rows
        cluster = rows.cluster
        makers: dict[str, tuple[Callable[[], dict[str, Any]], Callable[[], AnyArray]]] = {}

        def category(
            key: str, name: str, names: list[str], codes: Callable[[], Rows], kind: str = "category"
        ) -> None:
            dtype = code_dtype(len(names))
            entry = {"id": key, "name": name, "kind": kind, "categories": names}
            makers[key] = (lambda: entry | {"dtype": dtype}, lambda: coded(codes(), dtype))

        def number(key: str, name: str, values: Callable[[], AnyArray]) -> None:
            def describe() -> dict[str, Any]:
                return {"id": key, "name": name, "kind": "number", "dtype": "float32"}

            makers[key] = (describe, lambda: values().astype(np.float32))

        if rows.code is not None:
            names = rows.class_names
            category(
                "label",
                rows.target or "label",
                names,
                lambda: np.asarray(self._exploration.rows.code),
            )
            category("predicted", "prediction", names, self._exploration.predicted)
            category("error", "error", ["right", "wrong"], self._errors)
            category("stable", "stability over K", list(STABILITY_TITLES), self._stable)
        elif rows.number is not None:
            target = rows.target or "target"
            number("label", target, lambda: np.asarray(self._exploration.rows.number))
            number("predicted", "prediction", self._exploration.predicted)
            number("error", "prediction minus target", self._residuals)
        elif cluster is not None:
            count = int(cluster.max()) + 1
            names = [f"cluster {one + 1}" for one in range(count)]
            category("label", "cluster", names, lambda: cluster)
        if rows.audit is not None:
            category("flag", "flag of the audit", ["none", *FLAG_ORDER], self._flags, "flag")
        if rows.is_test.any():
            category("split", "split", ["train", "test"], lambda: rows.is_test.astype(np.int64))
        for key, title in self._exploration.maps.keys().items():
            name = f"torn neighbors ({title})"
            number(f"torn:{key}", name, partial(self._exploration.maps.torn_shares, key))
        if rows.numbers_differ:
            makers["row_number"] = (
                lambda: {"id": "row_number", "name": "row", "kind": "number", "dtype": "int32"},
                lambda: rows.dataset.row.astype(np.int32),
            )
        self._add_columns(category, number)
        return makers

    def _add_columns(self, category: Callable[..., None], number: Callable[..., None]) -> None:
        dataset = self._exploration.rows.dataset
        for name in dataset.names:
            if name == dataset.text:
                continue
            if dataset.kinds[name] in ("number", "boolean", "date"):
                number(f"column:{name}", name, lambda name=name: column_numbers(dataset, name))
                continue
            names = category_names(np.asarray(dataset.column(name)))
            if len(names) <= MAX_CATEGORIES_OF_COLUMN:
                codes = category_codes(np.asarray(dataset.column(name)), names)
                category(f"column:{name}", name, names, lambda codes=codes: codes)

    def _errors(self) -> Rows:
        code, predicted = self._exploration.rows.code, self._exploration.predicted()
        assert code is not None
        known = (code >= 0) & (predicted >= 0)
        return np.where(known, code != predicted, -1).astype(np.int64)

    def _residuals(self) -> AnyArray:
        values: AnyArray = self._exploration.predicted() - self._exploration.rows.number
        return values

    def _stable(self) -> Rows:
        """Return for every row whether its label is predicted at every K, at some, or at none."""
        code, neighbors = self._exploration.rows.code, self._exploration.neighbors
        assert code is not None
        each = neighbors.leave_one_out()
        right = np.zeros(len(code), np.int64)
        for k in each.k.tolist():
            right += neighbors.predicted(k) == code
        return np.where(code < 0, -1, np.where(right == len(each.k), 0, np.where(right > 0, 1, 2)))

    def _flags(self) -> Rows:
        audit = self._exploration.rows.audit
        assert audit is not None
        places = {kind: index + 1 for index, kind in enumerate(FLAG_ORDER)}
        return np.array(
            [
                min((places.get(one, 99) for one in kinds.split()), default=0)
                for kinds in audit.flags
            ]
        )


def code_dtype(n_categories: int) -> str:
    """Return the smallest type that holds this many categories and one more for missing ones."""
    if n_categories < 255:
        return "uint8"
    return "uint16" if n_categories < 65535 else "int32"


def coded(codes: Rows, dtype: str) -> AnyArray:
    """Return codes in their type: -1, a missing one, is the largest value of it."""
    kind = np.dtype(dtype)
    return np.where(codes < 0, np.iinfo(kind).max, codes).astype(kind.newbyteorder("<"))
