"""Files of one table must have its columns: which file lacks one, or holds another type in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from lookalike.data.chunk import RoleChoice, TableChoice
from lookalike.data.tables import resolve_roles
from lookalike.errors import ColumnError, SourceError

COLUMN_ROLES = ("columns", "target", "weight", "drop")  # of the choice of the user

TYPE_FAMILIES = {
    "numbers": (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
    "booleans": (pa.types.is_boolean,),
    "texts": (pa.types.is_string, pa.types.is_large_string, pa.types.is_dictionary),
    "dates": (pa.types.is_date, pa.types.is_timestamp),
}


class PartSchema(NamedTuple):
    """The name of a file, and the columns it has."""

    file: str
    schema: pa.Schema


class Problem(NamedTuple):
    """A column in which two files differ, and how."""

    column: str
    text: str


def read_schema(path: str) -> PartSchema:
    """Return the columns of a Parquet or Arrow file."""
    try:
        if path.lower().endswith((".parquet", ".pq")):
            return PartSchema(path, pyarrow.parquet.read_schema(path))
        with pa.memory_map(path) as memory, pa.ipc.open_file(memory) as file:
            return PartSchema(path, file.schema)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).rstrip(".")
        raise SourceError(
            f"{path!r} is damaged or truncated: {reason}. Write it again, or move it to another "
            "folder."
        ) from None


def require_one_table(
    parts: Sequence[PartSchema], names: Sequence[str], choice: TableChoice
) -> TableChoice:
    """Raise unless all files have the columns of the first, of the same types, in any order.

    Columns that the user leaves out are not compared; if the user names those to read, only these
    are. The answer is the choice for the table with the columns `names`: without those to leave
    out that the first file has not.
    """
    first = parts[0]
    drop = choice.get("drop")
    given: Any = [drop] if isinstance(drop, str) or not np.iterable(drop) else drop
    dropped = [column for column in given if column is not None]
    all_names = {name for part in parts for name in part.schema.names}
    known = [one for one in dropped if one in names or one not in all_names]
    answer: TableChoice = {**choice, "drop": known if drop is not None and known else None}
    left_out = {one if isinstance(one, str) else names[one] for one in dropped}
    compared = [name for name in first.schema.names if name not in left_out]
    if choice.get("columns") is not None:
        roles = cast(
            RoleChoice, {key: value for key, value in answer.items() if key in COLUMN_ROLES}
        )
        compared = [name for name in resolve_roles(names, **roles).needed if name in compared]
    for part in parts[1:]:
        problem = _lacking(part, first, compared) or _other_type(part, first, compared)
        if problem is None and choice.get("columns") is None:
            extra = [name for name in part.schema.names if name not in left_out]
            problem = _lacking(first, part, extra)
        if problem is not None:
            raise ColumnError(
                f"{problem.text}. Leave the column out: drop={problem.column!r}; or write that "
                "file again, or move it to another folder."
            )
    return answer


def widest_numbers(schema: pa.Schema, parts: Sequence[PartSchema]) -> pa.Schema:
    """Return a schema whose columns of numbers hold those of all files.

    A column is often of whole numbers in the files in which no value is missing.
    """
    for index, field in enumerate(schema):
        types = {
            part.schema.field(field.name).type for part in parts if field.name in part.schema.names
        }
        if len(types) > 1 and {_family(kind) for kind in types} == {"numbers"}:
            whole = all(pa.types.is_integer(kind) for kind in types)
            schema = schema.set(index, field.with_type(pa.int64() if whole else pa.float64()))
    return schema


def _lacking(part: PartSchema, other: PartSchema, names: Sequence[str]) -> Problem | None:
    absent = next((name for name in names if name not in part.schema.names), None)
    if absent is None:
        return None
    return Problem(absent, f"{part.file!r} has no column {absent!r}, which {other.file!r} has")


def _other_type(part: PartSchema, first: PartSchema, names: Sequence[str]) -> Problem | None:
    for name in names:
        types = [one.schema.field(name).type for one in (part, first)]
        families = {_family(one) for one in types if not pa.types.is_null(one)}
        if len(families) > 1:
            text = (
                f"{part.file!r} holds {types[0]} in column {name!r}, and {first.file!r} holds "
                f"{types[1]}"
            )
            return Problem(name, text)
    return None


def _family(kind: pa.DataType) -> str:
    """Return a word for the types that are read alike."""
    for family, tests in TYPE_FAMILIES.items():
        if any(test(kind) for test in tests):
            return family
    return str(kind)
