"""The folder of an index: one list of its files, replaced as a whole, and files never changed.

Whoever changes an index writes new files, brings them to the disk, and then puts a new list in
the place of the old one: readers see the index before or after, never between. docs/disk_index.md
describes every file.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from lookalike.data.write.atomic_write import IS_POSIX, replace_file
from lookalike.errors import ModelFileError, SourceMissingError, WriteError
from lookalike.file_schema import parse_plain_json
from lookalike.index.disk.list_schema import OWN_NAME, check_list, segment_files

INDEX_FORMAT, INDEX_VERSION = "lookalike exact index", 2
LIST_FILE = "index.json"
LOCK_FILE = "lock"
MOST_BEGUN_BYTES = 1 << 20  # of the names of files in the lock


class IndexFolder:
    """The files of an index."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        self._begun: IO[bytes] | None = None  # the lock, while the index changes

    def read(self) -> dict[str, object]:
        """Return the list of the files, checked."""
        path = self.path / LIST_FILE
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError, ValueError):  # or no path: it holds a NUL
            raise self._no_index() from None
        except OSError as error:
            raise ModelFileError(
                f"{self.path} cannot be read: {error.strerror}. Give the folder of an index."
            ) from None
        try:
            listed = parse_plain_json(content)
        except ModelFileError as error:
            raise self.damaged(f"{LIST_FILE} is not JSON ({error})") from None
        if not isinstance(listed, dict) or listed.get("format") != INDEX_FORMAT:
            raise self.damaged(f"{LIST_FILE} is not that of an exact index")
        if listed.get("version") != INDEX_VERSION:
            raise ModelFileError(
                f"{self.path} is of version {listed.get('version')!r} of the format, and this "
                f"program reads version {INDEX_VERSION}. Build the index again."
            )
        checksum = listed.pop("checksum", None)
        if checksum != checksum_of(listed):
            raise self.damaged(f"{LIST_FILE} was changed")
        try:
            check_list(listed)
        except ModelFileError as error:
            raise self.damaged(f"{LIST_FILE}: {error}") from None
        return listed

    def _no_index(self) -> Exception:
        if not self.path.exists():
            return SourceMissingError(
                f"{str(self.path)!r} does not exist. Build it first: lookalike index build DATA -o "
                f"{self.path.name}"
            )
        what = f"a folder without {LIST_FILE}" if self.path.is_dir() else "a file and not a folder"
        return ModelFileError(
            f"{self.path} is not an index: it is {what}. Give what lookalike index build wrote."
        )

    def damaged(self, why: str) -> ModelFileError:
        """Return the error of an index that cannot be used."""
        return ModelFileError(f"{self.path} is damaged or foreign: {why}. Build the index again.")

    def write(self, listed: dict[str, object]) -> None:
        """Put a new list in the place of the old one, and remove what only the old one named."""
        before = self._named_before()
        listed = {**listed, "format": INDEX_FORMAT, "version": INDEX_VERSION}
        content = json.dumps({**listed, "checksum": checksum_of(listed)}, indent=1).encode()
        replace_file(self.path / LIST_FILE, lambda file: file.write(content))
        self._remove(before - named_files(listed))

    def _named_before(self) -> set[str]:
        """Return the files of the list that is there; none of a list that cannot be read."""
        try:
            return named_files(self.read())
        except (ModelFileError, SourceMissingError):
            return set()

    def _remove(self, names: set[str]) -> None:
        """Remove files that an index wrote; files of others have other names, and stay."""
        for name in names:
            if OWN_NAME.fullmatch(name):
                with suppress(OSError):  # of a system where a reader has it open
                    (self.path / name).unlink()

    def file(self, name: str) -> Path:
        """Return the path of a file of the index: a plain name, never one that leads elsewhere."""
        if name != os.path.basename(name) or name in ("", ".", ".."):
            raise self.damaged(f"it names the file {name!r}")
        return self.path / name

    def require_size(self, name: str, size: int) -> None:
        """Raise where a file of the index is gone or of another size."""
        try:
            found = os.stat(self.file(name)).st_size
        except OSError:
            raise self.damaged(f"its file {name} is missing") from None
        if found != size:
            raise self.damaged(f"its file {name} has {found} of {size} bytes")

    def read_checked(self, name: str, checksum: int) -> bytes:
        """Return the content of a file whose checksum is known."""
        try:
            content = self.file(name).read_bytes()
        except OSError:
            raise self.damaged(f"its file {name} is missing") from None
        if zlib.crc32(content) != checksum:
            raise self.damaged(f"its file {name} was changed")
        return content

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the index for one writer; new files are removed where the block fails.

        The lock names the files that were begun, so that those of a process that was killed are
        removed by the next one.
        """
        created = not self.path.exists()
        with explain_errors(self.path):
            if not created and not self.path.is_dir():
                raise WriteError(f"{self.path} is a file. Give a new name, or remove it first.")
            if not created and not (self.path / LIST_FILE).exists() and self._has_other_files():
                raise WriteError(
                    f"{self.path} is a folder of other things. Give a new name for the index."
                )
            self.path.mkdir(parents=True, exist_ok=True)
            lock = open(self.path / LOCK_FILE, "a+b")  # noqa: SIM115 - closed below
        with lock:
            self._lock(lock)
            self._begun = lock
            self._clear_begun()
            try:
                with explain_errors(self.path):
                    yield
            except BaseException:
                self._clear_begun()
                if created:
                    with suppress(OSError):
                        (self.path / LOCK_FILE).unlink()
                        self.path.rmdir()  # unless somebody else put files there
                raise
            finally:
                self._begun = None
            lock.truncate(0)

    def _has_other_files(self) -> bool:
        """Return whether the folder holds more than what a killed process left behind."""
        return any(
            file.name != LOCK_FILE and not OWN_NAME.fullmatch(file.name)
            for file in self.path.iterdir()
        )

    def _clear_begun(self) -> None:
        """Remove the files that were begun and that the list does not name."""
        assert self._begun is not None, "only who holds the index removes files"
        self._begun.seek(0)
        begun = self._begun.read(MOST_BEGUN_BYTES).decode("ascii", "ignore").split()
        self._remove(set(begun) - self._named_before())
        self._begun.truncate(0)

    def _lock(self, lock: IO[bytes]) -> None:
        if not IS_POSIX:
            return
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriteError(
                f"{self.path} is being changed by another process. Try again when it is done."
            ) from None

    @contextmanager
    def new_file(self, suffix: str) -> Iterator[tuple[str, BinaryIO]]:
        """Give the name of a new file and the file, open; at the end it is on the disk."""
        name = f"{secrets.token_hex(8)}{suffix}"
        if self._begun is not None:
            self._begun.write(f"{name}\n".encode())
            self._begun.flush()
        with open(self.path / name, "xb") as file:
            yield name, file
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Let errors of the disk become a WriteError that says that nothing changed."""
    try:
        yield
    except OSError as error:
        if type(error).__module__.startswith("lookalike") or error.errno is None:
            raise
        raise WriteError(
            f"{path} could not be written: {error.strerror}. What was there before is unchanged; "
            "make room or choose another place."
        ) from error


def named_files(listed: dict[str, Any]) -> set[str]:
    """Return the files that a list names."""
    names = {name for segment in listed["segments"] for name in segment_files(segment)}
    return names | {listed["arrays"]["name"]}


def checksum_of(listed: dict[str, object]) -> str:
    """Return the checksum of a list, whatever the order and the spaces of its file."""
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()
