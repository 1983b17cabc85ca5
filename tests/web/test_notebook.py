"""`study.explore()` shows the page in a frame that opens once, and closes with the kernel."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request

import pytest
from sklearn.datasets import load_iris
from web.conftest import Service
from web.explorer.conftest import quick_study

pytest.importorskip("fastapi", reason="fastapi is not installed")


@pytest.fixture(scope="module")
def frame():
    frame = quick_study(load_iris().data, task="exploratory").explore(height=500)
    yield frame
    frame.close()


def test_the_frame_opens_once_and_its_token_opens_the_data(frame):
    html = frame._repr_html_()
    path = re.search(r'src="http://127\.0\.0\.1:\d+(/framed/[^"]+)"', html)[1]
    assert 'height="500"' in html
    service = Service(frame.url)
    assert service.get("/explore/session").status == 401
    page = service.get(path)
    assert page.status == 200
    assert "frame-ancestors http://localhost:*" in page.headers["content-security-policy"]
    token = re.search(r'name="lookalike-token" content="([^"]+)"', page.body.decode())[1]
    reply = service.get("/explore/session", authorization=f"Bearer {token}")
    assert reply.json()["n_rows"] == 150
    assert service.get(path).status == 403
    assert frame._repr_html_() != html


def test_without_a_file_for_corrections_nothing_can_be_changed(frame):
    assert not frame.exploration.session()["editable"]


def test_the_server_ends_with_the_process(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(
        textwrap.dedent(
            """
            import lookalike, numpy as np
            X = np.random.default_rng(0).normal(size=(30, 2))
            frame = lookalike.study(X, task="exploratory").explore()
            print(frame.url, flush=True)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr == ""
    url = done.stdout.strip().splitlines()[-1]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{url}/healthz", timeout=5)


def test_a_closed_frame_says_so(frame):
    frame.close()
    frame.close()
    assert "was closed" in frame._repr_html_()
    assert "closed" in repr(frame)
