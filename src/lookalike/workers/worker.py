"""The process of a worker: reads work from its standard input, writes what came of it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import queue
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import IO, Any

from lookalike.settings import config
from lookalike.workers.frames import read_frame, write_frame
from lookalike.workers.heap import release_free_memory
from lookalike.workers.usage import memory_fields
from lookalike.workers.work import failure_of

SPARE_BYTES = 256 * 10**6  # that may be reserved and not used: imports, buffers of threads
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
ORPHAN_CODE = 3


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker starts."""

    parent: int
    settings: dict[str, Any]
    memory: int | None
    preload: tuple[str, ...]


def main() -> None:
    """Work until the pool closes the pipe."""
    jobs, replies = _take_pipes()
    options: WorkerOptions = pickle.loads(read_frame(jobs))
    _end_with(options.parent)
    _forbid_core_files()
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(jobs, inbox), daemon=True).start()
    warnings.simplefilter("ignore")
    lasting = config(**options.settings)  # noqa: F841 - in force as long as it is held
    for name in options.preload:
        with contextlib.suppress(Exception):  # work that needs it will say so
            importlib.import_module(name)
    gc.freeze()  # what was imported stays: collections need not visit it
    while True:
        call = inbox.get()
        write_frame(replies, b"")  # it begins
        write_frame(replies, _run(call, options.memory))
        del call
        gc.collect()
        release_free_memory()


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes to the pool; what work prints goes to standard error from now on."""
    jobs, replies = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(jobs, os.O_BINARY)
        msvcrt.setmode(replies, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(jobs, "rb"), os.fdopen(replies, "wb")


def _receive(jobs: IO[bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    """Hand work to the main thread; end the process when the pool is gone, also in mid-work."""
    try:
        while True:
            inbox.put(read_frame(jobs))
    except (EOFError, OSError):
        os._exit(ORPHAN_CODE)


def _run(call: bytes, memory: int | None) -> bytes:
    """Return the reply to a call: its value or failure, and seconds of all threads."""
    _limit_memory(memory)
    begin = time.process_time()
    value, failure = None, None
    try:
        value = _call(call)
    except BaseException as error:  # also SystemExit: the pool decides when the process ends
        failure = failure_of(error, memory)
    _limit_memory(None)
    reply = value, failure, time.process_time() - begin
    return pickle.dumps(reply, protocol=pickle.HIGHEST_PROTOCOL)


def _call(call: bytes) -> bytes:
    function, args = pickle.loads(call)
    return pickle.dumps(function(*args), protocol=pickle.HIGHEST_PROTOCOL)


def _limit_memory(memory: int | None) -> None:
    """Let larger allocations raise MemoryError on Linux; the pool watches what is in use.

    The limit is of what is reserved, mapped files aside. That is more than what is in use, now by
    what the libraries hold in reserve, and later by that of those which work will import.
    """
    if sys.platform != "linux":
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = hard
    if memory is not None:
        fields = memory_fields("self")
        reserve = fields.get("VmData", 0) - fields.get("RssAnon", 0)
        limit = memory + max(reserve, 0) + SPARE_BYTES
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _end_with(parent: int) -> None:
    """Let Linux end this process with the pool's, even where work holds the interpreter."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(ORPHAN_CODE)


def _forbid_core_files() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
