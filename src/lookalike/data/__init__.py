"""Anything that holds rows becomes a Source of Chunks: arrays, frames, files, streams, samples."""

from lookalike.data.batches import gather
from lookalike.data.checks import finite, require_finite, require_same_columns
from lookalike.data.chunk import Chunk, Column, Table, default_chunk_rows
from lookalike.data.samples import sample
from lookalike.data.source import Source, open_source
from lookalike.data.sources.row_slice import RowSlice

__all__ = [
    "Chunk",
    "Column",
    "RowSlice",
    "Source",
    "Table",
    "default_chunk_rows",
    "finite",
    "gather",
    "open_source",
    "require_finite",
    "require_same_columns",
    "sample",
]
