"""Compressed files, known by their first bytes, and the bytes that they expand to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Literal, TypeAlias

from lookalike.errors import SourceError

Compression: TypeAlias = Literal["gzip", "bz2", "xz", "zstd", "zip"]
FIRST_BYTES: dict[bytes, Compression] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # an empty one
}
BLOCK_BEGINS = (b"1AY&SY", b"\x17rE8P\x90")  # of a bz2 file, after the digit of its level
COMPRESSION_SUFFIXES: dict[str, Compression] = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "xz",
    ".zst": "zstd",
    ".zip": "zip",
}
COMPRESSION_WRITERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
TEST_COMMANDS: dict[Compression, str] = {
    "gzip": "gzip -t",
    "bz2": "bzip2 -t",
    "xz": "xz -t",
    "zstd": "zstd -t",
    "zip": "unzip -t",
}
DAMAGE_ERRORS = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # of a version of zip that there is not
)


def compression_of(start: bytes) -> Compression | None:
    """Return the compression that the first bytes of a file say, None if there is none.

    Examples
    --------
    >>> compression_of(gzip.compress(b"a,b")), compression_of(b"a,b"), compression_of(b"BZhang,1")
    ('gzip', None, None)
    """
    for magic, compression in FIRST_BYTES.items():
        if start.startswith(magic):
            return compression if compression != "bz2" or _is_bz2(start) else None
    return None


def expand(raw: Any, compression: Compression, name: str) -> ExpandedBytes:
    """Return the bytes that a compressed stream expands to; closing them closes `raw`."""
    if compression == "gzip":
        return ExpandedBytes(gzip.GzipFile(fileobj=raw), raw, compression, name)
    if compression == "bz2":
        return ExpandedBytes(bz2.BZ2File(raw), raw, compression, name)
    if compression == "xz":
        return ExpandedBytes(lzma.LZMAFile(raw), raw, compression, name)
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
    return ExpandedBytes(stream, raw, compression, name)


def compress(content: bytes, suffix: str) -> bytes:
    r"""Return the content compressed as the last part of a suffix says.

    Examples
    --------
    >>> compress(b"a,b", ".csv"), compress(b"a,b", ".csv.gz")[:2]
    (b'a,b', b'\x1f\x8b')
    """
    write = next(
        (write for end, write in COMPRESSION_WRITERS.items() if suffix.lower().endswith(end)), None
    )
    return content if write is None else write(content)


def can_compress(suffix: str) -> bool:
    """Return whether files of a suffix are written: not compressed, or in a way that is."""
    ends = [end for end in COMPRESSION_SUFFIXES if suffix.lower().endswith(end)]
    return all(end in COMPRESSION_WRITERS for end in ends)


class ExpandedBytes(io.RawIOBase):
    """What a compressed stream expands to; an error of damage names the file."""

    def __init__(self, top: Any, below: BinaryIO, compression: Compression, name: str) -> None:
        super().__init__()
        self._top, self._below = top, below
        self._compression, self._name = compression, name

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` and return how many bytes were there."""
        try:
            data = self._top.read(len(buffer))
        except DAMAGE_ERRORS as error:
            raise damaged(self._name, self._compression, error) from None
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream and the one below."""
        if not self.closed:
            self._top.close()
            self._below.close()
        super().close()


def damaged(name: str, compression: Compression, error: Exception) -> SourceError:
    """Return the error of a compressed file that is damaged, with what can be done."""
    reason = str(error).rstrip(".") or type(error).__name__
    return SourceError(
        f"{name} is damaged or truncated: {reason}. Copy or download it again "
        f"({TEST_COMMANDS[compression]} checks it), or give it uncompressed."
    )


def _is_bz2(start: bytes) -> bool:
    return len(start) >= 10 and start[4:10] in BLOCK_BEGINS
