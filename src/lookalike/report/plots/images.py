"""Rows that are images, tiled into one array."""

from __future__ import annotations

import numpy as np

from lookalike.errors import ShapeError
from lookalike.typing import AnyArray, Array


def image_grid(images: AnyArray, shape: tuple[int, int], n_columns: int) -> Array:
    """Return the images in reading order, `n_columns` per line, with NaN between and after them.

    Parameters
    ----------
    images : array of shape (n_images, height * width)
        One image per row.
    shape : (height, width)
        Of an image.
    n_columns : int
        Images per line.
    """
    height, width = shape
    if height * width != images.shape[1]:
        raise ShapeError(
            f"shape={shape} has {height * width} pixels, a row {images.shape[1]}. "
            "Give the height and width of an image."
        )
    n_lines = -(-len(images) // n_columns)
    grid = np.full((n_lines * (height + 1) - 1, n_columns * (width + 1) - 1), np.nan)
    for number, image in enumerate(images):
        top, left = number // n_columns * (height + 1), number % n_columns * (width + 1)
        grid[top : top + height, left : left + width] = image.reshape(shape)
    return grid
