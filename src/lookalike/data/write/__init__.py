"""Files that are written: complete or unchanged, as csv, Parquet and logs."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"atomic_write": ["replace_file"], "parquet": ["write_columns"]}
)
