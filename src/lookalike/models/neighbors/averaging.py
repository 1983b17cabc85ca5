"""K-nearest-neighbor averages of targets, for any number of neighbors from one search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.index.rescale import scale_of
from lookalike.kernels.votes import NumberOfVoters, VoterTable, WeightFunction, require_votes
from lookalike.models.neighbors.voting import (
    NEIGHBORS_IN_MEMORY,
    WEIGHT_SUM_ROUNDING,
    NeighborQuery,
)
from lookalike.models.neighbors.voting_numpy import distance_weights, last_voter
from lookalike.typing import Array, Rows


def average(
    query: NeighborQuery, targets: Array, weights: str | WeightFunction, ks: Sequence[int]
) -> tuple[Array, Array]:
    r"""Return mean and standard deviation of the targets of the `k` nearest rows, for each of `ks`.

    .. math:: g(x) = \frac{\sum_i w_i\, y_{(i)}}{\sum_i w_i}, \qquad
              s(x)^2 = \frac{\sum_i w_i\, (y_{(i)} - g(x))^2}{\sum_i w_i}

    [LUMS; UGR]. A row of weight two counts as two rows of the `k`, if need be only one of them.
    Both are of shape (queries, ks, outputs).
    """
    shape = (query.n_queries, len(ks), targets.shape[1])
    mean, std = np.empty(shape), np.empty(shape)
    waiting = np.arange(query.n_queries)
    width = min(max(ks) + query.spare, query.available)
    while len(waiting):
        lacking = []
        batch = max(1, NEIGHBORS_IN_MEMORY // (width * targets.shape[1]))
        for begin in range(0, len(waiting), batch):
            part = waiting[begin : begin + batch]
            voters = query.voters(part, width)
            rounding = 0.0 if voters.weight is None else WEIGHT_SUM_ROUNDING
            starts = [last_voter(voters, k * (1 - rounding)) for k in ks]
            too_few = np.any([start == voters.row.shape[1] for start in starts], axis=0)
            lacking.append(part[too_few])
            enough = np.flatnonzero(~too_few)
            voters, part = voters.subset(enough), part[enough]
            for index, (k, start) in enumerate(zip(ks, starts, strict=True)):
                most = int(start[enough].max(initial=0)) + 1
                mean[part, index], std[part, index] = _mean_and_std(
                    voters, targets, weights, k, most
                )
        waiting = np.concatenate(lacking) if width < query.available else np.empty(0, int)
        width = min(2 * width, query.available)
    return mean, std


def weighted_mean(weight: Array, values: Array) -> tuple[Array, Array]:
    """Return mean and deviation of `values` (queries, m, outputs), weighted by (queries, m)."""
    require_votes(weight)
    part = weight / weight.sum(axis=1, keepdims=True)
    mean = np.einsum("qm,qmo->qo", part, values)
    scale = scale_of(float(np.abs(values).max(initial=0.0)))
    difference = values * scale - mean[:, None] * scale
    return mean, np.sqrt(np.einsum("qm,qmo->qo", part, difference**2)) / scale


def _mean_and_std(
    voters: VoterTable, targets: Array, weights: str | WeightFunction, k: NumberOfVoters, most: int
) -> tuple[Array, Array]:
    near = distance_weights(voters.distance[:, :most], weights)
    row: Rows = voters.row[:, :most]
    if voters.weight is not None:
        weight = voters.weight[:, :most]
        before = np.cumsum(weight, axis=1) - weight
        counted = np.clip(k - before, 0.0, weight)
        near = np.where(counted > 0, near * counted, 0.0)
    return weighted_mean(near, targets[row])
