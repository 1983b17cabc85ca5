"""Rows that are images, as PNG: one of them, a sprite of several, or rebuilt from components."""

from __future__ import annotations

import numpy as np

from lookalike.errors import ParameterError
from lookalike.models.decomposition.pca import PCA
from lookalike.studies.analyze.thumbnails import png
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array

MOST_THUMBNAILS = 400  # of one sprite
IMAGES_PER_LINE = 20  # thumbnails in a line of a sprite


class RowImages:
    """The images of the rows, with one scale of gray for all of them."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        shape = dataset.image_shape
        self.shape: tuple[int, ...] = () if shape is None else tuple(shape)
        self._range: tuple[float, float] | None = None

    def png(self, row: int) -> bytes:
        """Return the image of one row."""
        return png(self.gray(self._pixels(np.array([row])))[0])

    def sprite(self, rows: AnyArray) -> bytes:
        """Return the images of some rows as one PNG, `IMAGES_PER_LINE` in a line, in order."""
        if len(rows) > MOST_THUMBNAILS:
            raise ParameterError(
                f"{len(rows)} thumbnails were asked for. Give at most {MOST_THUMBNAILS} at a time."
            )
        cells = self.gray(self._pixels(rows))
        across = min(IMAGES_PER_LINE, max(len(cells), 1))
        lines = -(-len(cells) // across)
        height, width = self.shape[:2]
        sheet = np.zeros((lines * height, across * width, *self.shape[2:]), np.uint8)
        for index, cell in enumerate(cells):
            top, left = index // across * height, index % across * width
            sheet[top : top + height, left : left + width] = cell
        return png(sheet)

    def gray(self, pixels: Array) -> AnyArray:
        """Return pixels (images, values) as 8-bit images, by the range of all rows."""
        low, high = self.range
        scaled = np.clip((pixels - low) / (high - low) * 255, 0, 255)
        return np.rint(scaled).astype(np.uint8).reshape(-1, *self.shape)

    @property
    def range(self) -> tuple[float, float]:
        """The gray values that are black and white."""
        if self._range is None:
            rows = np.asarray(self._dataset.rows)
            low, high = min(float(rows.min()), 0.0), float(rows.max())
            if rows.dtype == np.uint8 or (low == 0.0 and 16 < high <= 255):
                high = 255.0
            self._range = low, high if high > low else low + 1.0
        return self._range

    def _pixels(self, rows: AnyArray) -> Array:
        if not self.shape:
            raise ParameterError("Rows are not images. Open the study of a folder of images.")
        return np.asarray(self._dataset.rows)[rows].astype(np.float64)


class RebuiltImages:
    """Images rebuilt from their first principal components."""

    def __init__(self, dataset: Dataset, images: RowImages) -> None:
        self._dataset, self._images = dataset, images
        self._pca: PCA | None = None

    def summary(self) -> dict[str, object]:
        """Return how many components there are, and the share of variance that each explains."""
        share = self._fitted().explained_variance_ratio_
        return {"max": len(share), "explained": np.asarray(share).tolist()}

    def png(self, row: int, m: int) -> bytes:
        """Return the image of a row by its first `m` components; 0 is the mean image."""
        pca = self._fitted()
        if not 0 <= m <= pca.n_components_:
            raise ParameterError(f"m={m}: there are {pca.n_components_} components.")
        x = np.asarray(self._dataset.rows)[row : row + 1].astype(np.float64)
        scores = np.asarray(pca.transform(x))
        scores[:, m:] = 0.0
        rebuilt = np.asarray(pca.inverse_transform(scores), np.float64)
        return png(self._images.gray(rebuilt)[0])

    def _fitted(self) -> PCA:
        if not self._images.shape:
            raise ParameterError("Rows are not images, so there is none to rebuild.")
        if self._pca is None:
            self._pca = PCA(None).fit(np.asarray(self._dataset.rows, np.float64))
        return self._pca
