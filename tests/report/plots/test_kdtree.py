"""Pictures of KD-trees show every cell, and the neighbor that one cell alone misses."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.kdtree import KDTreeIndex

plots = pytest.importorskip("lookalike.report.plots")
pytest.importorskip("matplotlib")

ROWS = np.array([[3.0, 1], [2, 6], [5, 4], [8, 7], [10, 2], [13, 3]])


def test_every_cell_is_drawn():
    index = KDTreeIndex(ROWS, leaf_size=1)
    ax = plots.plot_kdtree(index)
    assert len(ax.patches) == len(index.cells()) == 6
    assert "6 cells of at most 1 rows, depth 3" in ax.get_title()


def test_a_neighbor_in_another_cell_is_shown_as_missed():
    index = KDTreeIndex(ROWS, leaf_size=1)
    query = np.array([8.5, 3.0])  # its own cell holds (8, 7) or (13, 3), and (10, 2) is nearer
    labels = [text.get_text() for text in plots.plot_kdtree(index, query).get_legend().texts]
    own = next(r for b, r in index.cells() if (query >= b[0]).all() and (query < b[1]).all())
    nearest = index.query(query[None], 1).row[0, 0]
    assert ("nearest of all" in labels) == (nearest not in own)
    crowded = plots.plot_kdtree(NearestNeighbors(algorithm="kd_tree").fit(ROWS), query)
    assert "its own cell holds the nearest row" in crowded.get_title()


def test_what_cannot_be_drawn_is_an_error():
    with pytest.raises(ShapeError, match="drawn for two columns, the tree has 3"):
        plots.plot_kdtree(KDTreeIndex(np.eye(3)))
    with pytest.raises(ParameterError, match="is not a KD-tree"):
        plots.plot_kdtree(NearestNeighbors(algorithm="brute").fit(ROWS))
