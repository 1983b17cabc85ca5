"""Decision records: numbered without gaps, in one format, all in the index."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
INDEX = runpy.run_path(str(DOCS / "adr_index.py"))
RECORDS = INDEX["records"]()
SECTIONS = [
    "Context",
    "Decision",
    "What was measured",
    "What did not help",
    "What was given up",
    "Consequences",
]


def test_records_are_numbered_without_gaps_and_files_carry_the_number():
    assert [record.number for record in RECORDS] == list(range(1, len(RECORDS) + 1))
    assert all(record.file.startswith(f"{record.number:04d}-") for record in RECORDS)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.file)
def test_a_record_has_its_sections_in_one_order(record):
    text = (DOCS / "adr" / record.file).read_text("utf-8")
    found = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert found[:2] == SECTIONS[:2]
    assert found == [name for name in SECTIONS if name in found]
    assert re.match(r"accepted\.|replaced by ADR \d+\.", record.status)


def test_a_status_names_records_that_there_are():
    known = {record.number for record in RECORDS}
    for record in RECORDS:
        named = re.search(r"ADRs? ([\d, and]+)", record.status)
        for number in re.findall(r"\d+", named[1] if named else ""):
            assert int(number) in known


def test_the_index_is_that_of_the_records():
    assert INDEX["PAGE"].read_text("utf-8") == INDEX["page"](), "run `make figures`"
