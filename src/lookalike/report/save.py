"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def replace_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Let `write` fill a new file, then put it in the place of `path` in one step."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


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

    undated: dict[str, dict[str, Any]] = {
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
