"""Tables and plots written to files, completely or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.atomic_write import replace_file
from lookalike.errors import ParameterError
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_rows(rows: AnyArray, names: Sequence[str], path: Path) -> None:
    """Write a matrix to a .csv file with a header, or to a .npy file."""
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        replace_file(path, lambda file: np.save(file, rows))
    elif suffix == ".csv":
        header = ",".join(names)
        replace_file(
            path, lambda file: np.savetxt(file, rows, "%.9g", ",", header=header, comments="")
        )
    else:
        raise ParameterError(f"{path} ends in {suffix!r}. Give a name that ends in .csv or .npy.")


def save_axes(axes: Axes, path: Path) -> None:
    """Write the figure of `axes` as svg, png or pdf; the same figure gives the same bytes."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise ParameterError(f"{path} ends in {kind!r}. Give a name that ends in svg, png or pdf.")
    import matplotlib as mpl

    figure = axes.get_figure(root=True)

    undated: dict[str, dict[str, object]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    with mpl.rc_context({"svg.hashsalt": "lookalike"}):
        replace_file(
            path,
            lambda file: figure.savefig(  # type: ignore[union-attr]
                file, format=kind, metadata=undated[kind], dpi=120
            ),
        )
