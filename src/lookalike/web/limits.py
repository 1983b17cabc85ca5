"""What one request may cost: sizes, and products of sizes, decided before memory is taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from lookalike.errors import ParameterError
from lookalike.validation import shown
from lookalike.web.problems import ProblemError

INT64_DIGITS = 18  # of which every number fits


@dataclass(frozen=True)
class Limits:
    """What one request may cost; what is beyond gets 413, or 422 for its nesting.

    Attributes
    ----------
    body_bytes
        Bytes of a body.
    rows
        Rows of a request.
    cells
        Rows times columns of a request, and rows times reference rows times columns of an
        explanation.
    result_cells
        Rows times neighbors, classes or features of a result.
    decoded_bytes
        Bytes of the texts of an Arrow body, each counted as often as a row holds it.
    depth
        How deep JSON may be nested.
    explained_rows
        Rows that one request may ask to explain.
    header_bytes
        Bytes of the address and the headers of a request (431), and of the trailers after its body.
    bytes_in_progress
        Bytes of the bodies of all requests in progress together, and of the rows read from them;
        more get 503.
    results_in_progress
        Cells of the results of all requests in progress together; more get 503.

    Examples
    --------
    >>> Limits().with_values(["rows=500", "cells=100000"]).rows
    500
    >>> Limits(result_cells=100).require_result(20, 6, "neighbors")
    Traceback (most recent call last):
    lookalike.web.problems.ProblemError: 20 rows by 6 neighbors are 120 cells of a result. Ask for \
at most 100 at once: send fewer rows.
    """

    body_bytes: int = 16 * 2**20
    rows: int = 10_000
    cells: int = 10_000_000
    result_cells: int = 5_000_000
    decoded_bytes: int = 64 * 2**20
    depth: int = 8
    explained_rows: int = 100
    header_bytes: int = 32 * 2**10
    bytes_in_progress: int = 2**30
    results_in_progress: int = 20_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(
                    f"The limit {field.name} is {shown(value)}. Give a whole number from 1 on."
                )

    def with_values(self, settings: Iterable[str]) -> Limits:
        """Return these limits with others for the names in texts such as ``rows=500``."""
        known = [field.name for field in fields(self)]
        values: dict[str, int] = {}
        for setting in settings:
            name, _, number = setting.partition("=")
            readable = number.isascii() and number.isdecimal() and len(number) <= INT64_DIGITS
            if name not in known or not readable:
                raise ParameterError(
                    f"The limit {shown(setting)} cannot be read. Give NAME=NUMBER, with one of the "
                    f"names {', '.join(known)}."
                )
            values[name] = int(number)
        return replace(self, **values)

    def require_rows(self, n_rows: int) -> None:
        """Raise a problem for more rows than a request may have."""
        if n_rows > self.rows:
            raise ProblemError(
                413, f"There are {n_rows:,} rows. Send at most {self.rows:,} at once."
            )

    def require_cells(self, n_rows: int, n_columns: int) -> None:
        """Raise a problem for more rows times columns than a request may have."""
        if n_rows * n_columns > self.cells:
            raise ProblemError(
                413,
                f"{n_rows:,} rows of {n_columns:,} columns are {n_rows * n_columns:,} cells. Send "
                f"at most {self.cells:,} at once.",
            )

    def require_comparison(self, n_rows: int, n_reference: int, n_columns: int) -> None:
        """Raise a problem for more rows times reference rows times columns than is computed."""
        if n_rows * n_reference * n_columns > self.cells:
            raise ProblemError(
                413,
                f"{n_rows:,} rows compared with {n_reference:,} reference rows in {n_columns:,} "
                f"columns are more than {self.cells:,} cells. Send fewer of them.",
            )

    def require_result(self, n_rows: int, width: int, what: str) -> None:
        """Raise a problem for a result of more cells than one may have."""
        if n_rows * width > self.result_cells:
            raise ProblemError(
                413,
                f"{n_rows:,} rows by {width:,} {what} are {n_rows * width:,} cells of a result. "
                f"Ask for at most {self.result_cells:,} at once: send fewer rows.",
            )

    def require_decoded(self, n_bytes: int) -> None:
        """Raise a problem for texts that are larger than a request may hold."""
        if n_bytes > self.decoded_bytes:
            raise ProblemError(
                413,
                f"The texts of the rows are {n_bytes:,} bytes, each counted as often as it occurs. "
                f"Send at most {self.decoded_bytes:,} at once: send fewer rows.",
            )
