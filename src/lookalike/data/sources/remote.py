"""Files that lie elsewhere, read by fsspec: s3://, gs://, az://, https:// and others.

Tables of Parquet and Arrow files are read where they lie, only the columns and row groups that
are needed; other files are fetched once. What fails for a moment is tried again.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lookalike.errors import ExtraMissingError, SourceError, SourceMissingError

Result = TypeVar("Result")

SCHEME_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
SCHEME_PACKAGES |= {"abfss": "adlfs", "http": "aiohttp", "https": "aiohttp"}
READ_ATTEMPTS, FIRST_PAUSE_SECONDS = 4, 0.2  # seconds, twice as many each time
BYTES_PER_FETCH = 1 << 24  # bytes that are fetched at once


def is_remote(path: object) -> bool:
    """Return whether a path names a file system, as in ``s3://bucket/rows.parquet``.

    Examples
    --------
    >>> is_remote("s3://bucket/rows.parquet"), is_remote("rows.parquet")
    (True, False)
    """
    return isinstance(path, str) and "://" in path and path.split("://")[0].isalnum()


def file_system(path: str) -> tuple[Any, str]:
    """Return the file system of a remote path, and the path in it."""
    scheme = path.split("://", maxsplit=1)[0].lower()
    package = SCHEME_PACKAGES.get(scheme, "fsspec")
    try:
        import fsspec

        system, inside = fsspec.core.url_to_fs(path)
    except ImportError:
        raise ExtraMissingError.of(f"{package}, which reads {scheme}:// paths,", "remote") from None
    except Exception as error:  # each file system has its own errors
        raise unreadable(path, error) from None
    return system, inside


def patiently(path: str, read: Callable[[], Result]) -> Result:
    """Return what `read` returns, tried again where the network failed."""
    pause = FIRST_PAUSE_SECONDS
    for left in reversed(range(READ_ATTEMPTS)):
        try:
            return read()
        except Exception as error:  # each file system has its own errors
            if not left or not _may_pass(error):
                raise unreadable(path, error) from None
        time.sleep(pause)
        pause *= 2
    raise AssertionError("the last try returns or raises")


def list_files(path: str) -> tuple[Any, list[str]]:
    """Return the file system and the files that a remote path or pattern names, in order."""
    system, inside = file_system(path)

    def look() -> list[str]:
        if any(sign in inside for sign in "*?["):
            return sorted(system.glob(inside))
        if not path.startswith("http") and system.isdir(inside):
            return sorted(system.find(inside))
        return [inside] if system.exists(inside) else []

    files = patiently(path, look)
    names = [file for file in files if not Path(file).name.startswith((".", "_"))]
    if not names:
        raise SourceMissingError(
            f"{path!r} does not exist, or names no file. Give an existing file, folder or pattern."
        )
    return system, names


def gives_parts(path: str) -> bool:
    """Return whether parts of a remote file can be read; some web servers give all or nothing."""
    if not path.startswith("http"):
        return True
    system, inside = file_system(path)
    info: dict[str, object] = patiently(path, lambda: system.info(inside))
    return bool(info.get("partial")) and info.get("size") is not None


def fetched(path: str) -> str:
    """Return a local copy of a remote file, which is removed when the program ends."""
    system, (inside, *others) = list_files(path)
    if others:
        raise SourceError(
            f"{path!r} names {len(others) + 1} files that are not Parquet or Arrow files. Give one "
            "of them."
        )
    folder = tempfile.mkdtemp(prefix="lookalike-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = Path(folder) / Path(inside).name
    with copy.open("wb") as file:
        size = patiently(path, lambda: system.info(inside).get("size"))
        while size is None or file.tell() < size:
            at = file.tell()
            end = None if size is None else min(at + BYTES_PER_FETCH, size)
            part = {} if size is None else {"start": at, "end": end}
            data = patiently(path, partial(system.cat_file, inside, **part))
            file.write(data)
            if size is None or not data:  # of a server that does not say its size
                break
    return str(copy)


def unreadable(path: str, error: Exception) -> Exception:
    """Return the error of a remote file in a sentence."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    text = " ".join(str(error).split()) or type(error).__name__
    if kinds & {"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"}:
        return SourceError(
            f"{path!r} cannot be read: no credentials were found. Set those of the service, such "
            "as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile."
        )
    if isinstance(error, PermissionError) or "Forbidden" in text or "403" in text:
        return SourceError(
            f"{path!r} cannot be read: access is denied ({text[:200]}). Check the credentials and "
            "the rights on the bucket."
        )
    if isinstance(error, FileNotFoundError) or "404" in text:
        return SourceMissingError(f"{path!r} does not exist. Give an existing file.")
    return SourceError(f"{path!r} cannot be read: {text[:300]}. Try again later.")


def _may_pass(error: Exception) -> bool:
    """Return whether an error may be of a moment: of the network, not of the file or the user."""
    if isinstance(error, (FileNotFoundError, PermissionError, ImportError, ValueError)):
        return False
    kinds = {kind.__name__ for kind in type(error).__mro__}
    never = {"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"}
    return not kinds & never and isinstance(error, Exception)
