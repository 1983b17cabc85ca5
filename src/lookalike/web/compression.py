"""Large texts are sent as gzip to those who accept it; arrays and small answers as they are."""

from __future__ import annotations

import zlib

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIN_COMPRESSED_BYTES = 8 * 1024
GZIP_LEVEL = 5
GZIP_WINDOW = 31  # 15 bits, with the header of gzip
TEXT_TYPES = ("application/json", "application/problem+json", "text/", "image/svg+xml")


class Compression:
    """Compresses text as it is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and _accepts_gzip(scope):
            await self.app(scope, receive, _Compressed(send).send)
        else:
            await self.app(scope, receive, send)


class _Compressed:
    """The response to one request: its start waits for the first part of the body."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._stream: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Send a part of the response, compressed where that was decided at its begin."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            if message["type"] == "http.response.body" and _is_worth(start, message):
                self._stream = zlib.compressobj(GZIP_LEVEL, wbits=GZIP_WINDOW)
                headers = MutableHeaders(raw=start["headers"])
                headers["content-encoding"] = "gzip"
                headers.add_vary_header("accept-encoding")
                del headers["content-length"]
            await self._send(start)
        if self._stream is not None and message["type"] == "http.response.body":
            body = self._stream.compress(message.get("body", b""))
            if not message.get("more_body", False):
                body += self._stream.flush()
            message = {**message, "body": body}
        await self._send(message)


def _accepts_gzip(scope: Scope) -> bool:
    given = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    for part in given.lower().split(b","):
        name, _, weight = part.strip().partition(b";")
        if name.strip() == b"gzip":
            return weight.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


def _is_worth(start: Message, first: Message) -> bool:
    """Return whether a response is a text that is large, or comes in parts."""
    headers = MutableHeaders(raw=list(start.get("headers", [])))
    if not headers.get("content-type", "").startswith(TEXT_TYPES) or "content-encoding" in headers:
        return False
    if start["status"] in (204, 206, 304):
        return False
    return bool(first.get("more_body")) or len(first.get("body", b"")) >= MIN_COMPRESSED_BYTES
