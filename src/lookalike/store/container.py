"""The file itself: a safetensors container whose first line holds version, size and checksum.

Eight bytes hold the length of the header, a JSON text; the arrays follow without gaps. The header
begins with a fixed form, so that damage is found before anything is parsed; see
docs/model_files.md.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from lookalike.data.write.atomic_write import Place, replace_file
from lookalike.errors import ModelFileError
from lookalike.file_schema import choice, items, parse_plain_json, record, whole
from lookalike.store.private_bytes import private_bytes
from lookalike.typing import AnyArray
from lookalike.validation import check_path

FORMAT_VERSION = (1, 0)  # a file of a newer major version is refused, of a newer minor version read
OLDEST_READABLE_VERSION = (1, 0)  # version that can be read
STORED_DTYPES = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "F16": np.dtype("<f2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
}
DTYPE_NAMES = {kind: name for name, kind in STORED_DTYPES.items()}
MAX_HEADER_BYTES = 100_000_000  # bytes, as in the safetensors library
MAX_ARRAY_AXES = 32
ARRAY_ALIGNMENT = 64
ARRAY_RULE = record(
    {
        "dtype": choice(*STORED_DTYPES),
        "shape": items(whole(most=2**64), most=MAX_ARRAY_AXES),
        "data_offsets": items(whole(most=2**64), least=2, most=2),
    }
)

_NO_SUM = "0" * 64  # stands in the place of the checksum while it is computed
_HEADER_OPENING = re.compile(
    rb'\{"__metadata__":\{"lookalike":"(\d{1,4})\.(\d{1,4})","bytes":"(\d{1,19})",'
    rb'"sha256":"([0-9a-f]{64})","model":"'
)


# Version, JSON that is not yet parsed, arrays that are views of the private bytes of the file
# (changes to them stay in memory), and size in bytes.
Content: TypeAlias = tuple[tuple[int, int], str, dict[str, AnyArray], int]


def write_container(path: Place, document: str, arrays: Sequence[AnyArray]) -> None:
    """Write `document` and `arrays`, which are named by their numbers, in the place of `path`.

    Arrays are of the dtypes of `KINDS`, contiguous.
    """
    order = sorted(range(len(arrays)), key=lambda i: (-arrays[i].dtype.itemsize, i))
    table: dict[str, object] = {}
    end = 0
    for number in order:
        array, begin = arrays[number], end
        end += array.nbytes
        table[str(number)] = {
            "dtype": DTYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    head = _head(document, table, end, _NO_SUM)
    total = hashlib.sha256(head)
    for number in order:
        total.update(bytes_of(arrays[number]))
    head = _head(document, table, end, total.hexdigest())

    def write(file: IO[bytes]) -> None:
        file.write(head)
        for number in order:
            file.write(bytes_of(arrays[number]))

    replace_file(path, write)


def read_container(path: Path | str) -> Content:
    """Read the file, check its sum and its table, and return what it holds."""
    path = check_path("path", path)
    return parse_container(path, private_bytes(path))


def parse_container(path: Path, data: Any) -> Content:
    """Return what the bytes hold; `path` names them in errors."""
    opening = _HEADER_OPENING.match(data, 8) if len(data) > 8 else None
    if opening is None:
        raise ModelFileError(
            f"{path} is not a lookalike model file, or its beginning is damaged or truncated. "
            "Give a file that lookalike.save wrote."
        )
    version = int(opening[1]), int(opening[2])
    _check_sum(path, data, opening, version)
    if version[0] > FORMAT_VERSION[0]:
        raise ModelFileError(
            f"{path} is of format {_dotted(version)}, and this lookalike reads up to "
            f"{FORMAT_VERSION[0]}.x (it writes {_dotted(FORMAT_VERSION)}). Install a newer "
            "lookalike."
        )
    if version < OLDEST_READABLE_VERSION:
        raise ModelFileError(
            f"{path} is of format {_dotted(version)}, which no lookalike has written, and this one "
            f"reads {_dotted(OLDEST_READABLE_VERSION)} and later. Save the model again."
        )
    length = int.from_bytes(data[:8], "little")
    if not opening.end() <= 8 + length <= min(len(data), 8 + MAX_HEADER_BYTES) or length % 8:
        raise _malformed(path, f"its header would take {length} of {len(data)} bytes")
    table = parse_json(path, bytes(data[8 : 8 + length]))
    metadata = table.pop("__metadata__")
    if not all(isinstance(text, str) for text in metadata.values()):
        raise _malformed(path, "its metadata are not all texts")
    arrays = _arrays(path, table, memoryview(data)[8 + length :])
    return version, metadata["model"], arrays, len(data)


def bytes_of(array: AnyArray) -> memoryview:
    """Return the bytes of a contiguous array, not copied."""
    return array.reshape(-1).view(np.uint8).data


def parse_json(path: Path | str, text: str | bytes) -> Any:
    """Parse JSON strictly; `path` names the file in errors."""
    try:
        return parse_plain_json(text)
    except ModelFileError as error:
        raise _malformed(path, f"its header is not plain JSON ({error})") from None


def _head(document: str, table: Mapping[str, object], size: int, digest: str) -> bytes:
    """Return length and header, filled up with spaces so that the arrays begin aligned."""
    total = "0" * 19
    for _ in range(2):  # once to learn the length, once to write it
        metadata = {
            "lookalike": _dotted(FORMAT_VERSION),
            "bytes": total,
            "sha256": digest,
            "model": document,
        }
        text = json.dumps({"__metadata__": metadata, **table}, separators=(",", ":"))
        header = text.encode("ascii")
        header += b" " * (-(8 + len(header)) % ARRAY_ALIGNMENT)
        total = f"{8 + len(header) + size:019d}"
    if len(header) > MAX_HEADER_BYTES:
        raise ModelFileError(
            f"the model would need a header of {len(header)} bytes, more than {MAX_HEADER_BYTES}: "
            "it holds too many texts. Keep fewer of them."
        )
    return len(header).to_bytes(8, "little") + header


def _check_sum(path: Path, data: Any, opening: re.Match[bytes], version: tuple[int, int]) -> None:
    stated = int(opening[3])
    if len(data) != stated:
        how = "truncated" if len(data) < stated else "followed by something else"
        raise ModelFileError(
            f"{path} is damaged: its header states {stated} bytes and it has {len(data)}, so it is "
            f"{how}. Save the model again."
        )
    at = opening.start(4)
    with memoryview(data) as view:
        total = hashlib.sha256(view[:at])
        total.update(_NO_SUM.encode())
        total.update(view[at + 64 :])
    if total.hexdigest().encode() != opening[4]:
        newer = f" (its format is {_dotted(version)})" if version[0] > FORMAT_VERSION[0] else ""
        raise ModelFileError(
            f"{path} is damaged: its checksum does not match what it holds{newer}. "
            "Save the model again."
        )


def _arrays(path: Path, table: Mapping[str, object], data: memoryview) -> dict[str, AnyArray]:
    """Return the arrays that the table describes; they fill the data without gap or overlap."""
    entries = [(*_entry(path, name, entry), name) for name, entry in table.items()]
    reached = 0
    arrays = {}
    for begin, end, kind, shape, name in sorted(entries, key=lambda entry: entry[:2]):
        if begin != reached or end > len(data):
            raise _malformed(
                path, f"array {name!r} lies at {begin}:{end}, where {reached} was reached"
            )
        reached = end
        try:
            arrays[name] = np.frombuffer(data[begin:end], kind).reshape(shape)
        except ValueError as error:  # for example an empty array of 2^60 columns
            raise _malformed(path, f"array {name!r} has shape {shape}: {error}") from None
    if reached != len(data):
        raise _malformed(path, f"{len(data) - reached} bytes belong to no array")
    return arrays


def _entry(path: Path, name: str, entry: Any) -> tuple[int, int, np.dtype, tuple[int, ...]]:
    """Return where an array lies and what it is: checked in integers of any size."""
    try:
        ARRAY_RULE(entry, "it")
    except ModelFileError as error:
        raise _malformed(path, f"array {name!r} is not described as an array: {error}") from None
    kind, shape = STORED_DTYPES[entry["dtype"]], tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    if begin % kind.itemsize:
        raise _malformed(path, f"array {name!r} is not described as an array: it lies at {begin}")
    if end - begin != math.prod(shape) * kind.itemsize:
        raise _malformed(path, f"array {name!r} of shape {shape} has {end - begin} bytes")
    return begin, end, kind, shape


def _malformed(path: Path | str, what: str) -> ModelFileError:
    return ModelFileError(f"{path} is not a valid model file: {what}. Save the model again.")


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
