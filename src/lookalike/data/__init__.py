"""Anything that holds rows becomes a Source of Chunks: arrays, frames, files, streams, samples."""

from lookalike.data.chunk import Chunk, Column, Table, default_chunk_rows
from lookalike.data.source import Source, open_source

__all__ = ["Chunk", "Column", "Source", "Table", "default_chunk_rows", "open_source"]
