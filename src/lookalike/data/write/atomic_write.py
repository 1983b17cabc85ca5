"""The one way in which files are written: complete or unchanged, whatever happens meanwhile.

Only a regular file, or none, is replaced. Pipes and character devices are written to as streams;
folders, sockets and disks are refused.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias

from lookalike.data.fifo import open_writer
from lookalike.errors import LookalikeError, ParameterTypeError, WriteError
from lookalike.validation import check_path

IS_POSIX = os.name == "posix"
Place: TypeAlias = "Path | str | IO[bytes]"  # where to write: a path, or an open binary file
_DESCRIPTOR_PATH = re.compile(r"/(?:dev|proc/(self|thread-self|\d+))/fd/(\d+)")
_REFUSED_KINDS = {stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a disk"}


def replace_file(path: Place, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one step.

    The new file is in the folder of `path` until it is written and on the disk; then it is
    renamed, and the folder is brought to the disk as well. Whenever that is interrupted, `path`
    is what it was or what it should become. What a killed process left behind is removed by the
    next one that writes `path`. A symbolic link stays, and the file that it points to is replaced.
    A pipe, a character device and an open file are written to as streams.
    """
    if not isinstance(path, (str, os.PathLike)):
        _require_binary_file(path)
        write(_stream_on(path))
        path.flush()
        return
    path = check_path("path", path)
    with _explain(path):
        target = _target(path)
        if target is None:
            with _open_stream(path) as stream:
                write(_stream_on(stream))
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_over(target)
        _write_and_rename(target, write)


def require_writable(path: Path | str) -> None:
    """Raise WriteError where `replace_file` cannot write `path`; nothing is changed."""
    with _explain(path):
        target = _target(path)
        if target is None:
            if descriptor_of(path) is None and not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        folder = target.absolute().parent
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        _try_new_file(folder / target.name)


def is_stream(path: Path | str) -> bool:
    """Return whether `path` is a pipe or a character device, such as /dev/stdout."""
    try:
        return _target(path) is None
    except (OSError, ValueError):
        return False


def descriptor_of(path: Path | str) -> int | None:
    """Return the number of the open file that /dev/stdout or /dev/fd/63 names, None for others."""
    target = os.path.abspath(path)
    for _ in range(40):  # as many links as the system follows
        match = _DESCRIPTOR_PATH.fullmatch(target)
        if match and match[1] in (None, "self", "thread-self", str(os.getpid())):
            return int(match[2])
        try:
            target = os.path.join(os.path.dirname(target), os.readlink(target))
        except (OSError, ValueError):
            break
    return None


@contextmanager
def staged_files(folder: Path | str, names: Sequence[str]) -> Iterator[Path]:
    """Give a new folder for the files `names`; then put those that it holds into `folder`.

    Until the block ends `folder` is unchanged; then its files `names` are replaced one after the
    other, in that order, or removed where the new folder has none. All its other files stay. What
    a killed process left behind is removed by the next one.
    """
    folder = Path(folder)
    created, handle = False, None
    made: list[Path] = []
    try:
        with _explain(folder):
            created = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            for name in names:
                _remove_left_over(folder / name)
            handle, staging = _new_folder(folder / names[0], made)
        yield staging
        with _explain(folder):
            _put(staging, folder, names)
    except BaseException:
        _remove_folders(made)
        if created:
            with suppress(OSError):  # another program has put something into it
                folder.rmdir()
        raise
    finally:
        _remove_folders(made)
        if handle is not None:
            os.close(handle)


def _remove_folders(folders: Sequence[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explain(path: Path | str) -> Iterator[None]:
    """Let errors of the system become a WriteError that names the place."""
    try:
        yield
    except OSError as error:
        if isinstance(error, LookalikeError):  # also of what is read while it is written
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


def _target(path: Path | str) -> Path | None:
    """Return the regular file, present or not, that `path` leads to; None where it is a stream."""
    path = Path(path)
    if descriptor_of(path) is not None:
        return None
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if kind := _REFUSED_KINDS.get(stat.S_IFMT(mode)):
        raise WriteError(f"{path} is {kind}, which is not written to. Give the name of a file.")
    if not stat.S_ISREG(mode):
        return None
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _open_stream(path: Path | str) -> BinaryIO:
    number = descriptor_of(path)
    if number is not None:
        if number == 1 and sys.stdout is not None:
            sys.stdout.flush()
        return os.fdopen(os.dup(number), "wb")
    if stat.S_ISFIFO(os.stat(path).st_mode):
        return open_writer(os.fspath(path))
    return os.fdopen(os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)), "wb")


