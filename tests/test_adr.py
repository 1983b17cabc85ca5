"""The index of decisions is made from the records, and what they name is there.

`test_architecture.py` holds their numbers and their format.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
INDEX = runpy.run_path(str(DOCS / "adr_index.py"))
RECORDS = INDEX["records"]()


def test_a_status_names_records_that_there_are():
    known = {record.number for record in RECORDS}
    for record in RECORDS:
        named = re.search(r"ADRs? ([\d, and]+)", record.status)
        for number in re.findall(r"\d+", named[1] if named else ""):
            assert int(number) in known


def test_the_index_is_that_of_the_records():
    assert INDEX["PAGE"].read_text("utf-8") == INDEX["page"](), "run `make figures`"
