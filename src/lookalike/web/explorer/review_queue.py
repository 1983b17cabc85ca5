"""Rows whose label the audit flags, by the harm that they do, and why each is flagged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.k_ranges import label_stability, range_around

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState


def review_queue(state: ExplorationState, sent: Sequence[int] = ()) -> list[dict[str, object]]:
    """Return the rows whose label the audit flags and nobody decided on, by their harm.

    The harm of a row is the number of leave-one-out errors of other rows that would go away
    if it had the suggested label, less those that would come. Rows that were sent go first.
    """
    rows, audit = state.rows, state.rows.audit
    if not state.neighbors.predicts:
        return []
    decided = {decision.row for decision, _ in state.decisions}
    by_hand = [row for row in sent if row not in decided]
    flagged = [
        row
        for row, kinds in enumerate(() if audit is None else audit.flags)
        if "mislabel" in kinds.split() and row not in decided and row not in sent
    ]
    labels = [] if audit is None else _suggested_labels(state, flagged)
    pairs = [(row, label) for row, label in zip(flagged, labels, strict=True) if label is not None]
    pairs += [(row, _predicted_label(state, row)) for row in by_hand]
    if not pairs:
        return []
    harm = state.neighbors.predictions().harm(
        np.array([row for row, _ in pairs], np.int64),
        [label for _, label in pairs],
        state.neighbors.k,
    )
    scores = {} if audit is None else audit.scores
    score = scores.get("mislabel_probability", scores.get("deviation"))
    items = [
        {
            "row": row,
            "number": int(rows.dataset.row[row]),
            "label": rows.label(row),
            "suggested": label,
            "score": None if score is None else float(score[row]),
            "harm": float(harm[position]),
            "split": "test" if rows.is_test[row] else "train",
            "sent": row in by_hand,
            **_stability(state, row),
        }
        for position, (row, label) in enumerate(pairs)
    ]
    return sorted(items, key=_rank)


def review_error(state: ExplorationState) -> dict[str, object] | None:
    """Return the leave-one-out error and the held-out error with the labels as they are."""
    if not state.neighbors.predicts:
        return None
    known = state.neighbors.predictions()
    each = known.each
    held_out = known.error_outside(state.neighbors.k, state.rows.truth[known.rest])
    return {
        "value": each.error_at(each.selected),
        "n": each.n_rows,
        "k": each.selected,
        "held_out": held_out,
    }


def _rank(item: dict[str, Any]) -> tuple[bool, float, float, int]:
    return not item["sent"], -item["harm"], -(item["score"] or 0.0), item["row"]


def _predicted_label(state: ExplorationState, row: int) -> object:
    """Return what the neighbors of a row predict for it."""
    value = state.neighbors.predicted(state.neighbors.k)[row]
    return float(value) if state.rows.code is None else state.rows.class_name(int(value))


def _suggested_labels(state: ExplorationState, flagged: list[int]) -> list[object]:
    """Return the label that the audit suggests for rows; None where it is the one they have."""
    rows, audit = state.rows, state.rows.audit
    assert audit is not None
    if rows.code is None:
        number = state.neighbors.predicted(state.neighbors.k)
        return [float(number[row]) for row in flagged]
    suggested, known = audit.scores.get("suggested_label"), set(rows.class_names)
    if suggested is None:
        return [None] * len(flagged)
    return [
        suggested[row] if suggested[row] in known and suggested[row] != rows.label(row) else None
        for row in flagged
    ]


def _stability(state: ExplorationState, row: int) -> dict[str, Any]:
    """Return the range of K around the model's that predicts the same, and what that says."""
    rows, neighbors = state.rows, state.neighbors
    if rows.code is None:
        return {"stable_k": None, "reason": "Its number is far from those of its neighbors."}
    ranges = neighbors.predictions().ranges(row)
    around = range_around(ranges, neighbors.k)
    stable = {"from": around.first, "to": around.last, "predicted": str(around.prediction)}
    return {"stable_k": stable, "reason": label_stability(ranges, rows.label(row))}
