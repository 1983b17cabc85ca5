"""Corrections are written beside the original, which stays as it is."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest
from table_files import COMPRESSIONS, read_values, write_xlsx

from lookalike.data import open_source
from lookalike.data.formats.compression import compression_of
from lookalike.data.write.corrections import Correction, read_corrections, write_corrected
from lookalike.errors import ParameterError

CONTENT = 'a;kind;note\n1,50;x;"p; q"\n2,00;y;\n3,00;x;r\n'
CHANGES = [Correction(1, "relabel", "x"), Correction(2, "drop")]


def test_a_csv_is_written_beside_the_original_with_all_other_cells_as_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CONTENT)
    place = write_corrected(str(path), "kind", CHANGES, {})
    assert place == tmp_path / "t_cleaned.csv"
    assert place.read_text() == 'a;kind;note\n1,50;x;"p; q"\n2,00;x;\n'
    assert path.read_text() == CONTENT
    with pytest.raises(ParameterError, match="exists already"):
        write_corrected(str(path), "kind", CHANGES, {})


def test_jsonl_parquet_and_packed_files_keep_their_types(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "kind": [1, 2, 1]})
    changes = [Correction(1, "relabel", "1"), Correction(2, "drop")]
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    with gzip.open(tmp_path / "z.csv.gz", "wt") as file:
        file.write(frame.to_csv(index=False))
    written = pd.read_parquet(write_corrected(str(tmp_path / "t.parquet"), "kind", changes, {}))
    assert written["kind"].tolist() == [1, 1]
    assert written["kind"].dtype == frame["kind"].dtype
    lines = write_corrected(str(tmp_path / "t.jsonl"), "kind", changes, {}).read_text().split("\n")
    assert [json.loads(line)["kind"] for line in lines if line] == [1, 1]
    packed = write_corrected(str(tmp_path / "z.csv.gz"), "kind", changes, {})
    assert pd.read_csv(packed)["kind"].tolist() == [1, 1]


def test_wrong_corrections_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CONTENT)
    with pytest.raises(ParameterError, match="has 3 rows"):
        write_corrected(str(path), "kind", [Correction(7, "drop")], {})
    with pytest.raises(ParameterError, match="no column 'sort'"):
        write_corrected(str(path), "sort", CHANGES, {})
    with pytest.raises(ParameterError, match="no target"):
        write_corrected(str(path), None, CHANGES, {})
    listed = tmp_path / "c.csv"
    listed.write_text("row,action,label\n0,relabel,'=z\n1,drop,\n")
    assert read_corrections(listed) == [Correction(0, "relabel", "=z"), Correction(1, "drop", "")]
    listed.write_text("row,action,label\n0,erase,\n")
    with pytest.raises(ParameterError, match="line 2"):
        read_corrections(listed)
    listed.write_text("row,label\n0,x\n")
    with pytest.raises(ParameterError, match="no column 'action'"):
        read_corrections(listed)


def test_a_workbook_that_is_named_as_a_csv_file_is_not_rewritten(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(write_xlsx({"t": [["a", "b"], [1.0, "x"], [2.0, "y"]]}))
    with pytest.raises(ParameterError, match=r"t\.csv is a binary file, which is not rewritten"):
        write_corrected(str(path), "b", [Correction(0, "drop")], {})


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_compressed_table_is_written_as_it_was(tmp_path, name, end):
    path = tmp_path / f"{name}{end}"
    text = {"t.csv": b"a,b\n1,x\n2,y\n", "t.jsonl": b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'}
    path.write_bytes(COMPRESSIONS[end](text[name], name))
    written = write_corrected(str(path), "b", [Correction(0, "relabel", "z")], {})
    assert written.name == f"t_cleaned.{name[2:]}{end}"
    assert compression_of(written.read_bytes()) == compression_of(path.read_bytes())
    assert read_values(open_source(written)) == {"a": [1.0, 2.0], "b": ["z", "y"]}
