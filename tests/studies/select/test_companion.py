"""Whatever model is selected, there are neighbors: its own, or those of a K-NN companion."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import lookalike
from lookalike.report.write_study import write_study
from lookalike.store.study_files import COMPANION_FILE, companion_path


@pytest.mark.parametrize("models", ["lda", "lda,knn,nearest"])
def test_a_model_without_neighbors_has_a_companion_fitted_on_the_same_rows(models, tmp_path):
    study = lookalike.study("iris", models=models, time="20s")
    assert study.winner == "lda"
    companion = study.companion
    assert type(companion[-1]).__name__ == "KNeighborsClassifier"
    assert np.array_equal(companion.training_rows_, study.model.training_rows_)
    write_study(study, tmp_path / "s")
    assert companion_path(tmp_path / "s") == tmp_path / "s" / COMPANION_FILE
    X = load_iris(as_frame=True).data
    loaded = lookalike.load(tmp_path / "s" / COMPANION_FILE)
    assert np.array_equal(loaded.predict(X), companion.predict(X))
    assert np.array_equal(lookalike.load(tmp_path / "s").predict(X), study.model.predict(X))


def test_a_later_study_whose_model_has_neighbors_takes_the_companion_away(tmp_path):
    write_study(lookalike.study("iris", models="ridge", time="20s"), tmp_path / "s")
    assert (tmp_path / "s" / COMPANION_FILE).is_file()
    study = lookalike.study("iris", models="forest", time="20s")
    assert study.companion is None
    write_study(study, tmp_path / "s")
    assert not (tmp_path / "s" / COMPANION_FILE).exists()
