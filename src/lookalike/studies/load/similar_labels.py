"""Class labels that differ by case or spaces only, which are probably one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.format import count, format_list
from lookalike.typing import AnyArray

LabelCount: TypeAlias = tuple[str, int]  # a label, and how many rows have it
MAX_NAMED_GROUPS = 3


def similar_labels(y: AnyArray) -> list[list[LabelCount]]:
    """Return the groups of labels that differ by case or spaces only, the most frequent first.

    Examples
    --------
    >>> similar_labels(np.array(["Yes", "no", "Yes", "yes ", "No way"]))
    [[('Yes', 2), ('yes ', 1)]]
    """
    if y.dtype.kind not in "UO":
        return []
    groups: dict[str, list[LabelCount]] = {}
    for label, rows in zip(*np.unique(y.astype(str), return_counts=True), strict=True):
        groups.setdefault(" ".join(str(label).casefold().split()), []).append(
            (str(label), int(rows))
        )
    return [
        sorted(group, key=lambda pair: (-pair[1], pair[0]))
        for group in groups.values()
        if len(group) > 1
    ]


def describe_similar_labels(groups: Sequence[Sequence[LabelCount]]) -> str:
    """Return groups of labels with their counts.

    Examples
    --------
    >>> describe_similar_labels([[("Yes", 2000), ("yes ", 1)]])
    "'Yes' (2,000 rows) and 'yes ' (1 row)"
    """
    texts = [
        format_list([f"{label!r} ({count(rows, 'row')})" for label, rows in group])
        for group in groups
    ]
    more = f"; and {len(texts) - MAX_NAMED_GROUPS} more" if len(texts) > MAX_NAMED_GROUPS else ""
    return "; ".join(texts[:MAX_NAMED_GROUPS]) + more


def note_similar_labels(name: str, y: AnyArray, decisions: Decisions) -> None:
    """Record that such labels are kept apart."""
    if groups := similar_labels(y):
        decisions.add(
            f"labels of {name}",
            "kept apart",
            f"{describe_similar_labels(groups)} differ by case or spaces only. If they are one "
            "class, write them alike in the data",
        )
