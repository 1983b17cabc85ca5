"""scikit-learn's checks of array API dispatch, in a process in which SciPy dispatches, too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
LEAST_ESTIMATORS = 45


def test_answers_are_the_same_where_array_api_dispatch_is_on():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [sys.executable, str(TESTS / "sklearn_array_api.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    last = re.search(r"(\d+) checks, 0 failed\n$", done.stdout)
    assert last, done.stdout + done.stderr
    assert int(last[1]) >= LEAST_ESTIMATORS
