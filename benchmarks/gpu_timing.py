"""Times on a GPU by CUDA events, what a run stood on, and the peers that are at hand."""

from __future__ import annotations

import importlib
import os
import subprocess
import time

import numpy as np
import torch
import triton

ROUNDS = 7
PEAK = 790e12  # dense half-precision operations a second, measured on an H200


def milliseconds(work, rounds=ROUNDS):
    """Return the median time of `work` by CUDA events."""
    for _ in range(2):
        work()
    times = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(np.median(times))


def wall_milliseconds(work, rounds=ROUNDS):
    """Return the median time of `work` by the clock, transfers included."""
    times = []
    for _ in range(rounds + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return float(np.median(times[1:]))


def peer(name):
    """Return a library that is installed beside ours, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def tried(work):
    """Return the median time of a peer's work as text, "-" where it fails."""
    try:
        return f"{milliseconds(work):.2f}"
    except Exception as error:
        print(f"  peer: {type(error).__name__}: {str(error)[:200]}")
        return "-"


def heading(title):
    """Print what ran where."""
    driver = _output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    commit = os.environ.get("LOOKALIKE_COMMIT") or _output("git", "rev-parse", "--short", "HEAD")
    library = peer("flashlib")
    flash = f", flashlib {library.__version__}" if library else ""
    print(f"{title}\ncommit {commit}")
    print(
        f"{torch.cuda.get_device_name()}, driver {driver}, torch {torch.__version__}, "
        f"triton {triton.__version__}{flash}; medians of {ROUNDS}"
    )


def _output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
