"""What all tests share: the data folder, a cluster of two processes, how tests run side by side.

Two processes run the tests of the whole suite (`make test`). Every file runs in one of them, so
that what it prepares is prepared once; all tests that need the cluster run in the same process.
A test marked `alone` asserts how soon something happens: no other test runs at the same time.
"""

from __future__ import annotations

import gc
import os

if "PYTEST_XDIST_WORKER" in os.environ:  # the processes share the cores; before NumPy is imported
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    for name, value in {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_THREAD_TIMEOUT": "4"}.items():
        os.environ.setdefault(name, value)  # threads that wait leave the cores to others
    gc.disable()  # until all tests are collected: what is imported and collected stays

import signal
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

try:
    import fcntl
except ImportError:  # Windows, where the tests run one after another
    fcntl = None

for name, value in {  # clusters that wait for the next test measure themselves less often
    "WORKER__PROFILE__ENABLED": "False",
    "ADMIN__TICK__INTERVAL": "1s",
    "ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "False",
}.items():
    os.environ.setdefault(f"DASK_DISTRIBUTED__{name}", value)

settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("fixed")

LONGEST_FIRST = ("tests/studies", "tests/cli", "tests/report", "tests/explain", "tests/gallery")
SHARING = ("tests/web/explorer",)  # folders whose files share what takes long to prepare
NOT_APPLICABLE = ("check_array_api_input",)  # without SciPy's dispatch


def pytest_sessionstart():
    """Let studies be quick, here and in commands; tests of the full effort ask for it."""
    os.environ["LOOKALIKE_EFFORT"] = "quick"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Leave out what does not apply, and say which tests share a process, the longest first."""
    applicable, others = [], []
    for item in items:
        names = NOT_APPLICABLE + getattr(getattr(item, "module", None), "NOT_OFFERED", ())
        (others if any(name in item.name for name in names) else applicable).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = applicable
    if "PYTEST_XDIST_WORKER" in os.environ:
        for item in items:
            item.add_marker(pytest.mark.xdist_group(_process_of(item)))
        items.sort(key=_place)


def pytest_collection_finish(session):
    """Stop where the tests of a file would not share a process; forget what is not needed."""
    grouped = all("@" in item.nodeid for item in session.items)
    if hasattr(session.config, "workerinput") and not grouped:
        raise pytest.UsageError(
            f"pytest-xdist does not group the tests of pytest {pytest.__version__}. Give "
            "--dist loadgroup and a pytest that pyproject.toml allows: make setup."
        )
    gc.collect()
    gc.freeze()  # all that was imported stays: the collector need not visit it again
    gc.enable()


def _process_of(item):
    if "cluster" in _fixtures(item):
        return "cluster"
    shared = (folder for folder in SHARING if item.nodeid.startswith(folder))
    return next(shared, item.nodeid.split("::")[0])


def _fixtures(item):
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    on_dask = {"cluster"} if parameters.get("engine") == "dask" else set()
    return on_dask | set(getattr(item, "fixturenames", ()))


def _place(item):
    """Return the sort key of a test: those of the cluster first, then the longest folders."""
    if "cluster" in _fixtures(item):
        return 0
    folders = [place for place, name in enumerate(LONGEST_FIRST, 1) if item.nodeid.startswith(name)]
    return folders[0] if folders else len(LONGEST_FIRST) + 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Let no other test run while one that is marked `alone` does."""
    with _turn(exclusive=item.get_closest_marker("alone") is not None):
        return (yield)


@contextmanager
def _turn(*, exclusive):
    """Hold a place among the tests that run now, or the only one.

    Two locks that all processes share: who waits for the only place holds the entrance, so that
    no other test goes in before.
    """
    if fcntl is None or "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    with open(__file__) as entrance, open(Path(__file__).with_name("laws.py")) as room:
        fcntl.flock(entrance, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        fcntl.flock(entrance, fcntl.LOCK_UN)
        yield


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of larger data sets; tests that need it are skipped without it."""
    folder = os.environ.get("LOOKALIKE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LOOKALIKE_DATA does not name the folder of larger data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def cluster():
    """A client of two worker processes, one for the whole run."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the start of the cluster, not of our code
        local = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        client = distributed.Client(local)
    yield client
    client.close()
    local.close()


@pytest.fixture
def time_limit():
    """Let a test fail that would wait forever: five minutes are enough for any."""

    def stop(*_):
        raise TimeoutError("The test did not end within five minutes.")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=["memory", "stream", "dask"])
def engine(request):
    """The name of each engine in turn; the cluster runs for `dask`."""
    if request.param == "dask":
        request.getfixturevalue("cluster")
    return request.param


@pytest.fixture(scope="session")
def blobs():
    """Three groups of rows with different spread, at an offset."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 5)) * 10
    spread = np.array([[1.0], [2.0], [0.5]])
    groups = [
        center + s * rng.normal(size=(120, 5)) for center, s in zip(centers, spread, strict=True)
    ]
    return np.concatenate(groups)[rng.permutation(360)]


@pytest.fixture
def few_candidates(monkeypatch):
    """Let studies compare a few quick models: the baseline, neighbors and a linear one."""
    from lookalike.studies.select import fold_work

    linear = {"lda": "classification", "ridge": "regression"}
    kept = [
        replace(one, tasks=(linear[one.name],)) if one.name in linear else one
        for one in fold_work.ALL_CANDIDATES
        if one.name in ("baseline", "knn", *linear)
    ]
    monkeypatch.setattr(fold_work, "ALL_CANDIDATES", tuple(kept))
