"""Ctrl-C is heard within a second inside LAPACK, and the results of LAPACK are SciPy's."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg
from test_import import run

from lookalike.interrupt import interruptible
from lookalike.kernels.lapack import all_symmetric_pairs, symmetric_pairs

INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from lookalike import PCA
from lookalike.kernels import {module} as module

rows = np.random.default_rng(0).normal(size=(300, 2600))
pca = PCA(svd_solver={solver!r}).fit(rows[:30, :20])
before, inside = dict(vars(pca)), module.{function}

def interrupt():
    global sent
    sent = time.process_time()  # LAPACK goes on, other programs do not count
    os.kill(os.getpid(), signal.SIGINT)

def at_work(*args, **kwargs):  # the signal comes while LAPACK works, however busy the machine is
    threading.Timer(0.2, interrupt).start()
    return inside(*args, **kwargs)

module.{function} = at_work
try:
    pca.fit(rows)
except KeyboardInterrupt:
    print(time.process_time() - sent)
print(all(vars(pca)[name] is value for name, value in before.items()))
"""


def test_ctrl_c_inside_lapack_is_heard_within_a_second():
    script = INTERRUPTED.format(
        solver="covariance_eigh", module="symmetric", function="tridiagonal"
    )
    seconds, unchanged = run(script, OPENBLAS_NUM_THREADS="1").split()
    assert float(seconds) < 1.0
    assert unchanged == "True"


def test_a_call_gives_its_result_or_its_error():
    matrix = np.eye(600)
    assert interruptible(np.linalg.eigvalsh, matrix).sum() == 600
    with pytest.raises(np.linalg.LinAlgError):
        interruptible(np.linalg.cholesky, -matrix)


def test_small_matrices_and_other_threads_take_no_thread_of_their_own():
    seen = []

    def note(matrix):
        seen.append(threading.current_thread())
        return matrix

    interruptible(note, np.ones((100, 800)))  # a few centers of many columns
    assert seen == [threading.main_thread()]
    other = threading.Thread(target=interruptible, args=(note, np.eye(600)))
    other.start()
    other.join()
    assert seen[1] is other
    for parts in ([np.eye(600)], [np.ones((9000, 5)), np.ones((5, 9000))], [np.ones(600)]):
        interruptible(lambda first, *_: note(first), *parts)
        assert seen[-1] not in (other, threading.main_thread())


@pytest.mark.parametrize("size", [1, 2, 40, 130])
def test_eigenvectors_are_those_of_scipy(size):
    root = np.random.default_rng(size).normal(size=(size, size))
    matrix, first = root @ root.T, size // 2
    for ours, theirs in (
        (
            symmetric_pairs(matrix, first, size - 1),
            scipy.linalg.eigh(matrix, subset_by_index=(first, size - 1)),
        ),
        (all_symmetric_pairs(matrix), scipy.linalg.eigh(matrix, driver="evd")),
    ):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])
