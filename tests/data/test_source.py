"""One door for everything that holds rows."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from lookalike import PCA, KNeighborsClassifier, StandardScaler, TablePreprocessor
from lookalike.data import RowSlice, gather, open_source
from lookalike.data.column_types import first_not_numeric, kind_of_values
from lookalike.data.source import open_features
from lookalike.errors import ExtraMissingError, ParameterError, ParameterTypeError

X = np.random.default_rng(7).normal(size=(1000, 5))
NAMES = [f"c{j}" for j in range(5)]
HEAVY = ("pandas", "polars", "pyarrow", "dask", "torch", "sklearn", "scipy", "narwhals")


def test_the_package_is_imported_without_its_optional_parts():
    code = f"import sys, lookalike.data; print([m for m in {HEAVY} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "[]"


def test_arrays_are_read_without_pandas_pyarrow_or_dask():
    code = (
        "import sys, numpy, lookalike.data as d; next(d.open_source(numpy.ones((2, 2))).chunks());"
        "print([m for m in ('pandas', 'pyarrow', 'dask', 'sklearn') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["t.sav", "t.dta"])
def test_files_that_need_another_package_name_the_extra(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("a\n1\n")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ExtraMissingError, match=r"pip install 'lookalike\[statistics\]'"):
        open_source(tmp_path / name)


def test_a_source_is_returned_as_it_is():
    source = open_source([[1.0, 2.0]])
    assert open_source(source) is source
    for choice in ({"y": [1]}, {"target": 1}, {"columns": [0]}):
        with pytest.raises(ParameterError, match="data is a Source already"):
            open_source(source, **choice)


def containers(folder):
    """Give the same thousand rows in every container that can hold them."""
    frame = pd.DataFrame(X, columns=NAMES)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    frame.to_csv(folder / "x.csv", index=False)
    frame.to_csv(folder / "x.tsv.gz", index=False, sep="\t")
    np.save(folder / "x.npy", X)
    np.savez_compressed(folder / "x.npz", X=X)
    pyarrow.parquet.write_table(table, folder / "x.parquet", row_group_size=77)
    pyarrow.feather.write_feather(table, str(folder / "x.feather"), chunksize=77)
    yield from (X, X.tolist(), np.asfortranarray(X), frame, pl.DataFrame(frame), table)
    yield from (folder / name for name in os.listdir(folder))
    yield lambda: iter(np.array_split(X, 13))
    yield iter(np.array_split(X, 1000))
    yield RowSlice(open_source(np.vstack([X, X])), 1000, 2000)


@pytest.mark.parametrize("rows", [None, 128])
def test_every_container_gives_the_same_chunks(tmp_path, rows):
    wanted = list(open_source(X).chunks(rows))
    for data in containers(tmp_path):
        for got, chunk in zip(open_source(data).chunks(rows), wanted, strict=True):
            assert got.offset == chunk.offset
            assert got.X.dtype == chunk.X.dtype
            assert got.X.tobytes() == chunk.X.tobytes()


@pytest.mark.parametrize("data", [None, {"a": [1]}, {1, 2}, object()])
def test_what_holds_no_rows_is_refused_by_its_type(data):
    with pytest.raises(ParameterTypeError, match=f"of type {type(data).__name__}"):
        open_source(data)


def test_types_are_refused_where_all_are_numbers():
    with pytest.raises(ParameterError, match="all numbers"):
        open_source(np.ones((2, 2)), types={"x0": "category"})


def test_kinds_of_values():
    assert kind_of_values([None, float("nan")]) == "number"
    assert kind_of_values([1, True]) == "number"
    assert kind_of_values([True, np.False_]) == "boolean"
    assert kind_of_values([np.datetime64("2020-01-01"), None]) == "date"
    assert kind_of_values(["a", 1]) is None
    assert kind_of_values(["a", "b"]) is None


def test_the_culprit_is_the_first_that_is_no_number_else_the_first_present():
    assert first_not_numeric([None, "1", "x"]) == (2, "x")
    assert first_not_numeric([None, "1", "2"]) == (1, "1")
    assert first_not_numeric([None]) is None


def test_models_leave_identifiers_out_and_the_source_has_them(tmp_path):
    rows = [f"K-{i:04},{i * 7 % 11},{i % 2},{'pq'[i % 2]}" for i in range(40)]
    (tmp_path / "a.csv").write_text("key,a,b,y\n" + "\n".join(rows) + "\n")
    source = open_source(tmp_path / "a.csv", target="y")
    assert [column.kind for column in source.columns] == ["id", "number", "number"]
    assert next(source.tables()).values["key"][3] == "K-0003"
    features = open_features(source)
    assert [column.name for column in features.columns] == ["a", "b"]
    assert gather(features).X[3].tolist() == [10, 1]
    for model in (PCA(1), StandardScaler(), KNeighborsClassifier(3), TablePreprocessor()):
        labels = gather(features).y
        fitted = model.fit(source, labels) if hasattr(model, "predict") else model.fit(source)
        assert fitted.feature_names_in_.tolist() == ["a", "b"]
        (fitted.predict if hasattr(model, "predict") else fitted.transform)(source)
