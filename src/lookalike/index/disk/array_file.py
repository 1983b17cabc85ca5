"""The arrays of an index in their file: as NumPy writes them, and never larger than the file."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np

from lookalike.index.disk.folder import IndexFolder
from lookalike.typing import AnyArray

MOST_HEADER_BYTES = 10_000  # of an array
Wanted = tuple[str, tuple[int | None, ...]]  # dtype and shape, None for any length


def write_arrays(folder: IndexFolder, arrays: dict[str, AnyArray]) -> dict[str, object]:
    """Write arrays to a new file; return its name and checksum."""
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # allow_pickle
    data = content.getvalue()
    with folder.new_file(".npz") as (name, file):
        file.write(data)
    return {"name": name, "checksum": zlib.crc32(data)}


def read_arrays(folder: IndexFolder, name: str, checksum: int) -> dict[str, AnyArray]:
    """Return the arrays of a file: none is taken from it that is not all there."""
    content = folder.read_checked(name, checksum)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("an array is compressed")
            if sum(member.file_size for member in members) > len(content):
                raise ValueError("its arrays lie over each other")
            return {
                member.filename.removesuffix(".npy"): _array(archive.read(member))
                for member in members
            }
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OverflowError) as error:
        raise folder.damaged(f"its file {name} holds no arrays ({error})") from None
    except (NotImplementedError, RuntimeError) as error:  # of a kind of zip that NumPy never writes
        raise folder.damaged(f"its file {name} holds no arrays ({error})") from None


def require_arrays(
    folder: IndexFolder, name: str, arrays: Mapping[str, AnyArray], wanted: Mapping[str, Wanted]
) -> None:
    """Raise unless these arrays are there, each of its dtype and shape, finite."""
    for key, (dtype, shape) in wanted.items():
        array = arrays.get(key)
        if array is None:
            raise folder.damaged(f"its file {name} lacks the array {key!r}")
        fits = array.dtype == dtype and len(array.shape) == len(shape)
        fits = fits and all(b in (None, a) for a, b in zip(array.shape, shape, strict=True))
        if not fits or (array.dtype.kind == "f" and not np.isfinite(array).all()):
            raise folder.damaged(
                f"the array {key!r} of its file {name} is of {array.dtype} and shape "
                f"{array.shape}, and finite {np.dtype(dtype)} of shape {shape} is needed"
            )


def _array(data: bytes) -> AnyArray:
    """Return the array of an .npy file; its header must tell the size that it has."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"an array is of version {version}")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(
        stream, max_header_size=MOST_HEADER_BYTES
    )
    if dtype.hasobject or dtype.kind not in "biuf" or (by_column and len(shape) > 1):
        raise ValueError(f"an array is of {dtype}, or by columns")
    count = 1
    for length in shape:
        count *= length
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of shape {shape} has {len(data) - stream.tell()} bytes")
    array: AnyArray = np.frombuffer(data, dtype, count, stream.tell()).reshape(shape)
    return array
