"""The dense areas of a map, and what sets the rows of each apart: names to be written on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.ndimage as ndi
import scipy.sparse as sp

from lookalike.models.text.tfidf import TermWeights
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.explorer.maps import category_codes, category_names, numbers_like

if TYPE_CHECKING:
    from lookalike.studies.load.dataset import Dataset
    from lookalike.web.explorer.exploration_state import ExplorationState

GRID_CELLS = 96  # along either axis, that rows are counted in
BLUR_CELLS = (5.0, 2.5, 1.2)  # standard deviations, large areas first
MAX_ROWS_FOR_AREAS = 50_000  # of more, this many are drawn evenly
MIN_AREA_ROWS = 8
MIN_AREA_SHARE = 0.004  # of all rows
MIN_EFFECT = 0.8  # standard deviations by which a name differs from all rows
MIN_LABEL_SHARE = 0.6  # of the rows of an area of images, that its name is the label of
MIN_TERM_SHARE = 0.15  # of the texts of an area, that hold a term of its name
MAX_AREA_SHARE = 0.9  # of all rows: what is everywhere sets nothing apart
TRAITS_OF_NAME = 2
TERMS_OF_NAME = 3
NAME_SEPARATOR = " · "
SAME_NAME_DISTANCE = 0.2  # between areas of one name, of which both are shown
MAX_VALUES_NAMED = 6  # of a column of numbers, each of which may name an area
MAX_CATEGORIES_NAMED = 50  # of a column, that may name an area


Namer: TypeAlias = "Callable[[Rows, int], list[str]]"  # area of every row, and their number


def map_areas(exploration: ExplorationState, key: str) -> list[dict[str, Any]]:
    """Return the dense areas of a map with their names, the largest first.

    An area is a hill of the density of the rows, smoothed more and less, so that large areas come
    before those within them. Its name is of the traits whose mean is farthest from that of all
    rows, in their standard deviations; of images it is the label of most rows. An area that
    nothing sets apart has no name, and is left out.
    """
    xy = np.asarray(exploration.maps.get(key).xy)
    rows = np.flatnonzero(np.isfinite(xy).all(axis=1))
    if len(rows) > MAX_ROWS_FOR_AREAS:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_ROWS_FOR_AREAS).astype(np.int64)]
    if len(rows) < 2 * MIN_AREA_ROWS:
        return []
    name_areas = _namer(exploration, rows)
    areas = list[dict[str, Any]]()
    for blur in BLUR_CELLS:
        areas += _named_areas(xy[rows], blur, name_areas)
    return _without_repeats(areas)


def _named_areas(xy: Array, blur: float, name_areas: Namer) -> list[dict[str, Any]]:
    area, peaks = _hills(xy, blur)
    sizes = np.bincount(area, minlength=len(peaks))
    names = name_areas(area, len(peaks))
    least = max(MIN_AREA_ROWS, MIN_AREA_SHARE * len(xy))
    most = MAX_AREA_SHARE * len(xy)
    return [
        {"x": x, "y": y, "rows": int(sizes[index]), "name": names[index]}
        for index, (x, y) in sorted(enumerate(peaks.tolist()), key=lambda one: -sizes[one[0]])
        if least <= sizes[index] <= most and names[index]
    ]


def _hills(xy: Array, blur: float) -> tuple[Rows, Array]:
    """Return the hill of density that every row stands on, and where the top of each is."""
    low, high = np.quantile(xy, [0.005, 0.995], axis=0)
    middle, half = (low + high) / 2, 0.55 * float(np.max(high - low)) or 1.0
    cells = np.clip((xy - middle + half) / (2 * half) * GRID_CELLS, 0, GRID_CELLS - 1)
    place = cells.astype(np.int64)
    counts = np.zeros((GRID_CELLS, GRID_CELLS))
    np.add.at(counts, (place[:, 0], place[:, 1]), 1.0)
    density = ndi.gaussian_filter(counts, blur, mode="constant")
    top = _uphill(density).ravel()
    while not np.array_equal(top, top[top]):  # each step doubles the way up
        top = top[top]
    tops, area = np.unique(top[place[:, 0] * GRID_CELLS + place[:, 1]], return_inverse=True)
    grid = np.column_stack(np.unravel_index(tops, density.shape)) + 0.5
    return area, grid / GRID_CELLS * 2 * half + middle - half


def _uphill(density: Array) -> Rows:
    """Return the highest of every cell and its eight neighbors; equal ones by their place."""
    best, value = np.arange(density.size).reshape(density.shape), density.copy()
    cell = np.pad(best, 1, constant_values=-1)
    around = np.pad(density, 1, constant_values=-1.0)
    size = density.shape[0]
    for dx in (0, 1, 2):
        for dy in (0, 1, 2):
            other, height = (one[dx : dx + size, dy : dy + size] for one in (cell, around))
            higher = (height > value) | ((height == value) & (other > best))
            best, value = np.where(higher, other, best), np.where(higher, height, value)
    return best


def _without_repeats(areas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out an area whose name a nearby larger one has."""
    kept = list[dict[str, Any]]()
    for area in areas:
        x, y = area["x"], area["y"]
        near = [one for one in kept if one["name"] == area["name"]]
        if all(np.hypot(one["x"] - x, one["y"] - y) > SAME_NAME_DISTANCE for one in near):
            kept.append(area)
    return kept


