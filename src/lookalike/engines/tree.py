"""The one order in which states are merged, on every engine: a binary tree over the chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class MergeTree(Generic[T]):
    """Merges states as they come, always in the shape of the same binary tree.

    Like a binary counter: two neighboring subtrees of equally many chunks are merged at once, so
    that at most log2(chunks) states wait. The shape depends on the number of chunks alone;
    whoever computes the states, in whatever order, the bits of the result are the same.

    A tree that starts at a later chunk merges only what the whole tree merges as well: its
    `nodes` are complete subtrees, which another tree takes up with their sizes.

    Parameters
    ----------
    merge : callable
        The merge of two states.
    first : int
        Number of the first chunk among all chunks.

    Examples
    --------
    >>> tree = MergeTree(lambda left, right: f"({left}{right})")
    >>> for letter in "abcde":
    ...     tree.push(letter)
    >>> tree.result()
    '(((ab)(cd))e)'
    >>> later = MergeTree(lambda left, right: f"({left}{right})", first=1)
    >>> for letter in "bcde":
    ...     later.push(letter)
    >>> later.nodes()
    [(1, 'b'), (2, '(cd)'), (1, 'e')]
    """

    def __init__(self, merge: Callable[[T, T], T], first: int = 0) -> None:
        self._merge = merge
        self._end = first  # number of the next chunk
        self._nodes: list[tuple[int, T]] = []  # (chunks, state) of the subtrees that wait

    def push(self, state: T, size: int = 1) -> None:
        """Add the state of the next chunk, or of the next `size` chunks, a complete subtree."""
        self._end += size
        while self._nodes and self._nodes[-1][0] == size and self._end % (2 * size) == 0:
            state = self._merge(self._nodes.pop()[1], state)
            size *= 2
        self._nodes.append((size, state))

    def nodes(self) -> list[tuple[int, T]]:
        """Return the complete subtrees in order, each with its number of chunks."""
        return list(self._nodes)

    def result(self) -> T | None:
        """Return the state of all chunks, or None when there were none."""
        if not self._nodes:
            return None
        _, state = self._nodes.pop()
        while self._nodes:
            state = self._merge(self._nodes.pop()[1], state)
        return state


def subtree_sizes(first: int, count: int) -> list[int]:
    """Return the sizes of the complete subtrees over `count` chunks from number `first` on.

    Examples
    --------
    >>> subtree_sizes(1, 4)
    [1, 2, 1]
    """
    tree: MergeTree[None] = MergeTree(lambda _left, _right: None, first)
    for _ in range(count):
        tree.push(None)
    return [size for size, _ in tree.nodes()]
