"""Connections that end when they should: late headers, half-closed, at shutdown.

h11 bounds the bytes of headers and of trailers itself; what uvicorn has no setting for is here.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lookalike.web.options import ServeOptions
from lookalike.web.problems import MEDIA_TYPE, problem_body

LINGER_SECONDS = 2.0  # in which the rest of a refused body may still arrive, unread
GRACE_SECONDS = 0.2  # in which a request that is on its way at shutdown may still arrive
REASON_PHRASES = {
    400: b"Bad Request",
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
}


def guarded_protocol(options: ServeOptions) -> type[asyncio.Protocol]:
    """Return the protocol class of uvicorn with the deadlines of the options."""

    class Connection(GuardedConnection):
        header_timeout = options.header_timeout
        header_bytes = options.limits.header_bytes

    return Connection


class GuardedConnection(H11Protocol):
    """A connection with a deadline for headers, and orderly ends."""

    header_timeout: float
    header_bytes: int
    _timer: asyncio.TimerHandle | None = None
    _half_closed = False
    _ending = False

    def connection_made(self, transport: Any) -> None:
        """Wait for the headers of the first request, not forever."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.header_timeout, self._refuse_late_headers)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; headers have a deadline from their first byte."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._is_reading_headers():
            if not self._is_idle():
                self._cancel_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.header_timeout, self._refuse_late_headers)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Keep the connection for the response where the request is complete."""
        if self._is_idle() or self._is_reading_body() or self.transport.is_closing():
            return None
        self._half_closed = True
        return True

    def on_response_complete(self) -> None:
        """Close where nothing more can come, or where the rest of a body does not arrive soon."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self._half_closed and self._is_idle():
            self.transport.close()
        elif self._is_reading_body():
            self._cancel_timer()
            self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def shutdown(self) -> None:
        """Answer the request in progress, and one that is on its way, then close."""
        self._ending = True
        if self._is_idle():
            self.loop.call_later(GRACE_SECONDS, self._close_if_idle)
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or has too many bytes of headers or trailers."""
        if not self._is_idle():  # whose response is on its way, and cannot be another any more
            self.transport.abort()
        elif len(self.conn.trailing_data[0]) > self.header_bytes:
            self._refuse(431, f"The headers are larger than {self.header_bytes:,} bytes.")
        else:
            self._refuse(400, msg)

    def _is_idle(self) -> bool:
        """Return whether no request is in progress."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _is_reading_headers(self) -> bool:
        """Return whether some of the headers of a request are here, and not all."""
        return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

    def _is_reading_body(self) -> bool:
        """Return whether the end of a body is still to come."""
        return self.conn.their_state is h11.SEND_BODY

    def _close_if_idle(self) -> None:
        if self._is_idle():
            self.transport.close()
        else:
            self.cycle.keep_alive = False

    def _refuse_late_headers(self) -> None:
        self._timer = None
        if not self.transport.is_closing() and (self._is_idle() or self._is_reading_headers()):
            self._refuse(408, "The headers did not arrive in time.")

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int, detail: str) -> None:
        """Write a problem to a connection that has no response in progress, and close it."""
        body = problem_body(status, detail)
        head = b"HTTP/1.1 %d %s\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n"
        head %= (status, REASON_PHRASES[status], MEDIA_TYPE.encode(), len(body))
        self.transport.write(head + b"x-content-type-options: nosniff\r\n\r\n" + body)
        self.transport.close()
