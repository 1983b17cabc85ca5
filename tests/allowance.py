"""What a check still tolerates, file by file: a list that only ever gets shorter.

A file that has more than its allowance fails; so does one that has less, until the allowance is
lowered: `LOWER_ALLOWANCES=1 python -m pytest tests/test_constants.py` does so, and never raises it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

FOLDER = Path(__file__).parent / "allowances"


def check_allowance(name: str, findings: dict[str, list[str]]) -> None:
    """Compare findings by file with `allowances/NAME.json`, which holds their numbers."""
    path = FOLDER / f"{name}.json"
    allowed: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    counts = {file: len(found) for file, found in findings.items() if found}
    more = {
        file: f"{findings[file]} ({count} found, {allowed.get(file, 0)} allowed)"
        for file, count in counts.items()
        if count > allowed.get(file, 0)
    }
    lowered = {file: min(count, counts[file]) for file, count in allowed.items() if file in counts}
    if os.environ.get("LOWER_ALLOWANCES"):
        path.write_text(json.dumps(lowered, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        allowed = lowered
    assert not more, more
    assert allowed == lowered, f"fewer are left: LOWER_ALLOWANCES=1 lowers {path.name}"
