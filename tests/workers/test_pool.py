"""Work comes back from other processes, whatever happens to them, and nothing of them stays."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import work_functions
from work_functions import Rows

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.settings import config, settings
from lookalike.workers import Failure, SameProcess, Work, WorkerPool, worker_pool
from lookalike.workers.shared import remove_litter

MEGABYTE = 10**6
LIMIT = 400 * MEGABYTE  # of each of two processes
POLL = 0.005

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits memory and reads /proc")
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture(scope="module")
def shared_pool():
    with WorkerPool(2, memory=2 * LIMIT) as pool:
        yield pool


@pytest.fixture
def pool(shared_pool):
    yield shared_pool
    all_taken = shared_pool.next_outcome(timeout=0) is None and shared_pool.n_free == 2
    if not all_taken:  # of a test that failed: no other waits for work that may never end
        shared_pool.close()
    assert all_taken, "a test takes what it asked for"


def outcomes(pool):
    found = {}
    while (outcome := pool.next_outcome()) is not None:
        found[outcome.key] = outcome
    return found


def outcome_of(pool, function, *args, seconds=math.inf):
    pool.submit(Work("it", function, args, seconds))
    outcome = pool.next_outcome()
    assert outcome.key == "it"
    return outcome


def wait_for(condition, seconds=60.0):
    """Wait until something holds; the limit is for a test that fails."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(POLL)


def read_pid(path):
    wait_for(path.exists)
    return int(path.read_text())


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_values_come_back_under_their_keys_in_whatever_order_they_end(pool):
    for k in range(20):
        pool.submit(Work(("row", k), work_functions.echo, (k, np.full(3, k))))
    found = outcomes(pool)
    assert sorted(found) == [("row", k) for k in range(20)]
    for (_, k), outcome in found.items():
        assert outcome.failure is None
        assert outcome.value[0] == k
        np.testing.assert_array_equal(outcome.value[1], np.full(3, k))


def test_work_that_ends_later_does_not_hold_up_the_others(pool):
    pool.submit(Work("long", work_functions.spin))
    pool.submit(Work("short", work_functions.echo, (1,)))
    assert pool.next_outcome().key == "short"
    assert pool.n_free == 1
    pool.cancel("long")


def test_a_large_value_goes_both_ways(pool):
    rows = np.random.default_rng(0).normal(size=(1000, 700))  # more than a pipe holds
    np.testing.assert_array_equal(outcome_of(pool, work_functions.echo, rows).value, rows)


@pytest.mark.parametrize("function", [work_functions.spin, work_functions.hold_interpreter])
def test_work_past_its_limit_is_ended_and_the_next_one_runs(pool, function):
    outcome = outcome_of(pool, function, seconds=0.3)
    assert outcome.failure == Failure("time", "stopped after 0.3 s")
    assert 0.3 <= outcome.seconds < 3
    assert outcome_of(pool, work_functions.echo, 7).value == 7


@on_linux
def test_time_of_the_processor_is_known_of_work_that_was_stopped(pool):
    outcome = outcome_of(pool, work_functions.spin, seconds=0.4)
    assert 0 < outcome.cpu_seconds <= outcome.seconds + 0.1


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (os._exit, (5,), "the process ended with code 5"),
        (work_functions.say_and_exit, (4,), "the process ended with code 4: the disk is gone"),
        pytest.param(
            work_functions.segfault, (), "the process ended with signal SIGSEGV", marks=on_posix
        ),
        pytest.param(os.abort, (), "the process ended with signal SIGABRT", marks=on_posix),
    ],
)
def test_a_crash_is_a_failure_and_the_pool_goes_on(pool, function, args, message):
    assert outcome_of(pool, function, *args).failure == Failure("crash", message)
    assert outcome_of(pool, work_functions.echo, 7).value == 7


def test_a_process_that_ended_while_it_waited_is_replaced(pool):
    for process in list(pool._processes):
        process.kill()
    assert outcome_of(pool, work_functions.echo, 7).value == 7


@on_linux
@pytest.mark.parametrize(
    ("function", "args"),
    [(work_functions.fill_memory, ()), (work_functions.allocate, (2 * LIMIT,))],
)
def test_work_that_needs_more_than_its_share_of_the_memory_fails(pool, function, args):
    outcome = outcome_of(pool, function, *args)
    assert outcome.failure == Failure("memory", "needed more than 400 MB")
    assert outcome.peak_bytes < 2 * LIMIT
    assert outcome_of(pool, work_functions.echo, 7).value == 7


