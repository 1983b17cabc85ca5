"""Connections that end when they should: late or large headers, half-closed, at shutdown."""

from __future__ import annotations

import asyncio
from typing import Any

from lookalike.web.options import ServeOptions
from lookalike.web.problems import MEDIA_TYPE, problem_body

LINGER = 2.0  # seconds in which the rest of a refused body may still arrive, unread
GRACE = 0.2  # seconds in which a request that is on its way at shutdown may still arrive
PHRASES = {400: b"Bad Request", 408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


def guarded_protocol(options: ServeOptions) -> type[asyncio.Protocol]:
    """Return the protocol class of uvicorn, on httptools where installed, with our deadlines."""
    try:
        return _on_httptools(options)
    except ImportError:
        return _on_h11(options)


class ConnectionGuard:
    """Mixed into a protocol of uvicorn: deadlines of headers and bodies, and orderly ends."""

    transport: Any
    loop: Any
    cycle: Any
    header_timeout: float
    _timer: asyncio.TimerHandle | None = None
    _half_closed = False
    _ending = False

    def reading_headers(self) -> bool:
        """Return whether some of the headers of a request are here, and not all."""
        raise NotImplementedError

    def reading_body(self) -> bool:
        """Return whether the end of a body is still to come."""
        raise NotImplementedError

    def connection_made(self, transport: object) -> None:
        """Wait for the headers of the first request, not forever."""
        super().connection_made(transport)  # type: ignore[misc]
        self._timer = self.loop.call_later(self.header_timeout, self._late_headers)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._cancel_timer()
        super().connection_lost(exc)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        """Read on; headers have a deadline from their first byte."""
        if self.transport.is_closing():
            return
        super().data_received(data)  # type: ignore[misc]
        if self.transport.is_closing():
            return
        if not self.reading_headers():
            if self.idle is False:
                self._cancel_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.header_timeout, self._late_headers)

    def eof_received(self) -> bool | None:
        """Keep the connection for the response where the request is complete."""
        if self.idle or self.reading_body() or self.transport.is_closing():
            return None
        self._half_closed = True
        return True

    def on_response_complete(self) -> None:
        """Close where nothing more can come, or where the rest of a body does not arrive soon."""
        super().on_response_complete()  # type: ignore[misc]
        if self.transport.is_closing():
            return
        if self._half_closed and self.idle:
            self.transport.close()
        elif self.reading_body():
            self._cancel_timer()
            self._timer = self.loop.call_later(LINGER, self.transport.abort)

    def shutdown(self) -> None:
        """Answer the request in progress, and one that is on its way, then close."""
        self._ending = True
        if self.idle:
            self.loop.call_later(GRACE, self._close_if_idle)
        else:
            super().shutdown()  # type: ignore[misc]

    @property
    def idle(self) -> bool:
        """Whether no request is in progress."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _close_if_idle(self) -> None:
        if self.idle:
            self.transport.close()
        else:
            self.cycle.keep_alive = False

    def _late_headers(self) -> None:
        self._timer = None
        if not self.transport.is_closing() and (self.idle or self.reading_headers()):
            self.refuse(408, "The headers did not arrive in time.")

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def refuse(self, status: int, detail: str) -> None:
        """Write a problem to a connection that has no response in progress, and close it."""
        body = problem_body(status, detail)
        head = b"HTTP/1.1 %d %s\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n"
        head %= (status, PHRASES[status], MEDIA_TYPE.encode(), len(body))
        self.transport.write(head + b"x-content-type-options: nosniff\r\n\r\n" + body)
        self.transport.close()


def _on_httptools(options: ServeOptions) -> type[asyncio.Protocol]:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class GuardedHttpTools(ConnectionGuard, HttpToolsProtocol):  # type: ignore[misc]
        """uvicorn's protocol on httptools, which itself bounds neither headers nor their time."""

        header_timeout = options.header_timeout
        _in_headers = _in_body = _refused = False
        _header_bytes = 0

        def reading_headers(self) -> bool:
            return self._in_headers

        def reading_body(self) -> bool:
            return self._in_body

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._header_bytes = self._header_bytes + len(data) if self._in_headers else 0
            if self._header_bytes > options.max_header_bytes:
                self._refuse_headers()

        def on_message_begin(self) -> None:
            self._in_headers = True
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._in_headers, self._in_body = False, True
            size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            if size > options.max_header_bytes:
                self._refuse_headers()
                return
            super().on_headers_complete()
            if self._ending:
                self.cycle.keep_alive = False

        def on_body(self, body: bytes) -> None:
            if not self._refused:
                super().on_body(body)

        def on_message_complete(self) -> None:
            self._in_body = False
            if not self._refused:
                super().on_message_complete()

        def send_400_response(self, msg: str) -> None:
            if not self._refused and not self.transport.is_closing():
                self.refuse(400, msg)

        def _refuse_headers(self) -> None:
            if not self._refused and not self.transport.is_closing():
                self._refused = True
                most = options.max_header_bytes
                self.refuse(431, f"The headers are larger than {most:,} bytes.")

    return GuardedHttpTools


def _on_h11(options: ServeOptions) -> type[asyncio.Protocol]:
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class GuardedH11(ConnectionGuard, H11Protocol):  # type: ignore[misc]
        """uvicorn's protocol in pure Python, which bounds the size of headers itself."""

        header_timeout = options.header_timeout

        def reading_headers(self) -> bool:
            return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

        def reading_body(self) -> bool:
            return self.conn.their_state is h11.SEND_BODY

    return GuardedH11
