"""A table is made once: its cells are written by codes that Python and the page share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from example_study import example_study

from lookalike.studies.results import Candidate
from lookalike.studies.tables import EQUAL_COLUMN, candidates_of, leaderboard
from lookalike.table import NUMBER_FORMATS, ResultTable, TableColumn, format_value

CASES = json.loads((Path(__file__).parent / "page" / "format_cases.json").read_text("utf-8"))


@pytest.mark.parametrize(("code", "value", "text"), CASES)
def test_a_format_code_writes_a_value_as_the_page_does(code, value, text):
    assert format_value(code, value) == text


def test_every_format_code_has_cases():
    assert {code.removeprefix("interval:") for code, _, _ in CASES} == NUMBER_FORMATS.keys()


def test_a_table_is_taken_by_columns_and_given_as_plain_data():
    columns = (TableColumn("name"), TableColumn("error", "percent1"))
    table = ResultTable("t", columns, (("a", 0.1), ("c", None)), marked=1)
    assert table.take("error").texts() == [["10.0%"], ["–"]]
    assert table.to_dict()["columns"][1] == {"name": "error", "format": "percent1"}


def test_the_leaderboard_of_a_study_is_that_of_its_file():
    study = example_study()
    metric = study.held_out.metric
    table = leaderboard(study.candidates, study.winner, metric)
    content = json.loads(study.to_json())
    for one in content["candidates"]:
        one["unknown_field"] = 1  # of a later version
    again = leaderboard(candidates_of(content), content["winner"], metric)
    assert again.texts() == table.texts()
    assert table.rows[table.marked][-1] == "selected"
    assert EQUAL_COLUMN in table.names


def test_the_leaderboard_is_in_order_of_the_score_that_was_asked_for():
    low, high = (
        Candidate(name, name, "", validation_error=error, validation_score=auc)
        for name, error, auc in (("low", 0.1, 0.8), ("high", 0.2, 0.9))
    )
    table = leaderboard([low, high], "high", "error", "auc")
    assert [row[0] for row in table.rows] == ["high", "low"]
    assert table.take("validation AUC").texts() == [["0.900"], ["0.800"]]
    assert leaderboard([low, high], "high", "error").rows[0][0] == "low"
