"""The summary of a study is short, has the selected model, and says where the rest is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from example_study import example_study

from lookalike.cli.study_summary import print_summary
from lookalike.decisions import Decision
from lookalike.studies.results import Candidate

FOLDER = Path("folder of the study")


@pytest.fixture
def study():
    others = tuple(
        Candidate(f"m{i}", f"model {i}", "", {"a": "1"}, 0.02 + i / 100) for i in range(8)
    )
    late = (Decision("data audit", "skipped", "the time budget was spent"),)
    full = example_study()
    own = replace(full.candidates[1], validation_error=0.3)
    return replace(full, candidates=(*others, own), decisions=late)


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_before_the_models_there_are_at_most_six_lines(study, capsys):
    print_summary(study, FOLDER)
    shown = lines(capsys)
    assert shown.index("# Models by validation error") == 6
    assert shown[1].startswith("10.0% wrong (95% CI 3.0–30.0%)")
    assert shown[2] == "Skipped for lack of time: data audit. All of it: --time none"


def test_five_models_are_listed_the_selected_among_them(study, capsys):
    print_summary(study, FOLDER)
    shown = lines(capsys)
    table = shown[7:13]
    assert [line.split("\t")[0] for line in table[1:5]] == [f"model {i}" for i in range(4)]
    assert table[5].endswith("\tselected")
    assert shown[13] == "4 more models, in the report or by --all"
    assert "Next: lookalike serve 'folder of the study'" in shown


def test_all_models_and_findings_are_printed_where_they_are_asked_for(study, capsys):
    print_summary(study, FOLDER, everything=True)
    shown = lines(capsys)
    assert "• 1 label is probably wrong." in shown
    assert sum(line.startswith("model ") for line in shown) == 8
    assert not any("more model" in line for line in shown)


def test_rows_that_were_left_out_are_counted_in_the_first_line(study, capsys):
    left_out = Decision("rows", "23 left out", "their target is missing")
    print_summary(replace(study, decisions=(left_out,)), FOLDER)
    assert lines(capsys)[0].endswith("(rows: 23 left out, their target is missing)")
