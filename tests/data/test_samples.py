"""Named samples, bundled and from a folder."""

import os
import urllib.error

import numpy as np
import pytest

from lookalike.data import gather, sample
from lookalike.errors import ParameterError, SourceMissingError

FOLDER = os.environ.get("LOOKALIKE_DATA")
needs_folder = pytest.mark.skipif(not FOLDER, reason="LOOKALIKE_DATA is not set")


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("breast_cancer", (569, 30), 2),
        ("diabetes", (442, 10), None),
        ("digits", (1797, 64), 10),
        ("iris", (150, 4), 3),
        ("wine", (178, 13), 3),
    ],
)
def test_bundled_samples_are_there_with_names_and_labels(name, shape, classes):
    source = sample(name)
    got = gather(source)
    assert got.X.shape == shape
    assert len(got.y) == shape[0]
    assert not source.columns[0].name.startswith("x0")
    assert classes is None or len(np.unique(got.y)) == classes


@needs_folder
@pytest.mark.parametrize(
    ("name", "part", "shape"),
    [
        ("mnist", None, (60000, 784)),
        ("mnist", "test", (10000, 784)),
        ("olivetti", None, (400, 4096)),
        ("heart", None, (303, 13)),
        ("letter", None, (16000, 16)),
        ("letter", "test", (4000, 16)),
        ("sift", None, (10000, 128)),
        ("sift", "query", (100, 128)),
        ("cities", None, (144563, 2)),
        ("bunny", None, (35947, 3)),
    ],
)
def test_larger_samples_are_read_from_the_folder(name, part, shape):
    source = sample(name, part)
    assert gather(source).X.shape == shape
    assert source.n_rows in (shape[0], None)


@needs_folder
def test_larger_samples_bring_their_labels():
    counts = np.bincount(gather(sample("mnist", "test")).y)
    assert counts.tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert np.bincount(gather(sample("heart")).y.astype(int)).tolist() == [164, 55, 36, 35, 13]
    assert gather(sample("letter")).y[0] == "T"
    assert gather(sample("cities")).y.dtype.kind == "U"
    assert gather(sample("bunny")).y is None


@needs_folder
def test_adult_has_columns_of_several_kinds_and_its_own_split():
    source = sample("adult")
    kinds = [column.kind for column in source.columns]
    assert (kinds.count("number"), kinds.count("category")) == (6, 8)
    tables = list(source.tables(10_000))
    labels = np.concatenate([table.y for table in tables])
    assert len(labels) == 32561
    rest = np.concatenate([table.y for table in sample("adult", "test").tables()])
    assert np.unique(np.concatenate([labels, rest]), return_counts=True)[1].tolist() == [
        37155,
        11687,
    ]
    parts = [*tables, *sample("adult", "test").tables()]
    strings = [v for t in parts for v in t.values.values() if v.dtype == object]
    missing = sum(value is None for values in strings for value in values)
    assert missing == 6465


@needs_folder
def test_cranfield_is_text():
    source = sample("cranfield")
    assert {column.name: column.kind for column in source.columns}["text"] == "text"
    texts = np.concatenate([table.values["text"] for table in source.tables()])
    assert len(texts) == 1400
    assert [row for row, text in enumerate(texts) if text is None] == [470, 994]
    assert gather(sample("cranfield", "qrels")).X.shape == (1837, 3)
    assert sample("cranfield", "queries").columns[2].kind == "text"


@pytest.mark.parametrize("folder", [None, "."])
def test_a_sample_that_is_not_there_says_what_to_set(monkeypatch, tmp_path, folder):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    if folder:
        monkeypatch.setenv("LOOKALIKE_DATA", folder)
    with pytest.raises(SourceMissingError, match=r"adult\.csv\.gz.*Set LOOKALIKE_DATA"):
        sample("adult")


def test_mnist_is_fetched_where_the_folder_has_none_and_offline_says_what_to_set(monkeypatch):
    def offline(*arguments, **options):
        raise urllib.error.URLError("no route to host")

    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(SourceMissingError, match=r"no route to host.*Set LOOKALIKE_DATA"):
        sample("mnist")

    class Bunch:
        data = np.zeros((70000, 784), np.float32)
        target = np.array(["5"] * 60000 + ["7"] * 10000)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda *_, **__: Bunch)
    got = gather(sample("mnist", "test"))
    assert (got.X.shape, got.X.dtype, got.y[0]) == ((10000, 784), np.uint8, 7)


def test_an_unknown_sample_or_part_is_told_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"no sample 'titanic'.*adult, breast_cancer"):
        sample("titanic")
    with pytest.raises(ParameterError, match=r"'mnist' has no part 'dev'\. Give train, test"):
        sample("mnist", "dev")
    with pytest.raises(ParameterError, match="'iris' has no part 'test'"):
        sample("iris", "test")
