"""Files of every version that was ever written are read, and answer as they did then.

`python tests/store/test_versions.py` writes those of the present version that are not there: a
file that has been given out is never written anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from lookalike import (
    LSA,
    PCA,
    BoostedNeighborsRegressor,
    ForestNeighborsClassifier,
    GaussianMixtureClassifier,
    KernelClassifier,
    KMeans,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    LabelSpreading,
    LinearDiscriminantAnalysis,
    NearestNeighbors,
    RBFNetworkClassifier,
    Ridge,
    StandardScaler,
    TablePreprocessor,
    load,
    save,
)
from lookalike.index import ExactIndex, LSHIndex
from lookalike.models import SelectByFilter
from lookalike.store.container import FORMAT_VERSION, read_container
from lookalike.store.file import read_header

FILES = Path(__file__).parent / "files"
TEXTS = ["the cat sat", "a dog ate the cat", "the mat lay", "big dog, big house"]


def rows():
    """Return small whole numbers: their answers are the same on every machine."""
    return np.array([[i * j % 7 for j in range(1, 5)] for i in range(30)], dtype=np.float64)


def models():
    X, y = rows(), np.arange(30) % 3
    wide = np.tile(X.astype(np.float32), (5, 20))
    return {
        "classifier": KNeighborsClassifier(3).fit(X, np.array(["a", "b", "ü"])[y]),
        "regressor": KNeighborsRegressor(2, algorithm="exact").fit(X, y),
        "pipeline": make_pipeline(StandardScaler(), PCA(2)).fit(X),
        "texts": LSA(2).fit(TEXTS),
        "exact": ExactIndex(wide[:, :70], filter="prefix"),
        "lsh": LSHIndex(X),
        "forest": ForestNeighborsClassifier(3, random_state=0).fit(X, y),
        "boosting": BoostedNeighborsRegressor(max_iter=3).fit(X, y),
        "kernel": KernelClassifier().fit(X, y),
        "mixture": GaussianMixtureClassifier(random_state=0).fit(X, y),
        "clusters": KMeans(2, random_state=0).fit(X),
        "discriminant": LinearDiscriminantAnalysis().fit(X, y),
        "ridge": Ridge().fit(X, y),
        "rbf": RBFNetworkClassifier(3, random_state=0).fit(X, y),
        "spreading": LabelSpreading().fit(X, np.where(np.arange(30) % 2, y, -1)),
        "selected": SelectByFilter(k=2).fit(X, y),
        "imputed": KNNImputer(n_neighbors=2).fit(np.where(X == 6, np.nan, X)),
        "table": TablePreprocessor().fit(X),
    }


def answer(model):
    if hasattr(model, "query"):
        return model.query(np.tile(rows(), (1, 20))[:5, : model.n_features], 3).row.tolist()
    if hasattr(model, "predict"):
        return model.predict(rows()[::3]).tolist()
    return np.abs(model.transform(TEXTS if isinstance(model, LSA) else rows()[::3])).tolist()


def test_gower_of_a_file_without_expected_differences_leaves_missing_cells_out(tmp_path):
    X = np.array([[0.0, 0.0], [10.0, 4.0], [5.0, np.nan]])
    model = NearestNeighbors(3, metric="gower", missing="present").fit(X)
    present = model.kneighbors([[5.0, 2.0]])
    assert present[0].tolist() == [[0.25, 0.5, 0.5]]
    for attribute in ("expected", "min_shared"):  # which older files do not have
        del model.space_.index.metric.__dict__[attribute]
    save(model, tmp_path / "old.lookalike")
    distance, row = load(tmp_path / "old.lookalike").kneighbors([[5.0, 2.0]])
    assert (row[0, 0], distance[0, 0]) == (2, 0.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", sorted(FILES.glob("*/*.lookalike")), ids=str)
def test_a_file_of_any_version_answers_as_it_did(path):
    told = json.loads((path.parent / "answers.json").read_text())[path.stem]
    assert read_header(path)["format"] == path.parent.name
    found = answer(load(path))
    if isinstance(np.ravel(told)[0], np.floating):
        np.testing.assert_allclose(found, told, rtol=1e-9)
    else:
        assert found == told


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", sorted(FILES.glob("*/*.lookalike")), ids=str)
def test_arrays_of_a_file_of_any_version_keep_their_bits(path, tmp_path):
    save(load(path), tmp_path / "again.lookalike")
    before, after = (
        {
            (array.dtype.str, array.shape, array.tobytes())
            for array in read_container(file)[2].values()
        }
        for file in (path, tmp_path / "again.lookalike")
    )
    assert before <= after


def test_there_are_files_of_the_present_version():
    folder = FILES / f"{FORMAT_VERSION[0]}.{FORMAT_VERSION[1]}"
    assert {path.stem for path in folder.glob("*.lookalike")} == set(models())


if __name__ == "__main__":
    folder = FILES / f"{FORMAT_VERSION[0]}.{FORMAT_VERSION[1]}"
    told = json.loads((folder / "answers.json").read_text())
    for name, model in models().items():
        if name not in told:  # they are written once
            save(model, folder / f"{name}.lookalike")
            told[name] = answer(model)
    (folder / "answers.json").write_text(json.dumps(told))
