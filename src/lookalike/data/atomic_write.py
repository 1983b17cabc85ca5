"""Atomic writes: a file is complete or unchanged, whatever happens while it is written."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from lookalike.errors import WriteError

POSIX = os.name == "posix"


def replace_file(path: Path | str, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one step.

    The new file is in the folder of `path` until it is written and on the disk; then it is
    renamed, and the folder is brought to the disk as well. Whenever that is interrupted, `path`
    is what it was or what it should become. What a killed process left behind is removed by the
    next one that writes `path`. A symbolic link is replaced, what it points to is left alone.
    """
    path = Path(path)
    try:
        if path.is_dir() and not path.is_symlink():
            raise IsADirectoryError("it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_over(path)
        _write_and_rename(path, write)
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        reason = error.strerror or str(error)
        raise WriteError(
            f"{path} could not be written: {reason}. What was there before is unchanged; "
            "choose another place or make room."
        ) from error
    except ValueError as error:
        if "null" not in str(error):
            raise
        raise WriteError(
            f"{str(path)!r} contains a null character. Choose another name."
        ) from error


def _write_and_rename(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    handle, new = _new_file(path)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            with suppress(FileNotFoundError):
                os.chmod(new, stat.S_IMODE(os.stat(path).st_mode))
            os.fsync(file.fileno())
            if POSIX:  # while it is locked
                os.replace(new, path)
        if not POSIX:  # where an open file cannot be renamed
            os.replace(new, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(new)
        raise
    _sync_folder(path.parent)


def _stem(path: Path) -> str:
    """Return how the names of unfinished files begin: short, however long `path` is."""
    return f".lookalike-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:12]}-"


def _new_file(path: Path) -> tuple[int, Path]:
    """Create a file in the folder of `path`, with default rights, locked while it is open."""
    binary = getattr(os, "O_BINARY", 0)
    while True:
        new = path.with_name(f"{_stem(path)}{secrets.token_hex(6)}")
        handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o666)
        if _try_lock(handle) and new.exists():  # else another process took it for left over
            return handle, new
        os.close(handle)


def _remove_left_over(path: Path) -> None:
    """Remove unfinished files of `path` that no process has open."""
    for name in path.parent.glob(f"{_stem(path)}*"):
        with suppress(OSError):
            if not POSIX:  # where an open file cannot be removed
                os.unlink(name)
                continue
            handle = os.open(name, os.O_RDWR)
            try:
                if _try_lock(handle):
                    os.unlink(name)
            finally:
                os.close(handle)


def _try_lock(handle: int) -> bool:
    """Return whether no other process has locked the file, as far as the system has locks."""
    if not POSIX:
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    if not POSIX:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
