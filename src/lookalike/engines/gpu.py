"""The GPU engine: chunks are copied to the GPU while the one before is worked on there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.data.sources.tensors import TensorSource
from lookalike.decisions import Decisions
from lookalike.engines.local import LocalEngine, finalized
from lookalike.errors import EngineError, ExtraMissingError
from lookalike.progress import progress
from lookalike.reductions.base import Reduction, runs_on_gpu
from lookalike.typing import AnyArray, is_tensor

if TYPE_CHECKING:
    import torch

State = TypeVar("State")
Result = TypeVar("Result")

CHUNKS_COPIED_AHEAD = 2  # chunks on their way to the GPU
COPY_BUFFER_BYTES = 2**25  # of one buffer
GPU_MEMORY_SHARE_FOR_ROWS = 0.5  # of the free memory of a GPU that rows may take for good
MIN_GPU_CHUNK_ROWS = 256  # of a chunk that is not halved where memory runs out


class GPUEngine(LocalEngine):
    """Runs reductions that have GPU kernels on the GPU, and all others on the CPU.

    Chunks of a file or an array are read, put into page-locked memory and copied to the GPU by
    one thread, while another chunk is worked on. Rows that lie on the GPU are not moved.

    Parameters
    ----------
    n_jobs : int, optional
        Threads of what runs on the CPU.
    decisions : Decisions, optional
        Where to note the GPU, and what was done where its memory ran out.
    device : str, optional
        The GPU, such as "cuda:1"; the current one when None. "cpu" runs the plain torch twins of
        all kernels, for tests.
    """

    device: torch.device

    name = "gpu"
    ahead = 0

    def __init__(
        self,
        *,
        n_jobs: int | None = None,
        decisions: Decisions | None = None,
        device: str | None = None,
    ) -> None:
        super().__init__(n_jobs=n_jobs)
        self._torch = import_torch()
        self.device = gpu_device(self._torch, device)
        self._decisions = Decisions() if decisions is None else decisions
        self._decisions.add("device", device_name(self._torch, self.device), "engine='gpu'")

    def reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        """Gather `reduction` over all rows of `source`."""
        if not runs_on_gpu(reduction):
            self._note_cpu(type(reduction).__name__)
            return super().reduce(reduction, source)
        empty = reduction.init(source.n_features)

        def state_of(chunk: Chunk) -> State:
            return self._update(reduction, empty, chunk)

        return finalized(reduction, self._map_moved(state_of, source))

    def map(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        """Give `function` of every chunk, in the order of the rows."""
        if runs_on_gpu(function):
            return self._map_moved(function, source)
        return super().map(function, source)

    def resident(self, source: Source) -> Source:
        """Return the rows on the GPU where they fit there, to be read again and again."""
        if source.home != "memory" or source.n_rows is None:
            return source
        row_bytes = source.n_features * source.dtype.itemsize
        if source.n_rows * row_bytes > self._room():
            self._decisions.add("rows", "streamed", "they do not fit on the GPU")
            return source
        y, weight, rows = [], [], None
        for chunk in self._move(source):
            X: torch.Tensor = chunk.X
            if not is_tensor(X):
                return source  # sparse rows
            if rows is None:
                rows = X.new_empty((source.n_rows, source.n_features))
            rows[chunk.offset : chunk.offset + len(X)] = X
            y.append(chunk.y)
            weight.append(chunk.weight)
        return TensorSource(rows, _join(y), weight=_join(weight))

    def placed(self, X: Matrix) -> Matrix | torch.Tensor:
        """Return rows on the GPU; sparse ones as they are."""
        if sp.issparse(X):
            return X
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        rows = np.ascontiguousarray(X, dtype)
        return self._torch.as_tensor(rows).to(self.device)

    def _update(self, reduction: Reduction[State, object], state: State, chunk: Chunk) -> State:
        """Return the state with the rows of `chunk`; in halves where memory runs out."""
        try:
            return reduction.update(state, chunk)
        except self._torch.OutOfMemoryError:
            n_rows = len(chunk.X)
            if n_rows <= MIN_GPU_CHUNK_ROWS:
                raise
        self._torch.cuda.empty_cache()
        self._decisions.add("chunks", "halved", "the memory of the GPU ran out")
        half = n_rows // 2
        state = self._update(reduction, state, chunk.part(slice(0, half)))
        return self._update(reduction, state, chunk.part(slice(half, n_rows)))

    def _map_moved(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        with progress("rows", source.n_rows) as advance:
            for chunk in self._move(source):
                result = function(chunk)
                advance(chunk.X.shape[0])
                yield result

    def _move(self, source: Source) -> Iterator[Chunk]:
        """Give the chunks on the GPU; the next ones are on their way."""
        if source.home == "gpu":
            yield from source.chunks()
            return
        chunks, copies = source.chunks(), ChunkCopies(self._torch, self.device)
        pool = ThreadPoolExecutor(1, thread_name_prefix="lookalike-copy")

        def fetch() -> tuple[Chunk, torch.cuda.Event | None] | None:
            chunk = next(chunks, None)
            return None if chunk is None else copies.start(chunk)

        try:
            waiting: deque[Future[tuple[Chunk, torch.cuda.Event | None] | None]] = deque(
                pool.submit(fetch) for _ in range(CHUNKS_COPIED_AHEAD)
            )
            while (arrived := waiting.popleft().result()) is not None:
                waiting.append(pool.submit(fetch))
                yield copies.finish(*arrived)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _room(self) -> float:
        if self.device.type != "cuda":
            return float("inf")
        return GPU_MEMORY_SHARE_FOR_ROWS * float(self._torch.cuda.mem_get_info(self.device)[0])

    def _note_cpu(self, what: str) -> None:
        self._decisions.add(what, "on the CPU", "it has no GPU kernel")


class ChunkCopies:
    """Copies of chunks to a GPU through page-locked buffers, on a stream of their own."""

    # page-locked bytes, with the event after which they are free
    _buffers: deque[tuple[torch.Tensor, torch.cuda.Event]]

    def __init__(self, torch: ModuleType, device: torch.device) -> None:
        self._torch, self._device = torch, device
        self._on_gpu = device.type == "cuda"
        self._stream = torch.cuda.Stream(device) if self._on_gpu else None
        self._buffers = deque()

    def start(self, chunk: Chunk) -> tuple[Chunk, torch.cuda.Event | None]:
        """Return the chunk with its rows on their way, and the event of their arrival."""
        if is_tensor(chunk.X) or hasattr(chunk.X, "toarray"):
            return chunk, None
        torch, X = self._torch, chunk.X
        dtype = _native_dtype(X.dtype)
        if not self._on_gpu:
            return chunk._replace(X=torch.from_numpy(X.astype(dtype, order="C"))), None
        with torch.cuda.stream(self._stream):
            moved = torch.empty(X.shape, dtype=getattr(torch, dtype.name), device=self._device)
        return chunk._replace(X=moved), self.copy(X, moved)

    def copy(self, X: AnyArray, target: torch.Tensor) -> torch.cuda.Event:
        """Start the copy of rows to a tensor on the GPU; return the event of their arrival."""
        torch = self._torch
        with torch.cuda.device(self._device), torch.cuda.stream(self._stream):
            buffer = self._idle_host_buffer(target.nbytes)
            locked = buffer[: target.nbytes].view(target.dtype).view(target.shape)
            same = X.dtype.name == str(target.dtype).removeprefix("torch.")
            if same and X.flags.writeable and X.flags.c_contiguous:
                locked.copy_(torch.from_numpy(X))  # on several threads
            else:
                np.copyto(locked.numpy(), X)
            target.copy_(locked, non_blocking=True)
            arrived = torch.cuda.Event()
            arrived.record(self._stream)
        self._buffers.append((buffer, arrived))
        return arrived

    def finish(self, chunk: Chunk, arrived: torch.cuda.Event | None) -> Chunk:
        """Return the chunk, whose rows this thread's stream may read from now on."""
        if arrived is not None:
            current = self._torch.cuda.current_stream(self._device)
            current.wait_event(arrived)
            X: torch.Tensor = chunk.X
            X.record_stream(current)
        return chunk

    def wait(self) -> None:
        """Wait for all copies."""
        while self._buffers:
            self._buffers.popleft()[1].synchronize()

    def _idle_host_buffer(self, nbytes: int) -> torch.Tensor:
        """Return page-locked bytes that no copy reads any more."""
        if len(self._buffers) > CHUNKS_COPIED_AHEAD:
            buffer, arrived = self._buffers.popleft()
            arrived.synchronize()
            if len(buffer) >= nbytes:
                return buffer
        return self._torch.empty(nbytes, dtype=self._torch.uint8, pin_memory=True)


