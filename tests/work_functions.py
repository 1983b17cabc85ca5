"""Functions that tests of the workers let other processes call."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookalike.errors import MemoryBudgetError, ShapeError
from lookalike.settings import settings

BLOCK_VALUES = 10**6  # 8 MB


@dataclass(frozen=True)
class Rows:
    X: np.ndarray
    y: np.ndarray


def echo(*values):
    return values[0] if len(values) == 1 else values


def spin():
    while True:
        pass


def hold_interpreter(path=None):
    """Never give another thread of the process its turn."""
    write_pid(path)
    ctypes.PyDLL(None).pause()


def write_pid(path):
    if path is not None:
        Path(f"{path}.new").write_text(str(os.getpid()))
        os.replace(f"{path}.new", path)


def spin_with_pid(path):
    write_pid(path)
    spin()


def segfault():
    ctypes.string_at(0)


def say_and_exit(code):
    os.write(2, b"earlier line\nthe disk is gone\n")
    os._exit(code)


def say_bad_alloc():
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def exit_politely():
    sys.exit("enough")


def print_much():
    print("x" * 200_000)
    os.write(1, b"\x00" * 200_000)
    os.write(2, b"y" * 200_000)
    return sys.stdin.read()


def warn():
    warnings.warn("a warning of work", stacklevel=1)


def fill_memory():
    blocks = []
    while True:
        blocks.append(np.ones(BLOCK_VALUES))


def allocate(n_bytes):
    return float(np.ones(n_bytes // 8).sum())


def hold_memory(n_bytes, path):
    """Hold memory until the file of the process's number is removed."""
    block = np.ones(n_bytes // 8)
    write_pid(path)
    while path.exists():
        pass
    return float(block.sum())


def map_file(path):
    """Return the sum of a mapped file, of which all pages are in memory."""
    return float(np.memmap(path, mode="r", dtype=float).sum())


def raise_error(kind):
    raise {
        "ours": ShapeError("2 rows are too few. Give 3."),
        "value": ValueError("k is 0"),
        "key": KeyError("size"),
        "long": RuntimeError("line one\n   line two " + "z" * 1000),
        "budget": MemoryBudgetError("The Gram matrix takes 9 GB."),
    }[kind]


def unpicklable():
    return lambda: None


def describe(array):
    """Return the sum, whether it can be written to, and whether a file holds it."""
    base, mapped = array, False
    while base is not None:
        mapped = mapped or type(base).__name__ == "mmap"
        base = getattr(base, "base", None)
    return array.sum(), array.flags.writeable, mapped


def describe_nested(values):
    rows, table = values["rows"], values["table"]
    return describe(rows.X), describe(rows.y), table["name"].tolist()


def describe_sparse(matrix):
    return type(matrix).__name__, matrix.shape, describe(matrix.data), matrix.toarray()


def own_settings():
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return settings(), [os.environ[name] for name in names], __name__, sorted(sys.modules)


def start_child(path):
    """Start a process of its own, and let it and this one stay."""
    code = "import signal; signal.pause()"
    child = subprocess.Popen([sys.executable, "-c", code])
    Path(f"{path}.new").write_text(str(child.pid))
    os.replace(f"{path}.new", path)
    spin()


def crash_reading(path, name):
    os._exit(4)


def hang_reading(path, name):
    spin()


def fill_memory_reading(path, name):
    fill_memory()


def raise_reading(path, name):
    raise_error("ours")
