"""Commands take texts, images, mixed tables and missing values, with the model's preparation."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from study_answers import keep_models
from table_files import write_xlsx

import lookalike

CODES = ("00501", "07001", "10001", "20002")
WORDS = ("ship sea boat harbor wind", "bank money loan rate credit", "goal ball team match win")


@pytest.fixture(scope="module")
def texts():
    """Texts of three classes, as a table."""
    rng = np.random.default_rng(0)
    lines = [" ".join(rng.permutation(WORDS[i % 3].split())[:4]) + f" w{i}" for i in range(60)]
    return pd.DataFrame({"id": np.arange(60), "body": lines, "topic": np.arange(60) % 3})


@pytest.fixture(scope="module")
def text_model(texts, tmp_path_factory):
    """The model of a study of texts, as a file."""
    folder = tmp_path_factory.mktemp("texts")
    texts.to_csv(folder / "t.csv", index=False)
    study = lookalike.study(str(folder / "t.csv"), target="topic", text="body", time="20s")
    lookalike.save(study.model, folder / "m.lookalike")
    return folder / "m.lookalike"


def predictions(out):
    return [line[1] for line in list(csv.reader(out.splitlines()))[1:]]


def test_a_model_of_texts_predicts_csv_jsonl_and_folders(run_cli, texts, text_model, tmp_path):
    texts.to_csv(tmp_path / "t.csv", index=False)
    texts.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for i, text in enumerate(texts["body"][:9]):
        (tmp_path / "folder").mkdir(exist_ok=True)
        (tmp_path / "folder" / f"{i:02d}.txt").write_text(text)
    for name in ("t.csv", "t.jsonl", "folder"):
        code, out, stderr = run_cli("predict", text_model, tmp_path / name)
        assert code == 0, stderr
        assert predictions(out)[:9] == ["0", "1", "2"] * 3
    long = "{} and so on, with many more words of which none is about any of the three topics"
    pair = pd.DataFrame({"body": [long.format(one) for one in texts["body"]], "topic": "?"})
    model = lookalike.load(text_model)
    model.steps[0][1].column = None  # as of a study of texts and labels, without other columns
    lookalike.save(model, tmp_path / "m.lookalike")
    pair.to_csv(tmp_path / "pair.csv", index=False)
    code, out, stderr = run_cli("predict", tmp_path / "m.lookalike", tmp_path / "pair.csv")
    assert code == 0, stderr
    assert len(predictions(out)) == 60
    code, out, stderr = run_cli("explain", text_model, tmp_path / "t.csv", "--row", "4", "--json")
    assert code == 0, stderr
    assert json.loads(out)["prediction"] == 1


def test_other_commands_take_texts(run_cli, texts, tmp_path):
    path = tmp_path / "t.csv"
    texts.to_csv(path, index=False)
    code, out, stderr = run_cli("neighbors", path, "--text", "body", "-k", "2")
    assert code == 0, stderr
    rows = [[int(cell) for cell in line[:3]] for line in list(csv.reader(out.splitlines()))[1:]]
    assert np.mean([row % 3 == near % 3 for row, _, near in rows]) > 0.9
    code, out, stderr = run_cli("cluster", path, "--text", "body", "-k", "3", "--json")
    assert code == 0, stderr
    assert sum(json.loads(out)["cluster_sizes"]) == 60
    code, out, stderr = run_cli("reduce", path, "--text", "body", "-c", "2", "--json")
    assert code == 0, stderr
    code, out, stderr = run_cli("select", path, "--text", "body", "--target", "topic", "--json")
    assert code == 0, stderr
    best = {one["feature"] for one in json.loads(out)["features"][:10]}
    assert best <= set(" ".join(WORDS).split())


def test_options_that_documents_have_no_use_for_are_refused(refused, texts, tmp_path):
    path = tmp_path / "t.csv"
    texts.to_csv(path, index=False)
    arguments = ("neighbors", path, "--text", "body", "--target", "topic")
    message = refused(*arguments, "--metric", "manhattan")
    assert "--metric 'manhattan': documents are compared by their cosine" in message


def test_the_engine_of_reduce_prepares_the_table_too(run_cli, tmp_path):
    path, model = tmp_path / "t.csv", tmp_path / "m.lookalike"
    pd.DataFrame({"a": np.arange(20.0), "b": ["x", "y"] * 10}).to_csv(path, index=False)
    code, _, stderr = run_cli(
        "reduce", path, "-c", "1", "--engine", "stream", "--model", model, "--json"
    )
    assert code == 0, stderr
    assert [step.engine for _, step in lookalike.load(model).steps] == ["stream", "stream"]


def test_a_model_of_images_predicts_a_folder_of_other_sizes(run_cli, tmp_path, few_candidates):
    rng = np.random.default_rng(0)
    for i in range(24):
        pixels = rng.integers(0, 60, size=(8, 8)).astype(np.uint8)
        pixels[:, :4] += np.uint8(150 * (i % 2))
        (tmp_path / "train" / "ab"[i % 2]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(tmp_path / "train" / "ab"[i % 2] / f"{i:02d}.png")
        (tmp_path / "new").mkdir(exist_ok=True)
        Image.fromarray(pixels).resize((16, 16)).save(tmp_path / "new" / f"{i:02d}.png")
    study = lookalike.study(str(tmp_path / "train"), time="20s")
    lookalike.save(study.model, tmp_path / "m.lookalike")
    code, out, stderr = run_cli("predict", tmp_path / "m.lookalike", tmp_path / "new")
    assert code == 0, stderr
    assert predictions(out) == ["a", "b"] * 12
    arguments = ("explain", tmp_path / "m.lookalike", tmp_path / "new", "--row", "3", "--json")
    code, out, stderr = run_cli(*arguments)
    assert code == 0, stderr
    assert json.loads(out)["prediction"] == "b"
    code, out, stderr = run_cli("audit", tmp_path / "train", "--json", "--time", "20s")
    assert code == 0, stderr


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A mixed table with missing cells and integer labels 1, 2 and 10, ordered by class."""
    rng = np.random.default_rng(0)
    y = np.repeat([10, 2, 1], 30)
    frame = pd.DataFrame(
        {
            "size": y + 0.3 * rng.normal(size=90),
            "town": np.array(["Graz", "Linz", "Wien"])[rng.integers(3, size=90)],
            "kind": y,
        }
    )
    frame.loc[[4, 40], "size"] = np.nan
    frame.loc[7, "town"] = None
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def study_of_mixed(mixed):
    return lookalike.study(str(mixed), target="kind", time="20s")


