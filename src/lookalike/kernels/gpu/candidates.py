"""Groups of rows that may hold a neighbor of a query."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import torch

Bounds: TypeAlias = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # |q|^2, slack and rounding


class CandidateRequest(NamedTuple):
    """Which groups are candidates, and how many of a query are kept."""

    size: int  # rows of a group
    k: int  # those that may hold one of the k nearest rows
    capacity: int  # groups that are kept
    reach: torch.Tensor | None = None  # (queries,) those that may hold a row in reach instead


class CandidateGroups(NamedTuple):
    """The candidate groups of every query, in order of their rows."""

    group: torch.Tensor  # (queries, capacity) int32, those beyond `count` mean nothing
    count: torch.Tensor  # (queries,) int32, may exceed the capacity
    size: int  # rows of a group

    def rows(self, slots: int) -> torch.Tensor:
        """Return the rows of the first `slots` groups of every query, (queries, slots * size)."""
        inside = torch.arange(self.size, device=self.group.device)
        return (self.group[:, :slots, None].long() * self.size + inside).flatten(1)