def _namer(exploration: ExplorationState, rows: Rows) -> Namer:
    dataset, explored = exploration.rows.dataset, exploration.rows
    if dataset.image_shape is not None:
        code = np.full(len(rows), -1) if explored.code is None else explored.code[rows]
        return partial(_label_names, code, explored.class_names)
    if dataset.data_kind == "texts":
        return _term_namer([explored.text(int(row)) or "" for row in rows])
    return _trait_namer(*_traits(exploration, rows))


def _label_names(code: Rows, labels: list[str], area: Rows, n_areas: int) -> list[str]:
    """Name areas by the label of most of their rows."""
    if len(labels) < 2:
        return [""] * n_areas
    counts = np.zeros((n_areas, len(labels)))
    np.add.at(counts, (area[code >= 0], code[code >= 0]), 1.0)
    most, sizes = counts.argmax(axis=1), np.bincount(area, minlength=n_areas)
    clear = counts.max(axis=1) >= MIN_LABEL_SHARE * sizes
    return [labels[index] if keep else "" for index, keep in zip(most, clear, strict=True)]


def _term_namer(texts: list[str]) -> Namer:
    """Return how areas are named by terms: those whose share differs most from that of all rows."""
    weights = TermWeights().fit(texts)
    has = (weights.transform(texts).tocsr() != 0).astype(np.float64)
    terms, share = weights.get_feature_names_out(), np.asarray(has.mean(axis=0)).ravel()

    def name_areas(area: Rows, n_areas: int) -> list[str]:
        sizes = np.bincount(area, minlength=n_areas)
        inside = (_members(area, n_areas) @ has).toarray() / np.maximum(sizes, 1)[:, None]
        gap = np.where(inside >= MIN_TERM_SHARE, inside - share, 0.0)
        best = np.argsort(-gap, axis=1, kind="stable")[:, :TERMS_OF_NAME]
        return [
            NAME_SEPARATOR.join(str(terms[term]) for term in row if gap[index, term] > 0)
            for index, row in enumerate(best)
        ]

    return name_areas


def _traits(exploration: ExplorationState, rows: Rows) -> tuple[list[tuple[str, str]], Array]:
    """Return what rows have: the names of much and of little of it, and a column of figures each.

    The absence of a category has no name.
    """
    dataset = exploration.rows.dataset
    names, columns = list[tuple[str, str]](), list[Array]()
    for index, (name, kind) in enumerate(dataset.kinds.items()):
        if name == dataset.text:
            continue
        cells = np.asarray(dataset.column(name))[rows]
        values, categories = _figures(cells, dataset, index, kind)
        if not categories:
            names.append((f"high {name}", f"low {name}"))
            columns.append(values)
        elif len(categories) <= MAX_CATEGORIES_NAMED:
            for place, category in enumerate(categories):
                names.append((f"{name} = {category}", ""))
                columns.append(np.where(np.isnan(values), np.nan, values == place))
    return names, np.column_stack(columns) if columns else np.empty((len(rows), 0))


def _figures(cells: AnyArray, dataset: Dataset, index: int, kind: str) -> tuple[Array, list[str]]:
    """Return cells as numbers, or as places in categories: those of few numbers are these."""
    if kind not in ("number", "boolean", "date"):
        categories = category_names(cells)
        codes = category_codes(cells, categories).astype(np.float64)
        return np.where(codes < 0, np.nan, codes), categories or ["none"]
    numbers = numbers_like(cells, dataset, index)
    values = np.unique(numbers[np.isfinite(numbers)])
    if kind == "date" or len(values) > MAX_VALUES_NAMED:
        return numbers, []
    places = np.searchsorted(values, numbers)
    return np.where(np.isnan(numbers), np.nan, places), [f"{value:g}" for value in values]


def _trait_namer(names: list[tuple[str, str]], values: Array) -> Namer:
    """Return how areas are named by traits: those whose mean differs most from that of all rows."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = filled.sum(axis=0) / counts
    spread = np.sqrt((np.where(known, filled - mean, 0.0) ** 2).sum(axis=0) / counts)
    one_sided = np.array([not low for _, low in names], bool)

    def name_areas(area: Rows, n_areas: int) -> list[str]:
        members = _members(area, n_areas)
        here = members @ known
        gap = (members @ filled) / np.maximum(here, 1) - mean
        effect = np.where((here > 0) & (spread > 0), gap / np.where(spread > 0, spread, 1.0), 0.0)
        effect = np.where(one_sided & (effect < 0), 0.0, effect)
        best = np.argsort(-np.abs(effect), axis=1, kind="stable")[:, :TRAITS_OF_NAME]
        return [
            NAME_SEPARATOR.join(
                names[trait][int(effect[index, trait] < 0)]
                for trait in row
                if abs(effect[index, trait]) >= MIN_EFFECT
            )
            for index, row in enumerate(best)
        ]

    return name_areas


def _members(area: Rows, n_areas: int) -> sp.csr_matrix:
    """Return the matrix (areas, rows) that sums over the rows of every area."""
    rows = np.arange(len(area))
    return sp.csr_matrix((np.ones(len(area)), (area, rows)), shape=(n_areas, len(area)))
