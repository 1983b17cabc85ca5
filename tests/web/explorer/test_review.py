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
from service import Service, process

from lookalike.cli.program import run
from lookalike.data.write.corrections import read_corrections
from lookalike.errors import LookalikeError, WriteError
from lookalike.explain.leave_one_out import leave_one_out
from lookalike.web.explorer import explore_study, open_exploration
from lookalike.web.explorer.review import TestRowError


@pytest.fixture
def opened(digits_folder, tmp_path):
    """Open the study of images again and again, with one file of corrections."""
    return lambda: open_exploration(digits_folder, corrections=tmp_path / "fixed.csv")


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
    again = type(model)(**model.get_params()).fit(model.space_.rows, labels)
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
    assert (
        str(evidence["prediction"])
        == names[exploration.neighbors.predicted(evidence["k"])[rest[0]]]
    )


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
    with pytest.raises(LookalikeError, match="log of other data"):
        explore_study(table_study, tmp_path / "fixed.csv")


def test_two_explorations_share_one_log_and_the_csv_is_always_that_of_the_log(opened, tmp_path):
    ours, theirs = opened(), opened()  # before there is a log
    items = [item for item in ours.review.queue() if item["split"] == "train"][:4]
    for number, item in enumerate(items):
        review = (ours, theirs)[number % 2].review
        review.decide(item["row"], "relabel", item["suggested"])
        written = read_corrections(tmp_path / "fixed.csv")
        assert {correction.row for correction in written} == {
            item["row"] for item in items[: number + 1]
        }
    assert ours.review.state() == theirs.review.state() == opened().review.state()
    theirs.review.undo()
    assert len(ours.review.corrections()) == len(read_corrections(tmp_path / "fixed.csv")) == 3
    ours.review.undo()
    assert theirs.review.state()["decided"] == 2
    assert theirs.rows.label(items[2]["row"]) == items[2]["label"]


def test_the_csv_is_mended_where_a_process_was_killed_before_it_was_written(opened, tmp_path):
    item = first_of(opened(), "train")
    opened().review.decide(item["row"], "relabel", item["suggested"])
    whole = (tmp_path / "fixed.csv").read_bytes()
    (tmp_path / "fixed.csv").unlink()
    opened()
    assert (tmp_path / "fixed.csv").read_bytes() == whole


def test_where_the_csv_cannot_be_written_the_answer_says_that_the_log_has_the_decision(
    opened, tmp_path, monkeypatch
):
    exploration = opened()
    item = first_of(exploration, "train")
    with monkeypatch.context() as patch:
        patch.setattr("lookalike.web.explorer.review.replace_file", _full_disk)
        reply = exploration.review.decide(item["row"], "relabel", item["suggested"])
    assert reply["decided"] == 1
    assert "fixed.csv is behind: No space left on device" in reply["notice"]
    assert "The decisions are kept in " in reply["notice"]
    assert len(opened().review.corrections()) == 1
    assert read_corrections(tmp_path / "fixed.csv")[0].row == item["row"]


def test_where_the_log_cannot_be_written_nothing_has_changed(opened, tmp_path, monkeypatch):
    exploration = opened()
    item = first_of(exploration, "train")
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", _full_disk)
        with pytest.raises(WriteError, match=r"No space left on device\. Nothing was kept"):
            exploration.review.decide(item["row"], "relabel", item["suggested"])
    assert exploration.review.state()["decided"] == 0
    assert exploration.rows.label(item["row"]) == item["label"]
    assert exploration.review.decide(item["row"], "relabel", item["suggested"])["decided"] == 1


