"""Corrections are written beside the original, which stays as it is."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest

from lookalike.data.corrections import Correction, read_corrections, write_corrected
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
