"""Spaces around the cells of a csv file, as in `1, red`: left out of all rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.decisions import Decisions

QUOTED_CELL = r'^"((?s:.*))"$'  # whose quotes are not the reader's, as a space stands before them


def spaces_follow_delimiters(rows: Sequence[Sequence[str]], decisions: Decisions) -> bool:
    """Return whether a space stands after every delimiter, and record it.

    Examples
    --------
    >>> spaces_follow_delimiters([["1", " red"], ["2", " ?"]], Decisions())
    True
    >>> spaces_follow_delimiters([["1", " red"], ["2", "blue"]], Decisions())
    False
    """
    cells = [cell for row in rows for cell in row[1:]]
    padded = [cell for cell in cells if cell[:1] == " " and cell.strip()]
    if not padded or any(cell and cell[0] != " " for cell in cells):
        return False
    reason = f"one follows every delimiter, for example in {padded[-1][:40]!r}"
    decisions.add("spaces around cells", "left out", reason)
    return True


def strip_names(names: Sequence[str], decisions: Decisions) -> list[str]:
    """Return the names of columns without spaces and quotes around them, and record the change."""
    stripped = [_unquoted(name.strip()) if name != name.strip() else name for name in names]
    changed = next((name for name, new in zip(names, stripped, strict=True) if new != name), None)
    if changed is not None:
        reason = f"spaces around names are left out, for example {changed[:40]!r}"
        decisions.add("header", "names without spaces", reason)
    return stripped


def strip_cells(cells: pa.Array, missing: Sequence[str]) -> pa.Array:
    """Return the cells without spaces and quotes around them, null where a marker is left.

    Examples
    --------
    >>> strip_cells(pa.array([" red", ' "a, b"', " ?", None]), ["", "?"]).to_pylist()
    ['red', 'a, b', None, None]
    """
    stripped = pc.utf8_trim_whitespace(cells)
    quoted = pc.match_substring_regex(stripped, QUOTED_CELL)
    if pc.any(quoted).as_py():
        inner = pc.replace_substring_regex(stripped, QUOTED_CELL, r"\1")
        stripped = pc.if_else(quoted, pc.replace_substring(inner, '""', '"'), stripped)
    is_marker = pc.is_in(stripped, pa.array(list(missing), pa.string()))
    return pc.if_else(is_marker, pa.scalar(None, pa.string()), stripped)


def _unquoted(name: str) -> str:
    quoted = len(name) > 1 and name[0] == name[-1] == '"'
    return name[1:-1].replace('""', '"') if quoted else name
