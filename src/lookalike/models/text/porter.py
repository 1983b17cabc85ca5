"""Words cut to their stems, so that *flow*, *flows* and *flowing* count as one term."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def porter(word: str) -> str:
    """Return the stem of a lower-case English word, by the rules of [Porter80].

    Words with fewer than three letters, a digit or a letter outside a-z stay as they are.

    Examples
    --------
    >>> [porter(word) for word in ("flows", "flowing", "theoretical", "theories", "x1")]
    ['flow', 'flow', 'theoret', 'theori', 'x1']
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    from snowballstemmer import stemmer

    return str(stemmer("porter").stemWord(word))  # one per word: a stemmer is not thread-safe
