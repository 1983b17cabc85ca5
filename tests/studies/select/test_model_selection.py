"""Which candidates there is time for, and on how many rows."""

from __future__ import annotations

import time

import pytest

from lookalike.studies.select.budget import Deadline
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.model_selection import _affordable
from lookalike.studies.select.training_rows import ProblemSize

COVER = ProblemSize(465_000, 54, 7, search=60.0)


@pytest.mark.parametrize("name", ["nearest", "knn", "knn_weighted"])
def test_neighbors_take_part_however_many_rows_there_are(name):
    spec = next(one for one in CANDIDATES if one.name == name)
    assert _affordable(spec, COVER, Deadline(time.monotonic() + 195)) == (COVER.rows, "")


def test_every_candidate_takes_part_on_some_of_very_many_rows():
    for spec in CANDIDATES:
        rows, refused = _affordable(spec, COVER, Deadline(time.monotonic() + 195))
        assert not refused, spec.name
        assert rows >= 1000
