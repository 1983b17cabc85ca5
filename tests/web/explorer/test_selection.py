"""A selection is compared with the rest: means, shares and errors are those of the rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from lookalike.web.explorer.row_search import search_rows
from lookalike.web.explorer.selection import compare_selection
from lookalike.web.explorer.self_check import self_check


def test_means_of_a_selection_are_those_of_its_known_cells(table):
    here = np.zeros(len(table.rows), bool)
    here[:60] = True
    found = {one["name"]: one for one in compare_selection(table, here)["columns"]}
    column = np.asarray(table.rows.dataset.column("a"), float)
    assert found["a"]["inside"] == pytest.approx(np.nanmean(column[:60]))
    assert found["a"]["interval"][0] <= found["a"]["effect"] <= found["a"]["interval"][1]
    town = np.asarray(table.rows.dataset.column("town"))
    is_graz = town == "Graz"
    assert found["town = Graz"]["inside"] == np.mean(is_graz[:60])
    gap = np.mean(is_graz[:60]) - np.mean(is_graz[60:])
    assert found["town = Graz"]["effect"] == pytest.approx(gap / is_graz.std())  # in one unit


def test_errors_inside_and_outside_are_those_of_the_predictions(table, regression):
    here = np.zeros(len(table.rows), bool)
    here[:60] = True
    wrong = table.predicted() != table.rows.code
    assert compare_selection(table, here)["error"] == {
        "inside": wrong[:60].mean(),
        "outside": wrong[60:].mean(),
    }
    some = np.arange(len(regression.rows)) < 30
    gap = regression.predicted() - regression.rows.number
    error = compare_selection(regression, some)["error"]
    assert error["inside"] == pytest.approx(np.sqrt(np.mean(gap[:30] ** 2)))


def test_terms_set_texts_of_one_subject_apart(texts):
    here = texts.rows.code == 0
    names = [one["name"] for one in compare_selection(texts, here)["columns"][:6]]
    assert set(names) <= {"oven", "flour", "butter", "sugar", "recip", "recipe", "boil", "salt",
        "pepper", "rocket", "orbit", "moon", "launch", "shuttl", "shuttle", "planet", "engin",
        "engine", "satellit", "satellite"}  # fmt: skip


def test_none_or_all_rows_are_compared_with_nothing(table):
    everyone = np.ones(len(table.rows), bool)
    assert compare_selection(table, everyone)["columns"] == []
    assert compare_selection(table, ~everyone)["n"] == 0


def test_rows_are_found_by_what_they_say(table, texts):
    assert search_rows(table.rows, "yes")["total"] == np.count_nonzero(table.rows.code == 1)
    found = search_rows(table.rows, "<b>wien")
    assert found["kind"] == "text"
    assert all(table.rows.cells(row)[3]["value"] == "<b>Wien</b>" for row in found["rows"])
    assert search_rows(texts.rows, "rocket", limit=2)["total"] > len([1, 2])


@pytest.mark.parametrize("name", ["table", "texts", "regression", "exploratory"])
def test_neighbors_of_every_kind_of_study_agree_with_brute_force(name, request):
    exploration = request.getfixturevalue(name)
    found = self_check(exploration, 40, seed=0)
    assert (found["equal"], found["different"]) == (40, [])


def test_a_wrong_neighbor_is_found(table, monkeypatch):
    right = table.neighbors.neighbors

    def wrong(k):
        found = right(k)
        found.row[7, 0] = found.row[7, -1]
        return found

    monkeypatch.setattr(table.neighbors, "neighbors", wrong)
    assert self_check(table, len(table.rows), seed=0)["different"] == [7]


def test_names_that_single_rows_have_set_no_rows_apart():
    names = np.array([f"name {row}" for row in range(20)] + ["often"] * 20, object)
    dataset = SimpleNamespace(kinds={"n": "category"}, text=None, column=lambda _: names)
    exploration = SimpleNamespace(
        rows=SimpleNamespace(dataset=dataset, code=None), neighbors=SimpleNamespace(predicts=False)
    )
    found = compare_selection(exploration, np.arange(40) < 10)
    assert [column["name"] for column in found["columns"]] == ["n = often"]
