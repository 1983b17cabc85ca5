"""Small, odd and wrong data: something sensible is said, or one sentence of error."""

from __future__ import annotations

import numpy as np
import pytest
from example_study import claim_text

import lookalike
from lookalike.cli.program import run
from lookalike.errors import LookalikeError
from lookalike.studies.overview import actions, verdict
from lookalike.studies.select.candidates import ALL_CANDIDATES


def noise(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


def test_three_rows_are_studied():
    found = lookalike.study([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]], ["a", "a", "b"])
    assert found.task == "classification"
    assert found.held_out.n_rows == 3
    assert claim_text(found).startswith("Best model")


def test_two_rows_are_an_error():
    with pytest.raises(LookalikeError, match="2 rows cannot be studied"):
        lookalike.study([[0.0], [1.0]], ["a", "b"])


def test_one_column_is_enough():
    X = np.concatenate([noise(30, 1), noise(30, 1) + 8])
    found = lookalike.study(X, ["a"] * 30 + ["b"] * 30)
    assert found.held_out.error < 0.1
    assert found.projections == ()


def test_a_single_class_is_always_predicted_and_the_baseline_wins():
    found = lookalike.study(noise(40, 3), ["only"] * 40)
    assert found.winner == "baseline"
    assert found.held_out.error == 0
    assert "nothing to predict" in claim_text(found)
    assert found.bayes_error is None


def test_a_class_that_cannot_be_predicted_is_no_reason_to_warn():
    found = lookalike.study(noise(40, 3), ["a"] * 36 + ["b"] * 4)
    assert found.winner == "baseline"
    assert found.prototype_selection.n_prototypes < 40


def test_a_column_without_a_value_is_left_out_and_a_table_of_them_is_an_error(few_candidates):
    X = np.column_stack([noise(40, 2), np.full(40, np.nan)])
    found = lookalike.study(X, [0, 1] * 20)
    assert [column.kind for column in found.columns] == ["number", "number", "empty"]
    with pytest.raises(LookalikeError, match="No column is left"):
        lookalike.study(np.full((40, 2), np.nan), [0, 1] * 20)


def test_rows_whose_target_is_missing_are_left_out_and_counted(few_candidates):
    y = np.array([0.0, 1.0] * 20)
    y[3] = np.nan
    found = lookalike.study(noise(40, 2), y)
    assert found.shape.n_rows == 39
    assert any("1 left out" in decision.choice for decision in found.decisions)
    assert 3 not in found.predictions.row
    with pytest.raises(LookalikeError, match="missing in every row"):
        lookalike.study(noise(40, 2), np.full(40, np.nan))


def test_ten_thousand_columns_are_studied(monkeypatch):
    kept = tuple(one for one in ALL_CANDIDATES if one.name in ("baseline", "knn", "ridge"))
    monkeypatch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
    X = noise(60, 10_000)
    X[:30, :50] += 1.5
    found = lookalike.study(X, ["a"] * 30 + ["b"] * 30)
    assert found.shape.n_columns == 10_000
    assert found.held_out.error < 0.3


def test_missing_values_and_categories_are_prepared_from_training_rows(tmp_path, few_candidates):
    rng = np.random.default_rng(1)
    lines = ["id,age,town,ill"]
    for row in range(120):
        ill = row % 2
        age = "" if row % 7 == 0 else f"{30 + 20 * ill + rng.normal():.2f}"
        town = "" if row % 11 == 0 else ("Graz", "Linz")[ill]
        lines.append(f"{row + 100},{age},{town},{('no', 'yes')[ill]}")
    (tmp_path / "ill.csv").write_text("\n".join(lines))
    found = lookalike.study(tmp_path / "ill.csv", target="ill")
    kinds = {fact.name: (fact.kind, fact.role) for fact in found.columns}
    assert kinds["id"] == ("identifier", "dropped")
    assert kinds["town"] == ("category", "feature")
    assert found.held_out.error < 0.1


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,a,y\n1,2,3\n", ["--target", "y"], "two columns named 'a'"),
        ("a,y\n", ["--target", "y"], "no rows"),
        ("a,y\n1,2\n3,4\n5,6\n", ["--target", "z"], "'z'"),
        ("a,y\n1,2\n3,4\n5,6\n", ["--target", "y", "--task", "dance"], "--task 'dance'"),
        (
            "a,y\n1,p\n3,q\n5,p\n",
            ["--target", "y", "--task", "regression"],
            "which is not a number",
        ),
        ("a,y\n1,p\n3,q\n5,p\n", ["--task", "classification"], "needs a target"),
        ("a,y\n1,p\n3,q\n5,p\n", ["--target", "y", "--split", "s"], "is not a column"),
        ("a,y\n1,p\n3,q\n5,p\n", ["--target", "y", "--time", "soon"], "not a length of time"),
        ("a,y\n1,p\n3,q\n5,p\n", ["--target", "y", "--metric", "near"], "near"),
        ("a,y\n1,p\n3,q\n5,p\n", ["--target", "y", "--memory", "much"], "--memory 'much'"),
        ("a,y\n1,p\n3,q\n5,p\n", ["--target", "y", "--scheduler", "tcp://x"], "engine='dask'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(tmp_path, capsys, text, options, said):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    out = tmp_path / "out"
    assert run(["study", str(path), *options, "--out", str(out)]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown
    assert not out.exists()
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_list_of_documents_has_no_column_that_could_be_the_target():
    documents = ["one text", "another text", "a third text"]
    with pytest.raises(LookalikeError, match=r"target names 'kind'.*Give their classes as y"):
        lookalike.study(documents, target="kind")


@pytest.mark.parametrize("models", [(), ("lda",)])
@pytest.mark.parametrize("value", [3.5, "yes"])
def test_a_constant_target_is_said_once_and_no_model_is_fitted_to_it(value, models):
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = lookalike.study(X, np.full(30, value), models=models, time="none", effort="quick")
    assert [one.name for one in found.candidates] == ["baseline"]
    assert "the target is constant" in verdict(found)
    assert actions(found) == ()
    assert not any("equal within noise" in one.text.lower() for one in found.summary)
