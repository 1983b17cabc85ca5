"""An exact index on disk: codes are scanned, rows are read only where codes leave doubt."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"build": ["build_index_file"], "index": ["DiskIndex"]}
)
