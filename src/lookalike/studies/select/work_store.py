"""Where rows and models of the folds are kept while candidates are compared: memory or a folder.

What lies in a folder is read by several processes: large arrays are files of their own, mapped
into memory when they are read.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lookalike.typing import AnyArray

MAPPED_BYTES = 100_000  # of an array, from which on it is a file of its own


class WorkStore(Protocol):
    """Values by name."""

    def put(self, name: str, value: object) -> None:
        """Keep a value."""

    def get(self, name: str, *, mapped: bool = True) -> Any:
        """Return a value that was kept; `mapped`: only for as long as the store is."""

    def drop(self, name: str) -> None:
        """Forget a value, if it was kept."""


class MemoryStore:
    """Values in this process, as they are."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}

    def put(self, name: str, value: object) -> None:
        """Keep a value."""
        self._values[name] = value

    def get(self, name: str, *, mapped: bool = True) -> Any:  # noqa: ARG002 - it is in memory
        """Return a value that was kept."""
        return self._values[name]

    def drop(self, name: str) -> None:
        """Forget a value, if it was kept."""
        self._values.pop(name, None)


class FolderStore:
    """Values in files of a folder; the last one that was read stays in memory."""

    def __init__(self, folder: str | Path) -> None:
        self.folder: Path = Path(folder)
        self._last: tuple[str, Any] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return folder_store, (str(self.folder),)

    def put(self, name: str, value: object) -> None:
        """Keep a value."""
        buffer = BytesIO()
        _Pickler(buffer, self.folder / name).dump(value)
        (self.folder / f"{name}.pickle").write_bytes(buffer.getvalue())

    def get(self, name: str, *, mapped: bool = True) -> Any:
        """Return a value that was kept, its large arrays mapped into memory, or read."""
        path = self.folder / f"{name}.pickle"
        if not mapped:
            with path.open("rb") as file:
                return _Unpickler(file, self.folder, mapped=False).load()
        if self._last is None or self._last[0] != name:
            with path.open("rb") as file:
                self._last = name, _Unpickler(file, self.folder, mapped=True).load()
        return self._last[1]

    def drop(self, name: str) -> None:
        """Forget a value, if it was kept."""
        for path in [self.folder / f"{name}.pickle", *self.folder.glob(f"{name}.*.npy")]:
            path.unlink(missing_ok=True)


_stores: dict[str, FolderStore] = {}


def folder_store(folder: str) -> FolderStore:
    """Return the store of a folder: in one process always the same."""
    return _stores.setdefault(folder, FolderStore(folder))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="lookalike-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class _Pickler(pickle.Pickler):
    """Writes large arrays to files of their own, next to the pickle."""

    def __init__(self, file: BytesIO, stem: Path) -> None:
        super().__init__(file, protocol=5)
        self._stem = stem
        self._names: dict[int, tuple[str, AnyArray]] = {}  # arrays stay alive

    def persistent_id(self, value: object) -> str | None:
        """Return the file of a large array, None of anything else."""
        if type(value) not in (np.ndarray, np.memmap) or value.dtype.hasobject:  # type: ignore[attr-defined]
            return None
        array = np.asarray(value)
        if array.nbytes < MAPPED_BYTES:
            return None
        if id(value) not in self._names:
            name = f"{self._stem.name}.{len(self._names)}.npy"
            np.save(self._stem.with_name(name), array)
            self._names[id(value)] = name, array
        return self._names[id(value)][0]


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote."""

    def __init__(self, file: Any, folder: Path, *, mapped: bool) -> None:
        super().__init__(file)
        self._folder, self._mapped = folder, mapped

    def persistent_load(self, name: str) -> object:
        """Return the array of a file."""
        return np.asarray(np.load(self._folder / name, mmap_mode="r" if self._mapped else None))
