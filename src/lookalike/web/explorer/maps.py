"""Maps of all rows: the plane of each, how true it is, and where a new row lies on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lookalike.data.batches import gather_table
from lookalike.data.source import Source
from lookalike.errors import LookalikeError, ParameterError
from lookalike.missing import is_missing
from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.explorer.explored_rows import ExploredRows
from lookalike.web.explorer.kept_map import KeptLayout, KeptMap
from lookalike.web.explorer.map_features import map_features
from lookalike.web.explorer.neighbor_layout import (
    MIN_ROWS_FOR_MAP,
    PlaneMeasures,
    lay_out,
    neighbor_map_note,
)
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.pending import NotReadyError, Pending

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix
    from lookalike.studies.select.preparation import Preparation

NEIGHBOR_MAP_ID = "neighbors"
NEAR_ON_MAP_FACTOR = 3  # times as many map neighbors still count as near
MAP_WAIT_SECONDS = 4.0  # that a session waits for the neighbor map of
MAX_ROWS_MAPPED_SOON = 5000  # rows at most; with more it begins once the page asks
MAX_MAP_COMPONENTS = 10  # principal components of which any two are a map
MAX_COLUMNS_FOR_LDA = 1500  # columns up to which discriminants are computed
PLANE_PREFIXES = ("components:", "columns:")  # begin the ids of any two of them
TORN_K = 10  # neighbors by which a map is compared with the original space

Layouts: TypeAlias = "tuple[tuple[NeighborMap, Array] | str, dict[str, dict[str, object]]]"


class PlaneMap:
    """A plane that all rows lie on, scaled to [-1, 1] in float64 with one unit for both axes.

    Parameters
    ----------
    name : str
        Of the map.
    axes : tuple of str
        What each axis is.
    plane : ndarray of shape (n_rows, 2)
        Where rows lie, not scaled.
    place : function, optional
        Where new rows lie on the plane, not scaled.
    """

    def __init__(
        self,
        name: str,
        axes: tuple[str, str],
        plane: AnyArray,
        place: Callable[[Any], Array] | None = None,
    ) -> None:
        xy = np.asarray(plane, np.float64)[:, :2]
        if xy.shape[1] < 2:
            raise ParameterError(f"{name} gives {xy.shape[1]} axis, and a map has two.")
        with np.errstate(invalid="ignore"):
            low, high = np.nanmin(xy, axis=0), np.nanmax(xy, axis=0)
        self.name, self.axes, self._place = name, axes, place
        self._center = low + (high - low) / 2
        self._half = float(np.max(high - low) / 2) or 1.0
        self.xy: Array = np.clip(self._scaled(xy), -1.0, 1.0)  # rounding may exceed the ends

    def placed(self, Z: Matrix) -> list[float] | None:
        """Return where the features of one new row lie on the map."""
        if self._place is None:
            return None
        x, y = self._scaled(np.asarray(self._place(Z), np.float64)[0, :2]).tolist()
        return [x, y] if np.isfinite([x, y]).all() else None  # a missing cell, or a new category

    def _scaled(self, xy: Array) -> Array:
        scaled: Array = (xy - self._center) / self._half
        return scaled


class Maps:
    """The maps of an exploration, each computed when it is first shown."""

    def __init__(
        self,
        rows: ExploredRows,
        neighbors: NeighborModel,
        preparation: Preparation | None,
        folder: Path | None = None,
    ) -> None:
        self._rows, self._neighbors, self._preparation = rows, neighbors, preparation
        self._known: dict[str, PlaneMap] = {}
        self._torn: dict[str, AnyArray] = {}
        self._planes: dict[str, NearestNeighbors] = {}
        self._measures: dict[str, dict[str, object] | None] = {}  # of planes of two columns
        self._measured = PlaneMeasures(neighbors)
        self._lock = threading.RLock()
        self._features: tuple[Array, Callable[[object], Array]] | None = None
        self._pca: PCA | None = None
        self._kept = None if folder is None else KeptMap(folder, neighbors)
        self._layouts = self._kept_layouts() or Pending(
            self._lay_out, "The map is still being laid out"
        )

    def listed(self, patience: float = 0.0) -> list[dict[str, Any]]:
        """Return the maps that a session offers, the neighbor map first where it is ready.

        Their measures are known when it is, with few rows at once; until then `pending` is true.
        """
        if patience and len(self._rows) <= MAX_ROWS_MAPPED_SOON:
            self._wait(patience)
        ready = self._layouts.ready
        pending = not ready and self._layouts.failure is None
        measures = self._layouts.get()[1] if ready else {}
        n_rows = len(self._rows)
        entries = [
            {
                "id": key,
                "name": one.name,
                "axes": list(one.axes),
                "measures": measures.get(key),
                "pending": pending,
                "note": "",
            }
            for key, one in self._projections().items()
        ]
        if n_rows >= MIN_ROWS_FOR_MAP and (pending or NEIGHBOR_MAP_ID in measures):
            one = {"id": NEIGHBOR_MAP_ID, "name": "Neighbor map", "axes": ["map 1", "map 2"],
                   "measures": measures.get(NEIGHBOR_MAP_ID), "pending": pending,
                   "note": neighbor_map_note(n_rows)}  # fmt: skip
            entries.insert(0 if ready else len(entries), one)
        return entries

    def keys(self) -> dict[str, str]:
        """Return the maps that every row has a share of torn neighbors on, with their names."""
        names = {key: projection.name for key, projection in self._projections().items()}
        return (
            {NEIGHBOR_MAP_ID: "Neighbor map", **names}
            if len(self._rows) >= MIN_ROWS_FOR_MAP
            else names
        )

    @property
    def why_no_neighbor_map(self) -> str:
        """Why there is no neighbor map; empty where there is one, or may be one soon."""
        if len(self._rows) < MIN_ROWS_FOR_MAP:
            return neighbor_map_note(len(self._rows))
        if self._layouts.failure is not None:
            return f"There is no neighbor map. {self._layouts.failure}"
        layout = self._layouts.get()[0] if self._layouts.ready else ""
        return layout if isinstance(layout, str) else ""

    def adopt(self, other: Maps) -> None:
        """Take the neighbor map of other maps, where it is of the same features and metric."""
        own_rows, there = self._neighbors, other._neighbors
        same = own_rows.metric == there.metric and isinstance(own_rows.Z, np.ndarray)
        if same and np.array_equal(own_rows.Z, there.Z, equal_nan=True):
            self._layouts = other._layouts

    def start(self) -> None:
        """Begin to lay out the neighbor map, where that was not begun before."""
        self._layouts.start()

    @property
    def stage(self) -> dict[str, object] | None:
        """How far the neighbor map is; None unless it is being laid out."""
        return self._layouts.stage

    def measures(self, key: str) -> dict[str, object] | None:
        """Return the measures of a map; None where too few rows lie on it to be measured."""
        if not key.startswith(PLANE_PREFIXES):
            return self._layouts.get()[1].get(key)
        projection = self.get(key)
        if key not in self._measures:
            self._measures[key] = self._measured(projection.xy)
        return self._measures[key]

    def _wait(self, patience: float) -> None:
        with suppress(NotReadyError):
            self._layouts.get(patience)

    def _projections(self) -> dict[str, PlaneMap]:
        keys = ["pca"]
        if self._rows.task == "classification" and len(self._rows.classes) > 2:
            keys.append("lda")
        projections = {}
        for key in keys:
            with suppress(LookalikeError):  # one column, or fewer rows than classes need
                projections[key] = self.get(key)
        return projections

    def _kept_layouts(self) -> Pending[Layouts] | None:
        kept = None if self._kept is None else self._kept.read()
        if kept is None:
            return None
        return Pending[Layouts].of(((kept.model, kept.places), kept.measures))

    def _lay_out(self) -> Layouts:
        planes = {key: projection.xy for key, projection in self._projections().items()}
        layout, measures = lay_out(self._neighbors, planes)
        if self._kept is not None and not isinstance(layout, str):
            self._kept.write(KeptLayout(*layout, measures))
        return layout, measures

    def _neighbor_map(self) -> PlaneMap:
        (found, _), transform = self._layouts.get(), self._neighbors.transform
        if isinstance(found, str):
            raise ParameterError(found)
        layout, places = found

        def place_rows(rows: object) -> Array:
            return np.asarray(layout.transform(transform(rows)))

        return PlaneMap("Neighbor map", ("map 1", "map 2"), places, place_rows)

    def get(self, key: str) -> PlaneMap:
        """Return a map by id: neighbors, pca, lda, components:I,J or columns:I,J, from 0."""
        if key == NEIGHBOR_MAP_ID:
            made = self._known.get(key) or self._neighbor_map()  # waits without the lock
            self._known[key] = made
            return made
        with self._lock:
            if key not in self._known:
                self._known[key] = self._made(key)
            return self._known[key]

    def torn(self, key: str, row: int, k: int | None = None) -> dict[str, object]:
        """Return the true neighbors of a row that are far on the map, and false ones that are near.

        One of the `k` nearest is torn where it is not among the 3 `k` nearest on the map, and
        one on the map is false where it is not among the 3 `k` nearest in truth. Both are compared
        among the same rows: the training rows of the neighbor model.
        """
        width = self._width(k)
        wide = min(NEAR_ON_MAP_FACTOR * width, len(self._neighbors.row) - 1)
        true = self._neighbors.nearest(row, wide)
        near = self._on_map(key, wide, np.array([row]))[0]
        lost = np.setdiff1d(true[:width], near)
        false = np.setdiff1d(near[:width], true)
        return {
            "k": width,
            "torn": lost.tolist(),
            "false": false.tolist(),
            "share": len(lost) / width,
        }

    def torn_shares(self, key: str) -> AnyArray:
        """Return for every row the share of its neighbors that the map tears away."""
        self.get(key)  # waits without the lock
        with self._lock:
            if key not in self._torn:
                width = self._width(None)
                true = self._neighbors.neighbors(width).row
                wide = min(NEAR_ON_MAP_FACTOR * width, len(self._neighbors.row) - 1)
                near = self._on_map(key, wide, np.arange(len(self._rows)))
                kept = np.zeros(len(true), np.int64)
                for column in near.T:
                    kept += (true == column[:, None]).any(axis=1)
                self._torn[key] = (1.0 - kept / width).astype(np.float32)
            return self._torn[key]

    @property
    def features(self) -> tuple[Array, Callable[[object], Array]]:
        """Numbers that describe every row, and how those of new rows are made."""
        with self._lock:
            if self._features is None:
                self._features = map_features(
                    self._rows.dataset, self._neighbors, self._preparation
                )
            return self._features

    def _width(self, k: int | None) -> int:
        return min(k or TORN_K, max(self._neighbors.k_max, 1), len(self._neighbors.row) - 1)

    def _on_map(self, key: str, k: int, part: Rows) -> Rows:
        """Return the `k` nearest training rows of some rows on a map, itself left out."""
        xy, trained = self.get(key).xy, self._neighbors.row
        with self._lock:
            if key not in self._planes:
                self._planes[key] = NearestNeighbors().fit(xy[trained])
            plane = self._planes[key]
        positions = self._neighbors.place[part]
        nearest = np.empty((len(part), k), np.int64)
        inside = positions >= 0
        if inside.any():
            space = plane.space_
            nearest[inside] = space.nearest(xy[part[inside]], k, exclude=positions[inside]).row
        if not inside.all():
            nearest[~inside] = plane.kneighbors(xy[part[~inside]], k)[1]
        return trained[nearest]

    def _made(self, key: str) -> PlaneMap:
        kind, _, rest = key.partition(":")
        if key == "pca":
            return self._components(key, (0, 1))
        if key == "lda" and self._rows.code is not None:
            return self._discriminants()
        if kind == "components":
            return self._components(key, _pair(key, rest))
        if kind == "columns":
            return self._of_columns(key, _pair(key, rest))
        raise ParameterError(
            f"There is no map {key!r}. Give neighbors, pca, lda, components:I,J or columns:I,J."
        )

    def _components(self, key: str, pair: tuple[int, int]) -> PlaneMap:
        Z, transform = self.features
        if self._pca is None:
            self._pca = PCA(min(MAX_MAP_COMPONENTS, *Z.shape)).fit(Z)
        pca, most = self._pca, self._pca.n_components_
        if max(pair) >= most:
            raise ParameterError(f"{key}: there are {most} components, counted from 0.")
        share = pca.explained_variance_ratio_
        axes = [f"PC {axis + 1} ({share[axis]:.1%} of the variance)" for axis in pair]
        chosen = list(pair)

        def place_rows(rows: object) -> Array:
            return np.asarray(pca.transform(transform(rows)))[:, chosen]

        plane = np.asarray(pca.transform(Z))[:, chosen]
        return PlaneMap("PCA", (axes[0], axes[1]), plane, place_rows)

    def _discriminants(self) -> PlaneMap:
        Z, transform = self.features
        if not 2 <= Z.shape[1] <= MAX_COLUMNS_FOR_LDA or self._rows.code is None:
            raise ParameterError(
                f"LDA needs 2 to {MAX_COLUMNS_FOR_LDA} columns; there are {Z.shape[1]}."
            )
        train = np.flatnonzero(~self._rows.is_test & (self._rows.code >= 0))
        lda = LinearDiscriminantAnalysis(n_components=2).fit(Z[train], self._rows.code[train])

        def place_rows(rows: object) -> Array:
            return np.asarray(lda.transform(transform(rows)))

        axes = ("discriminant 1", "discriminant 2")
        return PlaneMap("LDA", axes, np.asarray(lda.transform(Z)), place_rows)

    def _of_columns(self, key: str, pair: tuple[int, int]) -> PlaneMap:
        dataset = self._rows.dataset
        if max(pair) >= len(dataset.names):
            raise ParameterError(f"{key}: there are {len(dataset.names)} columns, from 0.")
        names = [dataset.names[column] for column in pair]
        columns = [column_numbers(dataset, name) for name in names]

        def place_rows(rows: Source) -> Array:
            given = list(gather_table(rows).values.values())
            return np.column_stack([numbers_like(given[j], dataset, j) for j in pair])

        plane = np.column_stack(columns)
        return PlaneMap(" and ".join(names), (names[0], names[1]), plane, place_rows)


def column_numbers(dataset: Dataset, name: str) -> Array:
    """Return a column as numbers: categories by their place among them, missing ones NaN."""
    return numbers_like(np.asarray(dataset.column(name)), dataset, dataset.names.index(name))


def numbers_like(column: AnyArray, dataset: Dataset, index: int) -> Array:
    """Return cells as numbers in the way of a column of the dataset; NaN where it has no place."""
    if dataset.kinds[dataset.names[index]] in ("number", "boolean"):
        return column.astype(np.float64)
    if column.dtype.kind == "M":
        moments = column.astype("datetime64[s]").astype(np.float64)
        return np.where(np.isnat(column), np.nan, moments)
    names = category_names(np.asarray(dataset.column(index)))
    codes = category_codes(column, names)
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def category_names(column: AnyArray) -> list[str]:
    """Return the distinct cells of a column, sorted, without missing ones."""
    return sorted({str(cell) for cell in column.tolist() if not is_missing(cell)})


def category_codes(column: AnyArray, names: list[str]) -> Rows:
    """Return the place of every cell among the names, -1 where it is missing or another."""
    places = {name: index for index, name in enumerate(names)}
    codes = [-1 if is_missing(cell) else places.get(str(cell), -1) for cell in column.tolist()]
    return np.array(codes, np.int64)


def _pair(key: str, text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise ParameterError(f"{key!r} names no two columns. Give for example columns:0,1.")
    return int(parts[0]), int(parts[1])
