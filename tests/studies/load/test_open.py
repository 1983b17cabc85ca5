"""What a study reads: dropped columns never, test rows by the types of the training rows."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import lookalike
from lookalike.data import open_source
from lookalike.errors import ColumnError
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.select.budget import Budget

DATA = Path(os.environ.get("LOOKALIKE_DATA", ""))
WITH_DATA = pytest.mark.skipif(
    "LOOKALIKE_DATA" not in os.environ, reason="LOOKALIKE_DATA is not set"
)


def load(path, **options):
    return load_context(StudyOptions(str(path), **options), Budget(None))


def described(context):
    return {column.name: column for column in context.columns}


def table(tmp_path, name="rows.csv", n_rows=60, odd="abc", extra=""):
    rows = [f"{i % 4:03},{i / 8},{i * 37 % 60 + 100},{'pq'[i % 2]}" for i in range(n_rows)]
    rows[7] = f"001,{odd},107,p"
    path = tmp_path / name
    path.write_text("code,size,customer_id,y\n" + "\n".join(rows) + "\n" + extra)
    return path


def test_odd_cells_are_an_alert_and_codes_stay_text(tmp_path):
    context = load(table(tmp_path), target="y")
    columns = described(context)
    assert (columns["code"].kind, columns["code"].distinct) == ("category", 4)
    assert (columns["size"].kind, columns["size"].missing) == ("number", 1)
    assert "1 of 60 cells is not a number and becomes missing: 'abc'" in columns["size"].odd_cells
    assert "row 7 (line 9)" in columns["size"].odd_cells
    assert (columns["customer_id"].kind, columns["customer_id"].role) == ("identifier", "dropped")
    (decision,) = context.decisions.about("column 'customer_id'")
    assert decision.choice == "dropped"


def test_a_dropped_column_is_never_read_and_must_exist(tmp_path):
    context = load(table(tmp_path), target="y", drop=("code",))
    assert [column.name for column in context.columns] == ["size", "customer_id"]
    assert [column.name for column in context.source.columns] == ["size", "customer_id"]
    with pytest.raises(ColumnError, match="drop names 'sighs', and there is no such column"):
        load(table(tmp_path), target="y", drop=("sighs",))
    with pytest.raises(ColumnError, match="drop names 'sighs', and there is no such column"):
        load("iris", drop=("sighs",))
    with pytest.raises(ColumnError, match="is the text that is studied"):
        load(table(tmp_path), target="y", text="code", drop=("code",))


def test_types_are_given_and_reach_the_test_rows(tmp_path):
    rows, test = table(tmp_path), table(tmp_path, "test.csv", n_rows=9, odd="n.b.")
    context = load(rows, target="y", test=str(test), dialect={"types": {"customer_id": "category"}})
    assert described(context)["customer_id"].role == "feature"
    assert open_source(test).columns[1].kind == "category"  # by itself, with one cell in nine odd
    size = context.test.column("size")
    assert np.flatnonzero(np.isnan(size)).tolist() == [7]


@WITH_DATA
def test_titanic_is_read_as_a_person_would():
    context = load(DATA / "titanic.csv.gz", target="Survived")
    kinds = {name: column.kind for name, column in described(context).items()}
    assert kinds | {"Ticket": "", "Cabin": ""} == {
        "PassengerId": "identifier", "Pclass": "ordinal", "Name": "text", "Sex": "category",
        "Age": "number", "SibSp": "ordinal", "Parch": "ordinal", "Ticket": "", "Fare": "number",
        "Cabin": "", "Embarked": "category",
    }  # fmt: skip
    assert (kinds["Ticket"], kinds["Cabin"]) == ("category", "category")
    (decision,) = context.decisions.about("column 'Ticket'")
    assert "661 of 891 cells are numbers" in decision.reason


@WITH_DATA
def test_codes_of_house_prices_are_offered_as_categories():
    context = load(DATA / "ames_house_prices.csv.gz", target="SalePrice")
    (decision,) = context.decisions.about("column 'MSSubClass'")
    assert "--types MSSubClass=category" in decision.reason
    assert "types={'MSSubClass': 'category'}" in decision.reason
    offered = [one.about for one in context.decisions if one.choice == "kept as a number"]
    assert offered == ["column 'MSSubClass'"]


@WITH_DATA
def test_charges_with_empty_cells_are_numbers():
    columns = described(load(DATA / "telco_churn.csv.gz", target="Churn"))
    assert (columns["TotalCharges"].kind, columns["TotalCharges"].missing) == ("number", 11)
    assert columns["customerID"].kind == "identifier"


def test_pixels_beside_a_column_that_marks_test_rows_are_images(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"pixel_{i}_{j}" for i in range(3) for j in range(2)]
    lines = [",".join(["part", *names, "y"])]
    for row in range(20):
        gray = ",".join(map(str, rng.integers(256, size=6)))
        lines.append(f"{'test' if row % 4 == 0 else 'train'},{gray},{'ab'[row % 2]}")
    (tmp_path / "images.csv").write_text("\n".join(lines))
    study = lookalike.study(tmp_path / "images.csv", target="y", split="part", models=["knn"])
    assert (study.data_kind, study.image_shape) == ("images", (3, 2))
