"""Maps are scaled with one unit for both axes, place new rows, and know what they tear apart."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import LookalikeError
from lookalike.manifold import map_quality
from lookalike.neighbors import self_search
from lookalike.web.explorer.maps import Maps, PlaneMap
from lookalike.web.explorer.neighbor_layout import PlaneMeasures
from lookalike.web.explorer.pending import NotReadyError


def test_a_map_keeps_its_aspect_ratio():
    plane = np.array([[0.0, 10.0], [40.0, 10.0], [20.0, 20.0]])
    xy = PlaneMap("m", ("x", "y"), plane).xy
    assert xy.tolist() == [[-1.0, -0.25], [1.0, -0.25], [0.0, 0.25]]


def test_coordinates_far_from_zero_lose_nothing():
    plane = 1e9 + np.array([[0.0, 0.0], [1.0, 1.0], [0.25, 0.5]])
    assert PlaneMap("m", ("x", "y"), plane).xy[2].tolist() == [-0.5, 0.0]


def test_torn_neighbors_are_those_that_are_not_near_on_the_map(digits):
    xy, neighbors = digits.maps.get("pca").xy, digits.neighbors
    shares = digits.maps.torn_shares("pca")
    for row in (0, 5, 500):
        found = digits.maps.torn("pca", row)
        gap = ((xy - xy[row]) ** 2).sum(axis=1)
        gap[[row, *np.flatnonzero(neighbors.place < 0)]] = np.inf
        near = np.argsort(gap, kind="stable")[:30].tolist()
        true = neighbors.neighbors(30).row[row].tolist()
        assert set(found["torn"]) == set(true[:10]) - set(near)
        assert set(found["false"]) == set(near[:10]) - set(true)
        assert found["share"] == pytest.approx(shares[row])


def test_any_two_components_and_columns_are_a_map(digits, table):
    assert len(digits.maps.get("components:2,5").xy) == 1000
    one = table.maps.get("columns:0,3")
    assert one.axes == ("a", "town")
    missing = [row for row in range(50) if table.rows.cells(row)[0]["value"] is None]
    assert missing
    assert np.isnan(one.xy[missing]).any(axis=1).all()
    for key in ("columns:0", "columns:0,99", "components:0,10", "columns:a,b"):
        with pytest.raises(LookalikeError):
            table.maps.get(key)


def test_a_plane_of_two_columns_is_measured_among_the_rows_that_lie_on_it(table, digits):
    plane = table.maps.get("columns:0,1").xy
    here = np.isfinite(plane).all(axis=1)
    assert 100 < here.sum() < len(plane)
    found = table.maps.measures("columns:0,1")
    expected = map_quality(table.neighbors.Z[here], plane[here], n_neighbors=10)
    assert found == expected._asdict()
    assert digits.maps.measures("components:0,1")["trustworthiness"] > 0.7


@pytest.mark.parametrize("name", ["table", "texts", "regression", "exploratory"])
def test_the_neighbor_map_comes_with_its_measures(name, request):
    exploration = request.getfixturevalue(name)
    xy = exploration.maps.get("neighbors").xy
    assert np.abs(xy).max() == 1.0
    listed = exploration.maps.listed()
    assert listed[0]["id"] == "neighbors"
    for one in listed:
        assert not one["pending"]
        assert 0 < one["measures"]["trustworthiness"] <= 1
        assert one["measures"] == exploration.maps.measures(one["id"])
    best = {one["id"]: one["measures"]["neighbor_preservation"] for one in listed}
    assert best["neighbors"] > best["pca"] - 0.1
    assert len(exploration.maps.torn("neighbors", 3)["torn"]) <= 10


def test_a_map_that_is_not_ready_is_listed_as_pending(table_study, monkeypatch):
    from lookalike.web.explorer import explore_study

    exploration = explore_study(table_study)
    begin = threading.Event()
    laid_out = exploration.maps._layouts._compute
    monkeypatch.setattr(
        exploration.maps._layouts, "_compute", lambda: (begin.wait(30), laid_out())[1]
    )
    monkeypatch.setattr("lookalike.web.explorer.exploration_state.MAP_WAIT_SECONDS", 0.01)
    listed = exploration.session()["maps"]
    assert [(one["id"], one["pending"]) for one in listed] == [("pca", True), ("neighbors", True)]
    with pytest.raises(NotReadyError, match="still being laid out"):
        exploration.maps._layouts.get(0.01)
    begin.set()
    exploration.maps.get("neighbors")
    assert exploration.session()["maps"][0]["id"] == "neighbors"


def test_a_row_given_again_lies_where_it_lies(table):
    cells = {one["name"]: one["value"] for one in table.rows.cells(8)}
    found = table.new_items.query(cells=cells)
    assert found["maps"]["pca"] == pytest.approx(table.maps.get("pca").xy[8].tolist())


def test_a_text_given_again_is_its_own_neighbor(texts):
    found = texts.new_items.query(text=texts.rows.text(3))
    assert found["distances"][0] == pytest.approx(0, abs=1e-9)
    assert found["maps"]["pca"] == pytest.approx(texts.maps.get("pca").xy[3].tolist(), abs=1e-6)


def test_of_many_rows_a_sample_is_laid_out_and_all_others_are_placed(digits, monkeypatch):
    monkeypatch.setattr("lookalike.web.explorer.neighbor_layout.ALL_LAID_OUT", 500)
    monkeypatch.setattr("lookalike.web.explorer.neighbor_layout.MAX_ROWS_LAID_OUT", 300)
    monkeypatch.setattr("lookalike.web.explorer.neighbor_layout.PLACED_AT_ONCE", 250)
    maps = Maps(digits.rows, digits.neighbors, digits.preparation)
    xy = maps.get("neighbors").xy
    assert np.isfinite(xy).all()
    near = self_search(xy, 5).row
    assert (digits.rows.code[near] == digits.rows.code[:, None]).mean() > 0.8
    about = maps.listed()[0]
    assert about["note"].startswith("300 rows drawn at random are laid out, the other 700 placed")
    assert about["measures"]["trustworthiness"] > 0.9
    assert maps.torn("neighbors", 5)["k"] == 10


def test_why_there_is_no_neighbor_map_is_said(digits, monkeypatch):
    monkeypatch.setattr("lookalike.web.explorer.maps.MIN_ROWS_FOR_MAP", 2000)
    monkeypatch.setattr("lookalike.web.explorer.neighbor_layout.MIN_ROWS_FOR_MAP", 2000)
    assert "it is made of 2000 rows or more" in digits.session()["notes"][-1]
    assert "neighbors" not in {one["id"] for one in digits.session()["maps"]}


def test_a_new_row_lies_on_the_map_of_two_columns_where_its_cells_say(table):
    cells = {one["name"]: one["value"] for one in table.rows.cells(8)}
    key = "columns:0,3"
    here = table.maps.get(key).xy[8]
    assert np.isfinite(here).all()
    found = table.new_items.query(cells=cells, map=key)
    assert found["maps"][key] == pytest.approx(here.tolist())
    nowhere = table.new_items.query(cells={**cells, "town": "Atlantis"}, map=key)
    assert nowhere["maps"][key] is None


def test_planes_with_the_same_rows_are_measured_by_one_search(digits, monkeypatch):
    measured, width = PlaneMeasures(digits.neighbors), digits.neighbors.Z.shape[1]
    fits, fit = [], NearestNeighbors.fit

    def counted(self, X):
        fits.extend([len(X)] if X.shape[1] == width else [])  # not those of the plane itself
        return fit(self, X)

    monkeypatch.setattr(NearestNeighbors, "fit", counted)
    xy = digits.maps.get("pca").xy
    first = measured(xy)
    assert measured(xy[:, ::-1]) == first  # a mirrored plane has the same neighbors
    assert fits == [len(xy)]
    some = np.where(np.arange(len(xy))[:, None] < 5, np.nan, xy)
    assert measured(some) == PlaneMeasures(digits.neighbors)(some)
    assert fits == [len(xy), len(xy) - 5, len(xy) - 5]