def to_gpu(torch: ModuleType, X: AnyArray, device: torch.device) -> torch.Tensor:
    """Return rows in memory as a tensor on the GPU, copied through page-locked buffers."""
    dtype = _native_dtype(X.dtype)
    if device.type != "cuda":
        return torch.from_numpy(np.array(X, dtype, order="C"))
    copies = ChunkCopies(torch, device)
    rows = torch.empty(X.shape, dtype=getattr(torch, dtype.name), device=device)
    step = max(1, COPY_BUFFER_BYTES // max(1, X.shape[1] * dtype.itemsize))
    torch.cuda.current_stream(device).synchronize()  # the memory of `rows` is free
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        copies.copy(X[part], rows[part])
    copies.wait()
    return rows


def import_torch() -> Any:
    """Return torch, or raise the error that says how to get it."""
    try:
        import torch
    except ImportError as missing:
        raise ExtraMissingError.of("torch, which engine='gpu' requires,", "gpu") from missing
    return torch


def gpu_device(torch: ModuleType, device: str | None = None) -> torch.device:
    """Return the GPU that is named, or the current one; "cpu" is for tests."""
    if device == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise EngineError(
            "engine='gpu' needs a CUDA GPU, and none was found. Choose engine='memory'."
        )
    return torch.device(device or f"cuda:{torch.cuda.current_device()}")


def device_name(torch: ModuleType, device: torch.device) -> str:
    """Return what the maker calls the GPU."""
    if device.type != "cuda":
        return f"device {device}"
    return str(torch.cuda.get_device_name(device))


def _native_dtype(dtype: np.dtype) -> np.dtype:
    """Return the type in which kernels of the GPU read values of `dtype`."""
    if dtype == np.float16:
        return np.dtype(np.float32)
    read = (np.float32, np.float64, np.uint8, np.int8)
    return dtype.newbyteorder("=") if dtype in read else np.dtype(np.float64)


def _join(parts: list[Any]) -> AnyArray | None:
    return None if not parts or parts[0] is None else np.concatenate(parts)
