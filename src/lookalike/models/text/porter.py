"""Words cut to their stems, so that *flow*, *flows* and *flowing* count as one term."""

from __future__ import annotations

import re
from functools import lru_cache

_C = "[^aeiou](?:[^aeiouy]*)"  # consonants in a row: y counts as one at the start alone
_V = "[aeiouy](?:[aeiou]*)"
_MEASURE_0 = re.compile(f"^({_C})?{_V}{_C}")
_MEASURE_1 = re.compile(f"^({_C})?{_V}{_C}({_V})?$")
_MEASURE_2 = re.compile(f"^({_C})?{_V}{_C}{_V}{_C}")
_VOWEL = re.compile(f"^({_C})?[aeiouy]")
_SHORT = re.compile(f"^{_C}[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=100_000)
def porter(word: str) -> str:
    """Return the stem of a lower-case English word, by the rules of [Porter80].

    Words of fewer than three letters, and those with a digit or a letter outside a-z, stay.

    Examples
    --------
    >>> [porter(word) for word in ("flows", "flowing", "theoretical", "theories", "x1")]
    ['flow', 'flow', 'theoret', 'theori', 'x1']
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    starts_with_y = word.startswith("y")
    stem = "Y" + word[1:] if starts_with_y else word  # a consonant there
    stem = _without_tense(_without_plural(stem))
    if stem.endswith("y") and _VOWEL.match(stem[:-1]):
        stem = stem[:-1] + "i"
    stem = _replaced(_replaced(stem, _STEP_2), _STEP_3)
    stem = _without_e(_without_suffix(stem))
    return "y" + stem[1:] if starts_with_y else stem


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_0.match(word[:-3]) else word
    ending = next((e for e in ("ed", "ing") if word.endswith(e)), "")
    stem = word.removesuffix(ending)
    if not ending or not _VOWEL.match(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _DOUBLE.search(stem):
        return stem[:-1]
    return stem + "e" if _SHORT.match(stem) else stem


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """Return `word` with the longest of the endings exchanged, where a syllable is left."""
    ending = max((pair for pair in endings if word.endswith(pair[0])), key=_length, default=None)
    if ending is None:
        return word
    stem = word.removesuffix(ending[0])
    return stem + ending[1] if _MEASURE_0.match(stem) else word


def _without_suffix(word: str) -> str:
    ending = max((e for e in _STEP_4 if word.endswith(e)), key=len, default=None)
    if ending is None:
        return word
    stem = word.removesuffix(ending)
    fits = ending != "ion" or stem.endswith(("s", "t"))
    return stem if fits and _MEASURE_2.match(stem) else word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        if _MEASURE_2.match(stem) or (_MEASURE_1.match(stem) and not _SHORT.match(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _MEASURE_2.match(word) else word


def _length(pair: tuple[str, str]) -> int:
    return len(pair[0])
