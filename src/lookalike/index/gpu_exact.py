"""Exact Euclidean neighbors on a GPU: the rows and bits of the float64 reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.predicate import Where
from lookalike.decisions import Decisions
from lookalike.engines.gpu import device_name, gpu_device, import_torch, to_gpu
from lookalike.errors import (
    EngineError,
    ExtraMissingError,
    MissingValueError,
    ShapeError,
)
from lookalike.index.base import ArrayIndex, Neighbors
from lookalike.index.exact import NO_ROWS, ExactIndex
from lookalike.index.join import join_nearest, keys_of_part, none_searched, require_all_searched
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    distance_scale,
    query_too_far,
    require_one_magnitude,
)
from lookalike.index.subset import without
from lookalike.index.validate import (
    check_exclude,
    check_features,
    check_k,
    index_rows,
    query_rows,
    rows_left,
)
from lookalike.kernels.native_arrays import NativeRows
from lookalike.kernels.radius import RadiusResult, starts_of
from lookalike.typing import AnyArray, Array, Rows, to_host

if TYPE_CHECKING:
    import torch

    from lookalike.kernels.gpu.exact import Codes
    from lookalike.kernels.gpu.few_queries import FewQueries

GPU_MEMORY_SHARE_FOR_INDEX = 0.6  # of the free memory of a GPU that rows and codes may take
LEAST_BLOCK = 256  # rows that are not halved where the memory of the GPU runs out
MOST_RECORDED = 8  # searches of few queries


class GPUExactIndex(ArrayIndex):
    r"""Rows whose nearest neighbors are found exactly, on a GPU.

    Half-precision codes of the rows rule groups of them out by a proven bound, as many groups as
    the bound leaves are compared in float64: rows, distances and the order of ties are those of
    :class:`lookalike.index.ExactIndex`, bit for bit. Rows that do not fit on the GPU stay in
    memory and are moved there block by block, in every search. Arrays are returned for arrays,
    tensors for tensors. The rows of a subset, which `where` chooses, get an index of their own.

    Parameters
    ----------
    X : array of shape (n_rows, n_features), or a torch tensor
        The rows. A tensor on the GPU is used where it lies: do not change it afterwards.
    device : str, optional
        The GPU, such as "cuda:1"; the current one when None. "cpu" runs the same search by
        plain torch, for tests.
    block_rows : int, optional
        Rows that are on the GPU at a time; as many as its memory holds when None.
    """

    decisions: Decisions

    def __init__(
        self, X: object, *, device: str | None = None, block_rows: int | None = None
    ) -> None:
        self._device = _device(self._torch, device, X)
        self._block_rows = block_rows
        self._build(*_rows(self._torch, X, "X"))

    @property
    def _torch(self) -> Any:
        """The library, imported again where an index is unpickled."""
        return import_torch()

    @property
    def rows(self) -> AnyArray:
        """The rows, as they were given."""
        return self._rows

    @property
    def nbytes(self) -> int:
        """Bytes held on the GPU."""
        from lookalike.kernels.gpu.exact import bytes_per_row

        return len(self._rows) * bytes_per_row(self._rows) if self._resident else 0

    def _query(
        self, Q: Any, k: int, exclude: Rows | None, where: Where, threads: int | None
    ) -> Neighbors:
        nearest = self._few(Q, k, exclude) if where is None else None
        if nearest is not None:
            return nearest
        key, row = super()._query(Q, k, exclude, where, threads)
        if isinstance(Q, self._torch.Tensor):
            key, row = (self._torch.as_tensor(part, device=self._device) for part in (key, row))
            return Neighbors(key.sqrt() / self._scale, row)
        return Neighbors(np.sqrt(to_host(key)) / self._scale, to_host(row))

    def _nearest(self, Q: object, k: int, exclude: Rows, threads: int) -> tuple[Neighbors, None]:
        """Return squared distances, whose roots are taken where they are returned, and rows."""
        from lookalike.kernels.gpu.exact import merged, nearest

        parts, covered = [], none_searched(0)
        for first, codes in self._blocks():
            self_rows = self._excluded(exclude, first)
            key, row = nearest(codes, Q, min(k, len(codes.X)), self_rows)
            parts.append((key, row + first))
            searched = keys_of_part(*none_searched(0)[:2], first, first + len(codes.X))
            covered = join_nearest((covered, searched), k)
        require_all_searched(covered, self.n_rows)
        return Neighbors(*merged(parts, k)), None

    def _nearest_allowed(
        self, Q: object, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        row = np.flatnonzero(allowed)
        few = object.__new__(GPUExactIndex)
        few._device, few._block_rows = self._device, self._block_rows
        few._build(self._rows[row], self._magnitude)  # of one scale, as the queries have it
        nearest, _ = few._nearest(Q, k + (len(exclude) > 0), NO_ROWS, threads)
        return without(Neighbors(to_host(nearest.distance), row[to_host(nearest.row)]), exclude)

    def _within(self, Q: Any, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        from lookalike.kernels.gpu.exact import within

        reach, parts = radius.astype(np.float64), []
        wanted = self._torch.as_tensor(reach, device=self._device) * self._scale
        for first, codes in self._blocks():
            query, key, row = within(codes, Q, wanted, self._excluded(exclude, first))
            parts.append((query, key, row + first))
        query, key, row = (
            np.concatenate([part.cpu().numpy() for part in column])
            for column in zip(*parts, strict=True)
        )
        distance = np.sqrt(key) / self._scale
        near = distance <= reach[query]
        query, key, distance, row = query[near], key[near], distance[near], row[near]
        order = np.lexsort((row, key, query))
        starts = starts_of(np.bincount(query, minlength=len(Q)))
        return RadiusResult(distance[order], row[order], starts)

    def _few(self, Q: object, k: int, exclude: Rows | None) -> Neighbors | None:
        """Return the neighbors of a few queries on the GPU, by a recorded search; or None."""
        from lookalike.kernels.gpu.few_queries import FewQueries

        torch, codes = self._torch, self._resident
        if not (isinstance(Q, torch.Tensor) and codes and self._scale == 1.0 and Q.ndim == 2):
            return None
        k = check_k(k, self.n_rows, excluding=exclude is not None)
        excluded = None
        if exclude is not None:
            excluded = self._excluded(check_exclude(np.asarray(exclude), len(Q), self.n_rows))
        kind = (Q.shape, k, Q.dtype, Q.device, exclude is None)
        if kind not in self._recorded:
            good = Q.device == self._device and Q.shape[1] == self.n_features
            good = good and Q.dtype in (torch.float32, torch.float64)
            if not (good and FewQueries.serves(codes[0], len(Q), k)):
                return None
            if len(self._recorded) == MOST_RECORDED:
                self._recorded.clear()
            self._recorded[kind] = FewQueries(
                codes[0], len(Q), k, Q.dtype, excluding=exclude is not None
            )
        nearest = self._recorded[kind](Q.detach(), excluded)
        if nearest is None or nearest[2] > LARGEST_SCALED_QUERY:
            return None  # many candidates, or a value that the longer way complains about
        return Neighbors(nearest[0], nearest[1])

    def _add(self, X: object) -> None:
        """Append rows: afterwards the index answers as one built of all rows."""
        new, largest = _rows(self._torch, X, "X")
        check_features(new.shape[1], self.n_features, "X")
        self._build(_join(self._torch, self._rows, new), max(largest, self._magnitude))

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the index answers as one built of the rows left."""
        keep = rows_left(rows, self.n_rows)
        mask = keep if isinstance(self._rows, np.ndarray) else self._torch.as_tensor(keep)
        left = self._rows[mask]
        whole = isinstance(left, np.ndarray)
        self._build(left, float(np.abs(left).max()) if whole else _largest(self._torch, left))

    def __repr__(self) -> str:
        return (
            f"GPUExactIndex(n_rows={self.n_rows}, n_features={self.n_features}, "
            f"device={str(self._device)!r})"
        )

    def _build(self, rows: AnyArray | torch.Tensor, largest: float) -> None:
        from lookalike.kernels.gpu.exact import build_codes, bytes_per_row

        self._rows, self._magnitude = rows, largest
        self._recorded: dict[tuple[object, ...], FewQueries] = {}
        self._scale = distance_scale(largest)
        if self._scale != 1.0:
            require_one_magnitude(
                np.asarray(rows.cpu() if hasattr(rows, "cpu") else rows), self._scale
            )
        size = self._block_rows or self._affordable(bytes_per_row(rows))
        self._resident: list[Codes] = []
        self.decisions = Decisions()
        name = device_name(self._torch, self._device)
        self.decisions.add("engine", "gpu", f"the search runs on {name}")
        while size >= len(rows):
            self._starts = range(0, len(rows), len(rows))
            try:
                self._resident = [build_codes(self._move(0))]
            except self._torch.OutOfMemoryError:
                if len(rows) <= LEAST_BLOCK:
                    raise
                self._torch.cuda.empty_cache()
                size = len(rows) // 2
                continue
            return
        self._starts = range(0, len(rows), size)
        self.decisions.add(
            "rows",
            f"{len(self._starts)} blocks of {size:,} rows, moved in every search",
            "the rows and their codes do not fit on the GPU together",
        )

    def _affordable(self, row_bytes: int) -> int:
        if self._device.type != "cuda":
            return 2**20
        free, _ = self._torch.cuda.mem_get_info(self._device)
        return max(2**16, int(GPU_MEMORY_SHARE_FOR_INDEX * free / row_bytes))

    def _move(self, first: int) -> torch.Tensor:
        """Return a block of rows on the GPU, scaled where their squares would overflow."""
        part = self._rows[first : first + self._starts.step]
        block = self._on_gpu(part)
        return block if self._scale == 1.0 else block.double() * self._scale

    def _blocks(self) -> Iterator[tuple[int, Codes]]:
        """Give the first row and the codes of every block."""
        from lookalike.kernels.gpu.exact import build_codes

        if self._resident:
            yield 0, self._resident[0]
            return
        for first in self._starts:
            yield first, build_codes(self._move(first))

    def _queries(self, Q: Any, threads: int) -> Any:
        if isinstance(Q, self._torch.Tensor):
            queries, largest = _rows(self._torch, Q, "Q", empty=True)
            check_features(queries.shape[1], self.n_features, "Q")
        else:
            native = query_rows(Q, self.n_features)
            queries, largest = native.values, native.largest if len(native) else 0.0
        moved = self._on_gpu(queries)
        if self._scale != 1.0:
            moved = moved.double() * self._scale
        if largest * self._scale > LARGEST_SCALED_QUERY:
            raise query_too_far(to_host(queries), self._scale)
        return moved

    def _excluded(self, exclude: Rows, first: int = 0) -> torch.Tensor | None:
        """Return the row that each query is, counted from `first`, on the GPU."""
        if len(exclude) == 0:
            return None
        return self._torch.as_tensor(exclude - first, device=self._device)

    def _on_gpu(self, part: AnyArray | torch.Tensor) -> torch.Tensor:
        """Return rows on the GPU, where they may lie already."""
        if isinstance(part, self._torch.Tensor):
            return part.to(self._device)
        return to_gpu(self._torch, part, self._device)

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled or stored: the rows, and whether a GPU is needed."""
        device = "cpu" if self._device is not None and self._device.type == "cpu" else None
        return {"_rows": to_host(self._rows), "_kind": device, "_block_rows": self._block_rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build the index again on this machine's GPU; without one it is an `ExactIndex`."""
        self._block_rows = state["_block_rows"]
        try:
            self._device = gpu_device(self._torch, state["_kind"])
        except (EngineError, ExtraMissingError):
            exact = ExactIndex(state["_rows"])
            exact.decisions.add("engine", "memory", "there is no CUDA GPU: the same answers")
            object.__setattr__(self, "__class__", ExactIndex)
            self.__dict__ = exact.__dict__
            return
        self._build(*_rows(self._torch, state["_rows"], "X"))


