"""Prototype selection (condensed 1-NN): a subset of the training rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from lookalike.confidence import wilson
from lookalike.decisions import Decisions
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.metric_options import MetricOptions
from lookalike.models.neighbors.prototypes import CondensedNearestNeighbour, EditedNearestNeighbours
from lookalike.studies.analysis_results import PrototypeSelection
from lookalike.typing import AnyArray, Rows

MAX_ROWS_FOR_PROTOTYPES = 10_000
MOST_QUERIES = 2000


def select_prototypes(
    train: tuple[AnyArray, AnyArray],
    held_out: tuple[AnyArray, AnyArray],
    search: MetricOptions,
    decisions: Decisions,
) -> PrototypeSelection:
    """Condense the training rows, and the rows that editing leaves of them.

    1-NN on the prototypes is compared with 1-NN on all training rows: the smallest set without a
    significantly larger held-out error is returned, or else the set of lowest error.
    """
    Z, y = train[0][:MAX_ROWS_FOR_PROTOTYPES], train[1][:MAX_ROWS_FOR_PROTOTYPES]
    queries, y_true = held_out[0][:MOST_QUERIES], held_out[1][:MOST_QUERIES]
    if len(Z) < len(train[0]):
        reason = f"{len(train[0]):,} would take long"
        decisions.add("prototype selection", f"of {len(Z):,} training rows", reason)
    all_rows = KNeighborsClassifier(1, **search).fit(Z, y)
    full = float((all_rows.predict(queries) != y_true).mean())
    tried = []
    for kept in _sets(Z, y, search):
        few = KNeighborsClassifier(1, **search).fit(Z[kept], y[kept])
        error = float((few.predict(queries) != y_true).mean())
        interval = wilson(error, len(y_true))
        tried.append(PrototypeSelection(len(kept), len(Z), error, full, interval, len(y_true)))
    alike = [one for one in tried if one.interval[0] <= full]
    return (
        min(alike, key=lambda one: one.n_prototypes)
        if alike
        else min(tried, key=lambda one: one.error)
    )


def _sets(Z: AnyArray, y: AnyArray, search: MetricOptions) -> Iterator[Rows]:
    """Give the rows kept by condensing, and by condensing what editing leaves."""
    yield CondensedNearestNeighbour(**search).fit(Z, y).rows_
    with warnings.catch_warnings():  # of a single class that is left
        warnings.simplefilter("ignore")
        edited = EditedNearestNeighbours(**search).fit(Z, y).rows_
    if len(np.unique(y[edited])) == len(np.unique(y)):
        yield edited[CondensedNearestNeighbour(**search).fit(Z[edited], y[edited]).rows_]
