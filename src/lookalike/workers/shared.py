"""Arrays that work reads from files, mapped into memory once for all processes."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from lookalike.errors import WriteError
from lookalike.typing import AnyArray

FOLDER_PREFIX = "lookalike-workers-"
LOCK_NAME = "lock"


class SharedArray:
    """An array or CSR matrix in a file: work that has it as an argument is given its values.

    They are read-only and mapped, so that processes share one copy; it may lie anywhere inside
    of other arguments. Objects are read, not mapped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def value(self) -> Any:
        """The values, mapped into this process."""
        return open_shared(str(self.path))

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return open_shared, (str(self.path),)


class SharedFolder:
    """A folder of shared arrays, which lives as long as the pool that has it.

    An open lock marks the folder as used. The system gives it up when the process dies in
    whatever way, and the next folder that is made removes those that nobody holds.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = Path(tempfile.gettempdir()) if parent is None else parent
        self._lock: IO[bytes] | None = None
        self._path: Path | None = None
        self._count = 0

    def share(self, value: object) -> SharedArray:
        """Write an array or a sparse matrix to a file of the folder."""
        try:
            path = self._new_path()
            _write(path, value)
        except OSError as error:
            raise WriteError(
                f"The rows for other processes could not be written to {self._parent}: {error}. "
                "Free space there, or name another folder by the variable TMPDIR."
            ) from error
        return SharedArray(path)

    def remove(self) -> None:
        """Remove the folder and what is in it."""
        path, lock = self._path, self._lock
        self._path = self._lock = None
        if lock is not None:
            lock.close()
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)

    def _new_path(self) -> Path:
        while self._path is None:
            remove_litter(self._parent)
            path = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=self._parent))
            lock = (path / LOCK_NAME).open("wb")
            _hold(lock, wait=True)
            if (path / LOCK_NAME).exists():  # else another process took it for litter
                self._path, self._lock = path, lock
            else:
                lock.close()
        self._count += 1
        return self._path / str(self._count)


def open_shared(path: str) -> object:
    """Return what was shared under a path: an array that is mapped, a sparse matrix of such."""
    if os.path.exists(f"{path}.pickle"):
        with open(f"{path}.pickle", "rb") as file:
            return pickle.load(file)
    if not os.path.exists(f"{path}.sparse"):
        return _map(f"{path}.npy")
    with open(f"{path}.sparse", "rb") as file:
        kind, shape = pickle.load(file)
    parts = tuple(_map(f"{path}.{name}.npy") for name in ("data", "indices", "indptr"))
    return kind(parts, shape=shape, copy=False)


def remove_litter(parent: Path) -> None:
    """Remove folders of processes that died without doing so."""
    for folder in parent.glob(f"{FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or not _is_ours(folder):
                continue
            with (folder / LOCK_NAME).open("rb+") as lock:
                _hold(lock, wait=False)  # raises where its process lives
                shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, value: Any) -> None:
    if hasattr(value, "indptr"):
        value = value.tocsr()
        for name in ("data", "indices", "indptr"):
            np.save(f"{path}.{name}.npy", getattr(value, name), allow_pickle=False)
        _dump(f"{path}.sparse", (type(value), value.shape))
    elif value.dtype.hasobject:
        _dump(f"{path}.pickle", value)
    else:
        np.save(f"{path}.npy", value, allow_pickle=False)


def _dump(path: str, value: object) -> None:
    with open(path, "wb") as file:
        pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)


def _map(path: str) -> AnyArray:
    """Return an array that is mapped, as a plain one: a memmap takes longer for every slice."""
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def _is_ours(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()


def _hold(lock: IO[bytes], *, wait: bool) -> None:
    """Lock a file until it is closed or the process ends; raise OSError where another does.

    On Windows an open file cannot be removed, which serves as well.
    """
    try:
        import fcntl
    except ImportError:
        _hold_on_windows(lock)
        return
    fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _hold_on_windows(lock: IO[bytes]) -> None:
    import msvcrt

    lock.seek(0)
    msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
