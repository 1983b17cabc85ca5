"""Labels under review: exact effects, harm, a log that replays, and csv that `audit` takes."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from lookalike.cli.program import run
from lookalike.data.corrections import read_corrections
from lookalike.errors import LookalikeError
from lookalike.explain.leave_one_out import leave_one_out
from lookalike.web.explorer import explore_study, open_exploration
from lookalike.web.explorer.review import TestRowError


@pytest.fixture
def opened(digits_folder, tmp_path):
    """Open the study of images again and again, with one file of corrections."""
    explorations = []

    def again():
        for one in explorations:
            one.review.close()
        explorations.append(open_exploration(digits_folder, corrections=tmp_path / "fixed.csv"))
        return explorations[-1]

    yield again
    for one in explorations:
        one.review.close()


def first_of(exploration, split):
    return next(one for one in exploration.review.queue() if one["split"] == split)


def test_suspects_are_ranked_by_the_errors_that_they_cause(opened):
    exploration = opened()
    queue = exploration.review.queue()
    assert len(queue) >= 5
    assert [one["harm"] for one in queue] == sorted((one["harm"] for one in queue), reverse=True)
    neighbors, rows = exploration.neighbors, exploration.rows
    for one in queue[:4]:
        effect = exploration.review.effect(one["row"], one["suggested"])
        others = [change for change in effect["changed"] if change["row"] != one["row"]]
        mended = sum((c["after"] == c["label"]) - (c["before"] == c["label"]) for c in others)
        assert one["harm"] == mended
        if neighbors.place[one["row"]] < 0:
            assert one["harm"] == 0
        assert one["label"] == rows.label(one["row"]) != one["suggested"]


def test_the_effect_is_what_fitting_again_gives_and_nothing_changes_before(opened):
    exploration = opened()
    item = first_of(exploration, "train")
    before = exploration.neighbors.predicted(exploration.neighbors.k).copy()
    effect = exploration.review.effect(item["row"], item["suggested"])
    assert np.array_equal(exploration.neighbors.predicted(exploration.neighbors.k), before)
    model, place = exploration.neighbors.model, exploration.neighbors.place[item["row"]]
    labels = model._given_targets().copy()
    labels[place] = int(item["suggested"])
    again = type(model)(**model.get_params()).fit(model._fit_X, labels)
    each = leave_one_out(again, groups=exploration.neighbors.groups)
    assert effect["error_after"] == each.error_at(exploration.neighbors.k)
    rest = np.flatnonzero(exploration.rows.is_test)
    held_out = again.predict(exploration.neighbors.Z[rest]).astype(str)
    changed = held_out != np.array(exploration.rows.class_names)[before[rest]]
    assert [one["row"] for one in effect["held_out"]["changed"]] == rest[changed].tolist()
    exploration.review.decide(item["row"], "relabel", item["suggested"])
    found = exploration.review.state()
    assert found["error"]["value"] == effect["error_after"]
    assert found["error"]["held_out"] == effect["held_out"]["error_after"]
    evidence = exploration.evidence.of_row(int(rest[0]))
    names = exploration.rows.class_names
    assert evidence["predicted"] == names[exploration.neighbors.predicted(evidence["k"])[rest[0]]]


def test_decisions_are_replayed_and_undone(opened, tmp_path):
    exploration = opened()
    queue = exploration.review.queue()
    one, two = [item for item in queue if item["split"] == "train"][:2]
    start = exploration.review.state()["error"]
    exploration.review.decide(one["row"], "relabel", one["suggested"])
    exploration.review.decide(two["row"], "accept")
    kept = exploration.review.state()
    again = opened()
    assert again.review.state() == kept
    assert again.rows.label(one["row"]) == one["suggested"]
    assert read_corrections(tmp_path / "fixed.csv") == [(one["row"], "relabel", one["suggested"])]
    again.review.undo()
    again.review.undo()
    assert again.review.state()["error"] == start
    assert again.review.corrections() == []
    third = opened()
    assert third.review.state()["error"] == start
    assert [entry["action"] for entry in third.review.log()] == [
        "relabel", "accept", "undo", "undo",
    ]  # fmt: skip
    with pytest.raises(LookalikeError, match="no decision to undo"):
        third.review.undo()


def test_a_test_row_is_changed_only_when_that_is_confirmed(opened):
    exploration = opened()
    row = int(np.flatnonzero(exploration.rows.is_test)[0])
    other = next(
        name for name in exploration.rows.class_names if name != exploration.rows.label(row)
    )
    with pytest.raises(TestRowError, match="is a test row"):
        exploration.review.decide(row, "relabel", other)
    assert exploration.review.log() == []
    effect = exploration.review.effect(row, other)
    assert effect["error_before"] == effect["error_after"]
    exploration.review.decide(row, "accept")
    exploration.review.decide(row, "relabel", other, confirm_test_row=True)
    assert exploration.rows.label(row) == other
    assert exploration.review.state()["error"]["held_out"] == effect["held_out"]["error_after"]


def test_corrections_are_what_the_audit_applies(opened, digits_csv, tmp_path):
    exploration = opened()
    items = [one for one in exploration.review.queue() if one["split"] == "train"][:3]
    for one in items:
        exploration.review.decide(one["row"], "relabel", one["suggested"])
    copy = tmp_path / "digits.csv"
    copy.write_bytes(digits_csv.read_bytes())
    exported = tmp_path / "export.csv"
    exported.write_bytes(exploration.review.corrections_csv())
    command = ["audit", str(copy), "--target", "digit", "--apply", "--corrections", str(exported)]
    assert run(command) == 0
    before, after = (
        list(csv.reader(io.StringIO(path.read_text())))[1:]
        for path in (copy, tmp_path / "digits_cleaned.csv")
    )
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        assert new[:-1] == old[:-1]
        assert new[-1] == str(exploration.rows.label(row))


def test_without_a_file_labels_cannot_be_changed(table):
    assert not table.session()["editable"]
    with pytest.raises(LookalikeError, match="--corrections FILE"):
        table.review.decide(0, "accept")


def test_a_log_of_other_data_is_refused(opened, table_study, tmp_path):
    exploration = opened()
    exploration.review.decide(first_of(exploration, "train")["row"], "ignore")
    exploration.review.close()
    with pytest.raises(LookalikeError, match="log of other data"):
        explore_study(table_study, tmp_path / "fixed.csv")


def test_two_processes_do_not_write_one_log(opened, digits_folder, tmp_path):
    exploration = opened()
    exploration.review.decide(first_of(exploration, "train")["row"], "ignore")
    with pytest.raises(LookalikeError, match="another process"):
        open_exploration(digits_folder, corrections=tmp_path / "fixed.csv")


def test_labels_and_rows_that_are_none_are_refused_before_anything_is_kept(opened):
    exploration = opened()
    for row, action, label in (
        (0, "relabel", "eleven"),
        (10**9, "accept", None),
        (1, "drop", None),
    ):
        with pytest.raises(LookalikeError):
            exploration.review.decide(row, action, label)
    assert exploration.review.log() == []


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX")
def test_no_accepted_correction_is_lost_when_the_service_is_killed(digits_folder, tmp_path):
    command = [sys.executable, "-m", "lookalike", "serve", digits_folder, "--port", "0"]
    command += ["--corrections", tmp_path / "fixed.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stdout if line.startswith("Serving"))
            url = re.search(r"http://\S+", line)[0] + "/explore/review"
            with urllib.request.urlopen(url, timeout=60) as reply:
                queue = json.load(reply)["queue"]
            accepted = [one for one in queue if one["split"] == "train"][:3]
            for one in accepted:
                body = {"row": one["row"], "action": "relabel", "label": one["suggested"]}
                headers = {"content-type": "application/json"}
                request = urllib.request.Request(url, json.dumps(body).encode(), headers)
                with urllib.request.urlopen(request, timeout=60) as reply:
                    assert reply.status == 200
        finally:
            os.kill(process.pid, signal.SIGKILL)
    with open(tmp_path / "fixed.csv.log", "a") as file:
        file.write('{"row": 1, "acti')  # as a write that was cut off leaves it
    exploration = open_exploration(digits_folder, corrections=tmp_path / "fixed.csv")
    corrected = {(one.row, one.label) for one in exploration.review.corrections()}
    assert corrected == {(one["row"], one["suggested"]) for one in accepted}
    exploration.review.close()
    for line in (tmp_path / "fixed.csv.log").read_text().splitlines():
        json.loads(line)
