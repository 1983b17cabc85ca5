"""From a file to the dataset of a study: its rows, column types and target."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "dataset": ["Dataset"],
        "open": ["open_data"],
    },
)
