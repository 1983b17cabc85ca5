"""What a process uses: memory without mapped files, and processor time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """Bytes in memory that no file holds, and seconds of all threads."""

    memory: int
    cpu_seconds: float


def process_usage(pid: int) -> Usage | None:
    """Return what a process uses, by /proc or psutil; None where neither tells."""
    return _proc_usage(pid) or _psutil_usage(pid)


def memory_fields(pid: int | str) -> dict[str, int]:
    """Return the fields of memory of a process as Linux names them, in bytes."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    lines = [line.split() for line in text.splitlines() if line.endswith(" kB")]
    return {name.rstrip(":"): 1024 * int(size) for name, size, _ in lines}


def _proc_usage(pid: int) -> Usage | None:
    fields = memory_fields(pid)
    if "RssAnon" not in fields:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        user, system = stat.rpartition(")")[2].split()[11:13]
        cpu_seconds = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        cpu_seconds = 0.0
    return Usage(fields["RssAnon"], cpu_seconds)


def _psutil_usage(pid: int) -> Usage | None:
    try:
        import psutil
    except ImportError:
        return None
    try:
        process = psutil.Process(pid)
        memory, times = process.memory_info(), process.cpu_times()
    except psutil.Error:
        return None
    return Usage(memory.rss, times.user + times.system)
