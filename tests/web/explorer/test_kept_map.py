"""The map of a study is laid out once: the next time it is opened as it was, for the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.web.explorer import neighbor_layout
from lookalike.web.explorer.kept_map import KeptLayout, KeptMap
from lookalike.web.explorer.neighbor_layout import neighbor_map


class Space:
    """As much of a neighbor model as a layout needs."""

    def __init__(self, Z, metric="euclidean", **options):
        self.Z, self.model = Z, NearestNeighbors(metric=metric, **options).fit(Z)


@pytest.fixture(scope="module")
def space():
    return Space(np.random.default_rng(0).normal(size=(40, 3)))


@pytest.fixture(scope="module")
def layout(space):
    model, places = neighbor_map(space.Z, neighbor_layout.map_metric(space))
    return KeptLayout(model, places, {"neighbors": {"trustworthiness": 0.9, "continuity": None}})


def test_a_kept_map_is_the_one_that_was_laid_out(tmp_path, space, layout):
    KeptMap(tmp_path, space).write(layout)
    again = KeptMap(tmp_path, space).read()
    assert np.array_equal(again.places, layout.places)
    assert again.measures == layout.measures
    new = space.Z[:3] + 0.01
    assert np.array_equal(again.model.transform(new), layout.model.transform(new))


def test_other_rows_or_another_metric_have_another_map(tmp_path, space, layout):
    KeptMap(tmp_path, space).write(layout)
    changed = space.Z.copy()
    changed[7, 1] += 1e-9
    assert KeptMap(tmp_path, Space(changed)).read() is None
    assert KeptMap(tmp_path, Space(space.Z, "manhattan")).read() is None


@pytest.mark.parametrize("power", [{"p": 3}, {"p": None, "metric_params": {"p": 3}}])
def test_a_map_by_a_power_measures_planes_by_it(space, power):
    named = Space(space.Z, "minkowski", **power)
    assert neighbor_layout.map_metric(named)["metric_params"] == {"p": 3}
    assert neighbor_layout.PlaneMeasures(named)(space.Z[:, :2]) is not None


def test_a_damaged_file_or_a_folder_without_one_is_no_map(tmp_path, space, layout):
    kept = KeptMap(tmp_path, space)
    assert kept.read() is None
    kept.write(layout)
    (tmp_path / "map.npz").write_bytes(b"damaged")
    assert kept.read() is None


def test_a_folder_that_cannot_be_written_keeps_no_map(tmp_path, space, layout):
    (tmp_path / "file").write_text("")
    kept = KeptMap(tmp_path / "file", space)
    kept.write(layout)
    assert kept.read() is None
