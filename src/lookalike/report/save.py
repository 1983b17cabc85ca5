"""Tables and plots written to files, completely or not at all."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.atomic_write import Place, is_stream, replace_file
from lookalike.data.csv_writer import safe_cell
from lookalike.data.parquet_writer import write_parquet
from lookalike.errors import ParameterError
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TABLES = ("csv", "npy", "parquet")
FIGURES = ("svg", "png", "pdf")


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


def save_rows(rows: AnyArray, names: Sequence[str], place: Place) -> None:
    """Write a matrix to a .csv or .parquet file with names, or to a .npy file."""
    kind = format_of(place, TABLES)
    if kind == "npy":
        replace_file(place, lambda file: np.save(file, rows))
        return
    if kind == "parquet":
        replace_file(place, lambda file: write_parquet(file, names, rows))
        return
    header = ",".join(safe_cell(str(name)) for name in names)
    replace_file(
        place, lambda file: np.savetxt(file, rows, "%.9g", ",", header=header, comments="")
    )


def save_axes(axes: Axes, place: Place) -> None:
    """Write the figure of `axes` as svg, png or pdf; the same figure gives the same bytes."""
    kind = format_of(place, FIGURES)
    import matplotlib as mpl

    figure = axes.get_figure(root=True)
    undated: dict[str, dict[str, object]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "lookalike"}):
        figure.savefig(drawn, format=kind, metadata=undated[kind], dpi=120)  # type: ignore[union-attr]
    replace_file(place, lambda file: file.write(drawn.getvalue()))
