"""Progress of a study names the step, the best model so far and the time."""

from __future__ import annotations

import re

from lookalike.cli.study_progress import StudyProgress
from lookalike.progress import report_step


def test_the_line_has_the_step_and_the_time_of_the_time_allowed():
    progress = StudyProgress(45.0)
    progress.step = "comparing models 4/17 · best 18.0% kernel ridge"
    assert re.fullmatch(
        r"comparing models 4/17 · best 18\.0% kernel ridge · \d+ s of 45 s", progress.line()
    )
    assert re.fullmatch(r"reading · \d+ s", StudyProgress(None).line())


def test_where_there_is_no_terminal_the_end_of_each_round_is_one_line(capsys):
    with StudyProgress(45.0).shown():
        for step in ("comparing models 1/12", "comparing models 12/12", "comparing models 12/12"):
            report_step(step)
        report_step("data audit")
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "comparing models 12/12" in shown
