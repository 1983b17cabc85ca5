"""References: compared on the same folds, shown with their gap, never selected or kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lookalike
from lookalike.studies.effort import Effort
from lookalike.studies.findings.model import references
from lookalike.studies.select.references import REFERENCE_CANDIDATES, TEXT_REFERENCES

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def study():
    X = rng.normal(size=(1000, 3))
    effort = replace(Effort.quick(), references=True)
    return lookalike.study(X, np.where(X[:, 0] > 0, "up", "down"), time="60s", effort=effort)


def test_a_reference_is_in_the_table_with_its_gap_and_is_not_the_winner(study):
    one = next(one for one in study.candidates if one.reference)
    winner = next(other for other in study.candidates if other.name == study.winner)
    assert one.name == "svm"
    assert not winner.reference
    assert one.gap == pytest.approx(one.validation_error / winner.validation_error - 1)
    assert one.validation_method == "3-fold cross-validation"
    assert "SVC" not in str(study.model)


def test_the_summary_says_so_where_a_reference_is_better(study):
    place, one = next((i, one) for i, one in enumerate(study.candidates) if one.reference)
    others = [replace(other, validation_error=0.5) for other in study.candidates]
    others[place] = replace(one, validation_error=0.25, gap=-0.5)
    finding = references(replace(study, candidates=tuple(others)))
    assert "support vector machine (RBF kernel) (25.0%) had a smaller error" in finding.text
    assert finding.figures[f"candidates.{place}.validation_error"] == "25.0%"
    others[place] = replace(one, validation_error=0.75, gap=0.5)
    assert references(replace(study, candidates=tuple(others))) is None


def test_every_reference_is_marked_as_one():
    assert all(spec.reference for spec in (*REFERENCE_CANDIDATES, *TEXT_REFERENCES))


class Booster:
    """Stands for a library: takes codes alone, as XGBoost does, and answers in a column."""

    def __init__(self, **options):
        self.options = options

    def fit(self, X, y):
        assert y.dtype.kind == "i"
        self.first = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
        return self

    def predict_proba(self, X):
        near, far = (((X - center) ** 2).sum(axis=1) for center in self.first)
        return np.column_stack([far, near]) / (near + far)[:, None]


def test_a_library_that_is_asked_for_is_compared_and_not_kept(monkeypatch):
    monkeypatch.setattr(
        "lookalike.studies.select.references.installed_libraries", lambda: ["xgboost"]
    )
    monkeypatch.setattr(
        "lookalike.studies.select.references.import_module",
        lambda name: type(name, (), {"XGBClassifier": Booster}),
    )
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    X = rng.normal(size=(200, 3))
    labels = np.where(X[:, 0] > 0, "up", "down")
    study = lookalike.study(X, labels, time=None, effort="quick", references=True)
    one = next(one for one in study.candidates if one.name == "xgboost")
    assert one.reference
    assert one.validation_error < 0.3
    assert "Booster" not in str(study.model)
