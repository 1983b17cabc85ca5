"""An exploration of a model file and rows to look at."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from lookalike.errors import UnsupportedError


def explore_model(
    model: Any, data: Any, *, corrections: str | os.PathLike[str] | None = None
) -> NoReturn:
    """Return the exploration of a model and rows."""
    raise UnsupportedError(f"{model} and {data} {corrections}")
