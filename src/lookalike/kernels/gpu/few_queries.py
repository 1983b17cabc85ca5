"""The search of a few queries, recorded once and replayed: one launch instead of a dozen."""

from __future__ import annotations

import math
from typing import Any

import torch

from lookalike.kernels.gpu import exact
from lookalike.kernels.gpu.candidates import CandidateRequest

MAX_FEW_QUERIES = 16  # queries
MAX_KEYS_COMPARED = 4096  # keys of a query that are compared with each other


class FewQueries:
    """A search of this many queries for this many neighbors, as a graph of the GPU.

    Parameters
    ----------
    codes : Codes
        The rows.
    n_queries, k : int
        Of every search.
    dtype : torch.dtype
        Of the queries.
    excluding : bool
        Whether every query leaves one row out.
    """

    def __init__(
        self, codes: exact.Codes, n_queries: int, k: int, dtype: torch.dtype, *, excluding: bool
    ) -> None:
        device = codes.X.device
        self._codes, self._k, self._wanted = codes, k, k + excluding
        self._size = exact.group_size(len(codes.X), k, codes.X.shape[1])
        self._capacity = min(2 * self._wanted + 32, MAX_KEYS_COMPARED // self._size)
        self._Q = torch.zeros((n_queries, codes.X.shape[1]), dtype=dtype, device=device)
        self._exclude = torch.full((n_queries,), -1, dtype=torch.int64, device=device)
        aside = torch.cuda.Stream(device)
        aside.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(aside):
            self._search()  # compiles what is recorded below
        torch.cuda.current_stream(device).wait_stream(aside)
        self._flags = torch.empty(2, dtype=torch.float64, pin_memory=True)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._distance, self._row, flags = self._search()
            self._flags.copy_(flags, non_blocking=True)

    @staticmethod
    def serves(codes: exact.Codes, n_queries: int, k: int) -> bool:
        """Return whether such searches can be recorded."""
        size = exact.group_size(len(codes.X), k, codes.X.shape[1])
        fits = (k + 9) * size <= MAX_KEYS_COMPARED and k <= len(codes.X) // 2
        plain = codes.X.device.type == "cuda" and len(codes.always) == 0
        return bool(plain and 0 < n_queries <= MAX_FEW_QUERIES and fits)

    def __call__(
        self, Q: torch.Tensor, exclude: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, float] | None:
        """Return distances, rows and the largest value of the queries; None where they need more.

        They do where there are many candidates, or a query has a value that is not finite.
        """
        self._Q.copy_(Q)
        if exclude is not None:
            self._exclude.copy_(exclude)
        self._graph.replay()
        found = self._distance.clone(), self._row.clone()
        torch.cuda.current_stream(self._Q.device).synchronize()
        most, largest = self._flags.tolist()
        if most > self._capacity or not math.isfinite(largest):
            return None
        return *found, largest

    def _search(self) -> tuple[torch.Tensor, torch.Tensor, Any]:
        from lookalike.kernels.gpu import exact_triton, few_queries_triton

        least, bounds = exact.minima_of(self._codes, self._Q, self._size)
        wanted = CandidateRequest(self._size, self._wanted, self._capacity)
        groups = exact_triton.choose(least, bounds, wanted)
        key = exact_triton.keys(self._Q, self._codes.X, groups, self._exclude, self._capacity)
        key, row = few_queries_triton.ranked(key, groups, self._k)
        flags = torch.stack([groups.count.max().double(), self._Q.abs().max().double()])
        return key.sqrt_(), row, flags
