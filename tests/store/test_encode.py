"""Objects as plain data: arrays of equal content are stored once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.store.encode import Encoder


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["f4", "f8", "i8"]), st.integers(0, 2)),
        max_size=12,
    )
)
def test_each_content_is_stored_once_wherever_it_lies_in_memory(drawn):
    encoder = Encoder()
    kept = {}
    for value, dtype, length in drawn:
        array = np.full(length, value, dtype)
        stored = encoder.encode(array, "array")["array"]
        known = kept.setdefault((dtype, array.tobytes()), stored)
        assert stored == known
        np.testing.assert_array_equal(encoder.arrays[int(stored)], array, strict=True)
    assert len(encoder.arrays) == len(kept)


def test_the_same_memory_is_stored_once_whatever_else_has_its_shape():
    first, second = np.arange(4.0), np.arange(4.0) + 1
    encoder = Encoder()
    numbers = [encoder.encode(one, "array")["array"] for one in (first, second, first[:], second)]
    assert numbers == ["0", "1", "0", "1"]


def test_part_of_an_array_is_not_the_array():
    rows = np.arange(12.0).reshape(4, 3)
    encoder = Encoder()
    numbers = [encoder.encode(part, "array")["array"] for part in (rows, rows[:2], rows[2:])]
    assert numbers == ["0", "1", "2"]