def _device(torch: ModuleType, device: str | None, X: object) -> torch.device:
    """Return the GPU to use: the one named, the one where `X` lies, or the current one."""
    if device is None and isinstance(X, torch.Tensor) and X.device.type == "cuda":
        return X.device
    return gpu_device(torch, device)


def _rows(
    torch: ModuleType, X: Any, name: str, *, empty: bool = False
) -> tuple[AnyArray | torch.Tensor, float]:
    """Return rows as an array or a tensor, whatever was given, checked, and their magnitude."""
    if not isinstance(X, torch.Tensor):
        native = index_rows(X)
        return native.values, native.largest
    if X.ndim != 2 or X.shape[1] == 0 or (len(X) == 0 and not empty):
        raise ShapeError(
            f"{name} is a tensor of shape {tuple(X.shape)}. Give rows and columns, at least one "
            "of each."
        )
    rows = X.detach()
    if rows.dtype in (torch.float16, torch.bfloat16):
        rows = rows.float()
    elif rows.dtype not in (torch.float32, torch.float64, torch.uint8, torch.int8):
        rows = rows.double()
    largest = _largest(torch, rows)
    if not math.isfinite(largest):
        row, column = torch.nonzero(~torch.isfinite(rows))[0].tolist()
        raise MissingValueError(
            f"{name} is {rows[row, column].item()} at row {row}, column {column}. Every value must "
            "be finite: drop or fill them."
        )
    return rows.contiguous(), largest


def _join(
    torch: ModuleType, old: AnyArray | torch.Tensor, new: AnyArray | torch.Tensor
) -> AnyArray | torch.Tensor:
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        dtype = new.dtype if new.dtype == old.dtype else np.result_type(new, old, np.float32)
        return NativeRows(np.concatenate([old, new], dtype=dtype)).values
    both = [torch.as_tensor(part) for part in (old, new)]
    dtype = torch.promote_types(both[0].dtype, both[1].dtype)
    return torch.cat([part.to(both[0].device, dtype) for part in both])


def _largest(torch: ModuleType, rows: torch.Tensor) -> float:
    """Return the largest magnitude; NaN or infinite where there is such a value."""
    if len(rows) == 0:
        return 0.0
    least, most = torch.aminmax(rows)
    return float(torch.maximum(-least.double(), most.double()))
