"""A process that works, as the pool sees it: started, sent work, ended."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from typing import IO, Any, NamedTuple

from lookalike.printable import printable, shortened
from lookalike.workers.frames import read_frame, write_frame
from lookalike.workers.usage import Usage, process_usage
from lookalike.workers.work import LONGEST_MESSAGE, Failure, out_of_memory
from lookalike.workers.worker import WorkerOptions

START_CODE = (
    "import sys, json; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from lookalike.workers.worker import main; main()"
)
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
STDERR_BYTES = 8192  # of the end of what it wrote there
STDERR_PIECE = 4096
DRAIN_SECONDS = 1.0  # after the end, in which its last words arrive
NO_MEMORY = re.compile(  # as C++, Rust, OpenBLAS and Python say it before they give up
    rb"bad_alloc|[Mm]emory allocation|MemoryError|[Oo]ut of memory|[Cc]annot allocate memory"
)


class Reply(NamedTuple):
    """What a process said about a call."""

    value: bytes | None
    failure: Failure | None
    cpu_seconds: float


class WorkerProcess:
    """A started process. One thread talks to it; any may kill it."""

    def __init__(self, options: WorkerOptions, threads: int) -> None:
        self.memory: int | None = options.memory
        self._lock = threading.Lock()  # held to kill and to wait: never a number used again
        self._stderr = bytearray()
        self._process = subprocess.Popen(
            [_executable(), "-P", "-c", START_CODE, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(threads),
            **_session_options(),
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # as they are pipes
        assert stdout is not None
        self._stdin, self._stdout = stdin, stdout
        words = self._process.stderr, self._stderr
        self._drain = threading.Thread(target=_keep_end, args=words, daemon=True)
        self._drain.start()
        with contextlib.suppress(OSError):  # it is gone already, as the first call will find
            write_frame(self._stdin, pickle.dumps(options))

    def send(self, call: bytes) -> None:
        """Send a call and wait until it begins; raise OSError or EOFError where it does not."""
        self._stderr.clear()
        write_frame(self._stdin, call)
        read_frame(self._stdout)

    def receive(self) -> Reply:
        """Wait for the reply to the call; raise OSError or EOFError where the process ends."""
        return Reply(*pickle.loads(read_frame(self._stdout)))

    def usage(self) -> Usage | None:
        """Return what the process uses now."""
        with self._lock:
            if self._process.returncode is not None:
                return None
            return process_usage(self._process.pid)

    def kill(self) -> None:
        """End the process and those that it started, at once."""
        with self._lock:
            if self._process.returncode is not None:
                return
            if sys.platform != "win32":
                with contextlib.suppress(ProcessLookupError, PermissionError):  # has just ended
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()

    def end(self) -> Failure:
        """See to it that the process has ended; return how it did, if not by us."""
        self.kill()  # where its pipe is closed, it keeps the code with which it ends
        with self._lock:
            code = self._process.wait()
        self._drain.join(DRAIN_SECONDS)
        for stream in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):  # what was still to be written goes nowhere
                stream.close()
        return self._failure(code)

    def _failure(self, code: int) -> Failure:
        written = bytes(self._stderr)
        if self.memory is not None and NO_MEMORY.search(written):
            return out_of_memory(self.memory)
        lines = [line.strip() for line in written.decode(errors="replace").splitlines()]
        last = next((line for line in reversed(lines) if line), "")
        message = f"the process ended with {_code_name(code)}"
        if last:
            message = shortened(f"{message}: {printable(last)}", LONGEST_MESSAGE)
        return Failure("crash", message)


def can_start_processes() -> bool:
    """Return whether Python can be started again: it cannot inside of a frozen program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _executable() -> str:
    """Return the interpreter; that of a Windows venv is one that only starts another."""
    base: str = getattr(sys, "_base_executable", None) or sys.executable
    return base if sys.platform == "win32" else sys.executable


def _environment(threads: int) -> dict[str, str]:
    environment = dict(os.environ) | dict.fromkeys(THREAD_VARIABLES, str(threads))
    if _executable() != sys.executable:
        environment["__PYVENV_LAUNCHER__"] = sys.executable
    return environment


def _session_options() -> dict[str, Any]:
    """Return the options by which Ctrl-C of the terminal reaches the pool's process alone."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _keep_end(stream: IO[bytes], end: bytearray) -> None:
    """Read a stream to its end and keep the last bytes."""
    with stream:
        while piece := os.read(stream.fileno(), STDERR_PIECE):
            end += piece
            del end[:-STDERR_BYTES]


def _code_name(code: int) -> str:
    """Return how a process ended.

    >>> _code_name(3), _code_name(-11)
    ('code 3', 'signal SIGSEGV')
    """
    if code >= 0:
        return f"code {code}" if code < 2**31 else f"code {code:#x}"  # as Windows has them
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
