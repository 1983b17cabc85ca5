"""Rows that lie on a CUDA GPU: torch tensors, CuPy arrays, and whatever else speaks DLPack."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.chunk import Chunk, Home, Table, chunk_rows
from lookalike.data.sources.arrays import number_columns, part_of, table_of
from lookalike.data.targets import as_target, as_weight
from lookalike.errors import ExtraMissingError, ParameterTypeError, ShapeError
from lookalike.typing import AnyArray, is_tensor, to_host

if TYPE_CHECKING:
    from lookalike.data.chunk import Column


DLPACK_CUDA = 2  # the device type of DLPack
CHUNKS_PER_GPU_CHUNK = 16  # small ones would leave the GPU idle


class TensorSource:
    """The rows of a tensor, handed out as views of it.

    Parameters
    ----------
    X : tensor, or an array that is exported by DLPack
        Of two dimensions. Half precision is widened to float32, integers to float64.
    y, weight : array or tensor, optional
        One entry per row; kept in memory.
    """

    n_rows: int
    n_features: int

    repeatable = True
    home: Home = "gpu"
    named = False
    image_shape: tuple[int, ...] | None = None

    def __init__(self, X: object, y: object = None, *, weight: object = None) -> None:
        self._X = as_tensor(X)
        self.n_rows, self.n_features = self._X.shape
        self.dtype: np.dtype = np.dtype(str(self._X.dtype).removeprefix("torch."))
        self.columns: tuple[Column, ...] = number_columns(self.n_features, self.dtype)
        self._y = as_target(_in_memory(y), self.n_rows)
        self._weight = as_weight(_in_memory(weight), self.n_rows)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in tensors of at most `rows` rows."""
        size = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return self._chunks(size if rows is not None else CHUNKS_PER_GPU_CHUNK * size)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column, in memory."""
        for chunk in self.chunks(rows):
            yield table_of(chunk._replace(X=to_host(chunk.X)), self.columns)

    def _chunks(self, rows: int) -> Iterator[Chunk]:
        for start in range(0, self.n_rows, rows):
            part = slice(start, start + rows)
            yield Chunk(self._X[part], part_of(self._y, part), part_of(self._weight, part), start)


def lies_on_gpu(data: Any) -> bool:
    """Return whether `data` is a tensor or an array in the memory of a CUDA GPU."""
    if is_tensor(data):
        return bool(data.device.type == "cuda")
    export = getattr(data, "__dlpack_device__", None)
    return (
        export is not None and not isinstance(data, np.ndarray) and int(export()[0]) == DLPACK_CUDA
    )


def as_tensor(X: object) -> Any:
    """Return rows as a tensor of float32, float64, uint8 or int8, without a copy if possible."""
    try:
        import torch
    except ImportError as missing:
        raise ExtraMissingError.of("torch, which rows on a GPU require,", "gpu") from missing
    tensor = X.detach() if isinstance(X, torch.Tensor) else torch.from_dlpack(X)
    if tensor.layout is not torch.strided or tensor.is_complex():
        raise ParameterTypeError(
            f"X is a tensor of {tensor.dtype} in layout {tensor.layout}. Give a dense tensor of "
            "real numbers."
        )
    if tensor.ndim != 2 or 0 in tensor.shape:
        raise ShapeError(
            f"X is a tensor of shape {tuple(tensor.shape)}. Give rows and columns, at least one "
            "of each."
        )
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    elif tensor.dtype not in (torch.float32, torch.float64, torch.uint8, torch.int8):
        tensor = tensor.double()
    return tensor.contiguous()


def as_given(original: object, values: Any) -> Any:
    """Return `values` where the rows `original` lie: on their GPU, else as they are."""
    if type(original) is np.ndarray:
        return values
    return like_tensor(original, values) if lies_on_gpu(original) else values


def like_tensor(original: Any, values: AnyArray) -> object:
    """Return `values` as a tensor or an array where `original` lies: torch, CuPy, JAX."""
    if values.dtype.kind not in "biuf":
        return values  # labels that are words stay in memory
    if is_tensor(original):
        import torch

        return torch.as_tensor(np.ascontiguousarray(values), device=original.device)
    library = import_module(type(original).__module__.partition(".")[0])
    return getattr(library, "numpy", library).asarray(values)  # jax.numpy, cupy


def _in_memory(values: object) -> object:
    """Return entries in memory: y and weights are small, and read there."""
    if lies_on_gpu(values) and not is_tensor(values):
        import torch

        values = torch.from_dlpack(values)
    return to_host(values)