def _require_binary_file(file: object) -> None:
    if isinstance(file, io.TextIOBase):
        raise ParameterTypeError(f"{file!r:.80} is open as text. Open it with mode 'wb'.")
    if not hasattr(file, "write") or not hasattr(file, "flush") or getattr(file, "closed", False):
        raise ParameterTypeError(
            f"{file!r:.80} is neither a path nor an open file. Give one of them."
        )


def _stream_on(file: IO[bytes]) -> Any:
    return _Stream(file)


class _Stream(io.RawIOBase):
    """An open file that is written to and nothing else, as it may have no positions."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._file.write(data)
        return memoryview(data).nbytes


def _write_and_rename(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    made: list[Path] = []
    try:
        handle, new = _new_file(path, made)
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            with suppress(FileNotFoundError):
                os.chmod(new, stat.S_IMODE(os.stat(path).st_mode))
            os.fsync(file.fileno())
            if IS_POSIX:  # while it is locked
                _rename(new, path)
        if not IS_POSIX:  # where an open file cannot be renamed
            _rename(new, path)
    except BaseException:
        for name in made:
            with suppress(FileNotFoundError):
                os.unlink(name)
        raise
    sync_folder(path.parent)


def _rename(new: Path, path: Path) -> None:
    """Put a file in the place of a regular one, or of none: it may have changed meanwhile."""
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise WriteError(f"{path} is not a regular file any more. Choose another place.")
    os.replace(new, path)


def _put(staging: Path, folder: Path, names: Sequence[str]) -> None:
    """Put the files of `staging` in the places of those of `folder`, which must be regular."""
    targets = {name: _target(folder / name) for name in names}
    if streams := [name for name, target in targets.items() if target is None]:
        raise WriteError(f"{folder / streams[0]} is not a regular file. Choose another folder.")
    for name, target in targets.items():
        assert target is not None
        new = staging / name
        if not new.exists():
            target.unlink(missing_ok=True)
        elif os.stat(target.parent).st_dev == os.stat(new).st_dev:
            with suppress(FileNotFoundError):
                os.chmod(new, stat.S_IMODE(os.stat(target).st_mode))
            _rename(new, target)
        else:  # a link to another disk
            with new.open("rb") as file:
                _write_and_rename(target, partial(shutil.copyfileobj, file))
    sync_folder(folder)


def _stem(path: Path) -> str:
    """Return how the names of unfinished files begin: short, however long `path` is."""
    return f".lookalike-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:12]}-"


def _new_file(path: Path, made: list[Path]) -> tuple[int, Path]:
    """Create a file in the folder of `path`, with default rights, locked while it is open.

    Its name is in `made` before it is there, so that no interrupt can leave it behind.
    """
    binary = getattr(os, "O_BINARY", 0)
    while True:
        new = path.with_name(f"{_stem(path)}{secrets.token_hex(6)}")
        made.append(new)
        handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o666)
        if try_lock(handle) is not False and new.exists():  # else another took it for left over
            return handle, new
        os.close(handle)


def _try_new_file(path: Path) -> None:
    """Raise where no file can be made in the folder of `path`: one without a name is, if possible.

    A file with a name would be left over where the process is killed.
    """
    try:
        os.close(os.open(path.parent, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError) as error:
        if getattr(error, "errno", None) in (errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT):
            raise
        _remove_left_over(path)
        made: list[Path] = []
        try:
            os.close(_new_file(path, made)[0])
        finally:
            for new in made:
                new.unlink(missing_ok=True)


def _new_folder(path: Path, made: list[Path]) -> tuple[int | None, Path]:
    """Create a folder in the folder of `path`, locked while it is open, named in `made` before."""
    while True:
        new = path.with_name(f"{_stem(path)}{secrets.token_hex(6)}")
        made.append(new)
        new.mkdir()
        if not IS_POSIX:
            return None, new
        with suppress(FileNotFoundError):
            handle = os.open(new, os.O_RDONLY)
            if try_lock(handle) is not False and new.exists():
                return handle, new
            os.close(handle)


def _remove_left_over(path: Path) -> None:
    """Remove unfinished files and folders of `path` that no process has open."""
    for name in path.parent.glob(f"{_stem(path)}*"):
        with suppress(OSError):
            if not IS_POSIX:  # where an open file cannot be removed
                _remove(name)
                continue
            handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
            try:
                if try_lock(handle):
                    _remove(name)
            finally:
                os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def try_lock(handle: int) -> bool | None:
    """Return whether no other process has locked the file; None where there are no locks."""
    if not IS_POSIX:
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    if not IS_POSIX:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
