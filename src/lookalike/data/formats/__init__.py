"""Readers of files: csv, lines of JSON, Parquet, Arrow, NumPy, images and texts."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, {"files": ["open_file"]})
