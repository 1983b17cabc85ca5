"""A notebook shows the page in a frame: each key opens it once, and nothing else is framed."""

from __future__ import annotations

from types import SimpleNamespace

from fastapi import APIRouter
from service import running

from lookalike.web.frame_keys import FrameKeys

TOKEN = 'a "token" <of> the tests'


def test_a_key_is_of_use_once():
    keys = FrameKeys()
    first, second = keys.issue(), keys.issue()
    assert first != second
    assert len(first) > 40
    assert not keys.use("")
    assert not keys.use("\ud800")
    assert keys.use(second)
    assert not keys.use(second)
    assert keys.use(first)


def test_only_the_address_of_a_key_may_be_framed_and_brings_the_token(monkeypatch):
    monkeypatch.setattr("lookalike.web.explorer.routes.explorer_router", lambda *_: APIRouter())
    explored = SimpleNamespace(on_new_models=[])
    with running({}, exploration=explored, token=TOKEN) as service:
        page = service.get("/")
        assert page.status == 200
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert b"a &quot;token&quot;" not in page.body
        address = f"/framed/{service.app.state.frame_keys.issue()}"
        framed = service.get(address)
        assert "frame-ancestors http://localhost:*" in framed.headers["content-security-policy"]
        assert "x-frame-options" not in framed.headers
        assert framed.headers["cache-control"] == "no-store"
        assert b'content="a &quot;token&quot; &lt;of&gt; the tests"' in framed.body
        again = service.get(address)
        assert again.status == 403
        assert b"token&quot;" not in again.body
        assert b"Run study.explore() again" in again.body  # which the frame has to show
