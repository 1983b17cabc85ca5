"""What a stranger's model file may not set: slow patterns, files to read, too many threads."""

from __future__ import annotations

import math
import re

import numpy as np

from lookalike.errors import ModelFileError
from lookalike.threads import usable_cores

BASELINE_CLASSES = ("DummyClassifier", "DummyRegressor")
KNOWN_VECTORIZERS = ("CountVectorizer", "TfidfVectorizer")
MOST_THREADS = 64  # that a file may ask for where there are fewer cores
MAX_PATTERN_CHARACTERS = 200
MAX_MATCH_WAYS = 64  # of bounded repeats

_PATTERN_ITEM = r"\\[wdsWDS]|\\[^\w\s]|\[\^?(?:\\[^b]|[^\\\[\]])+\]|[^\\\[\](){}.*+?^$|]"
_BOUNDED_REPEAT = r"\?|\{\d{1,3}(?:,\d{1,3})?\}"
_SAFE_PATTERN = re.compile(
    rf"(?:\(\?[aiu]+\))?(?P<begin>\\b)?(?P<items>(?:(?:{_PATTERN_ITEM})(?:{_BOUNDED_REPEAT})?)*)"
    rf"(?P<last>(?:{_PATTERN_ITEM})(?:[+*]|\{{\d{{1,3}},\}}))?(?P<end>\\b)?"
)
_OF_WORDS = re.compile(r"\\[wd]|\w|\[(?:\\[wd]|\w(?:-\w)?)+\]")
_REPEAT_RANGE = re.compile(r"\{(\d+),(\d+)\}|(\?)")


def checked_state(name: str, state: dict[str, object]) -> dict[str, object]:
    """Return the attributes of an object, with as many threads as the machine can bear.

    Raises ModelFileError where using the object could read files or take exponential time.
    """
    if state.get("token_pattern") is not None:
        _require_linear(state["token_pattern"])
    if name in KNOWN_VECTORIZERS:
        _require_texts_alone(state)
    if name in BASELINE_CLASSES:
        _require_outputs(state)
    most = max(MOST_THREADS, usable_cores())
    return {
        key: most if key in ("n_jobs", "threads") and _exceeds(value, most) else value
        for key, value in state.items()
    }


def is_linear(pattern: str) -> bool:
    r"""Return whether all matches of a pattern are found in time linear in the text.

    It is a sequence of characters and classes that repeat a bounded number of times; the last may
    repeat without end. A word boundary after that needs one before, and word characters between,
    so that a word is tried once.

    Examples
    --------
    >>> [is_linear(one) for one in (r"(?u)\b\w\w+\b", r"[a-z]+", r"(a+)+b", r"\w+\w+x")]
    [True, True, False, False]
    """
    match = _SAFE_PATTERN.fullmatch(pattern) if len(pattern) <= MAX_PATTERN_CHARACTERS else None
    if match is None:
        return False
    ranges = [
        2 if question else int(most) - int(least) + 1
        for least, most, question in _REPEAT_RANGE.findall(match["items"])
    ]
    if math.prod(ranges) > MAX_MATCH_WAYS:
        return False
    if not match["last"] or not match["end"]:
        return True
    items = re.findall(rf"({_PATTERN_ITEM})(?:{_BOUNDED_REPEAT})?", match["items"])
    items += re.findall(rf"^({_PATTERN_ITEM})", match["last"])
    return all(map(_OF_WORDS.fullmatch, items)) and (
        match["begin"] is not None or set(items) == {r"\w"}
    )


def _require_linear(pattern: object) -> None:
    if not isinstance(pattern, str) or not is_linear(pattern):
        raise ModelFileError(
            f"token_pattern={pattern!r:.60} is not of the kind that surely takes linear time, such "
            r"as '\\b\\w\\w+\\b' or '[a-z]+'"
        )
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ModelFileError(f"token_pattern={pattern!r:.60} is not a pattern: {error}") from None


def _require_texts_alone(state: dict[str, object]) -> None:
    from lookalike.models.text.counts import StemTokenizer

    if state.get("input", "content") != "content":
        raise ModelFileError(
            f"input={state['input']!r:.40} of a vectorizer would read files that data name"
        )
    for name in ("preprocessor", "tokenizer", "analyzer", "strip_accents"):
        value = state.get(name)
        if not (value is None or isinstance(value, str) or type(value) is StemTokenizer):
            raise ModelFileError(f"{name} of a vectorizer is a {type(value).__name__}, no name")


def _require_outputs(state: dict[str, object]) -> None:
    """Raise unless a baseline has as many targets as values: memory is taken for each of them."""
    held = state.get("constant_", state.get("class_prior_"))
    n_held = 1
    if isinstance(held, list):
        n_held = len(held)
    elif isinstance(held, np.ndarray) and held.ndim > 1:
        n_held = held.shape[-1]
    if state.get("n_outputs_", 1) != n_held:
        raise ModelFileError(f"n_outputs_={state['n_outputs_']!r:.40} of a baseline with {n_held}")


def _exceeds(value: object, most: int) -> bool:
    return isinstance(value, (int, np.integer)) and int(value) > most
