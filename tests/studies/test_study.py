"""A study from rows to summary, compared with an independent computation."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import lookalike
from lookalike.settings import settings
from lookalike.studies.results import STUDY_SCHEMA, Study
from lookalike.studies.select.candidates import ALL_CANDIDATES


@pytest.fixture(scope="module")
def digits() -> Study:
    return lookalike.study("digits", models=["baseline", "knn", "knn_weighted"])


def test_the_winner_of_digits_predicts_every_held_out_row_as_scikit_learns_parts_do(digits):
    X, y = load_digits(return_X_y=True)
    predictions = digits.predictions
    assert digits.winner in ("knn", "knn_weighted")
    for fold, (fitted, train) in enumerate(digits.fold_models):
        rows = predictions.row[predictions.fold == fold]
        model = fitted[-1]
        reference = KNeighborsClassifier(model.n_neighbors, weights=model.weights)
        answers = reference.fit(X[train], y[train]).predict(X[rows])
        wrong = answers != predictions.y_pred[predictions.fold == fold]
        assert wrong.mean() < 0.01  # ties of votes apart
    error = (predictions.y_pred != y[predictions.row]).mean()
    assert digits.held_out.error == pytest.approx(error, abs=0.003)  # corrected for the selection


def test_a_study_of_few_rows_leaves_the_settings_as_they_were(few_candidates):
    before = settings()
    lookalike.study("iris")
    assert settings() == before


def test_neighbors_that_win_predict_every_held_out_row_as_scikit_learns_do(monkeypatch):
    neighbors = [entry for entry in ALL_CANDIDATES if entry.name in ("baseline", "knn_weighted")]
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", tuple(neighbors))
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    X, y = load_breast_cancer(return_X_y=True)
    found = lookalike.study(X, y)
    wrong = 0
    for fold, (fitted, train) in enumerate(found.fold_models):
        here = found.predictions.fold == fold
        held = found.predictions.row[here]
        scaler = StandardScaler().fit(X[train])
        reference = KNeighborsClassifier(fitted[-1].n_neighbors_, weights="distance")
        answers = reference.fit(scaler.transform(X[train]), y[train]).predict(
            scaler.transform(X[held])
        )
        np.testing.assert_array_equal(found.predictions.y_pred[here], answers)
        wrong += (answers != y[held]).sum()
    winner = next(one for one in found.candidates if one.name == "knn_weighted")
    assert winner.validation_error == wrong / len(y)


def test_every_row_is_held_out_with_the_classes_in_proportion(digits):
    assert digits.shape.n_held_out == digits.shape.n_train == 1797
    y, fold = digits.predictions.y_true, digits.predictions.fold
    counts = np.array([np.bincount(y[fold == part], minlength=10) for part in range(3)])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_the_json_has_the_schema_and_only_what_json_can_hold(digits):
    found = json.loads(digits.to_json())
    assert found["schema"] == STUDY_SCHEMA
    assert found["shape"]["n_rows"] == 1797
    assert "predictions" not in found
    assert found["held_out"]["error"] == digits.held_out.error


def without_timings(found: dict) -> dict:
    found.pop("seconds")
    found.pop("stages")
    for one in found["candidates"]:
        one.pop("seconds")
    return found


def test_the_summary_is_printed_and_shown_in_notebooks_escaped(digits):
    assert str(digits).startswith("Best model: K nearest neighbors")
    assert "<li>Best model" in digits._repr_html_()


def test_noise_is_not_important_to_a_model_that_memorizes_its_rows(monkeypatch):
    weighted = [entry for entry in ALL_CANDIDATES if entry.name in ("baseline", "knn_weighted")]
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", tuple(weighted))
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    X = np.column_stack([y + 0.8 * rng.normal(size=200), rng.normal(size=(200, 2))])
    signal, *noise = sorted(lookalike.study(X, y).feature_importance, key=lambda one: one.name)
    assert signal.interval[0] > 0
    assert all(one.interval[0] <= 0 for one in noise)


def test_regression_is_evaluated_by_its_rmse(few_candidates):
    found = lookalike.study("diabetes")
    truth, answer = found.predictions.y_true, found.predictions.y_pred
    assert found.task == "regression"
    rmse = np.sqrt(np.mean((truth - answer) ** 2))
    assert found.held_out.error == pytest.approx(rmse, rel=0.01)  # corrected for the selection
    assert found.held_out.interval[0] < found.held_out.error < found.held_out.interval[1]
    assert len(found.predictions.row) == 442
    assert found.learning_curve.score == "rmse"
    assert found.learning_curve.error[0] > found.learning_curve.error[-1] > found.held_out.error / 2
    assert found.audit.target_kind == "number"
    assert {"mislabel_probability", "suggested_label", "deviation"} <= set(found.audit.table.scores)
    assert found.bayes_error is None
    told = " ".join(finding.text for finding in found.summary)
    assert "Held-out RMSE" in told


def test_texts_are_compared_by_tf_idf_and_by_lsa(tmp_path):
    rng = np.random.default_rng(0)
    subjects = {
        "cars": ["motor", "wheel", "brake", "road"],
        "plants": ["leaf", "root", "stem", "petal"],
    }
    lines = []
    for row in range(120):
        name = ("cars", "plants")[row % 2]
        words = [*rng.choice(subjects[name], 4), *rng.choice(["the", "and", "for"], 4)]
        lines.append(json.dumps({"id": row, "text": " ".join(words) + f" {row}", "subject": name}))
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    found = lookalike.study(tmp_path / "texts.jsonl", target="subject", text="text")
    assert found.data_kind == "texts"
    assert {one.name for one in found.candidates} >= {"tfidf_knn", "lsa_knn", "tfidf_linear"}
    assert found.held_out.error < 0.05
    assert {one.name for one in found.feature_importance[:4]} <= {
        *subjects["cars"],
        *subjects["plants"],
    }
    suspects = found.audit.flagged_rows
    assert all(one.text for one in suspects)


def test_a_folder_of_images_is_studied_with_thumbnails(tmp_path, few_candidates):
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(40):
        name = ("bright", "dark")[number % 2]
        (tmp_path / name).mkdir(exist_ok=True)
        gray = rng.integers(0, 60, (6, 5)) + (150 if name == "bright" else 0)
        Image.fromarray(gray.astype(np.uint8)).save(tmp_path / name / f"{number}.png")
    odd = np.full((6, 5), 255, np.uint8)
    odd[::2] = 0
    Image.fromarray(odd).save(tmp_path / "dark" / "odd.png")
    found = lookalike.study(tmp_path)
    assert found.data_kind == "images"
    assert found.image_shape == (6, 5)
    assert found.target.classes == ("bright", "dark")
    outlier = next(one for one in found.audit.flagged_rows if one.kind == "outlier")
    assert outlier.thumbnail.startswith("data:image/png")


def test_without_a_target_clusters_are_found():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 3)) + shift for shift in (0, 10, 20)])
    found = lookalike.study(X)
    assert found.task == "exploratory"
    assert [group.n_rows for group in found.clustering.clusters] == [40, 40, 40]
    assert found.winner is None
    assert found.model is None
    assert set(found.projections[0].label) == {"cluster 1", "cluster 2", "cluster 3"}


def test_a_test_file_is_what_the_winner_is_evaluated_on_and_its_copies_are_leakage(
    tmp_path, few_candidates
):
    X, y = load_breast_cancer(return_X_y=True)
    rows = [",".join(map(str, [*line, label])) for line, label in zip(X, y, strict=True)]
    head = ",".join([f"x{j}" for j in range(30)] + ["y"])
    (tmp_path / "train.csv").write_text("\n".join([head, *rows[:200]]))
    (tmp_path / "test.csv").write_text("\n".join([head, *rows[200:300], rows[7]]))
    found = lookalike.study(tmp_path / "train.csv", target="y", test=tmp_path / "test.csv")
    assert found.shape.n_held_out == 101
    np.testing.assert_array_equal(found.predictions.row, np.arange(101))
    assert found.audit.table.leaks == {100: 7}
    assert found.audit.counts["leak"] == 1


def test_the_winner_is_evaluated_on_the_test_rows_of_an_npz_file(tmp_path, few_candidates):
    X, y = load_breast_cancer(return_X_y=True)
    path = tmp_path / "both.npz"
    np.savez(path, x_train=X[:200], y_train=y[:200], x_test=X[200:300], y_test=y[200:300])
    found = lookalike.study(path)
    assert (found.shape.n_train, found.shape.n_held_out) == (200, 100)
    np.testing.assert_array_equal(found.predictions.y_true, y[200:300])


@pytest.mark.alone
def test_models_without_time_are_named_and_the_others_are_compared_by_processes():
    X = np.random.default_rng(0).normal(size=(6000, 60))
    y = np.where(X[:, :3].sum(axis=1) > 0, "up", "down")
    begin = time.monotonic()
    study = lookalike.study(X, y, time=4, effort="full")
    assert time.monotonic() - begin < 12
    assert study.winner != "baseline"
    left = [one for one in study.candidates if one.lacked_time]
    assert left
    assert all(one.name != study.winner and one.held_out_error is None for one in left)
    assert study.summary[0].kind == "skipped"


def test_a_time_limit_skips_what_does_not_fit_and_says_so():
    found = lookalike.study("iris", time=0.5)
    assert [one.name for one in found.candidates if one.validation_error is not None]
    assert any("time" in one.skipped for one in found.candidates)


def test_a_cluster_of_two_processes_gives_the_study_that_memory_gives(cluster):
    address = cluster.scheduler.address
    there = lookalike.study("iris", engine="dask", scheduler=address).to_dict()
    here = lookalike.study("iris").to_dict()
    there["settings"].pop("engine")
    here["settings"].pop("engine")
    assert without_timings(there) == without_timings(here)
