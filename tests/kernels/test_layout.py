"""The native descents give the same bits at every vector level."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lookalike import _core

SCRIPT = """
import hashlib
import numpy as np
from lookalike import NeighborMap
X = np.random.default_rng(0).normal(size=(1600, 4))
for method in ("tsne", "umap"):
    for rows in (X, X[:200]):
        Z = NeighborMap(method, n_iter=8, quality_rows=5).fit(rows).embedding_
        print(hashlib.sha256(Z.tobytes()).hexdigest())
"""


def maps_at(level):
    environment = {**os.environ, "LOOKALIKE_SIMD": level}
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif(_core.best_simd_level() == "generic", reason="there is one vector level")
def test_every_vector_level_gives_the_same_map():
    assert maps_at("generic") == maps_at(_core.best_simd_level())
