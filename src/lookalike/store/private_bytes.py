"""The bytes of a model file as they were when it was opened, whatever happens to it afterwards."""

from __future__ import annotations

import mmap
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from lookalike.errors import ModelFileError, SourceMissingError
from lookalike.settings import settings

_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CLONE_REQUEST = 0x40049409  # the request of Linux to share the blocks of a file


def private_bytes(path: Path) -> mmap.mmap:
    """Return the bytes of a regular file; changes to them stay in memory.

    A file that fits the memory budget is read into memory. A larger one is copied to a file
    without a name, where the disk can share the blocks at no cost, and that is mapped. A mapped
    file that another program truncates would end the process.
    """
    try:
        _require_regular(path, os.stat(path).st_mode)
        handle = os.open(path, os.O_RDONLY | _NON_BLOCKING)  # a pipe would be waited for
        with os.fdopen(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            _require_regular(path, status.st_mode)
            if not status.st_size:
                raise ModelFileError(f"{path} is empty: it is truncated. Save the model again.")
            in_memory = status.st_size <= settings().memory
            copy = _in_memory if in_memory else _on_disk
            return copy(path, file, status.st_size)
    except FileNotFoundError as error:
        from lookalike.data.formats.files import nearest_name

        raise SourceMissingError(
            f"There is no file {path}. {nearest_name(path)}Check the name."
        ) from error
    except IsADirectoryError as error:
        raise ModelFileError(f"{path} is a folder. Give a model file.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{str(path)!r} cannot be read: {error}.") from error


def _require_regular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if not stat.S_ISREG(mode):
        raise ModelFileError(
            f"{path} is a pipe, a socket or a device, and a model is read from a file. Write what "
            "it gives to a file first."
        )


def _in_memory(path: Path, file: BinaryIO, size: int) -> mmap.mmap:
    if os.name == "posix":
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):  # there are far fewer of them to be set up
            with suppress(OSError):  # a system without them
                memory.madvise(mmap.MADV_HUGEPAGE)
    else:
        memory = mmap.mmap(-1, size)
    with memoryview(memory) as view:
        reached = 0
        while reached < size:
            count = file.readinto(view[reached:])  # type: ignore[attr-defined]
            if not count:
                raise ModelFileError(
                    f"{path} was truncated while it was read: {reached} of {size} bytes are left. "
                    "Save the model again."
                )
            reached += count
    return memory


def _on_disk(path: Path, file: BinaryIO, size: int) -> mmap.mmap:
    """Return a mapped copy: in the folder of the file, or where temporary files are."""
    reason: OSError | None = None
    for folder in (path.absolute().parent, tempfile.gettempdir()):
        try:
            with tempfile.TemporaryFile(dir=folder) as copy:
                _copy(file, copy)
                if os.fstat(copy.fileno()).st_size < size:
                    raise ModelFileError(
                        f"{path} was truncated while it was read. Save the model again."
                    )
                return mmap.mmap(copy.fileno(), size, access=mmap.ACCESS_COPY)
        except OSError as error:
            reason = error
    raise ModelFileError(
        f"{path} has {size / 1e9:.3g} GB, more than the memory budget, and no copy of it could be "
        f"made on a disk ({reason}). Make room there, or raise the memory budget."
    )


def _copy(file: BinaryIO, copy: BinaryIO) -> None:
    """Copy a file: its blocks are shared where the disk can do that."""
    file.seek(0)
    try:
        import fcntl

        fcntl.ioctl(copy.fileno(), _CLONE_REQUEST, file.fileno())
    except (ImportError, OSError):
        shutil.copyfileobj(file, copy, 1 << 22)
        copy.flush()
