"""Zip archives: the one member that is a table, or the members to choose from."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from lookalike.data.formats.compression import DAMAGE_ERRORS, ExpandedBytes, damaged
from lookalike.data.formats.file_names import Format
from lookalike.data.formats.table_choice import choose_table
from lookalike.errors import SourceError

ENCRYPTED_FLAG = 0x1


def container_format(raw: object, name: str) -> Format | None:
    """Return the format of a file that is a zip archive inside, None if it is an archive of files.

    Workbooks and NumPy's .npz files are such.
    """
    with _archive(raw, name) as archive:
        names = archive.namelist()
    if "[Content_Types].xml" in names or {"mimetype", "content.xml"} <= set(names):
        return "spreadsheet"
    return "npz" if names and all(member.endswith(".npy") for member in names) else None


def open_member(raw: Any, name: str, table: str | None) -> tuple[str, ExpandedBytes, str | None]:
    """Return the name and the bytes of the only member of an archive, or of that named `table`.

    The last is `table` if it is still to be chosen, in the only member.
    """
    archive = _archive(raw, name)
    members = {info.filename: info for info in archive.infolist() if _is_table(info)}
    names = [member.rsplit("/", 1)[-1] for member in members]
    inside = table if len(members) == 1 and table not in (*members, *names) else None
    chosen = choose_table(list(members), None if inside else table, name, "file", short_names=True)
    info = members[chosen]
    if info.flag_bits & ENCRYPTED_FLAG:
        raise SourceError(
            f"{name} is encrypted: {chosen!r} needs a password, which is not asked for. Give the "
            "file decrypted: unzip it, or write the archive again without a password."
        )
    try:
        member = archive.open(info)
    except NotImplementedError as error:
        raise SourceError(
            f"{name} holds {chosen!r} in a way that cannot be read: {error}. Unzip it and give the "
            "file, or write it again with gzip."
        ) from None
    except DAMAGE_ERRORS as error:
        raise damaged(name, "zip", error) from None
    return chosen, ExpandedBytes(member, raw, "zip", name), inside


def seekable_bytes(raw: Any) -> object:
    """Return the stream itself if it can be read at any position, else a copy in memory.

    An archive is listed at its end.
    """
    return raw if raw.seekable() else io.BytesIO(raw.read())


def _archive(raw: Any, name: str) -> zipfile.ZipFile:
    raw.seek(0)
    try:
        return zipfile.ZipFile(raw)
    except DAMAGE_ERRORS as error:
        raise damaged(name, "zip", error) from None


def _is_table(info: zipfile.ZipInfo) -> bool:
    """Return whether a member is a file of the user, not what a system adds."""
    parts = info.filename.split("/")
    hidden = parts[0] == "__MACOSX" or parts[-1].startswith(".") or parts[-1] == "Thumbs.db"
    return not info.is_dir() and not hidden
