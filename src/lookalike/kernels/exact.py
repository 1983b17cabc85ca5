"""Exact nearest rows: codes rule rows out, float64 decides; the native search."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypedDict

import numpy as np

from lookalike import _core
from lookalike.errors import ShapeError
from lookalike.kernels.radius import RadiusResult, no_neighbors
from lookalike.typing import AnyArray, Array, Rows

BLOCK_DIRECTIONS = _core.BLOCK_DIRECTIONS  # one of block 0 is left to the rest
PANEL_ROWS = _core.PANEL_ROWS
SEARCH_STAGES = ("pairs", "passed_first", "passed_wide", "distances")  # counted by a search
WIDEST_CODE = _core.WIDEST_CODE  # columns beyond which sums of codes could leave 32 bits
NO_MASK: AnyArray = np.empty(0, bool)  # every row may be a neighbor


@dataclass(frozen=True)
class CodeMap:
    """How rows become codes, together with the arrays `mean` and `directions`."""

    scale: float = 1.0  # a power of two that brings usual values near 1
    blocks: int = 0  # of 64 directions; 0 codes the columns themselves
    defect: float = 0.0  # at least |PP' - I|
    step: float = 1.0
    ratio: int = 1  # first codes have steps of ratio * step
    rest_first: float = 0.0  # subtracted from the norm that block 0 leaves over
    rest_all: float = 0.0  # likewise after all blocks


class Filter:
    """Codes of all rows: read-only arrays, and the native view of them."""

    native: _core.ExactFilter

    def __init__(self, code_map: CodeMap, arrays: dict[str, AnyArray]) -> None:
        self.map = code_map
        self.arrays = arrays
        try:
            self.native = _core.ExactFilter(map=asdict(code_map), arrays=arrays)
        except ValueError as error:
            raise ShapeError(
                f"the codes of {len(arrays['row'])} rows cannot be used: {error}. Build the index "
                "again."
            ) from None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def __getstate__(self) -> dict[str, object]:
        return {"map": self.map, "arrays": self.arrays}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["map"], state["arrays"])  # type: ignore[misc]


def build_filter(
    X: AnyArray,
    code_map: CodeMap,
    mean: Array,
    directions: AnyArray,
    *,
    centers: Rows,
    threads: int,
) -> Filter:
    """Return the codes of all rows of `X`, grouped around the rows numbered `centers`."""
    n, d = X.shape
    full = code_map.blocks == 0
    width = -(-d // 4) * 4 if full else BLOCK_DIRECTIONS
    wide = code_map.blocks * BLOCK_DIRECTIONS if code_map.blocks > 1 else 0
    panels, group_rows = -(-n // PANEL_ROWS), -(-len(centers) // PANEL_ROWS) * PANEL_ROWS
    arrays: dict[str, AnyArray] = {
        "mean": np.ascontiguousarray(mean, np.float64),
        "directions": np.ascontiguousarray(directions, np.float32).reshape(-1),
        "code": np.zeros(panels * PANEL_ROWS * width, np.uint8),
        "start": np.zeros(panels * PANEL_ROWS, np.int32),
        "margin": np.zeros(panels, np.float32),
        "wide": np.zeros(n * wide, np.uint8),
        "wide_norm": np.zeros(n if wide else 0, np.int32),
        "wide_margin": np.zeros(n if wide else 0, np.float32),
        "row": np.zeros(n, np.int64),
        "group_code": np.zeros(group_rows * width, np.uint8),
        "group_start": np.zeros(group_rows, np.int32),
        "group_first": np.zeros(len(centers) + 1, np.int64),
    }
    _core.build_codes(
        X=X,
        map=asdict(code_map),
        arrays=arrays,
        centers=np.ascontiguousarray(centers),
        threads=threads,
    )
    return Filter(code_map, arrays)


def nearest(
    X: AnyArray,
    filter_: Filter | None,
    Q: AnyArray,
    k: int,
    *,
    scale: float,
    exclude: Rows,
    allowed: AnyArray = NO_MASK,
    threads: int,
) -> tuple[Array, Rows, dict[str, int]]:
    """Return distances and rows of the `k` nearest rows of every query, and the stats.

    `X` has been multiplied by the power of two `scale` already; `Q` has not. `exclude` is empty
    or names one row per query; `allowed` is empty or says of each row whether it may be a neighbor.
    """
    distance = np.empty((len(Q), k))
    row = np.empty((len(Q), k), np.int64)
    if len(Q) == 0:
        return distance, row, dict.fromkeys(SEARCH_STAGES, 0)
    shared = _arguments(
        X, filter_, Q, scale=scale, exclude=exclude, allowed=allowed, threads=threads
    )
    stats = _core.exact_topk(**shared, distance=distance, row=row)
    return distance, row, dict(zip(SEARCH_STAGES, stats, strict=True))


def within(
    X: AnyArray,
    filter_: Filter | None,
    Q: AnyArray,
    radius: Array,
    *,
    scale: float,
    exclude: Rows,
    allowed: AnyArray = NO_MASK,
    threads: int,
) -> RadiusResult:
    """Return all rows at distance <= radius[i] of query i."""
    if len(Q) == 0:
        return no_neighbors()
    shared = _arguments(
        X, filter_, Q, scale=scale, exclude=exclude, allowed=allowed, threads=threads
    )
    result = _core.exact_radius(**shared, radius=radius)
    return RadiusResult(*result)


def pack_filter(codes: Filter, extra: int) -> dict[str, AnyArray]:
    """Return what must be kept of the codes of a block; `extra` columns of wide codes.

    The margin of a wide code is kept as the largest of its panel, and which 256th of that it is.
    """
    arrays, n = codes.arrays, len(codes.arrays["row"])
    no_bytes = np.empty(0, np.uint8)
    packed = {"margin": arrays["margin"], "wide_margin": np.empty(0, np.float32), "share": no_bytes}
    packed |= {"code": arrays["code"], "more": no_bytes}
    if codes.map.blocks > 1:
        wide, margin = arrays["wide"].reshape(n, -1), arrays["wide_margin"]
        packed["more"] = wide[:, BLOCK_DIRECTIONS - 1 : BLOCK_DIRECTIONS - 1 + extra].reshape(-1)
        packed["wide_margin"] = np.maximum.reduceat(margin, np.arange(0, n, PANEL_ROWS))
        largest = np.repeat(packed["wide_margin"].astype(np.float64), PANEL_ROWS)[:n]
        known = np.isfinite(largest) & (largest > 0)
        part = np.divide(margin, largest, out=np.ones(n), where=known)
        packed["share"] = np.clip(np.ceil(part * 256) - 1, 0, 255).astype(np.uint8)
    return packed


class _SearchArguments(TypedDict):
    X: AnyArray
    filter: _core.ExactFilter | None
    Q: AnyArray
    scale: float
    unit: float
    exclude: Rows
    allowed: AnyArray
    threads: int


def _arguments(
    X: AnyArray,
    filter_: Filter | None,
    Q: AnyArray,
    *,
    scale: float,
    exclude: Rows,
    allowed: AnyArray,
    threads: int,
) -> _SearchArguments:
    """Return the arguments that both native searches take."""
    return {
        "X": X,
        "filter": filter_.native if filter_ else None,
        "Q": Q,
        "scale": scale,
        "unit": 1 / scale,
        "exclude": exclude,
        "allowed": allowed.view(np.uint8),
        "threads": threads,
    }
