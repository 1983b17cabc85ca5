"""Boosted trees grown on histograms: columns cut into bins, and trees that follow the loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.kernels.forest import float32_below
from lookalike.typing import AnyArray, Array, Rows

MAX_HISTOGRAM_BINS = 255  # of a column, besides that of missing values
QUANTILE_ROWS = 200_000  # of which the quantiles of a column are taken, evenly spaced


class BinnedRows(NamedTuple):
    """Between which thresholds of its column every value lies.

    Attributes
    ----------
    code : uint8 array of shape (columns, rows)
        0 of missing values, else 1 + how many thresholds are below the value.
    start : int64 array of shape (columns + 1,)
        Where the thresholds of a column begin.
    threshold : float32 array
        Rising within a column.
    """

    code: AnyArray
    start: Rows
    threshold: AnyArray


class BoostingPlan(NamedTuple):
    """How trees are grown.

    Attributes
    ----------
    steps : int
        Trees.
    learning_rate, l2 : float
        Of the values of leaves; see :class:`lookalike.kernels.boosted.BoostedTrees`.
    symmetric : bool
        Whether all leaves of a level are split by one threshold; else the best leaf is split next.
    max_leaves, max_depth, min_rows : int
        Limits of a tree and of its leaves; 0: none. Symmetric trees have a depth alone.
    row_share, column_share : float
        Of the rows and columns that are drawn for a tree.
    patience : int
        Steps without a lower loss of the rows left out, after which no more follow; 0: never.
    seed : int
        Of what is drawn.
    """

    steps: int
    learning_rate: float
    l2: float = 0.0
    symmetric: bool = False
    max_leaves: int = 31
    max_depth: int = 0
    min_rows: int = 20
    row_share: float = 1.0
    column_share: float = 1.0
    patience: int = 0
    seed: int = 0


class BoostedGrowth(NamedTuple):
    """Trees as :class:`lookalike.kernels.boosted.BoostedTrees` takes them.

    Attributes
    ----------
    nodes : int32 array of shape (n_nodes, 3)
        Of one tree after the other.
    root : int64 array of shape (n_trees,)
        The first node of each.
    value : float64 array of shape (n_leaves, n_outputs)
        What each leaf adds.
    out_loss : float64 array
        The mean loss of the rows left out, before any step and after each; of none without.
    """

    nodes: AnyArray
    root: Rows
    value: Array
    out_loss: Array


def bin_rows(X: AnyArray, most: int, threads: int) -> BinnedRows:
    """Return the rows with every column cut into `most` bins at most, besides the missing values.

    Bins hold one value each where there are few, and equally many rows otherwise.
    """
    thresholds = [_thresholds(column, most) for column in X.T]
    start = np.concatenate([[0], np.cumsum([len(one) for one in thresholds])]).astype(np.int64)
    threshold = np.concatenate([*thresholds, np.empty(0, np.float32)])
    code = np.empty((X.shape[1], len(X)), np.uint8)
    _core.bin_columns(X=X, start=start, threshold=threshold, threads=threads, code=code)
    return BinnedRows(code, start, threshold)


def _thresholds(column: AnyArray, most: int) -> AnyArray:
    """Return what a column is compared with: between its values, or its quantiles."""
    known = column[~np.isnan(column)].astype(np.float64)
    if len(known) > QUANTILE_ROWS:
        known = known[np.linspace(0, len(known) - 1, QUANTILE_ROWS).astype(np.int64)]
    values = np.unique(known)
    if len(values) <= most:
        between = values[:-1] + (values[1:] - values[:-1]) / 2
    else:
        share = np.linspace(0, 1, most + 1)[1:-1]
        between = np.unique(np.quantile(known, share, method="midpoint"))
        between = between[between < values[-1]]
    return np.unique(float32_below(between))


def grow_boosted(
    rows: BinnedRows,
    targets: AnyArray,
    base: Array,
    plan: BoostingPlan,
    *,
    left_out: AnyArray | None = None,
    threads: int,
) -> BoostedGrowth:
    """Grow trees towards numbers, or classes from 0, that start from the scores `base`.

    Rows that `left_out` marks are not learned from: their loss is computed after each step.
    """
    classes = targets.dtype.kind == "i"
    nodes, root, value, out_loss = _core.grow_boosted(
        code=rows.code,
        start=rows.start,
        threshold=rows.threshold,
        number=np.empty(0) if classes else np.ascontiguousarray(targets, np.float64),
        label=np.ascontiguousarray(targets) if classes else np.empty(0, np.int64),
        base=np.ascontiguousarray(base, np.float64),
        is_out=np.empty(0, np.uint8) if left_out is None else left_out.astype(np.uint8),
        threads=threads,
        **plan._asdict(),
    )
    return BoostedGrowth(nodes.reshape(-1, 3), root, value.reshape(-1, len(base)), out_loss)