def test_integer_labels_stay_integers_in_the_order_of_numbers(
    run_cli, mixed, study_of_mixed, tmp_path
):
    study = study_of_mixed
    assert study.target.classes == (1, 2, 10)
    assert json.loads(study.to_json())["target"]["classes"] == [1, 2, 10]
    lookalike.save(study.model, tmp_path / "m.lookalike")
    code, out, stderr = run_cli("predict", tmp_path / "m.lookalike", mixed, "--json")
    assert code == 0, stderr
    assert json.loads(out.splitlines()[0])["prediction"] == 10
    parquet = tmp_path / "p.parquet"
    assert run_cli("predict", tmp_path / "m.lookalike", mixed, "-o", parquet)[0] == 0
    table = pd.read_parquet(parquet)
    assert table["prediction"].dtype.kind == "i"
    assert table["row"].tolist() == list(range(90))
    frame = pd.read_csv(mixed)
    assert study.model.score(frame.drop(columns="kind"), frame["kind"]) > 0.9


def test_the_row_that_is_left_out_is_that_of_the_file(run_cli, mixed, study_of_mixed, tmp_path):
    frame = pd.read_csv(mixed)
    study = study_of_mixed
    prepare = study.model.steps[0][1]
    rows = study.model.training_rows_
    assert sorted(rows) == list(range(90))
    from sklearn.pipeline import Pipeline

    Z = prepare.transform(frame.iloc[rows].drop(columns="kind"))
    nearest = lookalike.KNeighborsClassifier(3).fit(np.asarray(Z), frame["kind"].iloc[rows])
    model = Pipeline([("prepare", prepare), ("model", nearest)])
    model.training_rows_ = rows
    lookalike.save(model, tmp_path / "m.lookalike")
    arguments = ("explain", tmp_path / "m.lookalike", mixed, "--row", "5", "--json")
    code, out, stderr = run_cli(*arguments)
    assert code == 0, stderr
    assert "row 5 is a training row of the model: it is left out" in stderr
    found = json.loads(run_cli(*arguments, "--leave-out")[1])
    assert json.loads(out)["neighbors"] == found["neighbors"]
    assert 5 not in found["neighbors"]
    assert {int(frame["kind"][row]) for row in found["neighbors"]} == {10}
    assert found["targets"] == frame["kind"][found["neighbors"]].tolist()


def test_mixed_tables_with_missing_values_are_reduced_and_clustered(run_cli, mixed, tmp_path):
    scores = tmp_path / "scores.parquet"
    assert run_cli("reduce", mixed, "-c", "2", "--drop", "kind", "-o", scores)[0] == 0
    assert pd.read_parquet(scores).shape == (90, 2)
    assert run_cli("cluster", mixed, "-k", "3", "--scale", "--json")[0] == 0
    assert run_cli("select", mixed, "--target", "kind", "--json")[0] == 0


def test_a_likely_target_is_suggested(run_cli, refused, table):
    path = table("a,b,class\n" + "\n".join(f"{i % 5},{i % 3},{'xy'[i % 2]}" for i in range(30)))
    assert "--target class" in refused("select", path)
    code, _, stderr = run_cli("audit", path, "--time", "20s")
    assert code == 0
    assert "give --target class" in stderr


