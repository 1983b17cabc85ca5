"""What the list of an index may say: every field alone, and that fields fit each other."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from lookalike.errors import ModelFileError
from lookalike.file_schema import (
    Rule,
    boolean,
    choice,
    items,
    named,
    number,
    optional,
    power_of_two,
    record,
    text,
    whole,
    wrong_field,
)
from lookalike.index.filter_plan import MOST_BLOCKS
from lookalike.kernels.exact import BLOCK_DIRECTIONS
from lookalike.kernels.native_arrays import NUMBER_TYPES

INDEX_FILE_SUFFIXES = (".codes", ".rows", ".npz", ".column")
MOST_CHECKSUM = 2**64 - 1
MOST_CODE_RATIO = 2**31 - 1
MOST_TIME_NANOSECONDS = 2**63 - 1
OWN_NAME = re.compile(rf"[0-9a-f]{{16}}(?:{'|'.join(map(re.escape, INDEX_FILE_SUFFIXES))})")


def check_list(listed: Any) -> None:
    """Raise a ModelFileError that names the field where a list is not that of an index."""
    LIST_RULE(listed, "")
    names = [*listed["columns"], *listed["kept"]]
    if len(listed["columns"]) != listed["n_features"]:
        raise wrong_field("n_features", listed["n_features"], "the number of columns")
    if len(set(names)) < len(names):
        raise wrong_field("columns", names, "every name once, kept columns included,")
    files = [listed["arrays"]["name"]]
    for index, segment in enumerate(listed["segments"]):
        _check_segment(segment, f"segments[{index}]", listed)
        files += segment_files(segment)
    if len(set(files)) < len(files):
        raise ModelFileError("segments name one file twice")


def segment_files(segment: dict[str, Any]) -> list[str]:
    """Return the files of the index that a segment names."""
    names = [segment["codes"], segment["arrays"]]
    names += [segment["rows"]["path"]] if segment["rows"]["own"] else []
    return names + [column["file"] for column in segment["columns"]]


def own_file(*suffixes: str) -> Rule:
    """Return the rule of the name of a file that an index wrote: none leads elsewhere."""

    def check(value: Any, field: str) -> None:
        text(value, field)
        if not OWN_NAME.fullmatch(value) or not value.endswith(suffixes):
            raise ModelFileError(f"{field}: it names the file {value!r}, which no index wrote")

    return check


def _check_segment(segment: dict[str, Any], field: str, listed: dict[str, Any]) -> None:
    rows = segment["rows"]
    if rows["n_features"] != listed["n_features"]:
        wanted = f"n_features={listed['n_features']}"
        raise wrong_field(f"{field}.rows.n_features", rows["n_features"], wanted)
    if rows["own"]:
        own_file(".rows")(rows["path"], f"{field}.rows.path")
    elif not os.path.isabs(rows["path"]) or "\0" in rows["path"]:
        raise wrong_field(f"{field}.rows.path", rows["path"], "the whole path of a file")
    needed = rows["n_rows"] * rows["n_features"] * np.dtype(rows["dtype"]).itemsize
    if rows["offset"] + needed > rows["size"]:
        raise wrong_field(f"{field}.rows.size", rows["size"], f"{rows['offset'] + needed} or more")
    if [column["name"] for column in segment["columns"]] != listed["kept"]:
        raise wrong_field(f"{field}.columns", segment["columns"], "one for every column kept")
    _check_blocks(segment, field)


def _check_blocks(segment: dict[str, Any], field: str) -> None:
    """Raise unless the blocks lie one after another and hold the codes of all rows."""
    layout, reached, n_rows = segment["layout"], 0, 0
    for index, (offset, length, count, poor, _) in enumerate(segment["blocks"]):
        name = f"{field}.blocks[{index}]"
        if count < 1 or poor > count:
            raise wrong_field(name, segment["blocks"][index], "a row, and fewer poor ones")
        if offset != reached:
            raise wrong_field(f"{name}[0]", offset, f"{reached}, where the one before ends,")
        if layout is None and length:
            raise wrong_field(f"{name}[1]", length, "0, as there are no codes,")
        reached, n_rows = reached + length, n_rows + count
    if n_rows != segment["rows"]["n_rows"]:
        raise wrong_field(f"{field}.rows.n_rows", segment["rows"]["n_rows"], f"{n_rows} of blocks")
    if reached != segment["codes_size"]:
        raise wrong_field(f"{field}.codes_size", segment["codes_size"], f"{reached} of blocks")
    if layout is not None and (layout["map"]["blocks"] > 1) != (layout["extra"] > 0):
        raise wrong_field(f"{field}.layout.extra", layout["extra"], "more than 0 for wide codes")


_MAP_RULE = record(
    {
        "scale": power_of_two,
        "blocks": whole(0, MOST_BLOCKS),
        "defect": number(0.0),
        "step": number(2.0**-1022),
        "ratio": whole(1, MOST_CODE_RATIO),
        "rest_first": number(),
        "rest_all": number(),
    }
)
_ROWS_RULE = record(
    {
        "path": text,
        "offset": whole(),
        "n_rows": whole(1),
        "n_features": whole(1),
        "dtype": choice(*(kind.str for kind in NUMBER_TYPES)),
        "changed": optional(whole(-MOST_TIME_NANOSECONDS, MOST_TIME_NANOSECONDS)),
        "size": whole(1),
        "own": boolean,
    }
)
_SEGMENT_RULE = record(
    {
        "rows": _ROWS_RULE,
        "codes": own_file(".codes"),
        "codes_size": whole(),
        "arrays": own_file(".npz"),
        "arrays_checksum": whole(most=MOST_CHECKSUM),
        "columns": items(
            record(
                {
                    "name": text,
                    "file": own_file(".column"),
                    "text": boolean,
                    "checksum": whole(most=MOST_CHECKSUM),
                }
            )
        ),
        "layout": optional(
            record({"map": _MAP_RULE, "extra": whole(0, MOST_BLOCKS * BLOCK_DIRECTIONS)}),
        ),
        "blocks": items(items(whole(most=MOST_CHECKSUM), least=5, most=5), least=1),
        "scale": power_of_two,
        "largest": number(0.0),
    }
)


def _plain_value(value: object, field: str) -> None:
    if not (value is None or isinstance(value, str)):
        raise wrong_field(field, value, "text or null")


LIST_RULE = record(
    {
        "format": text,
        "version": whole(),
        "n_features": whole(1),
        "columns": items(text, least=1),
        "kept": items(text),
        "metric": record(
            {"class": text, "values": named(_plain_value), "sets": named(items(text))}
        ),
        "arrays": record({"name": own_file(".npz"), "checksum": whole(most=MOST_CHECKSUM)}),
        "segments": items(_SEGMENT_RULE, least=1),
    }
)
