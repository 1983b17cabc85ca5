"""Types say what they can: `Any`, which says nothing, is written no more often than it was."""

from __future__ import annotations

import re
from pathlib import Path

import lookalike

SOURCE = Path(lookalike.__file__).parent
MAX_ANY = 1_200  # to be lowered with every type that takes the place of one


def test_any_is_written_no_more_often():
    texts = (path.read_text() for path in SOURCE.rglob("*.py"))
    assert sum(len(re.findall(r"\bAny\b", text)) for text in texts) <= MAX_ANY