def test_a_ridge_classifier_is_explained_by_the_decision_value_of_its_class(run_cli, tmp_path):
    from sklearn.linear_model import RidgeClassifierCV
    from sklearn.pipeline import make_pipeline

    from lookalike.models.preprocessing.table import TablePreprocessor

    X, y = _iris()
    model = make_pipeline(TablePreprocessor(), RidgeClassifierCV()).fit(X, y)
    lookalike.save(model, tmp_path / "m.lookalike")
    arguments = ("explain", tmp_path / "m.lookalike", "iris", "--row", "120")
    result = json.loads(run_cli(*arguments, "--json")[1])
    assert result["prediction"] == 2
    assert result["score"] == pytest.approx(model.decision_function(X[120:121])[0, 2])
    assert "decision value" in run_cli(*arguments)[1]


def _iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def test_columns_of_an_npz_file_have_their_names(run_cli, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40)
    X = np.column_stack([y + 0.1 * rng.normal(size=40), rng.normal(size=40)])
    np.savez(tmp_path / "d.npz", X=X, y=y, feature_names=np.array(["height", "noise"]))
    code, out, stderr = run_cli("select", tmp_path / "d.npz", "--json")
    assert code == 0, stderr
    assert json.loads(out)["features"][0]["feature"] == "height"


def test_suggested_corrections_are_applied_beside_the_original(run_cli, refused, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    X = np.where(y == "a", 0.0, 9.0)[:, None] + rng.normal(size=(120, 2))
    wrong = [3, 17, 50, 70, 90, 100]
    label = y.copy()
    label[wrong] = np.where(y[wrong] == "a", "b", "a")
    frame = pd.DataFrame({"p": X[:, 0], "q": X[:, 1], "kind": label})
    frame = pd.concat([frame, frame.iloc[[5]]])
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    before = path.read_bytes()
    code, out, stderr = run_cli("audit", path, "--target", "kind", "--apply", "--time", "20s")
    assert code == 0, stderr
    assert "Rows: 6 relabeled, 1 dropped." in out
    assert path.read_bytes() == before
    cleaned = pd.read_csv(tmp_path / "t_cleaned.csv")
    assert cleaned["kind"].tolist() == y.tolist()
    listed = tmp_path / "t_corrections.csv"
    assert len(pd.read_csv(listed)) == 7
    assert "exists already" in refused("audit", path, "--target", "kind", "--apply")
    (tmp_path / "t_cleaned.csv").unlink()
    listed.write_text("row,action,label\n3,relabel,a\n")
    again = ("audit", path, "--target", "kind", "--apply", "--corrections", listed)
    assert "without an audit" in refused(*again, "-o", tmp_path / "audit.csv")
    assert run_cli(*again)[0] == 0
    assert pd.read_csv(tmp_path / "t_cleaned.csv")["kind"][3] == "a"
    assert "not a file of a table" in refused("audit", "iris", "--apply")


@pytest.fixture(scope="module")
def code_study(tmp_path_factory):
    """The folder of a study whose label is the code of a row."""
    folder = tmp_path_factory.mktemp("codes")
    rng = np.random.default_rng(0)
    codes = np.array(CODES)[rng.integers(4, size=80)]
    days = [f"{1 + i % 28}/{1 + i % 12}/2021" for i in range(80)]
    truths = np.where(rng.random(80) < 0.5, "true", "false")
    frame = pd.DataFrame({"zip": codes, "day": days, "open": truths, "size": rng.normal(size=80)})
    frame["size"] = frame["size"].map("{:.1f} °C".format)
    frame.assign(place=pd.Series(codes).map(dict(zip(CODES, "abcd", strict=True)))).to_csv(
        folder / "codes.csv", index=False
    )
    study = lookalike.study(
        str(folder / "codes.csv"), target="place", models=["knn"], effort="quick", time="none"
    )
    return keep_models(study, folder / "study")


NEW_CODES = [
    {"zip": "10001", "day": "3/4/2021", "open": "true", "size": 0.5},
    {"zip": "20002", "day": "5/6/2021", "open": "maybe", "size": -0.5},
]
WRITERS = {
    "csv": lambda path: pd.DataFrame(NEW_CODES).to_csv(path, index=False),
    "json": lambda path: path.write_text(json.dumps(NEW_CODES)),
    "jsonl": lambda path: path.write_text("\n".join(map(json.dumps, NEW_CODES))),
    "parquet": lambda path: pd.DataFrame(NEW_CODES).to_parquet(path),
    "xlsx": lambda path: path.write_bytes(
        write_xlsx({"S": [list(NEW_CODES[0]), *(list(row.values()) for row in NEW_CODES)]})
    ),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_column_of_later_rows_is_what_it_was_in_the_study(run_cli, code_study, tmp_path, suffix):
    path = tmp_path / f"new.{suffix}"
    WRITERS[suffix](path)
    code, out, stderr = run_cli("predict", code_study, path)
    assert code == 0, stderr
    assert [line["prediction"] for line in csv.DictReader(out.splitlines())] == ["c", "d"]
    assert "categories that training rows lack" not in stderr
    assert "missing values, in 1 cell: open (1)" in stderr
    assert "--types" not in stderr  # the model knows them
    code, out, stderr = run_cli("explain", code_study, path, "--row", "0", "--json")
    assert code == 0, stderr
    assert json.loads(out)["prediction"] == "c"
