"""Keys with which a notebook shows the page in a frame: each opens it once."""

from __future__ import annotations

import hmac
import secrets
import threading

# A notebook is a page of this machine, or of an editor that shows one.
FRAME_ANCESTORS = "http://localhost:* http://127.0.0.1:* http://[::1]:* vscode-webview:"


class FrameKeys:
    """Keys that were issued and not used yet.

    Only the address ``/framed/KEY`` may be shown in a frame; every other page forbids it. The key
    is not a token: it opens the page once and is worth nothing afterwards.
    """

    def __init__(self) -> None:
        self._unused: list[str] = []
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new key."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            self._unused.append(key)
        return key

    def use(self, key: str) -> bool:
        """Return whether the key was issued and not used; from now on it is used."""
        with self._lock:
            for index, known in enumerate(self._unused):
                if hmac.compare_digest(known.encode(), key.encode("utf-8", "replace")):
                    del self._unused[index]
                    return True
        return False
