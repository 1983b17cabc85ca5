"""The first page of the guide runs as it stands, block after block."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "guide.md"


def test_the_blocks_of_the_guide_run_one_after_another(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    import lookalike

    with lookalike.config():  # what the page sets ends with it
        blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        names: dict = {}
        for block in blocks:
            exec(block, names)
    assert len(blocks) >= 8
    assert names["voters"].score(names["X"][1500:], names["y"][1500:]) > 0.9