@on_linux
def test_work_within_its_share_succeeds_and_its_peak_is_known(pool, tmp_path):
    pool.submit(Work("it", work_functions.hold_memory, (LIMIT // 2, tmp_path / "pid")))
    read_pid(tmp_path / "pid")
    (running,) = pool._running.values()
    wait_for(lambda: running.peak_bytes > LIMIT // 4)  # the pool looks every now and then
    (tmp_path / "pid").unlink()
    outcome = pool.next_outcome()
    assert outcome.value == LIMIT // 2 // 8
    assert LIMIT // 4 < outcome.peak_bytes < LIMIT


@on_linux
def test_a_mapped_file_counts_as_no_memory(pool, tmp_path):
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(LIMIT + 50 * MEGABYTE)
    outcome = outcome_of(pool, work_functions.map_file, path)
    assert outcome.value == 0.0
    assert outcome.peak_bytes < LIMIT


@on_posix
def test_a_library_that_aborts_for_lack_of_memory_is_a_failure_of_memory(pool):
    failure = outcome_of(pool, work_functions.say_bad_alloc).failure
    assert failure == Failure("memory", "needed more than 400 MB")


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        ("ours", Failure("error", "2 rows are too few. Give 3.")),
        ("value", Failure("error", "k is 0")),
        ("key", Failure("error", "KeyError: 'size'")),
        ("budget", Failure("memory", "The Gram matrix takes 9 GB.")),
    ],
)
def test_errors_are_failures_with_their_text(pool, kind, failure):
    assert outcome_of(pool, work_functions.raise_error, kind).failure == failure
    same = outcome_of(SameProcess(), work_functions.raise_error, kind)
    assert same.failure == failure


def test_a_long_error_becomes_one_short_line(pool):
    message = outcome_of(pool, work_functions.raise_error, "long").failure.message
    assert message.startswith("RuntimeError: line one line two zzz")
    assert len(message) == 300


def test_work_that_exits_or_returns_what_cannot_be_sent_is_an_error(pool):
    failure = outcome_of(pool, work_functions.exit_politely).failure
    assert failure == Failure("error", "SystemExit: enough")
    assert outcome_of(pool, work_functions.unpicklable).failure.kind == "error"


def test_what_work_prints_reads_or_warns_does_not_get_between_the_messages(pool, capfd):
    assert outcome_of(pool, work_functions.print_much).value == ""
    assert outcome_of(pool, work_functions.warn).failure is None
    assert capfd.readouterr() == ("", "")


def test_work_that_waits_is_dropped_when_it_is_cancelled(pool):
    for k in range(4):
        pool.submit(Work(k, work_functions.spin, (), 0.3))
    pool.cancel(3)
    assert sorted(outcomes(pool)) == [0, 1, 2]


@on_linux
def test_the_process_of_work_that_runs_ends_when_it_is_cancelled(pool, tmp_path):
    pool.submit(Work("endless", work_functions.spin_with_pid, (tmp_path / "pid",)))
    pid = read_pid(tmp_path / "pid")
    pool.cancel("endless")
    assert pool.n_free == 2
    assert pool.next_outcome() is None
    wait_for(lambda: not is_alive(pid))
    pool.submit(Work("endless", work_functions.echo, (7,)))  # the name is free again
    assert pool.next_outcome().value == 7


@on_linux
def test_processes_that_work_started_end_with_it(pool, tmp_path):
    pool.submit(Work("parent", work_functions.start_child, (tmp_path / "pid",)))
    pid = read_pid(tmp_path / "pid")
    pool.cancel("parent")
    wait_for(lambda: not is_alive(pid))


def test_an_outcome_that_takes_longer_than_the_timeout_is_none_yet(pool):
    pool.submit(Work("long", work_functions.spin))
    assert pool.next_outcome(timeout=0.05) is None
    assert pool.n_free == 1
    pool.cancel("long")
    assert pool.next_outcome(timeout=0.05) is None
    assert pool.n_free == 2


def test_a_key_under_way_a_closed_pool_and_no_processes_are_refused(pool):
    pool.submit(Work("twice", work_functions.spin, (), 0.3))
    with pytest.raises(ParameterError, match="'twice' is under way"):
        pool.submit(Work("twice", work_functions.echo, (1,)))
    assert pool.next_outcome().failure.kind == "time"
    with pytest.raises(ParameterError, match="n_workers=-1"):
        WorkerPool(-1)
    with WorkerPool(1) as closed:
        pass
    with pytest.raises(ParameterError, match="closed"):
        closed.submit(Work(1, work_functions.echo, (1,)))


def test_what_cannot_be_sent_is_refused_when_it_is_submitted(pool):
    with pytest.raises(ParameterTypeError, match="cannot be sent to another process"):
        pool.submit(Work(1, lambda: None))
    with pytest.raises(ParameterTypeError, match="cannot be sent to another process"):
        pool.submit(Work(1, work_functions.echo, (open, (x for x in "ab"))))


def test_shared_arrays_are_mapped_read_only_wherever_they_lie_in_the_arguments(pool):
    X, y = np.arange(6.0).reshape(2, 3), np.arange(4)
    table = np.array([("a", 1.0), ("b", 2.0)], dtype=[("name", "U1"), ("size", float)])
    names = np.array([("c", 1), ("d", 2)], dtype=[("name", object), ("size", int)])
    shared = pool.share(X)
    assert outcome_of(pool, work_functions.describe, shared).value == (15.0, False, True)
    rows = Rows(shared, pool.share(y))
    for cells in (table, names):
        nested = {"rows": rows, "table": pool.share(cells)}
        value = outcome_of(pool, work_functions.describe_nested, nested).value
        assert value == ((15.0, False, True), (6, False, True), cells["name"].tolist())
    np.testing.assert_array_equal(shared.value, X)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_sparse_matrices_are_shared_part_by_part(pool, kind):
    matrix = kind(np.eye(3))
    name, shape, data, dense = outcome_of(
        pool, work_functions.describe_sparse, pool.share(matrix)
    ).value
    assert (name, shape, data) == (kind.__name__, (3, 3), (3.0, False, True))
    np.testing.assert_array_equal(dense, np.eye(3))


def test_workers_have_the_settings_in_force_and_their_own_threads_and_memory():
    with config(memory="1GB", engine="stream"), WorkerPool(1, memory=500 * MEGABYTE) as pool:
        made, variables, name, modules = outcome_of(pool, work_functions.own_settings).value
    assert (made.memory, made.threads, made.engine) == (500 * MEGABYTE, 1, "stream")
    assert variables == ["1", "1", "1"]
    assert name == "work_functions"
    assert "sklearn" not in modules
    with config(threads=1), WorkerPool(1, threads=2, preload=("sklearn.tree", "no.such")) as pool:
        made, variables, _, modules = outcome_of(pool, work_functions.own_settings).value
    assert (made.memory, made.threads) == (settings().memory, 2)
    assert variables == ["2", "2", "2"]
    assert "sklearn.tree" in modules


FORGOTTEN = """
import math
from lookalike.workers import Work, WorkerPool
pool = WorkerPool(1)
pool.submit(Work(1, math.sqrt, (4.0,)))
print(pool.next_outcome().value)
"""
SCRIPT = """
import math
from lookalike.workers import Work, WorkerPool

def own():
    pass

print("once")
with WorkerPool(1) as pool:
    pool.submit(Work(1, math.sqrt, (4.0,)))
    print(pool.next_outcome().value)
    try:
        pool.submit(Work(2, own))
    except TypeError as error:
        print(error)
"""
SAID = """once
2.0
own is defined in the script or notebook that runs, which other processes do not import. Define \
it in a module, or give n_workers=0.
"""


@pytest.mark.parametrize("from_stdin", [False, True])
def test_a_script_without_a_guard_runs_once(tmp_path, from_stdin):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-" if from_stdin else str(script)]
    given = SCRIPT if from_stdin else ""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (SAID, "")


def test_files_of_the_working_folder_do_not_stand_in_for_libraries(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('not the library')")
    command = [sys.executable, "-P", "-c", FORGOTTEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("2.0\n", "")


ENDLESS = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np, work_functions
from lookalike.workers import Work, WorkerPool
with WorkerPool(2) as pool:
    pool.share(np.ones(3))
    for path in {paths!r}:
        pool.submit(Work(path, work_functions.{function}, (path,)))
    print(pool.next_outcome())
"""


def start_endless(tmp_path, function):
    """Return a process whose pool works without an end, and the numbers of its workers."""
    paths = [str(tmp_path / name) for name in "ab"]
    code = ENDLESS.format(
        tests=str(Path(work_functions.__file__).parent), paths=paths, function=function
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    return parent, [read_pid(Path(path)) for path in paths]


@on_linux
@pytest.mark.parametrize("function", ["spin_with_pid", "hold_interpreter"])
def test_no_process_survives_the_death_of_the_parent_and_the_next_one_clears_its_folder(
    tmp_path, function
):
    parent, pids = start_endless(tmp_path, function)
    assert len(list(tmp_path.glob("lookalike-workers-*"))) == 1
    assert all(is_alive(pid) for pid in pids)
    parent.kill()
    parent.communicate()
    wait_for(lambda: not any(is_alive(pid) for pid in pids))
    remove_litter(tmp_path)
    assert not list(tmp_path.glob("lookalike-workers-*"))


@on_linux
@pytest.mark.alone
@pytest.mark.parametrize("function", ["spin_with_pid", "hold_interpreter"])
def test_ctrl_c_ends_a_pool_within_a_second(tmp_path, function):
    def seconds_to_end(folder):
        folder.mkdir()
        parent, pids = start_endless(folder, function)
        begin = time.monotonic()
        parent.send_signal(signal.SIGINT)
        _, stderr = parent.communicate(timeout=60)
        seconds = time.monotonic() - begin
        assert stderr.strip().endswith(b"KeyboardInterrupt")
        wait_for(lambda: not any(is_alive(pid) for pid in pids))
        assert not list(folder.glob("lookalike-workers-*"))
        return seconds

    # Other programs take the processor at times: it can be done within a second, if not each time.
    assert any(seconds_to_end(tmp_path / str(attempt)) < 1.0 for attempt in range(5))


def test_a_pool_that_nobody_closed_ends_with_the_script():
    done = subprocess.run(
        [sys.executable, "-c", FORGOTTEN], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2.0\n", "")


def test_no_workers_means_this_process():
    assert isinstance(worker_pool(0), SameProcess)
    with worker_pool(1) as pool:
        assert isinstance(pool, WorkerPool)
