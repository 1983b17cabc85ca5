"""What a DATA argument names: a sample that comes along, or a file."""

from __future__ import annotations

from lookalike.data import open_source
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source
from lookalike.errors import ParameterError


def open_argument(name: str, *, target: str | None = None) -> Source:
    """Return the rows that `name` stands for; a file named as a sample is given as ``./name``."""
    if name not in BUNDLED:
        return open_source(name, target=target)
    if target is not None:
        raise ParameterError(f"--target {target}: the sample {name} brings its own. Leave it out.")
    return sample(name)
