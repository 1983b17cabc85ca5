"""One awkward table, written in every format, compression, encoding and delimiter that is read."""

from __future__ import annotations

import bz2
import csv
import datetime as dt
import gzip
import io
import json
import lzma
import sqlite3
import struct
import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

COLUMNS = {
    "name": ['say "hi"', "two\nlines", "comma, semicolon; bar|", "Zoë", "Łukasz"],
    "town": ["Köln", None, "Köln", "Graz", None],
    "born": [dt.date(2021, 3, day) for day in (14, 15, 16, 17, 18)],
    "count": [3, None, 5, -7, 12],
    "share": [0.5, 1.25, -3.0, None, 1e-3],
    "alive": [True, False, None, True, False],
}
WESTERN_NAMES = {"Łukasz": "Lukasz"}  # what latin-1 cannot hold
EXCEL_EPOCH = dt.date(1899, 12, 30)


def expected(western: bool = False) -> dict[str, list]:
    """Return the values that every format gives: floats with NaN, dates, texts with None."""
    values = dict(COLUMNS)
    if western:
        values["name"] = [WESTERN_NAMES.get(name, name) for name in COLUMNS["name"]]
    values["born"] = [np.datetime64(day, "us").item() for day in COLUMNS["born"]]
    for column in ("count", "share", "alive"):
        values[column] = [None if cell is None else float(cell) for cell in COLUMNS[column]]
    return values


def read_values(source) -> dict[str, list]:
    """Return the values of a source, missing ones None."""
    tables = list(source.tables())
    return {
        name: [
            None if cell != cell else cell for part in tables for cell in part.values[name].tolist()
        ]
        for name in tables[0].values
    }


def _none_if_nan(cell):
    return None if cell != cell else cell


def rows() -> list[tuple]:
    return list(zip(*COLUMNS.values(), strict=True))


def as_cell(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def write_csv(delimiter=",", encoding="utf-8", names=None) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows():
        writer.writerow([(names or {}).get(cell, as_cell(cell)) for cell in row])
    return text.getvalue().encode(encoding)


def records() -> list[dict]:
    return [
        {name: str(cell) if isinstance(cell, dt.date) else cell for name, cell in zip(COLUMNS, row)}  # noqa: B905
        for row in rows()
    ]


def write_jsonl(encoding="utf-8") -> bytes:
    lines = [json.dumps(row, ensure_ascii=False) for row in records()]
    return "\n".join(lines).encode(encoding)


def write_json(encoding="utf-8") -> bytes:
    return json.dumps(records(), ensure_ascii=False, indent=1).encode(encoding)


def write_parquet() -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(COLUMNS), file)
    return file.getvalue()


def write_feather() -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(pa.table(COLUMNS), file)
    return file.getvalue()


def sheet_rows() -> list[list]:
    return [list(COLUMNS), *map(list, rows())]


