"""How many tables, hashes and probes reach a recall: measured on a sample, for hashes in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.index.base import Neighbors
from lookalike.index.lsh_tuning import (
    MAX_HASHES_PER_TABLE,
    LSHSetting,
    collision,
    cycles,
    table_counts,
    tried_widths,
)
from lookalike.kernels.lsh import Buckets
from lookalike.typing import Array, Rows

MOST_PROBES = 1000
TRIED_TABLES = 32
TRIED_PROBES = (0, 2, 8, 24)
TRIED_HASHES = 4  # numbers of them for each width
NEAR_QUERIES, FAR_QUERIES, FAR_ROWS = 60, 40, 250
BUCKET_ROWS_TRIED = (0.1, 300.0)  # rows in a usual bucket between which a number of hashes is tried
NO_PROBE = np.iinfo(np.int32).max

Hash = Callable[[Rows, LSHSetting], Buckets]  # rows by number -> (rows, tables * (1 + probes))


def choose_probed(
    family: str,
    sample: tuple[Rows, Neighbors, Neighbors],
    hash_rows: Hash,
    *,
    aim: float,
    tables: int | None,
    hashes: int | None,
    width: float | None,
    probes: int | None,
    n_rows: int,
    n_features: int,
) -> LSHSetting:
    """Return the cheapest setting that finds a share of `aim` of the near rows, or the nearest.

    Every pair of width and hashes that makes buckets of a sensible size is tried on the sample:
    rows that stand for queries, their neighbors (queries, k), and the distances of other rows
    (queries, others), which are the same for all of them. Of tables, hashes, width and probes
    those given are kept, the others tried.
    """
    _, true, others = sample
    best: tuple[tuple[float, float], LSHSetting] | None = None
    tried_probes = TRIED_PROBES if probes is None else (probes,)
    counts = [t for t in table_counts() if t <= TRIED_TABLES] if tables is None else [tables]
    for w in tried_widths(family, true.distance, others.distance) if width is None else (width,):
        sensible = [hashes] if hashes else _sensible(family, others.distance, w, n_rows)
        for m in _with_probes(family, sensible, probes or 0):
            possible = [p for p in tried_probes if p <= most_probes(family, m)]
            tried = LSHSetting(counts[-1], m, w, 0.0, 0.0, max(possible))
            near, far = _first_hits(sample, hash_rows, tried)
            for p in possible:
                probed = tried._replace(probes=p)
                setting = _fewest_tables(probed, near <= p, far <= p, aim, counts)
                rank = (max(0.0, aim - setting.recall), cycles(setting, n_rows, n_features))
                if best is None or rank < best[0]:
                    best = (rank, setting)
    assert best is not None  # at least one setting was tried
    return best[1]


def most_probes(family: str, hashes: int) -> int:
    """Return how many other buckets there are to which each hash changes by one, or not.

    Examples
    --------
    >>> most_probes("gaussian", 2), most_probes("sign", 3), most_probes("minhash", 9)
    (8, 7, 0)
    """
    choices = {"gaussian": 3, "cauchy": 3, "sign": 2}.get(family, 1)
    return int(min(choices ** min(hashes, 30) - 1, 2**31))


def _sensible(family: str, far: Array, width: float, n_rows: int) -> list[int]:
    """Return numbers of hashes whose buckets hold a few rows, as random rows collide."""
    same = collision(family, far, width)
    rows = {m: n_rows * float((same**m).mean()) for m in range(1, MAX_HASHES_PER_TABLE + 1)}
    few = [m for m, count in rows.items() if BUCKET_ROWS_TRIED[0] <= count <= BUCKET_ROWS_TRIED[1]]
    return few[:: -(-len(few) // TRIED_HASHES) or 1] or [
        min(rows, key=lambda m: abs(np.log(rows[m] + 1e-9)))
    ]


def _with_probes(family: str, hashes: Sequence[int], probes: int) -> list[int]:
    """Return the numbers of hashes, each raised to the least that has this many probes.

    Examples
    --------
    >>> _with_probes("gaussian", [1, 2, 5], 20)
    [3, 5]
    """
    least = next(m for m in range(1, MAX_HASHES_PER_TABLE + 1) if most_probes(family, m) >= probes)
    return sorted({max(m, least) for m in hashes})


def _first_hits(
    sample: tuple[Rows, Neighbors, Neighbors], hash_rows: Hash, tried: LSHSetting
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first probe that meets each near row, (queries, k, tables), and each far row."""
    own_buckets = tried._replace(probes=0)
    query, close, others = sample[0][:NEAR_QUERIES], sample[1].row[:NEAR_QUERIES], sample[2].row
    others = others[:FAR_ROWS]
    probed = hash_rows(query, tried).reshape(len(query), 1, tried.tables, 1 + tried.probes)
    near = hash_rows(close.ravel(), own_buckets).reshape(*close.shape, tried.tables)
    far = hash_rows(others, own_buckets).reshape(1, len(others), tried.tables)
    return _first(probed, near), _first(probed[:FAR_QUERIES], far)


def _first(probed: Buckets, met: Buckets) -> NDArray[np.int32]:
    first = np.full(np.broadcast_shapes(probed.shape[:-1], met.shape), NO_PROBE, np.int32)
    for p in reversed(range(probed.shape[-1])):
        np.copyto(first, p, where=probed[..., p] == met)
    return first


def _fewest_tables(
    tried: LSHSetting,
    near: NDArray[np.bool_],
    far: NDArray[np.bool_],
    aim: float,
    counts: Sequence[int],
) -> LSHSetting:
    """Return the setting of the fewest tables that reach the aim, or of the most."""
    reached = np.logical_or.accumulate(near, axis=-1).mean(axis=(0, 1))
    share = np.logical_or.accumulate(far, axis=-1).mean(axis=(0, 1))
    tables = next((count for count in counts if reached[count - 1] >= aim), counts[-1])
    recall, compared = float(reached[tables - 1]), float(share[tables - 1])
    return tried._replace(tables=tables, recall=recall, share=compared)
