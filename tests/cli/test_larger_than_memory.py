"""Commands that read, work and write in chunks: folders of Parquet files in, Parquet out."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike import PCA, KMeans, NearestNeighbors, save
from lookalike.cli.output import save_columns
from lookalike.data import open_source
from lookalike.errors import SourceMissingError

ROWS, FILES = 6_000, 3


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(ROWS, 3))


def zscores(rows):
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Rows in several Parquet files, larger than the memory that the commands are given."""
    place = tmp_path_factory.mktemp("rows")
    for number, part in enumerate(np.split(rows, FILES)):
        pq.write_table(pa.table(dict(zip("abc", part.T, strict=True))), place / f"{number}.parquet")
    return place


def test_a_folder_is_predicted_into_one_parquet_file(run_cli, folder, rows, tmp_path):
    save(KMeans(4, random_state=0).fit(rows), tmp_path / "m.lookalike")
    out = tmp_path / "labels.parquet"
    arguments = ("predict", tmp_path / "m.lookalike", folder, "-o", out)
    code, _, stderr = run_cli("--memory", "1MB", *arguments)
    assert code == 0, stderr
    written = pq.read_table(out)
    assert written.column_names == ["row", "prediction"]
    np.testing.assert_array_equal(written["row"], np.arange(ROWS))
    model = KMeans(4, random_state=0).fit(rows)
    np.testing.assert_array_equal(written["prediction"], model.predict(rows))
    assert pq.ParquetFile(out).num_row_groups > 1  # it came in pieces


def test_a_folder_is_reduced_into_one_parquet_file(run_cli, folder, rows, tmp_path):
    out = tmp_path / "scores.parquet"
    code, _, stderr = run_cli("--memory", "1MB", "reduce", folder, "-o", out)
    assert code == 0, stderr
    written = pq.read_table(out)
    scores = np.column_stack([np.asarray(column) for column in written.columns])
    np.testing.assert_allclose(scores, PCA(2).fit_transform(zscores(rows)), atol=1e-10)
    assert pq.ParquetFile(out).num_row_groups > 1
    matrix = tmp_path / "scores.npy"
    assert run_cli("--memory", "1MB", "reduce", folder, "-o", matrix)[0] == 0
    np.testing.assert_array_equal(np.load(matrix), scores)


def test_neighbors_of_a_folder_are_searched_in_its_files(run_cli, folder, rows, tmp_path):
    out = tmp_path / "neighbors.parquet"
    code, _, stderr = run_cli("--memory", "200kB", "neighbors", folder, "-k", "2", "-o", out)
    assert code == 0, stderr
    assert "columns: described by 1,388 of the rows" in stderr
    scaled = NearestNeighbors(2).fit(zscores(rows)).kneighbors()
    written = pq.read_table(out)
    np.testing.assert_array_equal(np.asarray(written["neighbor"]).reshape(-1, 2), scaled[1])
    np.testing.assert_allclose(np.asarray(written["distance"]).reshape(-1, 2), scaled[0])
    plain = ("--scale", "none")
    code, _, stderr = run_cli(
        "--memory", "200kB", "neighbors", folder, "-k", "2", "-o", out, *plain
    )
    assert code == 0, stderr
    expected = NearestNeighbors(2).fit(rows).kneighbors()
    written = pq.read_table(out)
    np.testing.assert_array_equal(np.asarray(written["neighbor"]).reshape(-1, 2), expected[1])
    np.testing.assert_array_equal(np.asarray(written["distance"]).reshape(-1, 2), expected[0])
    queries = tmp_path / "queries.parquet"
    pq.write_table(pa.table(dict(zip("abc", rows[:7].T + 0.5, strict=True))), queries)
    code, _, stderr = run_cli(
        "--memory", "200kB", "neighbors", folder, "--query", queries, "-k", "2", "-o", out, *plain
    )
    assert code == 0, stderr
    expected = NearestNeighbors(2).fit(rows).kneighbors(rows[:7] + 0.5)
    np.testing.assert_array_equal(
        np.asarray(pq.read_table(out)["neighbor"]).reshape(-1, 2), expected[1]
    )


def test_a_file_that_vanishes_midway_is_one_sentence_and_nothing_half_written(
    refused, folder, rows, tmp_path, monkeypatch
):
    parts = tmp_path / "rows"
    parts.mkdir()
    for number, part in enumerate(np.split(rows, FILES)):
        pq.write_table(pa.table(dict(zip("abc", part.T, strict=True))), parts / f"{number}.parquet")
    save(KMeans(4, random_state=0).fit(rows), tmp_path / "m.lookalike")
    out = tmp_path / "labels.parquet"
    out.write_bytes(b"what was there before")
    predict = KMeans.predict

    def removing(self, X):
        (parts / "2.parquet").unlink(missing_ok=True)
        return predict(self, X)

    monkeypatch.setattr(KMeans, "predict", removing)
    message = refused("--memory", "1MB", "predict", tmp_path / "m.lookalike", parts, "-o", out)
    assert "2.parquet" in message
    assert "is gone" in message
    assert out.read_bytes() == b"what was there before"
    assert sorted(os.listdir(tmp_path)) == ["labels.parquet", "m.lookalike", "rows"]


def test_a_file_that_vanishes_midway_leaves_the_output_as_it_was(folder, tmp_path):
    place = tmp_path / "rows"
    shutil.copytree(folder, place)
    out = tmp_path / "out.parquet"
    out.write_bytes(b"as it was")
    source = open_source(place)

    def pieces():
        for chunk in source.chunks(500):
            (place / "2.parquet").unlink(missing_ok=True)
            yield {"a": chunk.X[:, 0]}

    with pytest.raises(SourceMissingError, match=r"2\.parquet.*is gone"):
        save_columns(out, ["a"], pieces())
    assert out.read_bytes() == b"as it was"
    assert sorted(os.listdir(tmp_path)) == ["out.parquet", "rows"]
