"""Categories that a preprocessor did not see in fit: counted while rows are encoded."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from lookalike.data.chunk import Chunk
from lookalike.errors import InputWarning
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.validation import few, shown


class CountingEncoder:
    """An encoder of chunks that also counts the categories that are not among those known.

    Parameters
    ----------
    encode : callable
        Gives the encoded rows of a chunk, whose y holds the categories.
    known : mapping from name to categories
        In the order of the columns of y; empty: nothing is counted.
    """

    known: dict[str, frozenset[str]]

    def __init__(
        self, encode: Callable[[Chunk], AnyArray], known: Mapping[str, Collection[str]]
    ) -> None:
        self.encode = encode
        self.known = {name: frozenset(categories) for name, categories in known.items()}

    def __call__(self, chunk: Chunk) -> tuple[AnyArray, Counter[tuple[str, str]]]:
        """Return the encoded rows, and how often each unknown category comes."""
        counts: Counter[tuple[str, str]] = Counter()
        for number, (name, known) in enumerate(self.known.items()):
            assert chunk.y is not None
            unknown = unknown_categories(chunk.y[:, number], known)
            counts.update({(name, category): count for category, count in unknown.items()})
        return self.encode(chunk), counts


def unknown_categories(cells: AnyArray, known: Collection[str]) -> Counter[str]:
    """Return how often each category comes that is not known; missing cells are none.

    Examples
    --------
    >>> import numpy as np
    >>> unknown_categories(np.array(["Rome", "Graz", None, "Rome"], object), ["Graz"])
    Counter({'Rome': 2})
    """
    counts = Counter(cells.tolist())
    unknown: Counter[str] = Counter()
    for cell, count in counts.items():
        if not is_missing(cell) and str(cell) not in known:
            unknown[str(cell)] += count
    return unknown


def warn_of_unknown(counts: Iterable[Counter[tuple[str, str]]]) -> None:
    """Warn of unknown categories, if there are any: the most frequent are named."""
    unknown: Counter[tuple[str, str]] = Counter()
    for part in counts:
        unknown.update(part)
    if unknown:
        cells = [f"{shown(cell)} in column {shown(name)}" for (name, cell), _ in
                 unknown.most_common()]  # fmt: skip
        warnings.warn(
            f"X has categories that fit did not see, in {unknown.total():,} "
            f"{'cell' if unknown.total() == 1 else 'cells'}: "
            f"{few(cells, text=str)}. They equal none that it saw.",
            InputWarning,
            stacklevel=4,
        )
