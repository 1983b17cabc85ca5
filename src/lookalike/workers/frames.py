"""Messages between a pool and its processes: pickles on pipes, each after its length."""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable
from typing import IO, Any

from lookalike.errors import ParameterTypeError

LENGTH_FORMAT = struct.Struct("<Q")
LARGEST_READ = 2**24  # bytes asked for at once: a pipe gives far fewer


class WorkPickler(pickle.Pickler):
    """Refuses what another process cannot import: functions and classes of the script."""

    def reducer_override(self, value: object) -> Any:
        """Return NotImplemented, so that pickle goes on as usual, or raise."""
        if callable(value) and getattr(value, "__module__", None) == "__main__":
            name = getattr(value, "__qualname__", repr(value))
            raise ParameterTypeError(
                f"{name} is defined in the script or notebook that runs, which other processes "
                "do not import. Define it in a module, or give n_workers=0."
            )
        return NotImplemented


def pickle_call(function: Callable[..., object], args: tuple[object, ...]) -> bytes:
    """Return a call as bytes, or raise what prevents that."""
    buffer = io.BytesIO()
    try:
        WorkPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump((function, args))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        if isinstance(error, ParameterTypeError):
            raise
        raise ParameterTypeError(
            f"{function!r} or its arguments cannot be sent to another process: {error}. Give a "
            "function of a module and arguments that can be pickled."
        ) from error
    return buffer.getvalue()


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    """Write one message."""
    stream.write(LENGTH_FORMAT.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Read one message; raise EOFError where the other side is gone."""
    (length,) = LENGTH_FORMAT.unpack(_read_bytes(stream, LENGTH_FORMAT.size))
    return bytes(_read_bytes(stream, length))


def _read_bytes(stream: IO[bytes], length: int) -> bytearray:
    data = bytearray()
    while len(data) < length:
        piece = stream.read(min(length - len(data), LARGEST_READ))
        if not piece:
            raise EOFError("the pipe was closed")
        data += piece
    return data