def _full_disk(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"row": 3, "label": "5"}, "has the action None, not relabel, accept, ignore or undo"),
        ({"row": 3, "action": "drop"}, "has the action 'drop'"),
        ({"row": 3, "action": ["undo"]}, "has the action ['undo']"),
        ({"action": "undo"}, "takes a decision back where none is left"),
        ({"action": "accept"}, "has the row None, which is not a row number"),
        ({"row": "3", "action": "accept"}, "has the row '3', which is not a row number"),
        ({"row": 10**30, "action": "accept"}, "which is not a row number"),
        ({"row": 10**9, "action": "accept"}, "is about row 1000000000, and there is no such row"),
        ({"row": 3, "action": "relabel"}, "has the label None, which no row can have"),
        ({"row": 3, "action": "relabel", "label": "eleven"}, "has the label 'eleven', which no"),
        ({"row": 3, "action": "relabel", "label": {"a": []}}, "which no row can have"),
    ],
)
def test_a_log_that_cannot_be_replayed_is_named_with_its_line(opened, tmp_path, entry, sentence):
    exploration = opened()
    exploration.review.decide(3, "accept")
    exploration.review.undo()
    with open(tmp_path / "fixed.csv.log", "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    for _ in range(2):  # not only the first time
        for look in (opened, exploration.review.state, exploration.review.undo):
            with pytest.raises(LookalikeError) as caught:
                look()
            assert "fixed.csv.log, line 4 " in str(caught.value)
            assert sentence in str(caught.value)
    assert exploration.rows.label(3) is not None


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
    for line in (tmp_path / "fixed.csv.log").read_text().splitlines():
        json.loads(line)


def test_a_file_that_is_not_of_corrections_is_not_replaced(digits_folder, digits_csv, tmp_path):
    before = digits_csv.read_bytes()
    (tmp_path / "link.csv").symlink_to(digits_csv)
    for path in (digits_csv, tmp_path / "link.csv", digits_folder / "study.json", tmp_path):
        with pytest.raises(LookalikeError, match="is not a file of corrections"):
            open_exploration(digits_folder, corrections=path)
    assert digits_csv.read_bytes() == before


def test_two_services_on_one_folder_replay_one_log(digits_folder, tmp_path):
    options = ("--corrections", tmp_path / "fixed.csv")
    with process(digits_folder, *options) as ours, process(digits_folder, *options) as theirs:
        queue = ours.get("/explore/review").json()["queue"]
        items = [item for item in queue if item["split"] == "train"][:4]
        for number, item in enumerate(items):
            body = {"row": item["row"], "action": "relabel", "label": item["suggested"]}
            reply = (ours, theirs)[number % 2].post("/explore/review", body)
            assert (reply.status, reply.json()["decided"]) == (200, number + 1)
        assert theirs.post("/explore/review/undo", {}).json()["decided"] == 3
        states = [service.get("/explore/review").json() for service in (ours, theirs)]
        assert states[0] == states[1]
        written = read_corrections(tmp_path / "fixed.csv")
        assert {correction.row for correction in written} == {item["row"] for item in items[:3]}
        exported = ours.get("/explore/review/corrections.csv").body
        assert exported == (tmp_path / "fixed.csv").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="limits of files are of POSIX")
def test_on_a_full_disk_the_answer_is_what_the_log_holds(digits_folder, tmp_path):
    """The log may grow by a few entries; then no file may, as on a disk that is full."""
    program = (
        "import resource, sys; from lookalike.cli.program import run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "serve", digits_folder, "--port", "0"]
    command += ["--corrections", tmp_path / "fixed.csv"]
    answers = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            line = next(line for line in child.stdout if line.startswith("Serving"))
            service = Service(re.search(r"http://\S+", line)[0])
            for item in service.get("/explore/review").json()["queue"][:8]:
                body = {"row": item["row"], "action": "ignore"}
                answers.append(service.post("/explore/review", body))
            state = service.get("/explore/review").json()
        finally:
            os.kill(child.pid, signal.SIGKILL)
    kept = [answer for answer in answers if answer.status == 200]
    refused = [answer for answer in answers if answer.status == 507]
    assert len(kept) + len(refused) == len(answers)
    assert kept
    assert refused
    assert all("Nothing was kept" in answer.json()["detail"] for answer in refused)
    entries = (tmp_path / "fixed.csv.log").read_text(encoding="utf-8").splitlines()[1:]
    assert len(entries) == len(kept) == state["decided"]


def test_several_rows_get_one_label_together_or_none_does(opened):
    exploration = opened()
    rows = np.flatnonzero(~exploration.rows.is_test)[:4].tolist()
    label = exploration.rows.class_names[3]
    others = exploration.rows.is_test & (exploration.rows.code != 3)
    test_row = int(np.flatnonzero(others)[0])
    before = [exploration.rows.label(row) for row in rows]
    with pytest.raises(TestRowError, match="1 row of"):
        exploration.review.relabel([*rows, test_row], label)
    assert exploration.review.log() == []
    found = exploration.review.relabel(rows, label)
    assert [exploration.rows.label(row) for row in rows] == [label] * 4
    assert found["n_changed"] == sum(one != label for one in before)
    again = exploration.review.relabel([*rows, test_row], label, confirm_test_rows=True)
    assert again["n_changed"] <= 1  # the others have it
    exploration.review.undo(found["n_changed"] + again["n_changed"])
    assert [exploration.rows.label(row) for row in rows] == before


def test_rows_that_are_sent_go_before_the_suspects_until_they_are_decided(opened):
    exploration = opened()
    suspects = [one["row"] for one in exploration.review.queue()]
    row = next(row for row in range(len(exploration.rows)) if row not in suspects)
    queue = exploration.review.send([row])["queue"]
    assert [one["row"] for one in queue] == [row, *suspects]
    assert queue[0]["sent"]
    exploration.review.decide(row, "accept")
    assert [one["row"] for one in exploration.review.queue()] == suspects
