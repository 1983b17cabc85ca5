"""What a DATA argument names: an embedded sample, or a file."""

from __future__ import annotations

from typing import Any

from lookalike.data import open_source
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source


def open_argument(name: str, *, target: str | None = None, **reading: Any) -> Source:
    """Return the rows that `name` stands for; a file named as a sample is read as ``./name``."""
    if name in BUNDLED:
        return sample(name)
    return open_source(name, target=target, **reading)
