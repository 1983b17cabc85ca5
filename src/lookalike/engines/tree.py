"""The one order in which states are joined, on every engine: a binary tree over the chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class MergeTree(Generic[T]):
    """Joins states as they come, always in the shape of the same binary tree.

    Like a binary counter: two neighbors that stand for equally many chunks are joined at once,
    so that at most log2(chunks) states wait. The shape depends on the number of chunks alone;
    whoever computes the states, in whatever order, the bits of the result are the same.

    Examples
    --------
    >>> tree = MergeTree(lambda left, right: f"({left}{right})")
    >>> for letter in "abcde":
    ...     tree.push(letter)
    >>> tree.result()
    '(((ab)(cd))e)'
    """

    def __init__(self, merge: Callable[[T, T], T]) -> None:
        self._merge = merge
        self._waiting: list[tuple[int, T]] = []  # (chunks it stands for, state)

    def push(self, state: T) -> None:
        """Take the state of the next chunk."""
        size = 1
        while self._waiting and self._waiting[-1][0] == size:
            state = self._merge(self._waiting.pop()[1], state)
            size *= 2
        self._waiting.append((size, state))

    def result(self) -> T | None:
        """Return the state of all chunks, or None when there were none."""
        if not self._waiting:
            return None
        _, state = self._waiting.pop()
        while self._waiting:
            state = self._merge(self._waiting.pop()[1], state)
        return state
