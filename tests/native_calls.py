"""Repeats the native calls of every estimator with wrong row numbers, each in a process of its own.

Run as a program, it prints one line for each call that ended its process: what was changed in
which argument, and the signal. `tests/kernels/test_bounds.py` runs it.
"""

from __future__ import annotations

import enum
import os
import resource
import signal
import struct
import tempfile
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import scipy.sparse as sp
from models.test_all_estimators import ESTIMATORS, ROWS, answers, make, rows_for, target

import lookalike
from lookalike import _core
from lookalike.feature_selection import mutual_info_classif, mutual_info_regression
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex
from lookalike.index.disk import DiskIndex, build_index_file
from lookalike.kernels.spanning_forest import ForestPass, SpanningForest

WRONG_NUMBERS = (-1, 7, 100, 2**31 - 1, -(2**31), 2**62, -(2**62))
CALLS_EACH = 2  # of every function
PROCESSOR_SECONDS = 20.0  # after which a call counts as endless
CASE = struct.Struct("q")
MAIN = os.getpid()
RNG = np.random.default_rng(0)
called: Counter[str] = Counter()


def changed_arguments(arguments):
    """Yield what was changed, and the arguments with one integer of an array replaced."""
    for key, value in arguments.items():
        if isinstance(value, dict):
            for label, inner in changed_arguments(value):
                yield f"{key}.{label}", {**arguments, key: inner}
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
            bounds = np.iinfo(value.dtype)
            for place in sorted({0, value.size // 2, value.size - 1}):
                for wrong in WRONG_NUMBERS:
                    if bounds.min <= wrong <= bounds.max:
                        copy = value.copy(order="K")
                        copy.reshape(-1)[place] = wrong
                        yield f"{key}[{place}] = {wrong}", {**arguments, key: copy}


def try_wrong_numbers(name, call, arguments):
    """Make the call with each change, and print those that end the process."""
    if os.getpid() != MAIN or called[name] >= CALLS_EACH:
        return
    called[name] += 1
    cases = list(changed_arguments(arguments))
    begin = 0
    while begin < len(cases):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            call_each(call, cases, begin, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            under_way = CASE.unpack(pipe.read()[-CASE.size :])[0]
        code = os.waitpid(child, 0)[1]
        if not os.WIFSIGNALED(code):
            return
        ended = signal.Signals(os.WTERMSIG(code)).name
        print(f"{name}: {cases[under_way][0]}: {ended}", flush=True)
        begin = under_way + 1


def call_each(call, cases, begin, write):
    """Make the calls from number `begin` on, and say which one is under way; end the process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for number in range(begin, len(cases)):
        os.write(write, CASE.pack(number))
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
        try:
            call(**cases[number][1])
        except Exception:
            continue  # refused
    os._exit(0)


def watched(name, function):
    """Return a native function that is tried with wrong numbers before it is called."""

    def call(**arguments):
        try_wrong_numbers(name, function, arguments)
        return function(**arguments)

    return call


def watched_method(name, method):
    """Return a method that is tried likewise."""

    def call(self, *args, **arguments):
        if not args:
            try_wrong_numbers(name, lambda **given: method(self, **given), arguments)
        return method(self, *args, **arguments)

    return call


def watch_native_functions():
    """Put watched functions in the place of those of the native module; return their names."""
    names = set()
    for name, value in vars(_core).copy().items():
        if name.startswith("_") or (isinstance(value, type) and issubclass(value, enum.Enum)):
            continue
        if isinstance(value, type):
            for method, function in vars(value).copy().items():
                if callable(function) and not method.startswith("_"):
                    names.add(f"{name}.{method}")
                    setattr(value, method, watched_method(f"{name}.{method}", function))
        elif callable(value) and name != "set_default_threads":
            names.add(name)
            setattr(_core, name, keyword_calls(name, value))
    return names


def keyword_calls(name, function):
    """Return a native function that is tried where all its arguments have names."""
    by_name = watched(name, function)
    return lambda *args, **arguments: function(*args, **arguments) if args else by_name(**arguments)


def use_everything():
    """Fit and ask every estimator, and the indexes in other ways."""
    for name in ESTIMATORS:
        model, X = make(name), rows_for(name)
        answers(model.fit(X, target(model, 30)), X)
    rows = RNG.normal(size=(600, 24))
    for filter_ in ("full", "prefix"):
        ExactIndex(rows, filter=filter_).query(rows[:9], 4)
        ExactIndex(rows, filter=filter_).query_radius(rows[:9], 3.0)
    for index in (KDTreeIndex(rows[:, :3]), LSHIndex(rows)):
        index.query(rows[:9, : index.n_features], 4)
        index.query_radius(rows[:9, : index.n_features], 1.0)
    use_sparse_and_missing_values()
    use_other_algorithms()


def use_sparse_and_missing_values():
    """Search and fit rows that are sparse or lack cells."""
    sparse = sp.csr_array(np.where(np.abs(ROWS) > 0.5, ROWS, 0.0))
    for metric in ("euclidean", "cosine"):
        lookalike.NearestNeighbors(n_neighbors=2, metric=metric).fit(sparse).kneighbors(sparse[:4])
        lookalike.NearestNeighbors(n_neighbors=2, metric=metric).fit(ROWS).kneighbors(ROWS[:4])
    globe = np.radians(ROWS[:, :2])
    lookalike.NearestNeighbors(n_neighbors=2, metric="haversine").fit(globe).kneighbors(globe[:4])
    gaps = np.where(RNG.random(ROWS.shape) < 0.2, np.nan, ROWS)
    lookalike.KNNImputer().fit(gaps).transform(gaps)
    sets = [set("abc"), set("bcd"), set("xyz"), set("ab")]
    lookalike.NearestNeighbors(n_neighbors=2, metric="jaccard").fit(sets).kneighbors()
    lookalike.NearestNeighbors(n_neighbors=2, metric="manhattan").fit(ROWS).kneighbors()
    lookalike.KNeighborsClassifier("loo").fit(ROWS, np.arange(30) % 3)


def use_other_algorithms():
    """Use what is not the default of an estimator."""
    number = ROWS @ np.array([1.0, -1.0, 0.5, 0.0])
    lookalike.NeighborMap(method="umap", n_iter=5).fit(ROWS).transform(ROWS[:3])
    lookalike.RadiusNeighborsRegressor(2.0, metric="manhattan").fit(ROWS, number).predict(ROWS[:3])
    for scorer in (mutual_info_classif, mutual_info_regression):
        scorer(ROWS, number if scorer is mutual_info_regression else target_classes())
    lookalike.feature_selection.SelectByWrapper().fit(ROWS, number)
    radius = lookalike.NearestNeighbors(radius=2.0, metric="chebyshev", algorithm="brute")
    radius.fit(ROWS).radius_neighbors(ROWS[:3])
    KDTreeIndex(ROWS).add(ROWS[:3])
    forest = lookalike.ForestNeighborsRegressor(n_estimators=3).fit(ROWS, number)
    lookalike.explain.explain_prediction(forest, ROWS[0])
    apart = np.abs(ROWS[:, :1] - ROWS[:, 0])
    lookalike.NearestNeighbors(n_neighbors=2, metric="precomputed").fit(apart).kneighbors(apart[:3])
    wide = RNG.normal(size=(900, 60)) * np.linspace(1, 0.01, 60)
    for rows in (wide, RNG.normal(size=(900, 4))):
        lookalike.KernelDensity(bandwidth=0.5).fit(rows).score_samples(rows[:20])
        lookalike.KernelRegressor(0.5).fit(rows, rows[:, 0]).predict(rows[:20])
    for columns, metric, algorithm in (
        (60, "euclidean", "brute"),
        (60, "manhattan", "auto"),
        (3, "euclidean", "auto"),
    ):
        distant = RNG.normal(size=(900, columns)) + 50 * np.arange(900)[:, None] // 300
        lookalike.HDBSCAN(metric=metric, algorithm=algorithm).fit(distant)
    groups = RNG.normal(size=(900, 60)) + 50 * (np.arange(900)[:, None] // 12)
    lookalike.HDBSCAN(min_samples=2, algorithm="brute").fit(groups)
    lookalike.HDBSCAN(metric="precomputed").fit(sp.csr_array(apart))
    look = ForestPass(SpanningForest(np.zeros(30)), np.arange(30), threads=1)
    product = np.float32(ROWS @ ROWS.T)
    look.offer_products(product, np.square(ROWS).sum(axis=1), ROWS, 0, 0)
    lookalike.DBSCAN(2.0, algorithm="brute").fit(ROWS)
    lookalike.KMeans(20, n_init=1).fit(np.round(100 * wide).astype(np.int16))
    with tempfile.TemporaryDirectory() as folder:
        build_index_file(f"{folder}/index", pd.DataFrame(wide, columns=map(str, range(60))))
        index = DiskIndex(f"{folder}/index")
        index.query(wide[:5], 3)
        index.query_radius(wide[:5], 1.0)


def target_classes():
    """Return the classes of the rows."""
    return np.arange(len(ROWS)) % 3


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    functions = watch_native_functions()
    use_everything()
    print(f"{len(called)} functions, without {sorted(functions - set(called))}", flush=True)
