"""Candidates for documents: linear classifiers that can be kept, stored and explained."""

from dataclasses import replace

import numpy as np
import pytest

import lookalike
from lookalike.explain.prediction.row_contributions import row_contributions
from lookalike.models.ensemble import WeightedEnsembleClassifier
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.effort import Effort
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK

RNG = np.random.default_rng(0)
STEMS = {"animals": ["cat", "dog", "horse"], "tools": ["saw", "drill", "hammer"]}
LABELS = np.repeat(list(STEMS), 40)
DOCUMENTS = [
    " ".join(f"{stem}{ending}" for stem, ending in zip(
        RNG.choice(STEMS[label], 4), RNG.choice(["", "s", "ing", "ish"], 4), strict=True
    ))
    for label in LABELS
]  # fmt: skip


@pytest.mark.parametrize("name", ["ngram_svm", "ngram_logistic", "tfidf_logistic"])
def test_a_linear_model_of_documents_is_kept_and_predicts_from_a_file(name, tmp_path):
    effort = replace(Effort.quick(), references=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
        study = lookalike.study(DOCUMENTS, LABELS, models=name, effort=effort, time=None)
    assert study.winner == name
    assert study.held_out.error < 0.1
    lookalike.save(study.model, tmp_path / "m")
    loaded = lookalike.load(tmp_path / "m")
    new = ["catish doging", "sawish hammers"]
    assert loaded.predict(new).tolist() == ["animals", "tools"]


def test_rows_of_an_ensemble_of_text_models_sum_to_its_probability():
    Z = TermWeights().fit_transform(DOCUMENTS)
    training = TrainingRows(Z, LABELS, CLASSIFICATION_TASK, seed=0, effort=Effort.quick())
    spec = next(one for one in TEXT_CANDIDATES if one.name == "tfidf_logistic")
    fitted = spec.fit(training).steps[-1][1]
    model = WeightedEnsembleClassifier.of_fitted(
        [("tfidf_logistic", fitted)], np.ones(1), Z, LABELS
    )
    parts = row_contributions(model, Z[:1])
    np.testing.assert_allclose(parts.prediction, model.predict_proba(Z[:1])[0], atol=1e-9)
    assert np.abs(parts.constant).max() < 0.05  # what rows do not say: intercept and solver
