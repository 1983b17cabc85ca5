"""The audit of held-out rows."""

from __future__ import annotations

import numpy as np

from lookalike.explain.self_search import self_search
from lookalike.studies.analyze.data_audit import audit_rows
from lookalike.studies.load.dataset import Dataset


def test_a_held_out_duplicate_of_a_training_row_is_leakage():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[150], X[151], X[10] = X[3], X[152], X[11]
    held = np.arange(200) >= 150
    dataset = Dataset(X, dict.fromkeys("abc", "number"), np.arange(200) + 1000)
    found = audit_rows(self_search(X, 10), dataset, "auto", held_out=held)
    assert found.counts["duplicate"] == 6
    assert found.counts["leak"] == 1
    leak = next(one for one in found.flagged_rows if one.kind == "leak")
    assert leak.row == 1150
    assert leak.neighbors[0].row == 1003
    assert "leak" in found.table.flags[150]
