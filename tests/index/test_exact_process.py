"""The exact index in other processes: at every vector level, interrupted, and after a fork."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from test_import import run

from lookalike import _core
from lookalike.index.exact import ExactIndex

LEVELS = ("generic", "avx2", "avx512")

ANSWERS = """
import hashlib, sys
import numpy as np
from lookalike.index.exact import ExactIndex

rng = np.random.default_rng(0)
seen = hashlib.sha256()
for d in (3, 70, 150):
    basis = rng.standard_normal((6, d))
    X = rng.standard_normal((1500, 6)) @ basis + 0.1 * rng.standard_normal((1500, d))
    for dtype in (np.float32, np.float64, np.uint8, np.int8):
        rows = X.astype(dtype) if dtype().dtype.kind == "f" else rng.integers(0, 99, X.shape, dtype)
        for kind in ("prefix", "full", "none"):
            found = ExactIndex(rows, filter=kind).query(rows[:40], 9)
            seen.update(found.distance.tobytes() + found.row.tobytes())
print(seen.hexdigest())
"""

INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from lookalike.index.exact import ExactIndex

X = np.random.default_rng(0).standard_normal((60_000, 300))
index = ExactIndex(X, filter="none")

def interrupt():
    global sent
    sent = time.process_time()  # of both threads, and not of other programs
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.5, interrupt).start()  # the query, minutes long, is under way
try:
    index.query(X, 5, threads=2)
except KeyboardInterrupt:
    print(time.process_time() - sent)
    index.query(X[:1], 1)  # as good as before
"""


def test_every_vector_level_gives_the_same_bits():
    offered = LEVELS[: LEVELS.index(_core.best_simd_level()) + 1]
    digests = {
        subprocess.run(
            [sys.executable, "-c", ANSWERS],
            env=os.environ | {"LOOKALIKE_SIMD": level},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in offered
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 2 * hashlib.sha256().digest_size


@pytest.mark.skipif(os.name == "nt", reason="signals of a process to itself are a POSIX matter")
def test_an_interrupt_stops_a_long_query_at_once():
    assert float(run(INTERRUPTED)) < 0.2 * 2


def _ask(index, Q, answer):
    answer.put(index.query(Q, 3, threads=2).row)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_search_after_its_parent_did():
    X = np.random.default_rng(1).standard_normal((2000, 20))
    index = ExactIndex(X, filter="full")
    truth = index.query(X[:50], 3, threads=2).row
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    child = context.Process(target=_ask, args=(index, X[:50], answer))
    child.start()
    np.testing.assert_array_equal(answer.get(), truth)
    child.join()
    assert child.exitcode == 0
