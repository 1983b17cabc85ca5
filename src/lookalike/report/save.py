"""Tables and plots written to files, completely or not at all."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from lookalike.data.write.atomic_write import Place, is_stream, replace_file
from lookalike.data.write.csv import safe_cell
from lookalike.data.write.parquet import write_columns
from lookalike.errors import ParameterError
from lookalike.report.plots.axes import figure_of
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TABLE_FORMATS = ("csv", "npy", "parquet")
FIGURE_FORMATS = ("svg", "png", "pdf")


def format_of(place: Place, known: Sequence[str]) -> str:
    """Return the format that the suffix of a path names; of streams without a suffix the first."""
    if not isinstance(place, (str, Path)):
        return known[0]
    suffix = Path(place).suffix.lower().lstrip(".")
    if not suffix and is_stream(place):
        return known[0]
    if suffix not in known:
        names = " or ".join(f".{one}" for one in known)
        raise ParameterError(f"{place} ends in '.{suffix}'. Give a name that ends in {names}.")
    return suffix


def save_rows(pieces: Iterable[AnyArray], names: Sequence[str], place: Place) -> None:
    """Write matrices, one below the other, to a .csv or .parquet file with names, or to .npy.

    Pieces are written as they come; .npy in a pipe, which must say first how many rows there are,
    is gathered.
    """
    writers = {"npy": _write_npy, "parquet": _write_parquet, "csv": _write_csv}
    write = writers[format_of(place, TABLE_FORMATS)]
    replace_file(place, lambda file: write(file, [str(name) for name in names], pieces))


def _write_csv(file: IO[bytes], names: Sequence[str], pieces: Iterable[AnyArray]) -> None:
    header = ",".join(map(safe_cell, names))
    for piece in pieces:
        np.savetxt(file, piece, "%.9g", ",", header=header, comments="")
        header = ""


def _write_parquet(file: IO[bytes], names: Sequence[str], pieces: Iterable[AnyArray]) -> None:
    write_columns(file, (dict(zip(names, piece.T, strict=True)) for piece in pieces))


def _write_npy(file: IO[bytes], names: Sequence[str], pieces: Iterable[AnyArray]) -> None:
    if not file.seekable():
        np.save(file, np.concatenate(list(pieces)))
        return
    n_rows, header = 0, {"descr": "<f8", "fortran_order": False, "shape": (0, len(names))}
    np.lib.format.write_array_header_1_0(file, header)  # with room for a larger number of rows
    for piece in pieces:
        header["descr"] = np.lib.format.dtype_to_descr(piece.dtype)
        file.write(np.ascontiguousarray(piece).tobytes())
        n_rows += len(piece)
    header["shape"] = (n_rows, len(names))
    file.seek(0)
    np.lib.format.write_array_header_1_0(file, header)
    file.seek(0, io.SEEK_END)


def save_axes(axes: Axes, place: Place) -> None:
    """Write the figure of `axes` as svg, png or pdf; the same figure gives the same bytes."""
    kind = format_of(place, FIGURE_FORMATS)
    import matplotlib as mpl

    figure = figure_of(axes)
    undated: dict[str, dict[str, object]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "lookalike"}):
        figure.savefig(drawn, format=kind, metadata=undated[kind], dpi=120)
    replace_file(place, lambda file: file.write(drawn.getvalue()))
