"""Dense areas of a map are found where rows were put, and named by what was put into them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from web.explorer.conftest import SUBJECTS

from lookalike.web.explorer.map_areas import MIN_EFFECT, map_areas
from lookalike.web.explorer.maps import PlaneMap

MIDDLES = np.array([[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]])


def on_plane(exploration, xy):
    """Return the exploration with its rows on another map."""
    maps = SimpleNamespace(get=lambda _: PlaneMap("m", ("x", "y"), xy))
    return SimpleNamespace(rows=exploration.rows, table=exploration.table, maps=maps)


def in_heaps(heap, seed=0):
    return MIDDLES[heap] + 0.1 * np.random.default_rng(seed).normal(size=(len(heap), 2))


def at(areas, place):
    """Return the area nearest to a heap."""
    x, y = PlaneMap("m", ("x", "y"), MIDDLES).xy[place]
    return min(areas, key=lambda area: np.hypot(area["x"] - x, area["y"] - y))


def test_areas_of_a_table_are_named_by_the_columns_that_differ_most(table):
    a, town = (np.asarray(table.rows.dataset.column(name)) for name in ("a", "town"))
    heap = np.where(town == "Graz", 0, np.where(np.nan_to_num(a.astype(float)) > 0.3, 1, 2))
    areas = map_areas(on_plane(table, in_heaps(heap)), "m")
    assert "town = Graz" in at(areas, 0)["name"]
    assert "high a" in at(areas, 1)["name"]
    assert at(areas, 0)["rows"] == np.count_nonzero(heap == 0)


def test_a_name_is_of_a_mean_that_differs_as_much_as_it_says(table):
    a = np.asarray(table.rows.dataset.column("a"), float)
    heap = np.where(np.isnan(a), 2, np.where(a > 0.3, 1, 0))
    xy = in_heaps(heap)
    for area in map_areas(on_plane(table, xy), "m"):
        if "high a" in area["name"]:
            inside = heap == 1
            effect = (np.nanmean(a[inside]) - np.nanmean(a)) / np.nanstd(a)
            assert effect >= MIN_EFFECT


def test_areas_of_texts_are_named_by_their_terms(texts):
    heap = np.asarray(texts.rows.code)
    areas = map_areas(on_plane(texts, in_heaps(heap)), "m")
    space, cooking = (at(areas, texts.rows.class_names.index(n)) for n in ("space", "cooking"))
    words = set(SUBJECTS["space"].split())
    assert set(space["name"].split(" · ")) <= words
    assert not set(cooking["name"].split(" · ")) & words


def test_areas_of_images_have_the_label_of_most_rows_or_no_name(digits):
    code = np.asarray(digits.rows.code)
    areas = map_areas(on_plane(digits, in_heaps(code % 3)), "m")  # three or four digits in each
    assert areas == []
    areas = map_areas(on_plane(digits, in_heaps(np.where(code == 7, 0, 1 + code % 2))), "m")
    assert {area["name"] for area in areas} == {"7"}


@pytest.mark.parametrize("key", ["pca", "columns:0,1"])
def test_rows_without_a_place_and_areas_of_noise_are_no_error(table, key):
    for area in map_areas(table, key):
        assert area["rows"] >= 8
        assert area["name"]


def test_where_all_rows_are_alike_nothing_is_named(table):
    assert map_areas(on_plane(table, np.zeros((200, 2))), "m") == []
