"""A selection of rows compared with the rest: columns, labels and errors."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.errors import ParameterError
from lookalike.models.text.tfidf import TermWeights
from lookalike.typing import AnyArray, Array
from lookalike.validation import shown
from lookalike.web.explorer.maps import category_codes, category_names, column_numbers

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

MAX_CATEGORIES_OF_COLUMN = 1000
MIN_ROWS_TO_SET_APART = 5  # a category that fewer have, as a name, sets no rows apart
MOST_TERMS = 200  # of texts, those whose shares differ most


def selected(n_rows: int, rows: Sequence[int] | None, mask: str | None) -> AnyArray:
    """Return which rows are selected, by their positions or by a bitmask."""
    inside = np.zeros(n_rows, bool)
    if (rows is None) == (mask is None):
        raise ParameterError("Give rows or mask.")
    if rows is not None:
        if wrong := [row for row in rows if not 0 <= row < n_rows]:
            raise ParameterError(f"rows hold {shown(wrong[0])}; there are {n_rows}, from 0.")
        inside[list(rows)] = True
        return inside
    try:
        raw = base64.b64decode(mask or "", validate=True)
    except (binascii.Error, ValueError):
        raise ParameterError("mask is not base64. Give a bitmask of all rows.") from None
    if len(raw) != -(-n_rows // 8):
        raise ParameterError(f"mask has {len(raw)} bytes; {n_rows} rows need {-(-n_rows // 8)}.")
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=n_rows, bitorder="little")
    return bits.astype(bool)


def compare_selection(exploration: ExplorationState, here: AnyArray) -> dict[str, object]:
    """Return how the selected rows differ from the rest, the largest effects first.

    Effects are differences in standard deviations of all rows, with their interval of 95%: of the
    means of a number, and of the shares of a category or word, which counts as 0 and 1.
    """
    rows = exploration.rows
    n = int(np.count_nonzero(here))
    comparison: dict[str, object] = {"n": n, "columns": [], "labels": {}, "error": None}
    if n > 0:
        comparison["columns"] = _columns(exploration, here)
    if rows.code is not None:
        inside = np.bincount(rows.code[here & (rows.code >= 0)], minlength=len(rows.classes))
        outside = np.bincount(rows.code[~here & (rows.code >= 0)], minlength=len(rows.classes))
        pairs = zip(inside.tolist(), outside.tolist(), strict=True)
        comparison["labels"] = dict(zip(rows.class_names, map(list, pairs), strict=True))
    if exploration.neighbors.predicts:
        comparison["error"] = _errors(exploration, here)
    return comparison


def _columns(exploration: ExplorationState, selected_mask: AnyArray) -> list[dict[str, object]]:
    dataset, entries = exploration.rows.dataset, []
    for name, kind in dataset.kinds.items():
        if name == dataset.text:
            entries += _terms(exploration, selected_mask)
        elif kind in ("number", "boolean", "date"):
            entries.append(_number(name, column_numbers(dataset, name), selected_mask))
        else:
            column = np.asarray(dataset.column(name))
            names = category_names(column)
            codes = category_codes(column, names)
            if len(names) <= MAX_CATEGORIES_OF_COLUMN:
                entries += [
                    _share(f"{name} = {label}", codes == index, selected_mask)
                    for index, label in enumerate(names)
                ]
    known = [one for one in entries if one["effect"] is not None]
    return sorted(known, key=lambda one: -abs(one["effect"]))


def _number(name: str, values: Array, selected_mask: AnyArray) -> dict[str, object]:
    known = ~np.isnan(values)
    inside, outside = values[known & selected_mask], values[known & ~selected_mask]
    spread = float(np.std(values[known])) if known.any() else 0.0
    if not len(inside) or not len(outside) or spread == 0:
        return {"name": name, "effect": None}
    difference = float(inside.mean() - outside.mean())
    error = np.sqrt(inside.var() / len(inside) + outside.var() / len(outside))
    ends = [(difference + side * NORMAL_95_DEVIATIONS * float(error)) / spread for side in (-1, 1)]
    return {
        "name": name,
        "share": False,
        "inside": float(inside.mean()),
        "outside": float(outside.mean()),
        "effect": difference / spread,
        "interval": ends,
    }


def _share(name: str, has: AnyArray, selected_mask: AnyArray) -> dict[str, object]:
    n_in, n_out = int(selected_mask.sum()), int((~selected_mask).sum())
    if not n_in or not n_out or np.count_nonzero(has) < MIN_ROWS_TO_SET_APART:
        return {"name": name, "effect": None}
    counts = int((has & selected_mask).sum()), int((has & ~selected_mask).sum())
    return _gap(name, (counts[0], n_in), (counts[1], n_out))


def _gap(name: str, inside: tuple[int, int], outside: tuple[int, int]) -> dict[str, object]:
    """Return the difference of two shares in their standard deviation, and Newcombe's interval.

    [Newcombe98]
    """
    whole = (inside[0] + outside[0]) / (inside[1] + outside[1])
    spread = np.sqrt(whole * (1 - whole))
    if spread == 0:
        return {"name": name, "effect": None}
    part, rest = inside[0] / inside[1], outside[0] / outside[1]
    (low, high), (least, most) = wilson(part, inside[1]), wilson(rest, outside[1])
    below = float(np.hypot(part - low, most - rest))
    above = float(np.hypot(high - part, rest - least))
    difference = part - rest
    return {
        "name": name,
        "share": True,
        "inside": part,
        "outside": rest,
        "effect": float(difference / spread),
        "interval": [float((difference - below) / spread), float((difference + above) / spread)],
    }


def _terms(exploration: ExplorationState, selected_mask: AnyArray) -> list[dict[str, Any]]:
    """Return the shares of documents that hold each term, those that differ most first."""
    dataset = exploration.rows.dataset
    texts = [exploration.rows.text(row) or "" for row in range(len(dataset))]
    weights = TermWeights().fit(texts)
    counts = (weights.transform(texts).tocsc() != 0).astype(np.float64)
    n_in, n_out = int(selected_mask.sum()), int((~selected_mask).sum())
    if not n_in or not n_out:
        return []
    inside = np.asarray(counts[selected_mask].sum(axis=0)).ravel().astype(np.int64)
    outside = np.asarray(counts[~selected_mask].sum(axis=0)).ravel().astype(np.int64)
    most = np.argsort(-np.abs(inside / n_in - outside / n_out), kind="stable")[:MOST_TERMS]
    names = weights.get_feature_names_out()
    return [
        _gap(str(names[term]), (int(inside[term]), n_in), (int(outside[term]), n_out))
        for term in most
    ]


def _errors(exploration: ExplorationState, selected_mask: AnyArray) -> dict[str, Any]:
    """Return the error rate, or RMSE, inside and outside; None where there are no rows."""
    rows, predicted = exploration.rows, exploration.predicted()

    def error(part: AnyArray) -> float | None:
        if not part.any():
            return None
        if rows.number is not None:
            return float(np.sqrt(np.mean((predicted[part] - rows.number[part]) ** 2)))
        return float(np.mean(predicted[part] != rows.truth[part]))

    return {"inside": error(selected_mask), "outside": error(~selected_mask)}