def write_xlsx(sheets: dict[str, list[list]] | None = None) -> bytes:
    sheets = {"Data": sheet_rows()} if sheets is None else sheets
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
        for n, name in enumerate(sheets, start=1)
    )
    linked = "".join(
        f'<Relationship Id="rId{n}" Type="{office}/worksheet" Target="worksheets/s{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{linked}<Relationship '
        f'Id="rId99" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for number, table in enumerate(sheets.values(), start=1):
        lines = "".join(
            f'<row r="{n}">{"".join(_xlsx_cell(cell, n, j) for j, cell in enumerate(row))}</row>'
            for n, row in enumerate(table, start=1)
        )
        parts[f"xl/worksheets/s{number}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>'
        )
    return write_zip({name: text.encode() for name, text in parts.items()})


def _xlsx_cell(value, row: int, column: int) -> str:
    at = f'r="{chr(ord("A") + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {at} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.date):
        return f'<c {at} s="1"><v>{(value - EXCEL_EPOCH).days}</v></c>'
    if isinstance(value, (int, float)):
        return f"<c {at}><v>{value}</v></c>"
    text = escape(value)
    return f'<c {at} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def write_ods() -> bytes:
    spaces = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    lines = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in sheet_rows()
    )
    named = " ".join(f'xmlns:{name}="{uri}"' for name, uri in spaces.items())
    content = (
        f"<office:document-content {named}><office:body><office:spreadsheet>"
        f'<table:table table:name="Data">{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = b"application/vnd.oasis.opendocument.spreadsheet"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    listed = f'<m:manifest xmlns:m="{manifest}"></m:manifest>'
    return write_zip(
        {
            "mimetype": kind,
            "content.xml": content.encode(),
            "META-INF/manifest.xml": listed.encode(),
        }
    )


def _ods_cell(value) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
        return f"<table:table-cell {kind}/>"
    if isinstance(value, dt.date):
        return f'<table:table-cell office:value-type="date" office:date-value="{value}"/>'
    if isinstance(value, (int, float)):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    paragraphs = "".join(f"<text:p>{line}</text:p>" for line in escape(value).split("\n"))
    return f'<table:table-cell office:value-type="string">{paragraphs}</table:table-cell>'


def write_xls(sheets: dict[str, list[list]] | None = None) -> bytes:
    import xlwt

    book = xlwt.Workbook()
    dates = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for name, table in ({"Data": sheet_rows()} if sheets is None else sheets).items():
        sheet = book.add_sheet(name)
        for n, row in enumerate(table):
            for j, cell in enumerate(row):
                if cell is not None:
                    style = [dates] if isinstance(cell, dt.date) else []
                    sheet.write(n, j, cell, *style)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def write_xlsb(table: list[list], far: tuple[int, int] | None = None) -> bytes:
    """Return a binary workbook of zip and records; `far` is a row and column with one more cell."""
    name = _wide("rId1") + _wide("Data")
    book = _record(0x8F) + _record(0x9C, struct.pack("<II", 0, 1) + name) + _record(0x90)
    last = struct.pack("<IIII", 0, len(table) - 1, 0, max(map(len, table)) - 1)
    sheet = _record(0x94, last) + _record(0x91)
    lines = dict(enumerate(map(enumerate, table)))
    if far is not None:
        lines[far[0]] = [(far[1], 1.0)]
    for number, row in lines.items():
        sheet += _record(0, struct.pack("<I13x", number))
        for column, cell in row:
            place = struct.pack("<II", column, 0)
            if isinstance(cell, str):
                sheet += _record(6, place + _wide(cell))
            elif cell is not None:
                sheet += _record(5, place + struct.pack("<d", cell))
    office = "http://schemas.openxmlformats.org"
    relations = (
        f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.bin"/></Relationships>'
    )
    types = f'<Types xmlns="{office}/package/2006/content-types"/>'
    return write_zip(
        {
            "[Content_Types].xml": types.encode(),
            "xl/_rels/workbook.bin.rels": relations.encode(),
            "xl/workbook.bin": _record(0x83) + book + _record(0x84),
            "xl/worksheets/sheet1.bin": _record(0x81) + sheet + _record(0x92) + _record(0x82),
        }
    )


def _record(kind: int, content: bytes = b"") -> bytes:
    """Return a record of an xlsb file: kind and length, seven bits in every byte, and content."""
    head = [kind] if kind < 0x80 else [kind & 0x7F | 0x80, kind >> 7]
    length = len(content)
    while length >= 0x80:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([*head, length]) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def write_sqlite(path, tables=("rows",)) -> bytes:
    database = sqlite3.connect(path)
    for table in tables:
        database.execute(
            f'CREATE TABLE "{table}" (name TEXT, town TEXT, born TEXT, count INT, share REAL, '
            "alive BOOLEAN)"
        )
        cells = [[str(cell) if isinstance(cell, dt.date) else cell for cell in r] for r in rows()]
        database.executemany(f'INSERT INTO "{table}" VALUES (?, ?, ?, ?, ?, ?)', cells)
    database.commit()
    database.close()
    return path.read_bytes()


def write_zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            packing = zipfile.ZIP_STORED if name == "mimetype" else None  # as ods files must
            archive.writestr(name, content, packing)
    return file.getvalue()


def compress_zstd(content: bytes) -> bytes:
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "zstd") as packed:
        packed.write(content)
    return stream.getvalue().to_pybytes()


COMPRESSIONS = {
    "": lambda content, _: content,
    ".gz": lambda content, _: gzip.compress(content),
    ".bz2": lambda content, _: bz2.compress(content),
    ".xz": lambda content, _: lzma.compress(content),
    ".zst": lambda content, _: compress_zstd(content),
    ".zip": lambda content, name: write_zip({f"folder/{name}": content}),
}
TEXTS = {"t.csv": write_csv, "t.jsonl": write_jsonl, "t.json": write_json}
BINARIES = {
    "t.parquet": write_parquet,
    "t.feather": write_feather,
    "t.xlsx": write_xlsx,
    "t.ods": write_ods,
}
