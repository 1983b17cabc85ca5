"""Requests within their limits: size, media type, time, and how many are in progress."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lookalike.web.media_types import ARROW_TYPE, JSON_TYPE
from lookalike.web.metrics import Metrics
from lookalike.web.options import ServeOptions
from lookalike.web.problems import MEDIA_TYPE, problem_body

if TYPE_CHECKING:
    from logging import Logger


log: Logger = logging.getLogger("lookalike.web")
ALWAYS_SERVED = ("/healthz", "/readyz", "/metrics")  # served under any load
HTTP_VERSIONS = ("1.0", "1.1", "2")
METHODS_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "DELETE")
REQUEST_KEY = "lookalike.request"  # of the scope: the LimitedRequest
SENT_BYTES = 2**18  # of a response that wait for a client to read on; the rest waits here


class RequestLimits:
    """Refuses what is too large, of another type, too slow or too much at once."""

    app: ASGIApp
    options: ServeOptions
    metrics: Metrics
    total: int
    bytes: int
    result_cells: int

    def __init__(self, app: ASGIApp, options: ServeOptions, metrics: Metrics) -> None:
        self.app, self.options, self.metrics = app, options, metrics
        self.total, self.bytes, self.result_cells = 0, 0, 0
        self.by_client: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request within the limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, client = time.perf_counter(), (scope.get("client") or ("",))[0]
        request = LimitedRequest(scope, receive, send, self)
        if (refusal := self._refusal(scope, client)) is not None:
            await request.refuse(*refusal)
        elif scope["path"] in ALWAYS_SERVED:
            await request.run(self.app)
        else:
            self.total += 1
            self.by_client[client] += 1
            self.metrics.in_progress.set(self.total)
            try:
                await request.run(self.app)
            finally:
                self.total -= 1
                self.by_client[client] -= 1
                if not self.by_client[client]:
                    del self.by_client[client]
                self.metrics.in_progress.set(self.total)
        route = getattr(scope.get("route"), "path", "other")
        self.metrics.served(route, request.status, time.perf_counter() - begun)

    def _refusal(self, scope: Scope, client: str) -> tuple[int, str] | None:
        options = self.options
        if (refusal := _refused_message(scope)) is not None:
            return refusal
        if scope["path"] not in ALWAYS_SERVED:
            if self.total >= options.max_requests:
                return 503, f"{options.max_requests} requests are in progress. Try again soon."
            if self.by_client[client] >= options.max_requests_per_client:
                most = options.max_requests_per_client
                return 429, f"{most} requests of this address are in progress. Send fewer at once."
        if _header_bytes(scope) > options.limits.header_bytes:
            return 431, f"The headers are larger than {options.limits.header_bytes:,} bytes."
        return _refused_body(scope, options.limits.body_bytes)

    def count_bytes(self, size: int) -> None:
        """Count bytes of bodies and rows; those of all requests in progress are bounded."""
        self.bytes += size
        if self.bytes > self.options.limits.bytes_in_progress:
            raise _busy("bodies")

    def count_results(self, n_cells: int, of_request: int) -> None:
        """Count cells of results; those of one request are bounded by themselves."""
        self.result_cells += n_cells
        if max(of_request, self.options.limits.results_in_progress) < self.result_cells:
            raise _busy("results")


class LimitedRequest:
    """One request: what it holds in memory is counted, and its time is bounded."""

    scope: Scope
    size: int
    complete: bool
    status: int

    def __init__(self, scope: Scope, receive: Receive, send: Send, requests: RequestLimits) -> None:
        self.scope, self._receive, self._send, self._requests = scope, receive, send, requests
        self.options: ServeOptions = requests.options
        self.status, self.size, self.complete = 0, 0, False
        self._row_bytes = self._result_cells = 0
        scope[REQUEST_KEY] = self

    async def run(self, app: ASGIApp) -> None:
        """Give the request to the app, and answer for it where it takes too long."""
        try:
            async with asyncio.timeout(self.options.timeout):
                await app(self.scope, self.receive, self.send)
        except Exception as error:
            if self.status:
                raise
            if not isinstance(error, TimeoutError):
                log.exception("internal error")
                await self.refuse(500, "An internal error. The log of the service says more.")
                return
            limit = f"{self.options.timeout:g} seconds"
            if self.complete:
                await self.refuse(503, f"The request took longer than {limit}. Send fewer rows.")
            else:
                await self.refuse(408, f"The body did not arrive within {limit}.")
        finally:
            self._requests.bytes -= self.size + self._row_bytes
            self._requests.result_cells -= self._result_cells

    def hold_rows(self, n_bytes: int) -> None:
        """Count the rows that were read from the body, until the response is sent."""
        more, self._row_bytes = n_bytes - self._row_bytes, n_bytes
        self._requests.count_bytes(more)

    def hold_result(self, n_cells: int) -> None:
        """Count the cells of the result, until the response is sent."""
        more, self._result_cells = n_cells - self._result_cells, n_cells
        self._requests.count_results(more, n_cells)

    async def receive(self) -> Message:
        """Return the next part of the body."""
        message = await self._receive()
        if message["type"] == "http.request":
            part = len(message.get("body", b""))
            self.size += part
            self.complete = not message.get("more_body", False)
            self._requests.count_bytes(part)
            if self.size > self.options.limits.body_bytes:
                raise HTTPException(413, _too_large(self.options.limits.body_bytes))
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the response, no faster than the client reads it.

        A request whose response nobody reads is thus in progress, counted, and ended in time.
        """
        if message["type"] == "http.response.start":
            self.status = message["status"]
        body = memoryview(message.get("body", b""))
        last = max(0, len(body) - 1) // SENT_BYTES * SENT_BYTES
        for start in range(0, last, SENT_BYTES):
            part = bytes(body[start : start + SENT_BYTES])
            await self._send({**message, "body": part, "more_body": True})
        await self._send({**message, "body": bytes(body[last:])} if last else message)

    async def refuse(self, status: int, detail: str) -> None:
        """Send a problem."""
        body = problem_body(status, detail)
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", b"%d" % len(body))]
        if status in (429, 503):
            headers.append((b"retry-after", b"1"))
        if status in (400, 408, 505):
            headers.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _busy(what: str) -> HTTPException:
    detail = f"The {what} of the requests in progress are too large. Try again soon."
    return HTTPException(503, detail, {"retry-after": "1"})


