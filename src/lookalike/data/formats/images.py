"""Images as rows: their gray values or colors, in one size."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.chunk import Chunk, Column, Home, Table, chunk_rows
from lookalike.data.sources.arrays import table_of
from lookalike.data.targets import as_target
from lookalike.decisions import Decisions
from lookalike.errors import MemoryBudgetError, SourceError
from lookalike.settings import require_memory
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from PIL import Image

MAX_FULL_SIZE_PIXELS = 20_000  # of an image that is not made smaller
IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM")  # none that runs a program
PIXEL_BYTES = 4  # bytes of a pixel while an image is read
REDUCED_SIDE_PIXELS = 64  # pixels of the longer side of others
GRAY_MODES = ("1", "L", "LA", "I", "I;16", "F")


class ImageSource:
    """The images of a folder as rows of 8-bit numbers, read when they are needed.

    Images of one size and at most 20 000 pixels stay as they are; others are brought to the
    middle one of their shapes, 64 pixels on the longer side. Where one has colors, all are read
    as red, green and blue, which follow one another for each pixel.
    """

    files: list[Path]
    decisions: Decisions
    columns: tuple[Column, ...]
    size: tuple[int, int]
    image_shape: tuple[int, int] | tuple[int, int, int]

    repeatable = True
    home: Home = "memory"
    named = True
    dtype: np.dtype = np.dtype(np.uint8)

    def __init__(
        self,
        files: list[Path],
        y: object,
        decisions: Decisions,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        self.files, self.decisions = files, decisions
        self.n_rows: int | None = len(self.files)
        self._y = as_target(y, self.n_rows)
        headers = [_read_header(file) for file in self.files]
        sizes = [size for size, _ in headers]
        if shape is None:
            self._mode = "L" if all(gray for _, gray in headers) else "RGB"
            self.size, resized = _common(sizes)
        else:
            self._mode = "L" if len(shape) == 2 else "RGB"
            self.size = (shape[1], shape[0])
            resized = any(size != self.size for size in sizes)
        width, height = self.size
        if resized:
            self.decisions.add(
                "images",
                f"brought to {width} x {height} pixels",
                "they differ in size, or are large" if shape is None else "as the model has them",
            )
        self.image_shape = (height, width) if self._mode == "L" else (height, width, 3)
        self.n_features: int = int(np.prod(self.image_shape))
        places = np.ndindex(*self.image_shape)
        self.columns = tuple(Column("pixel_" + "_".join(map(str, pixel))) for pixel in places)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the images, flattened, at most `rows` at a time."""
        rows = chunk_rows(rows, self.n_features, 1)
        for start in range(0, len(self.files), rows):
            part = slice(start, start + rows)
            X = np.stack([self._read(file) for file in self.files[part]])
            yield Chunk(X, None if self._y is None else self._y[part], None, start)

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the images pixel by pixel."""
        return (table_of(chunk, self.columns) for chunk in self.chunks(rows))

    def _read(self, file: Path) -> AnyArray:
        with _open(file) as image:
            return _pixels(image, self._mode, self.size, str(file))


def read_image(content: bytes, shape: tuple[int, ...], *, most_pixels: int) -> AnyArray:
    """Return the pixels of the image in `content`, brought to a shape as those of a folder are.

    `shape` is height, width and, where colors are read, three channels.
    """
    with _open(io.BytesIO(content), "the image", most_pixels=most_pixels) as image:
        mode = "L" if len(shape) == 2 else "RGB"
        return _pixels(image, mode, (shape[1], shape[0]), "the image")


def _pixels(image: Image.Image, mode: str, size: tuple[int, int], name: str) -> AnyArray:
    """Return the 8-bit numbers of an open image, in one row."""
    from PIL.Image import Resampling

    try:
        whole = image.convert(mode)
        if whole.size != size:
            whole = whole.resize(size, Resampling.BOX)
        return np.asarray(whole, np.uint8).reshape(-1)
    except Exception as error:  # a damaged image makes Pillow raise almost anything
        raise _unreadable(name, error) from None


def _read_header(file: Path) -> tuple[tuple[int, int], bool]:
    """Return width and height, and whether an image is gray."""
    with _open(file) as image:
        return image.size, image.mode in GRAY_MODES


def _common(sizes: list[tuple[int, int]]) -> tuple[tuple[int, int], bool]:
    """Return the size that all are brought to, and whether that changes any."""
    width, height = sizes[0]
    if len(set(sizes)) == 1 and width * height <= MAX_FULL_SIZE_PIXELS:
        return sizes[0], False
    shape = sorted(w / h for w, h in sizes)[len(sizes) // 2]
    longest = min(REDUCED_SIDE_PIXELS, max(max(size) for size in sizes))
    width = longest if shape >= 1 else round(longest * shape)
    height = longest if shape <= 1 else round(longest / shape)
    return (max(width, 1), max(height, 1)), True


def _open(file: Path | io.BytesIO, name: str = "", *, most_pixels: int | None = None) -> Any:
    from PIL import Image

    name = name or str(file)
    try:
        with warnings.catch_warnings():  # large images are refused by the memory budget
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(file, formats=IMAGE_FORMATS)
    except Exception as error:  # a damaged image makes Pillow raise almost anything
        raise _unreadable(name, error) from None
    width, height = image.size
    if most_pixels is not None and width * height > most_pixels:
        image.close()
        raise SourceError(
            f"{name!r} has {width:,} x {height:,} pixels, and {most_pixels:,} are the most. "
            "Make it smaller."
        )
    try:
        require_memory(
            width * height * PIXEL_BYTES,
            f"{name!r} has {width:,} x {height:,} pixels, which take",
            "Make it smaller, or remove it.",
        )
    except MemoryBudgetError:
        image.close()
        raise
    return image


def _unreadable(name: str, error: Exception) -> SourceError:
    if "DecompressionBomb" in type(error).__name__:
        return SourceError(f"{name!r} has too many pixels: {error} Remove it.")
    return SourceError(f"{name!r} is not an image that can be read: {error}. Remove it.")
