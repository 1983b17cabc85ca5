r"""Copies: identical rows that chance does not explain; ordinary repeats of discrete rows are not.

Whether identical rows are ordinary is seen from near misses. Let :math:`D_i` be the number of pairs
of rows that differ in column i alone, :math:`D_{ij}` that of those that differ in i and j alone.
Where columns i and j are independent given that two rows agree in all others, the number of pairs
that agree in every column is expected to be

.. math:: E = \frac{D_i D_j}{D_{ij}},

whatever the other columns are. A copy agrees in every column and adds nothing to the right side.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.missing import is_missing
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows

MIN_DISTINCT_FOR_COPIES = 50  # distinct rows; with fewer, equal ones are ordinary
TIMES_EXPECTED = 3.0  # identical pairs per expected one, from which on they are copies
STANDARD_ERRORS = 8.0  # that they exceed it by at least
RARE_VALUE_ROWS = 8  # rows with a value of a column, up to which it is rare
N_COLUMNS_PAIRED = 6  # those with the most near misses
MAX_PARTS = 16  # by the column of the rarest value
MAX_COLUMNS_LEFT_OUT = 64  # the most varied ones
MIN_SHARE_DISTINCT = 0.5  # of the rows of a single column, where near misses say nothing


def find_copies(
    dataset: Dataset, features: Collection[str], identical: Rows, decisions: Decisions
) -> Rows:
    """Return a number for every row, equal for copies; ordinary repeats have numbers of their own.

    `identical` has a number for every row, equal for rows that agree in all features. Images and
    documents have a huge number of possible contents: identical ones are copies.
    """
    n_rows, sizes = len(identical), np.bincount(identical)
    if len(sizes) == n_rows or dataset.data_kind != "table":
        return identical
    copied, reason = np.zeros(n_rows, bool), f"only {len(sizes)} distinct rows among {n_rows:,}"
    if len(sizes) >= MIN_DISTINCT_FOR_COPIES:
        names = [name for name in dataset.names if name in features]
        codes = np.column_stack([column_codes(dataset.column(name)) for name in names])
        copied = copied_rows(codes, identical)
        reason = "rows that differ in a column or two are as frequent as chance makes them"
    number = np.where(copied, identical, len(sizes) + np.arange(n_rows))
    n_ordinary = n_rows - len(sizes) - int(copied.sum()) + len(np.unique(identical[copied]))
    if n_ordinary:
        decisions.add(
            "identical rows",
            f"{n_ordinary:,} ordinary repeats are not kept together",
            f"{reason}: new rows repeat old ones as well",
        )
    return in_order_of_appearance(number)


def in_order_of_appearance(number: Rows) -> Rows:
    """Return numbers from zero, given in order of appearance, equal where those given are.

    >>> in_order_of_appearance(np.array([7, 3, 7, 5]))
    array([0, 1, 0, 2])
    """
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    renumbered: Rows = order[inverse.reshape(-1)].astype(np.int64)
    return renumbered


def copied_rows(codes: Rows, identical: Rows) -> AnyArray:
    """Tell which rows repeat another one that chance does not explain.

    Rows are tested apart by the column in which their value is rarest, and those of common values
    alone, since a table may have discrete rows beside others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dice = rng.integers(6, size=(400, 3))
    >>> number = np.unique(dice, axis=0, return_inverse=True)[1].reshape(-1)
    >>> int(copied_rows(dice, number).sum())
    0
    >>> continuous = np.argsort(rng.random((400, 3)), axis=0)
    >>> continuous[1] = continuous[0]
    >>> number = np.unique(continuous, axis=0, return_inverse=True)[1].reshape(-1)
    >>> np.flatnonzero(copied_rows(continuous, number)).tolist()
    [0, 1]
    """
    repeated = np.bincount(identical)[identical] > 1
    if codes.shape[1] == 1:
        return repeated & (len(np.unique(codes)) >= MIN_SHARE_DISTINCT * len(codes))
    parts = _parts(codes, repeated)
    observed, expected = identical_pairs(codes, parts)
    unlikely = observed > TIMES_EXPECTED * expected + STANDARD_ERRORS * expected**0.5
    copied: AnyArray = repeated & unlikely[parts]
    return copied


def _parts(codes: Rows, repeated: AnyArray) -> Rows:
    """Return a number for every row by the column in which its value is rarest.

    Rows of common values alone have the number 0. Columns in which few repeated rows have their
    rarest value share the number 1.
    """
    counts = np.column_stack([_value_counts(column) for column in codes.T])
    rarest = np.where(counts.min(axis=1) <= RARE_VALUE_ROWS, counts.argmin(axis=1), -1)
    n_repeated = np.bincount(rarest[repeated & (rarest >= 0)], minlength=codes.shape[1])
    largest = np.argsort(-n_repeated, kind="stable")[:MAX_PARTS]
    number = np.ones(codes.shape[1] + 1, np.int64)
    number[largest] = 2 + np.arange(len(largest))
    number[-1] = 0  # of no rare value
    parts: Rows = number[rarest]
    return parts


def column_codes(column: AnyArray) -> Rows:
    """Return a number for every cell, equal for equal ones, −1 for missing ones."""
    if column.dtype.kind == "M":
        missing = np.isnat(column)
    elif column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        missing = np.array([is_missing(cell) for cell in column.tolist()], bool)
    codes = np.full(len(column), -1, np.int64)
    known = column[~missing]
    if known.dtype == object:
        known = np.array([str(cell) for cell in known.tolist()])
    if len(known):
        codes[~missing] = np.unique(known, return_inverse=True)[1]
    return codes


def identical_pairs(codes: Rows, parts: Rows) -> tuple[Array, Array]:
    """Return the number of identical pairs of rows, and the number that near misses let expect.

    For each of the `parts`, the ordered pairs of one of its rows with any row. :math:`D_i D_j` and
    :math:`D_{ij}` are summed over pairs of columns, since those of one pair are few.
    """
    rng = np.random.default_rng(0)
    n_parts = int(parts.max()) + 1
    keys = [_random_keys(column, rng) for column in codes.T]
    whole = np.zeros(len(codes), np.uint64)
    for of_column in keys:
        whole += of_column

    def pairs(left_out: tuple[int, ...]) -> Array:
        """Return in how many pairs of each part rows agree in all columns but these."""
        rest = whole.copy()
        for j in left_out:
            rest -= keys[j]
        others = (_value_counts(rest) - 1).astype(np.float64)
        return np.asarray(np.bincount(parts, others, minlength=n_parts), np.float64)

    observed = pairs(())
    n_values = [len(np.unique(column)) for column in codes.T]
    varied = np.argsort(n_values)[::-1][:MAX_COLUMNS_LEFT_OUT].tolist()
    near = {j: pairs((j,)) - observed for j in varied}
    of_two: dict[tuple[int, int], Array] = {}
    expected = np.zeros(n_parts)
    for part in np.flatnonzero(observed).tolist():
        most = sorted(near, key=lambda j: -near[j][part])[:N_COLUMNS_PAIRED]
        products = both = 0.0
        for i, j in combinations(sorted(most), 2):
            if near[i][part] and near[j][part]:
                if (i, j) not in of_two:
                    of_two[i, j] = pairs((i, j)) - observed - near[i] - near[j]
                products += near[i][part] * near[j][part]
                both += of_two[i, j][part]
        expected[part] = products / max(both, 1.0)
    return observed, expected


def _random_keys(column: Rows, rng: np.random.Generator) -> AnyArray:
    """Return a random 64-bit number for every cell, equal for equal ones."""
    values, codes = np.unique(column, return_inverse=True)
    return rng.integers(2**64, size=len(values), dtype=np.uint64)[codes.reshape(-1)]


def _value_counts(column: AnyArray) -> Rows:
    """Return for every cell in how many rows its value is."""
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    of_rows: Rows = counts[inverse.reshape(-1)]
    return of_rows