def _refused_message(scope: Scope) -> tuple[int, str] | None:
    """Return status and sentence for a request that two servers might read as two others."""
    if scope["http_version"] not in HTTP_VERSIONS:
        return 505, f"HTTP/{scope['http_version']} is not served. Send HTTP/1.1."
    names = {name for name, _ in scope["headers"]}
    if b"transfer-encoding" in names and b"content-length" in names:
        return 400, "There are both Content-Length and Transfer-Encoding. Send one of them."
    return None


def _header_bytes(scope: Scope) -> int:
    size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    return size + sum(len(name) + len(value) for name, value in scope["headers"])


def _refused_body(scope: Scope, most: int) -> tuple[int, str] | None:
    """Return status and sentence for a body that is not read, from the headers alone."""
    if scope["method"] in METHODS_WITHOUT_BODY:
        return None
    length = media = encoding = b""
    for name, value in scope["headers"]:
        if name == b"content-length":
            length = value
        elif name == b"content-type":
            media = value
        elif name == b"content-encoding":
            encoding = value
    if encoding.lower() not in (b"", b"identity"):
        return 415, "The body is compressed. Send it without Content-Encoding."
    if length.isdigit() and int(length) > most:
        return 413, _too_large(most)
    kind = media.split(b";")[0].strip().lower().decode("latin-1")
    if kind not in (JSON_TYPE, ARROW_TYPE) and (length not in (b"", b"0") or kind):
        return 415, f"The Content-Type is {kind[:60]!r}. Send {JSON_TYPE} or {ARROW_TYPE}."
    return None


def _too_large(most: int) -> str:
    return f"The body is larger than {most:,} bytes. Send fewer rows."
