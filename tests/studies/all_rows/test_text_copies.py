"""Texts that name the class of their row, counted in all rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.data.chunk import Chunk
from lookalike.studies.all_rows.text_copies import TextCopies

RNG = np.random.default_rng(0)
N = 600
CLASSES = ["benign", "malignant"]
CODE = RNG.integers(0, 2, N)
NOTE = np.array([f"seen on day {j}: {CLASSES[c]} tissue" for j, c in enumerate(CODE)], object)
TOWN = np.array(["Graz", "Linz"], object)[RNG.integers(0, 2, N)]


def counted(note, sample=200, pieces=3):
    columns = {"town": TOWN[:sample], "note": note[:sample]}
    reduction = TextCopies(columns, CLASSES, CODE[:sample].astype(float))
    state = reduction.init(2)
    for part in np.array_split(np.arange(N), pieces):
        y = np.column_stack([TOWN[part], note[part], CODE[part]]).astype(object)
        chunk = Chunk(np.zeros((len(part), 2)), y)
        state = reduction.merge(state, reduction.update(reduction.init(2), chunk))
    return reduction, reduction.finalize(state)


def test_a_text_that_names_the_class_of_every_row_is_found():
    reduction, found = counted(NOTE)
    assert (list(reduction.suspects), found) == (["note"], ("note",))


@pytest.mark.parametrize(("wrong", "found"), [(10, ("note",)), (20, ())])
def test_a_text_that_names_its_class_in_the_sample_alone_is_not(wrong, found):
    note = NOTE.copy()
    note[-wrong:] = "nothing seen"
    assert counted(note)[1] == found


def test_numbers_of_classes_are_not_looked_for_in_texts():
    reduction = TextCopies({"note": NOTE}, [0, 1], CODE.astype(float))
    assert not reduction.suspects
