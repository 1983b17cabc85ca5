"""What another label of a row would change: its effect on all predictions, before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.explain.leave_one_out import RelabelEffect

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState
    from lookalike.web.explorer.explored_rows import ExploredRows


def relabel_effect(exploration: ExplorationState, row: int, label: object) -> dict[str, object]:
    """Return the leave-one-out error before and after, and the rows predicted otherwise.

    A training row changes votes: of other training rows, each left out in turn, and of held-out
    rows. A held-out row changes nothing but the held-out error.
    """
    rows, k = exploration.rows, exploration.neighbors.k
    known = exploration.neighbors.predictions()
    inside = known.effect_inside(row, label, k)
    outside = known.effect_outside(row, label, k, rows.truth[known.rest])
    error = known.each.error_at(k)
    unchanged: dict[str, object] = {"error_before": error, "error_after": error, "changed": []}
    return {
        "row": row,
        "label": _text(known.label(label)),
        "k": k,
        "n": known.each.n_rows,
        **(unchanged if inside is None else _effect(rows, inside)),
        "held_out": outside and {**_effect(rows, outside), "n": len(known.rest)},
    }


def _effect(rows: ExploredRows, effect: RelabelEffect) -> dict[str, object]:
    before, after = effect.predicted_before.tolist(), effect.predicted_after.tolist()
    return {
        "error_before": effect.error_before,
        "error_after": effect.error_after,
        "changed": [
            {"row": row, "before": _text(old), "after": _text(new), "label": rows.label(row)}
            for row, old, new in zip(effect.rows.tolist(), before, after, strict=True)
        ],
    }


def _text(value: object) -> str | float | None:
    return value if isinstance(value, float) or value is None else str(value)
