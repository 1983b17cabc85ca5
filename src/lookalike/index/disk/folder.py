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
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from lookalike.data.atomic_write import POSIX, replace_file
from lookalike.errors import ModelFileError, SourceMissingError, WriteError

FORMAT, VERSION = "lookalike exact index", 2
LIST = "index.json"
LOCK = "lock"


class IndexFolder:
    """The files of an index."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def read(self) -> dict[str, object]:
        """Return the list of the files, checked."""
        place = self.path / LIST
        try:
            content = place.read_bytes()
        except (FileNotFoundError, NotADirectoryError, ValueError):  # or no path: it holds a NUL
            raise self._no_index() from None
        except OSError as error:
            raise ModelFileError(
                f"{self.path} cannot be read: {error.strerror}. Give the folder of an index."
            ) from None
        try:
            listed = json.loads(content)
        except ValueError:
            raise self._damaged(f"{LIST} is no JSON") from None
        if not isinstance(listed, dict) or listed.get("format") != FORMAT:
            raise self._damaged(f"{LIST} is not that of an exact index")
        if listed.get("version") != VERSION:
            raise ModelFileError(
                f"{self.path} is of version {listed.get('version')!r} of the format, and this "
                f"program reads version {VERSION}. Build the index again."
            )
        checksum = listed.pop("checksum", None)
        if checksum != checksum_of(listed):
            raise self._damaged(f"{LIST} was changed")
        return listed

    def _no_index(self) -> Exception:
        if not self.path.exists():
            return SourceMissingError(
                f"{str(self.path)!r} does not exist. Build it first: lookalike index build DATA -o "
                f"{self.path.name}"
            )
        what = f"a folder without {LIST}" if self.path.is_dir() else "a file and not a folder"
        return ModelFileError(
            f"{self.path} is no index: it is {what}. Give what lookalike index build wrote."
        )

    def _damaged(self, why: str) -> ModelFileError:
        return ModelFileError(f"{self.path} is damaged or foreign: {why}. Build the index again.")

    def write(self, listed: dict[str, object]) -> None:
        """Put a new list in the place of the old one, and remove files that it does not name."""
        listed = {**listed, "format": FORMAT, "version": VERSION}
        content = json.dumps({**listed, "checksum": checksum_of(listed)}, indent=1).encode()
        replace_file(self.path / LIST, lambda file: file.write(content))
        self._remove_others(named_files(listed))

    def _remove_others(self, named: set[str]) -> None:
        for file in self.path.iterdir():
            if file.name not in {*named, LIST, LOCK} and file.suffix in (
                ".codes",
                ".rows",
                ".npz",
                ".column",
            ):
                with suppress(OSError):  # of a system where a reader has it open
                    file.unlink()

    def file(self, name: str) -> Path:
        """Return the path of a file of the index: a plain name, never one that leads elsewhere."""
        if name != os.path.basename(name) or name in ("", ".", ".."):
            raise self._damaged(f"it names the file {name!r}")
        return self.path / name

    def require_size(self, name: str, size: int) -> None:
        """Raise where a file of the index is gone or of another size."""
        try:
            found = os.stat(self.file(name)).st_size
        except OSError:
            raise self._damaged(f"its file {name} is missing") from None
        if found != size:
            raise self._damaged(f"its file {name} has {found} of {size} bytes")

    def read_checked(self, name: str, checksum: int) -> bytes:
        """Return the content of a file whose checksum is known."""
        try:
            content = self.file(name).read_bytes()
        except OSError:
            raise self._damaged(f"its file {name} is missing") from None
        if zlib.crc32(content) != checksum:
            raise self._damaged(f"its file {name} was changed")
        return content

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the index for one writer; new files are removed where the block fails."""
        created = not self.path.exists()
        with explained(self.path):
            if not created and not self.path.is_dir():
                raise WriteError(f"{self.path} is a file. Give a new name, or remove it first.")
            if not created and not (self.path / LIST).exists() and any(self.path.iterdir()):
                raise WriteError(
                    f"{self.path} is a folder of other things. Give a new name for the index."
                )
            self.path.mkdir(parents=True, exist_ok=True)
            before = {file.name for file in self.path.iterdir()}
            lock = open(self.path / LOCK, "ab")  # noqa: SIM115 - closed below
        with lock:
            self._lock(lock)
            try:
                with explained(self.path):
                    yield
            except BaseException:
                self._undo(before, created)
                raise

    def _lock(self, lock: IO[bytes]) -> None:
        if not POSIX:
            return
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriteError(
                f"{self.path} is being changed by another process. Try again when it is done."
            ) from None

    def _undo(self, before: set[str], created: bool) -> None:
        if created:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        for file in self.path.iterdir():
            if file.name not in before and file.name != LOCK:
                with suppress(OSError):
                    file.unlink()

    @contextmanager
    def new_file(self, suffix: str) -> Iterator[tuple[str, BinaryIO]]:
        """Give the name of a new file and the file, open; at the end it is on the disk."""
        name = f"{secrets.token_hex(8)}{suffix}"
        with open(self.path / name, "xb") as file:
            yield name, file
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def explained(path: Path) -> Iterator[None]:
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
    names = {segment[name] for segment in listed["segments"] for name in ("codes", "arrays")}
    names |= {segment["rows"]["path"] for segment in listed["segments"] if segment["rows"]["own"]}
    names |= {column["file"] for segment in listed["segments"] for column in segment["columns"]}
    return names | {listed["arrays"]["name"]}


def checksum_of(listed: dict[str, object]) -> str:
    """Return the checksum of a list, whatever the order and the spaces of its file."""
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()
