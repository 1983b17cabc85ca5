"""What another label of a row would change: its effect on all predictions, before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.explain.leave_one_out import LeaveOneOut
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState
    from lookalike.web.explorer.explored_rows import ExploredRows


def relabel_effect(exploration: ExplorationState, row: int, label: object) -> dict[str, object]:
    """Return the leave-one-out error before and after, and the rows predicted otherwise.

    A training row changes votes: of other training rows, each left out in turn, and of held-out
    rows. A held-out row changes nothing but the held-out error.
    """
    neighbors, rows = exploration.neighbors, exploration.rows
    each, k = neighbors.leave_one_out(), neighbors.k
    place = int(neighbors.place[row])
    own = {"error_before": each.error_at(k), "error_after": each.error_at(k), "changed": []}
    if place >= 0:
        effect = each.relabel_effect(place, label, k)
        changed = neighbors.row[effect.rows]
        own = {
            "error_before": effect.error_before,
            "error_after": effect.error_after,
            "changed": _changes(rows, changed, effect.predicted_before, effect.predicted_after),
        }
    return {
        "row": row,
        "label": _text(each.targets.named(each.targets.coded([label])).tolist()[0]),
        "k": k,
        "n": each.n_rows,
        **own,
        "held_out": _held_out(exploration, each, row, label),
    }


def _held_out(
    exploration: ExplorationState, each: LeaveOneOut, row: int, label: object
) -> dict[str, object] | None:
    """Return the effect on rows that the neighbor model was not fitted on."""
    neighbors, rows = exploration.neighbors, exploration.rows
    rest, others = neighbors.others()
    if others is None:
        return None
    place, k = int(neighbors.place[row]), neighbors.k
    truth = rows.truth[rest]
    before, after, now = others.at(k), others.at(k).copy(), truth.copy()
    if place >= 0:
        part = others.affected(place, each.targets.depends_on_all)
        after[part] = others.recomputed(part, each.targets.relabeled(place, label), [k])[:, 0]
    else:
        now[np.searchsorted(rest, row)] = each.targets.coded([label])[0]
    changed = np.flatnonzero(after != before)
    named = each.targets.named
    return {
        "error_before": each.targets.error(before, truth),
        "error_after": each.targets.error(after, now),
        "n": len(rest),
        "changed": _changes(rows, rest[changed], named(before[changed]), named(after[changed])),
    }


def _changes(
    rows: ExploredRows, changed: Rows, before: AnyArray, after: AnyArray
) -> list[dict[str, object]]:
    return [
        {"row": int(row), "before": _text(old), "after": _text(new), "label": rows.label(int(row))}
        for row, old, new in zip(changed, before.tolist(), after.tolist(), strict=True)
    ]


def _text(value: object) -> str | float | None:
    return value if isinstance(value, float) or value is None else str(value)
