"""The neighbor map of a study, kept in its folder: laid out once, and opened at once after."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.data.write.atomic_write import replace_file
from lookalike.errors import LookalikeError
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.store.file import load, save
from lookalike.typing import Array
from lookalike.web.explorer.neighbor_layout import map_metric

if TYPE_CHECKING:
    from lookalike.web.explorer.neighbor_model import NeighborModel

MAP_MODEL_FILE, MAP_PLACES_FILE = "map.lookalike", "map.npz"
LAYOUT_VERSION = 1  # of what is laid out: another one is laid out again


class KeptLayout(NamedTuple):
    """A neighbor map with the places of all rows, and measures of all maps."""

    model: NeighborMap
    places: Array
    measures: dict[str, dict[str, object]]


class KeptMap:
    """The file of a layout; of other features or another metric it is another layout.

    Parameters
    ----------
    folder : Path
        Of the study.
    neighbors : NeighborModel
        The rows in the features that are laid out, and their metric.
    """

    folder: Path

    def __init__(self, folder: Path, neighbors: NeighborModel) -> None:
        self.folder, self._neighbors = folder, neighbors

    def read(self) -> KeptLayout | None:
        """Return the layout of these rows; None where none is kept, or that of other rows."""
        path = self.folder / MAP_PLACES_FILE
        try:
            with np.load(path, allow_pickle=False) as arrays:
                if str(arrays["key"]) != self._key():
                    return None
                places: Array = arrays["places"]
                measures = json.loads(str(arrays["measures"]))
            model = load(self.folder / MAP_MODEL_FILE)
        except (OSError, ValueError, KeyError, LookalikeError):
            return None
        fits = isinstance(model, NeighborMap) and len(places) == self._neighbors.Z.shape[0]
        return KeptLayout(model, places, measures) if fits else None

    def write(self, layout: KeptLayout) -> None:
        """Keep a layout; a folder that cannot be written keeps none."""
        arrays: dict[str, Any] = {
            "key": np.array(self._key()),
            "places": layout.places,
            "measures": np.array(json.dumps(layout.measures)),
        }
        with suppress(OSError, LookalikeError):
            save(layout.model, self.folder / MAP_MODEL_FILE)
            replace_file(self.folder / MAP_PLACES_FILE, lambda file: np.savez(file, **arrays))

    def _key(self) -> str:
        """Return the SHA-256 of what the layout depends on."""
        Z: Any = self._neighbors.Z
        options = [LAYOUT_VERSION, _plain(map_metric(self._neighbors))]
        digest = hashlib.sha256(json.dumps(options).encode())
        for part in [Z.data, Z.indices, Z.indptr] if sp.issparse(Z) else [Z]:
            array = np.ascontiguousarray(part)
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()


def _plain(value: object) -> Any:
    """Return options as text that is equal for equal options."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in sorted(value.items())}
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.tolist()]
    return value if isinstance(value, str | int | float | None) else repr(value)
