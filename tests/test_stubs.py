"""The types of the native module are those it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lookalike


def test_the_stub_lists_every_native_function(tmp_path):
    pytest.importorskip("nanobind", reason="the stub is written by nanobind")
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "lookalike._core", "-o", str(fresh)],
        check=True,
    )
    kept = Path(lookalike.__file__).with_name("_core.pyi")
    assert fresh.read_text() == kept.read_text(), "run `make stubs`"
