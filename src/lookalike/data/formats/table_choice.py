"""Files of several tables: the one that is read, or an error that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.errors import ParameterError, ParameterTypeError, SourceError
from lookalike.validation import few, shown


def choose_table(
    names: Sequence[str], table: str | None, file: str, what: str, *, short_names: bool = False
) -> str:
    """Return the table that is asked for, or the only one; else raise with their names.

    `what` is the word for a table in that format: file, sheet, table, list. `short_names` lets a
    path be chosen by its last part.

    Examples
    --------
    >>> choose_table(["rows"], None, "'book.xlsx'", "sheet")
    'rows'
    >>> choose_table(["2023", "2024"], "2024", "'book.xlsx'", "sheet")
    '2024'
    """
    if table is not None and not isinstance(table, str):
        raise ParameterTypeError(f"table={shown(table)} is not a name. Give the name of a {what}.")
    if not names:
        raise SourceError(f"{file} holds no {what} with rows. Give a file with one at least.")
    if table in names:
        return str(table)
    if table is not None and short_names:
        matches = [name for name in names if name.rsplit("/", 1)[-1] == table]
        if len(matches) == 1:
            return matches[0]
    if table is None and len(names) == 1:
        return names[0]
    choice = " or ".join(f"table={name!r}" for name in names[:2])
    if table is not None:
        raise ParameterError(
            f"{file} has no {what} {table!r}; there is {few(names)}. Give {choice}."
        )
    raise SourceError(f"{file} has {len(names)} {what}s: {few(names)}. Choose one: {choice}.")


def require_no_choice(table: str | None, file: str, what: str) -> None:
    """Raise if a table is named in a file that has one table only."""
    if table is not None:
        raise ParameterError(
            f"table={table!r} names a sheet, a table or a member of an archive, and {file} is "
            f"{what}, which has one table. Leave it out."
        )
