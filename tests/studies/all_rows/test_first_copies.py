"""Equal rows among any number of rows."""

from __future__ import annotations

import numpy as np

from lookalike import config
from lookalike.studies.all_rows.first_copies import FirstCopies


def test_the_first_of_equal_hashes_is_found_in_parts_of_them_as_in_all_at_once():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, 3_000, dtype=np.uint64)
    hashes = values[rng.integers(0, 3_000, 5_000)]
    first_of = {}
    for row, value in enumerate(hashes.tolist()):
        first_of.setdefault(value, row)
    count = dict(zip(*np.unique(hashes, return_counts=True), strict=True))
    expected = [first_of[v] if count[v] > 1 else -1 for v in hashes.tolist()]
    for memory in ("2GB", "100kB"):  # all at once, or 32 parts
        with config(memory=memory):
            copies = FirstCopies(np.array_split(hashes, 7))
        np.testing.assert_array_equal(copies.of(0, 5_000), expected)
        np.testing.assert_array_equal(copies.of(1_234, 2_345), expected[1_234:2_345])
        assert copies.n_copies == sum(one >= 0 for one in expected)
