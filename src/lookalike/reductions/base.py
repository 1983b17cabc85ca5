"""What a reduction is: a statistic gathered in pieces, in any order."""

from __future__ import annotations

from typing import Protocol, TypeVar

from lookalike.data.chunk import Chunk

State = TypeVar("State")
Result_co = TypeVar("Result_co", covariant=True)


class Reduction(Protocol[State, Result_co]):
    """A statistic of many rows, gathered chunk by chunk and joined in any grouping.

    Its laws, which ``tests/laws.py`` checks for every reduction:

    identity
        ``merge(init(d), s)`` and ``merge(s, init(d))`` equal ``s``.
    associativity
        ``merge(merge(a, b), c)`` equals ``merge(a, merge(b, c))``, up to rounding.
    chunking
        However the rows are cut, the result is the same, up to rounding.
    purity
        ``update`` and ``merge`` change none of their arguments; equal arguments give equal bits.
    bounded state
        The size of a state does not grow with the number of rows.
    """

    def init(self, n_features: int) -> State:
        """Return the state of no rows."""
        ...

    def update(self, state: State, chunk: Chunk) -> State:
        """Return the state of the rows of `state` and those of `chunk` after them."""
        ...

    def merge(self, left: State, right: State) -> State:
        """Return the state of the rows of `left` and those of `right` after them."""
        ...

    def finalize(self, state: State) -> Result_co:
        """Return the statistic."""
        ...


def runs_on_gpu(work: object) -> bool:
    """Return whether a reduction, or a function of chunks, takes rows that lie on a GPU.

    Such a one has an attribute `on_gpu` that is true: its kernels read tensors as well.
    """
    return bool(getattr(work, "on_gpu", False))
