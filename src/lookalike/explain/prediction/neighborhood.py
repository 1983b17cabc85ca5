"""One row's neighbors asked again and again, with some of them gone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.explain.prediction.adapters import n_neighbors
from lookalike.models.neighbors.vote_rules import influence
from lookalike.typing import AnyArray, Array, Rows

SPARE = 8  # neighbors asked for beyond those needed


class Verdict(NamedTuple):
    """Who voted, by how much, and which class won."""

    row: Rows
    distance: Array
    weight: Array
    votes: Array  # (n_classes,)
    winner: int


class Poll:
    """The neighbors of one query; more are searched for only when they are needed."""

    def __init__(self, model: Any, query: Any, codes: Rows, leave_out: int | None) -> None:
        self.codes = codes
        self._model = model
        self._table = query
        self.query = model._queries(query)[0] if hasattr(model, "_queries") else query
        self._radius: Any = model.radius if hasattr(model, "outlier_label") else None
        self._k = n_neighbors(model) if self._radius is None else 1
        self._n_classes = len(model.classes_)
        weight = getattr(model, "_weight", None)
        self._weight: Array = np.ones(len(codes)) if weight is None else weight.copy()
        if leave_out is not None:
            self._weight[leave_out] = 0.0
        self.available = int(np.count_nonzero(self._weight))
        self._distance, self._row = np.empty(0), np.empty(0, np.int64)

    def present(self, code: int) -> AnyArray:
        """Tell for every row of fit whether it is of class `code` and can be asked."""
        here: AnyArray = (self.codes == code) & (self._weight > 0)
        return here

    @property
    def outlier_label(self) -> Any:
        """The label of rows without any neighbor within the radius."""
        return self._model.outlier_label_[0]

    def decide(self, gone: Rows | None = None) -> Verdict:
        """Return the verdict of the nearest rows without those `gone`, by the model's rules."""
        removed = np.empty(0, np.int64) if gone is None else gone
        left = self.available - len(removed)
        width = min(self._k + SPARE, left)
        while True:
            distance, row = self._near(width, removed)
            complete = len(row) == left
            size = self._settled_size(distance, row, complete)
            if size is not None:
                return self._verdict(distance[:size], row[:size])
            width = min(2 * width, left)

    def nearest(self, code: int, count: int) -> Rows:
        """Return the `count` nearest rows of class `code`."""
        width = min(self._k + count, self.available)
        while True:
            _, row = self._near(width, np.empty(0, np.int64))
            own: Rows = row[self.codes[row] == code]
            if len(own) >= count or len(row) == self.available:
                return own[:count]
            width = min(2 * width, self.available)

    def first_other(self, code: int) -> tuple[int, float] | None:
        """Return the nearest row that is not of class `code`, and its distance."""
        width = min(self._k + SPARE, self.available)
        while True:
            distance, row = self._near(width, np.empty(0, np.int64))
            other = np.flatnonzero(self.codes[row] != code)
            if len(other):
                return int(row[other[0]]), float(distance[other[0]])
            if len(row) == self.available:
                return None
            width = min(2 * width, self.available)

    def _near(self, width: int, removed: Rows) -> tuple[Array, Rows]:
        """Return the `width` nearest rows that can be asked, and are not removed."""
        absent = len(self.codes) - self.available + len(removed)
        ask = min(width + absent, len(self.codes))
        if ask > len(self._row):
            index = getattr(self._model, "_index", None)  # radius models have no kneighbors
            found = (
                self._model.kneighbors(self._table, ask)
                if index is None
                else index.query(self.query, ask, threads=self._model._query_threads())
            )
            self._distance, self._row = np.asarray(found[0][0], np.float64), found[1][0]
        may = (self._weight[self._row] > 0) & ~np.isin(self._row, removed)
        return self._distance[may][:width], self._row[may][:width]

    def _settled_size(self, distance: Array, row: Rows, complete: bool) -> int | None:
        """Return how many neighbors decide; None where more must be seen."""
        if self._radius is not None:
            return self._size_within(distance, row, complete)
        reached = np.flatnonzero(np.cumsum(self._weight[row]) >= self._k - 1e-12)
        size = int(reached[0]) + 1 if len(reached) else len(row)
        ties = getattr(self._model, "ties", None)
        if not len(reached) and not complete:
            return None
        if ties == "fewer":
            return self._fewer(distance, row, size)
        return self._grown(distance, row, size, complete) if ties == "grow" else size

    def _size_within(self, distance: Array, row: Rows, complete: bool) -> int | None:
        """Return how many rows are within the radius, or decide where it has to grow."""
        size = int(np.searchsorted(distance, self._radius, side="right"))
        if size == len(row) and not complete:
            return None
        model = self._model
        if size == 0 and model.outlier_label is not None:
            return 0
        if model.ties == "fewer":
            return self._fewer(distance, row, size)
        grows = model.ties == "grow" and (size == 0 or self._is_tied(distance[:size], row[:size]))
        return self._grown(distance, row, max(size, 1), complete) if grows else size

    def _fewer(self, distance: Array, row: Rows, size: int) -> int:
        """Return the most neighbors up to `size` whose vote is not tied."""
        while size > 1 and self._is_tied(distance[:size], row[:size]):
            size -= 1
        return size

    def _grown(self, distance: Array, row: Rows, size: int, complete: bool) -> int | None:
        """Return the end of the first shell from `size` on after which one class leads."""
        ends = np.flatnonzero(np.diff(distance) > 0) + 1  # after which the next is farther off
        ends = np.append(ends, len(row)) if complete else ends
        for end in ends[ends >= size]:
            if not self._is_tied(distance[:end], row[:end]):
                return int(end)
        return len(row) if complete else None

    def _is_tied(self, distance: Array, row: Rows) -> bool:
        merit = self._merit(self._votes(distance, row)[0])
        return int(np.count_nonzero(merit == merit.max())) > 1

    def _verdict(self, distance: Array, row: Rows) -> Verdict:
        votes, weight = self._votes(distance, row)
        merit = self._merit(votes)
        level = np.flatnonzero(merit == merit.max())
        winner = int(level[0]) if len(row) else self._of_outliers()
        ties = getattr(self._model, "ties", None)
        if len(row) == 0:
            return Verdict(row, distance, weight, votes, winner)
        if len(level) > 1 and ties == "nearest":
            winner = self._nearest_level(distance, row, level)
        elif len(level) > 1 and ties == "prior":
            jury = self._model._juries[0]
            belief = jury.share if jury.prior is None else jury.prior
            winner = int(level[np.argmax(belief[level])])
        return Verdict(row, distance, weight, votes, winner)

    def _of_outliers(self) -> int:
        """Return the place of the label of rows without neighbors, -1 where it is no class."""
        place = np.flatnonzero(self._model.classes_ == self.outlier_label)
        return int(place[0]) if len(place) else -1

    def _nearest_level(self, distance: Array, row: Rows, level: Rows) -> int:
        """Return the level class whose nearest neighbor is nearest, the first of equal ones."""
        code = self.codes[row]
        reach = [distance[code == c][0] if (code == c).any() else np.inf for c in level]
        return int(level[np.argmin(reach)])

    def _votes(self, distance: Array, row: Rows) -> tuple[Array, Array]:
        weight = influence(distance[None], self._model.weights or "uniform")[0] * self._weight[row]
        votes = np.zeros(self._n_classes)
        np.add.at(votes, self.codes[row], weight)
        return votes, weight

    def _merit(self, votes: Array) -> Array:
        """Return what is largest for the class that wins, by the model's prior and costs."""
        juries = getattr(self._model, "_juries", None)
        merit: Array = votes if juries is None else juries[0].merit(votes[None])[0]
        return merit
