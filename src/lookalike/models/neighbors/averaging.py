"""Targets of neighbors averaged, for any number of neighbors from one search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.votes import Ballot
from lookalike.models.neighbors.vote_rules import Weigh, influence, part_of, require_votes, start_of
from lookalike.models.neighbors.voting import CELLS, Electorate, ballot_of
from lookalike.typing import Array, Rows


class Averages(NamedTuple):
    """Mean and standard deviation of the neighbors' targets; both (queries, ks, outputs)."""

    mean: Array
    spread: Array


def average(
    electorate: Electorate, targets: Array, weights: str | Weigh, ks: Sequence[int]
) -> Averages:
    r"""Average the targets of the `k` nearest rows, for each k of `ks` from one search.

    .. math:: g(x) = \frac{\sum_i w_i\, y_{(i)}}{\sum_i w_i}, \qquad
              s(x)^2 = \frac{\sum_i w_i\, (y_{(i)} - g(x))^2}{\sum_i w_i}

    [LUMS; UGR]. A row of weight two counts as two rows of the `k`, if need be only one of them.
    """
    shape = (electorate.n_queries, len(ks), targets.shape[1])
    found = Averages(np.empty(shape), np.empty(shape))
    waiting = np.arange(electorate.n_queries)
    width = min(max(ks) + electorate.spare, electorate.available)
    while len(waiting):
        short = []
        batch = max(1, CELLS // (width * targets.shape[1]))
        for begin in range(0, len(waiting), batch):
            part = waiting[begin : begin + batch]
            ballot = ballot_of(electorate, part, width)
            starts = [start_of(ballot, k) for k in ks]
            lacking = np.any([start == ballot.row.shape[1] for start in starts], axis=0)
            short.append(part[lacking])
            here = np.flatnonzero(~lacking)
            ballot, part = part_of(ballot, here), part[here]
            for place, (k, start) in enumerate(zip(ks, starts, strict=True)):
                most = int(start[here].max(initial=0)) + 1
                mean, spread = _mean_and_spread(ballot, targets, weights, k, most)
                found.mean[part, place], found.spread[part, place] = mean, spread
        waiting = np.concatenate(short) if width < electorate.available else np.empty(0, int)
        width = min(2 * width, electorate.available)
    return found


def weighted_mean(weight: Array, values: Array) -> tuple[Array, Array]:
    """Return mean and spread of `values` (queries, m, outputs), weighted by (queries, m)."""
    require_votes(weight)
    part = weight / weight.sum(axis=1, keepdims=True)
    mean = np.einsum("qm,qmo->qo", part, values)
    spread = np.sqrt(np.einsum("qm,qmo->qo", part, (values - mean[:, None]) ** 2))
    return mean, spread


def _mean_and_spread(
    ballot: Ballot, targets: Array, weights: str | Weigh, k: Any, most: int
) -> tuple[Array, Array]:
    near = influence(ballot.distance[:, :most], weights)
    row: Rows = ballot.row[:, :most]
    if ballot.weight is not None:
        held = ballot.weight[:, :most]
        before = np.cumsum(held, axis=1) - held
        counted = np.clip(k - before, 0.0, held)
        near = np.where(counted > 0, near * counted, 0.0)
    return weighted_mean(near, targets[row])
