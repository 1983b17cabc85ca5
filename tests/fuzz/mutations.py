"""What all fuzz targets share: how many examples, mutated bytes and documents, and no hanging."""

from __future__ import annotations

import copy
import faulthandler
import functools
import os
import re
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLE_COUNTS: Counter[str] = Counter()  # examples that this process drew, by test
LONGEST = 60  # processor seconds that one example may take before the process is ended
MEMORY_OF_EXAMPLE = 3 * 2**30  # bytes that one example may take
WAIT_FACTOR = 20  # as many seconds may go by, where other programs take the processor
SPECIAL_BYTES = [
    b"\0",
    b"\n",
    b"\r",
    b'"',
    b",",
    b";",
    b"\xff",
    b"\xef\xbb\xbf",
    b"{",
    b"}",
    b"1e999",
]
SPECIAL_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**62, -(2**63), 2**63, 0.5, -0.0, 1e308, 1e-320,
    "", "x", "nan", "\0", "0", [], {}, [0], [[]], {"array": "0"}, {"array": "99"}, {"float": "nan"},
    {"tuple": []}, {"dict": [[1, 2]]}, {"values": [1], "shape": [1]}, {"dtype": "<f8"},
    {"object": "PCA", "parameters": {}, "state": {}},
]  # fmt: skip


def fuzzed(examples: int, fuzz_examples: int | None = None) -> Callable[[Any], Any]:
    """Return how a target runs: `examples` in the tests, `fuzz_examples` by make fuzz.

    By default these are LOOKALIKE_FUZZ times as many. The tests draw the same examples each time,
    `make fuzz` others.
    """
    more = int(os.environ.get("LOOKALIKE_FUZZ", "0"))
    options = settings(
        max_examples=(fuzz_examples or examples * more) if more else examples,
        derandomize=not more,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    def decorate(test: Any) -> Any:
        test.hypothesis.inner_test = _counted(test.hypothesis.inner_test)
        return options(test)

    return decorate


def _counted(test: Any) -> Any:
    @functools.wraps(test)
    def run_example(*arguments: Any, **named: Any) -> Any:
        EXAMPLE_COUNTS[test.__name__] += 1
        return test(*arguments, **named)

    return run_example


@contextmanager
def ending(seconds: float = LONGEST) -> Iterator[None]:
    """End the process, and show where it was, if the block takes longer than that.

    The seconds are those of the processor; a block that waits is ended as well, if later. Memory
    beyond `MEMORY_OF_EXAMPLE` is refused by the system: what asks for it fails.
    """
    faulthandler.dump_traceback_later(WAIT_FACTOR * seconds, exit=True)
    if hasattr(signal, "setitimer"):  # not on Windows
        faulthandler.register(signal.SIGPROF, chain=True)  # whose default is to end the process
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with limited_memory(MEMORY_OF_EXAMPLE):
            yield
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.unregister(signal.SIGPROF)
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def limited_memory(n_bytes: int) -> Iterator[None]:
    """Let the block take no more memory than that beyond what the process has, on Linux."""
    status = Path("/proc/self/status")
    if not status.exists():
        yield
        return
    import resource

    held = int(re.search(r"VmData:\s+(\d+) kB", status.read_text())[1]) * 1024  # type: ignore[index]
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (held + n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@st.composite
def mutated_array(draw: Any, array: Any) -> Any:
    """Draw an array with some numbers changed, another shape, or another dtype."""
    what = draw(st.sampled_from(["numbers", "numbers", "numbers", "shape", "dtype", "rows"]))
    if what == "shape":
        return np.ascontiguousarray(array.reshape(-1) if array.ndim != 1 else array[:, None])
    if what == "dtype":
        kinds = [np.float32, np.float64, np.int64, np.uint8, np.int8, np.uint32, np.bool_]
        with np.errstate(all="ignore"):
            return array.astype(draw(st.sampled_from(kinds)))
    if what == "rows":
        return np.ascontiguousarray(
            array[: draw(st.integers(0, len(array)))] if array.ndim else array
        )
    array = array.copy()
    flat = array.reshape(-1)
    special = [0, 1, -1, 2, 5, 100, 2**31 - 1, 2**62, -(2**62), 0.5, 1e300, -1e300, np.nan, np.inf]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(draw(st.integers(1, 4)) if flat.size else 0):
            at = draw(st.integers(0, flat.size - 1))
            flat[at] = np.asarray(draw(st.sampled_from(special))).astype(array.dtype)
    return array


@st.composite
def mutated_bytes(draw: Any, whole: bytes, most: int = 4) -> bytes:
    """Draw `whole` with a few bytes replaced, removed, repeated, inserted, or cut off."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 12)))
        what = draw(st.sampled_from(["flip", "cut", "repeat", "insert", "end"]))
        if what == "flip" and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif what == "cut":
            del data[at:to]
        elif what == "repeat":
            data[at:at] = data[at:to]
        elif what == "insert":
            data[at:at] = draw(st.one_of(st.sampled_from(SPECIAL_BYTES), st.binary(max_size=4)))
        elif what == "end" and draw(st.booleans()):
            del data[at:]
    return bytes(data)


def paths_of(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the place of every value in a JSON document."""
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from paths_of(value, (*path, key))
    elif isinstance(document, list):
        for place, value in enumerate(document):
            yield from paths_of(value, (*path, place))


@st.composite
def mutated_document(draw: Any, document: Any, most: int = 3) -> Any:
    """Draw a JSON document with a few values replaced, removed, or exchanged for others of it."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        paths = [path for path in paths_of(document) if path]
        if not paths:
            break
        *way, last = draw(st.sampled_from(paths))
        holder = _at(document, way)
        what = draw(st.sampled_from(["replace", "replace", "remove", "exchange", "number"]))
        if what == "remove":
            del holder[last]
        elif what == "exchange":
            holder[last] = copy.deepcopy(_at(document, draw(st.sampled_from(paths))))
        elif what == "number":
            holder[last] = draw(
                st.one_of(st.integers(-5, 200), st.floats(allow_nan=False, allow_infinity=False))
            )
        else:
            holder[last] = copy.deepcopy(draw(st.sampled_from(SPECIAL_VALUES)))
    return document


def _at(document: Any, path: Any) -> Any:
    for key in path:
        document = document[key]
    return document
