"""A pool of processes that work is sent to, and that are ended at its limits."""

from __future__ import annotations

import atexit
import math
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Hashable
from types import TracebackType
from typing import Any

from lookalike.errors import ParameterError
from lookalike.settings import settings
from lookalike.validation import is_int
from lookalike.workers.frames import pickle_call
from lookalike.workers.process import Reply, WorkerProcess, can_start_processes
from lookalike.workers.same_process import SameProcess
from lookalike.workers.shared import SharedArray, SharedFolder
from lookalike.workers.usage import Usage
from lookalike.workers.work import Failure, Outcome, Work, out_of_memory, out_of_time
from lookalike.workers.worker import WorkerOptions

MEMORY_POLL_SECONDS = 0.02  # between two looks at processes whose memory is limited
USAGE_POLL_SECONDS = 0.1  # where it is not
SIGNAL_POLL_SECONDS = 0.1  # Windows hears Ctrl-C between two waits only
START_SECONDS = 120.0  # in which a process imports what it needs
START_ATTEMPTS = 2  # of a process for one work
CLOSE_SECONDS = 5.0  # in which killed processes are gone


class RunningWork:
    """Work that was submitted, and what is known of its run."""

    usage_at_begin: Usage
    last_usage: Usage
    begin: float
    peak_bytes: int

    def __init__(self, work: Work, call: bytes) -> None:
        self.work = work
        self.call = call
        self.process: WorkerProcess | None = None
        self.sent: float = math.inf
        self.begin = math.inf  # until a process says that it has begun
        self.stopped: Failure | None = None  # why the pool ended its process
        self.usage_at_begin = self.last_usage = Usage(0, 0.0)
        self.peak_bytes = 0
        self.cancelled = False

    @property
    def seconds(self) -> float:
        """Seconds since its begin."""
        return max(time.monotonic() - self.begin, 0.0)

    def watch(self, memory: int | None) -> float:
        """End the process where a limit is passed; return the seconds until the next look."""
        process = self.process
        if process is None or self.stopped is not None:
            return math.inf
        if self.begin == math.inf:
            left = START_SECONDS - (time.monotonic() - self.sent)
            if left <= 0:
                self.stop(Failure("crash", f"no process started within {START_SECONDS:.0f} s"))
            return left
        left = self.work.seconds - self.seconds
        self.last_usage = process.usage() or self.last_usage
        self.peak_bytes = max(self.peak_bytes, self.last_usage.memory)
        if left <= 0:
            self.stop(out_of_time(self.work.seconds))
        elif memory is not None and self.last_usage.memory > memory:
            self.stop(out_of_memory(memory))
        return min(left, USAGE_POLL_SECONDS if memory is None else MEMORY_POLL_SECONDS)

    def began(self, usage: Usage | None) -> None:
        """Count time and memory from now on."""
        self.begin = time.monotonic()
        if usage is not None:
            self.usage_at_begin = self.last_usage = usage
            self.peak_bytes = usage.memory

    def stop(self, failure: Failure) -> None:
        """End the process; the thread that waits for it sees why."""
        self.stopped = failure
        if self.process is not None:
            self.process.kill()


