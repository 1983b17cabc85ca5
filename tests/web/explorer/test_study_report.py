"""The report of a study and its explorer lead to each other by row."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import replace

import pytest
from example_study import example_study

from lookalike.report.page import write_page
from lookalike.studies.analysis_results import FlaggedRow
from lookalike.web.app import create_app
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.study_report import StudyReport
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer

ROWS = (3, 40, 199)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a report that flags some rows."""
    place = tmp_path_factory.mktemp("report")
    study = example_study()
    flagged = tuple(FlaggedRow(row, "mislabel", 0.9, "yes", "no") for row in ROWS)
    study = replace(study, audit=replace(study.audit, flagged_rows=flagged))
    write_page(study, place / "report.html")
    return place


def ask(server, path):
    """Return status, headers and body of an address; redirects are not followed."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def test_report_and_page_lead_to_each_other_by_row(folder, table):
    exploration = Exploration(replace(table.state, report=StudyReport(folder)))
    options = ServeOptions(port=0)
    with BackgroundServer(create_app({}, exploration=exploration, options=options), options) as one:
        _, headers, text = ask(one, "/report")
        assert headers["content-security-policy"].startswith("default-src 'none'")
        cards = re.findall(r'id="(\w+-row-(\d+))"><p[^>]*><strong><a href="([^"]+)"', text)
        assert [int(number) for _, number, _ in cards] == list(ROWS)
        for _, number, address in cards:
            assert address == f"/row/{number}"
            status, headers, _ = ask(one, address)
            assert (status, headers["location"]) == (307, f"/?row={number}")
            row = json.loads(ask(one, f"/explore/rows/{number}")[2])
            assert f'id="{row["report"]}"' in text
        assert json.loads(ask(one, "/explore/rows/4")[2])["report"] is None
        assert ask(one, "/row/100000")[0] == 404
        assert ask(one, f"/row/{2**80}")[0] in (404, 422)
        assert json.loads(ask(one, "/explore/session")[2])["report"] is True


def test_without_a_folder_there_is_no_report(table):
    options = ServeOptions(port=0)
    with BackgroundServer(create_app({}, exploration=table, options=options), options) as server:
        assert ask(server, "/report")[0] == 404
        assert json.loads(ask(server, "/explore/session")[2])["report"] is False
