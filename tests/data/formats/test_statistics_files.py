"""Files of Stata, SPSS and SAS."""

from __future__ import annotations

import datetime as dt
import gzip
import io

import pytest
from table_files import read_values

from lookalike.data import open_source
from lookalike.errors import SourceError

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")
WRITERS = {
    "t.dta": pyreadstat.write_dta,
    "t.sav": pyreadstat.write_sav,
    "t.zsav": lambda frame, path, **options: pyreadstat.write_sav(
        frame, path, compress=True, **options
    ),
    "t.por": pyreadstat.write_por,
    "t.xpt": pyreadstat.write_xport,
}
DAYS = [dt.date(2021, 3, 14), dt.date(2021, 3, 15), dt.date(2021, 3, 16)]
VALUES = {
    "NAME": ["a", "b", "a"],
    "BORN": [dt.datetime(day.year, day.month, day.day) for day in DAYS],
    "SHARE": [0.5, None, 2.25],
}


def frame():
    return pd.DataFrame({"NAME": VALUES["NAME"], "BORN": DAYS, "SHARE": [0.5, None, 2.25]})


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_read_to_the_same_values(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](frame(), str(path))
    assert read_values(open_source(path)) == VALUES
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_values(open_source(packed)) == VALUES


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.zsav", "t.xpt"])
def test_a_stream_is_known_by_its_first_bytes(tmp_path, name):
    WRITERS[name](frame(), str(tmp_path / name))
    assert read_values(open_source(io.BytesIO((tmp_path / name).read_bytes()))) == VALUES


@pytest.mark.parametrize("name", ["t.dta", "t.sav"])
def test_labels_stand_for_values_that_all_have_one(tmp_path, name):
    data = pd.DataFrame({"sex": [1.0, 2.0, 1.0], "age": [30.0, 99.0, 41.0]})
    labels = {"sex": {1: "f", 2: "m"}, "age": {99: "unknown"}}
    WRITERS[name](data, str(tmp_path / name), variable_value_labels=labels)
    source = open_source(tmp_path / name)
    assert read_values(source) == {"sex": ["f", "m", "f"], "age": [30.0, 99.0, 41.0]}
    assert "'f' for 1" in str(source.decisions)


@pytest.mark.parametrize("name", ["t.dta", "t.xpt"])
def test_pandas_reads_where_pyreadstat_is_not_installed(tmp_path, monkeypatch, name):
    version = {"file_format_version": 5} if name == "t.xpt" else {}
    WRITERS[name](frame(), str(tmp_path / name), **version)
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda package: None if package == "pyreadstat" else True
    )
    values = read_values(open_source(tmp_path / name))
    assert (values["NAME"], values["SHARE"]) == (VALUES["NAME"], VALUES["SHARE"])


@pytest.mark.parametrize("name", [*WRITERS, "t.sas7bdat"])
def test_a_damaged_file_is_one_sentence(tmp_path, name):
    (tmp_path / name).write_bytes(b"$FL2 and no more")
    with pytest.raises(SourceError, match=r"is damaged, or not a file of Stata, SPSS or SAS"):
        open_source(tmp_path / name)