class WorkerPool:
    """Processes that work is sent to; one that passes a limit is ended, and another started.

    The processes start at once, beside what the caller does meanwhile. They never import the
    caller's script. Work that crashes, runs out of time or memory, or raises, is an `Outcome`
    with a `Failure`; the pool goes on.

    Parameters
    ----------
    n_workers : int
        Number of processes.
    memory : int, optional
        Bytes that all processes together may use, mapped files aside; each has an equal share.
        It is enforced on Linux, and elsewhere if psutil is installed.
    threads : int
        Threads of each process.
    preload : tuple of str
        Modules that the processes import when they start.
    """

    def __init__(
        self,
        n_workers: int,
        *,
        memory: int | None = None,
        threads: int = 1,
        preload: tuple[str, ...] = (),
    ) -> None:
        if not is_int(n_workers) or n_workers < 1:
            raise ParameterError(f"n_workers={n_workers!r} is not a number of processes >= 1.")
        self.n_workers = n_workers
        self.share_bytes: int | None = None if memory is None else memory // n_workers
        self._threads = threads
        self._options = _worker_options(self.share_bytes, threads, preload)
        self._folder = SharedFolder()
        self._changed = threading.Condition()  # guards what follows
        self._waiting: deque[RunningWork] = deque()
        self._running: dict[Hashable, RunningWork] = {}
        self._outcomes: deque[Outcome] = deque()
        self._processes: set[WorkerProcess] = set()
        self._closed = False
        self._owner = os.getpid()
        jobs = [self._serve] * n_workers + [self._watch]
        self._started = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in self._started:
            thread.start()
        atexit.register(self.close)

    @property
    def n_free(self) -> int:
        """Number of processes that would have nothing to do."""
        with self._changed:
            return max(self.n_workers - len(self._waiting) - len(self._running), 0)

    def submit(self, work: Work) -> None:
        """Send work to the next process that is free; work without time is not begun."""
        call = pickle_call(work.function, work.args)
        with self._changed:
            if self._closed:
                raise ParameterError("The pool is closed. Submit work inside of its with block.")
            if self._under_way(work.key):
                raise ParameterError(f"Work {work.key!r} is under way. Give another key.")
            if work.seconds <= 0:  # a process might be done before anyone looks at the clock
                self._outcomes.append(Outcome(work.key, failure=out_of_time(0.0)))
            else:
                self._waiting.append(RunningWork(work, call))
            self._changed.notify_all()

    def share(self, value: object) -> SharedArray:
        """Write an array or a sparse matrix to a file; as an argument of work it is mapped."""
        return self._folder.share(value)

    def next_outcome(self, timeout: float | None = None) -> Outcome | None:
        """Wait for the next work that ends, whichever it is.

        None where no work is under way, or none ended within `timeout` seconds.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        with self._changed:
            while not self._outcomes and self._pending():
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(min(left, SIGNAL_POLL_SECONDS))
            return self._outcomes.popleft() if self._outcomes else None

    def cancel(self, key: Hashable) -> None:
        """Drop work: it has no outcome, and its process is ended if it runs."""
        with self._changed:
            self._waiting = deque(entry for entry in self._waiting if entry.work.key != key)
            self._outcomes = deque(entry for entry in self._outcomes if entry.key != key)
            running = self._running.pop(key, None)
            if running is not None:
                running.cancelled = True
                running.stop(Failure("time", "cancelled"))

    def close(self) -> None:
        """End all processes at once and remove what was shared."""
        if os.getpid() != self._owner:  # a fork of the process that has the pool
            return
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._outcomes.clear()
            self._running.clear()
            for process in self._processes:
                process.kill()
            self._changed.notify_all()
        deadline = time.monotonic() + CLOSE_SECONDS
        for thread in self._started:
            thread.join(max(deadline - time.monotonic(), 0.0))
        self._folder.remove()
        atexit.unregister(self.close)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _pending(self) -> int:
        return len(self._waiting) + len(self._running) + len(self._outcomes)

    def _under_way(self, key: Hashable) -> bool:
        return key in self._running or any(entry.work.key == key for entry in self._waiting)

    def _serve(self) -> None:
        """Give work to one process after another; runs on a thread for each place."""
        process = self._start()
        while (running := self._take()) is not None:
            process = self._finish(running, process)
        self._end(process)

    def _take(self) -> RunningWork | None:
        """Wait for work; None when the pool is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            running = self._waiting.popleft()
            self._running[running.work.key] = running
            return running

    def _finish(self, running: RunningWork, process: WorkerProcess | None) -> WorkerProcess | None:
        """Let a process do work, and keep the outcome; return the process for the next work."""
        reply = Reply(None, Failure("crash", "no process could be started"), 0.0)
        for _ in range(START_ATTEMPTS):
            process = process or self._start()
            if process is None:
                continue
            try:
                self._send(running, process)
                reply = process.receive()
            except (OSError, EOFError, pickle.UnpicklingError):
                spent = running.last_usage.cpu_seconds - running.usage_at_begin.cpu_seconds
                reply = Reply(None, running.stopped or self._end(process), spent)
            broken = reply.failure is not None and reply.failure.kind != "error"
            if broken or running.stopped is not None:
                self._end(process)
                process = None
            if running.begin < math.inf or running.stopped is not None:
                break  # else it never began: the process had ended before
        self._keep(running, reply)
        return process

    def _send(self, running: RunningWork, process: WorkerProcess) -> None:
        with self._changed:
            if running.cancelled or self._closed:
                raise EOFError("the work was cancelled")
            running.process, running.sent = process, time.monotonic()
            self._changed.notify_all()
        process.send(running.call)
        usage = process.usage()
        with self._changed:
            running.began(usage)
            self._changed.notify_all()

    def _keep(self, running: RunningWork, reply: Reply) -> None:
        """Add the outcome to those that wait for the caller."""
        key, seconds = running.work.key, running.seconds
        value, failure = _value(reply)
        with self._changed:
            if not running.cancelled and not self._closed:
                del self._running[key]
                self._outcomes.append(
                    Outcome(key, value, failure, seconds, reply.cpu_seconds, running.peak_bytes)
                )
            self._changed.notify_all()

    def _start(self) -> WorkerProcess | None:
        """Start a process; None where the system does not."""
        try:
            process = WorkerProcess(self._options, self._threads)
        except OSError:
            return None
        with self._changed:
            self._processes.add(process)
            if self._closed:
                process.kill()
        return process

    def _end(self, process: WorkerProcess | None) -> Failure | None:
        if process is None:
            return None
        failure = process.end()
        with self._changed:
            self._processes.discard(process)
        return failure

    def _watch(self) -> None:
        """End processes whose work passes a limit; runs on a thread of its own."""
        with self._changed:
            while not self._closed:
                looks = [process.watch(self.share_bytes) for process in self._running.values()]
                wait = min(looks, default=math.inf)
                self._changed.wait(None if wait == math.inf else max(wait, 0.0))


def worker_pool(
    n_workers: int,
    *,
    memory: int | None = None,
    threads: int = 1,
    preload: tuple[str, ...] = (),
) -> WorkerPool | SameProcess:
    """Return a pool of `n_workers` processes, or this process: for 0, or if none can be started."""
    if n_workers == 0 or not can_start_processes():
        return SameProcess(threads=threads)
    return WorkerPool(n_workers, memory=memory, threads=threads, preload=preload)


def _worker_options(memory: int | None, threads: int, preload: tuple[str, ...]) -> WorkerOptions:
    """Return how processes start: with the settings in force, and their share of the memory."""
    now = settings()
    budget = now.memory if memory is None else min(now.memory, memory)
    changes = {"memory": budget, "threads": threads, "progress": False, "engine": now.engine}
    return WorkerOptions(os.getpid(), changes, memory, tuple(preload))


def _value(reply: Reply) -> tuple[Any, Failure | None]:
    if reply.value is None:
        return None, reply.failure
    try:
        return pickle.loads(reply.value), None
    except Exception as error:
        return None, Failure("error", f"the result could not be read: {error}")
