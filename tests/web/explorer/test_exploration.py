"""The page shows one state: corrections and editions replace it as a whole."""

from __future__ import annotations

import threading
import time
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from lookalike.explain.prediction.neighborhood import NeighborVote
from lookalike.web.explorer import explore_study

READERS = 8
STRESS_SECONDS = 4.0


def figures_of(state):
    """Return what has to fit together in one state, read part by part."""
    rows, neighbors = state.rows, state.neighbors
    each = neighbors.leave_one_out()
    return (
        len(state.decisions),
        tuple(rows.code.tolist()),
        tuple(np.asarray(neighbors.model.targets_.codes).ravel().tolist()),
        each.error_at(neighbors.k),
        state.edition,
    )


@pytest.fixture
def exploration(table_study, tmp_path):
    return explore_study(table_study, tmp_path / "fixed.csv")


def other_label(exploration, row):
    return next(name for name in ("yes", "no") if name != exploration.rows.label(row))


def test_a_correction_leaves_the_state_before_as_it_was(exploration):
    before = exploration.state
    known = figures_of(before)
    row = int(np.flatnonzero(~exploration.rows.is_test)[0])
    exploration.review.decide(row, "relabel", other_label(exploration, row))
    assert figures_of(before) == known
    assert figures_of(exploration.state) != known
    exploration.review.undo()
    assert figures_of(exploration.state) == known


def test_readers_see_whole_states_while_labels_are_corrected_and_editions_change(
    exploration, table_study, tmp_path
):
    """Every state that a reader takes is one of those that a writer has made."""
    exploration.neighbors.leave_one_out()
    made, seen, failures = {figures_of(exploration.state)}, set(), []
    deadline, finished = time.monotonic() + STRESS_SECONDS, threading.Event()

    def read():
        try:
            while not finished.is_set():
                state = exploration.state
                seen.add(figures_of(state))
                row = state.row(3)
                assert row["label"] == state.rows.label(3)
                assert len(state.colors.get("error")) == len(state.rows)
                state.evidence.of_row(5)
        except Exception as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    trained = np.flatnonzero(~exploration.rows.is_test)
    number = 0
    while not failures and (
        time.monotonic() < deadline or exploration.edition == 1 or len(seen) <= 3
    ):
        row = int(trained[number % 5])
        exploration.review.decide(row, "relabel", other_label(exploration, row))
        made.add(figures_of(exploration.state))
        number += 1
        if number % 3 == 0:
            exploration.review.undo()
            made.add(figures_of(exploration.state))
        if number % 10 == 0:
            exploration.follow_up(
                lambda: explore_study(table_study, tmp_path / "fixed.csv"), "Another edition"
            )
            exploration.successor.get()
            exploration.neighbors.leave_one_out()
            made.add(figures_of(exploration.state))
    finished.set()
    for reader in readers:
        reader.join()
    assert not failures, failures[0]
    assert len(seen) > 3
    assert exploration.edition > 1
    assert seen <= made


def test_hovering_a_row_reads_its_stored_prediction_and_computes_nothing(digits, monkeypatch):
    digits.neighbors.leave_one_out()
    stored = digits.neighbors.predicted(digits.neighbors.k)
    computed = []
    for name in ("decide", "ranges", "nearest"):
        monkeypatch.setattr(NeighborVote, name, lambda *_, name=name: computed.append(name))
    monkeypatch.setattr(type(digits.neighbors.model), "kneighbors", computed.append)
    for row in range(0, 200, 7):
        assert digits.state.row(row)["predicted"] == digits.rows.class_names[stored[row]]
    assert computed == []


def test_a_row_whose_prediction_is_not_there_yet_is_shown_without(digits, monkeypatch):
    monkeypatch.setattr(type(digits.neighbors), "ready", False)
    row = digits.state.row(3)
    assert (row["predicted"], row["pending"]) == (None, True)


def test_a_state_of_an_exploration_cannot_be_changed(digits):
    with pytest.raises(FrozenInstanceError):
        digits.state.edition = 2
    other = digits.state.with_edition(2, digits.state.maps)
    assert (digits.state.edition, other.edition) == (1, 2)
    assert other.colors is not digits.state.colors
