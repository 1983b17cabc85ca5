"""How few training rows answer as well as all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.explain.bounds import wilson
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.prototypes import CondensedNeighbors, EditedNeighbors
from lookalike.studies.analysis_results import PrototypeSelection
from lookalike.typing import AnyArray, Rows

MOST_ROWS = 10_000
MOST_QUERIES = 2000


def condensed(
    train: tuple[AnyArray, AnyArray],
    held: tuple[AnyArray, AnyArray],
    search: dict[str, Any],
    decisions: Decisions,
) -> PrototypeSelection:
    """Leave out rows that change no answer, before that perhaps those that contradict others.

    One nearest neighbor on what is kept is compared with one on all of the training rows: the
    smallest set that does as well, as far as held-out rows can tell, or else the best.
    """
    Z, y = train[0][:MOST_ROWS], train[1][:MOST_ROWS]
    queries, truth = held[0][:MOST_QUERIES], held[1][:MOST_QUERIES]
    if len(Z) < len(train[0]):
        decisions.add("condensed set", f"of {len(Z)} training rows", f"{len(train[0])} take long")
    whole = KNeighborsClassifier(1, **search).fit(Z, y)
    full = float((whole.predict(queries) != truth).mean())
    tried = []
    for kept in _sets(Z, y, search):
        few = KNeighborsClassifier(1, **search).fit(Z[kept], y[kept])
        error = float((few.predict(queries) != truth).mean())
        interval = wilson(error, len(truth))
        tried.append(PrototypeSelection(len(kept), len(Z), error, full, interval, len(truth)))
    alike = [one for one in tried if one.interval[0] <= full]
    return (
        min(alike, key=lambda one: one.n_prototypes)
        if alike
        else min(tried, key=lambda one: one.error)
    )


def _sets(Z: AnyArray, y: AnyArray, search: dict[str, Any]) -> Iterator[Rows]:
    """Give the rows kept by condensing, and by condensing what editing leaves."""
    yield CondensedNeighbors(**search).fit(Z, y).rows_
    with warnings.catch_warnings():  # that one class alone is left matters to nobody here
        warnings.simplefilter("ignore")
        edited = EditedNeighbors(**search).fit(Z, y).rows_
    if len(np.unique(y[edited])) == len(np.unique(y)):
        yield edited[CondensedNeighbors(**search).fit(Z[edited], y[edited]).rows_]
