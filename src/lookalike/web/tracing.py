"""W3C trace context: passed on with every response, and spans where OpenTelemetry is installed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

TRACE_PARENT = re.compile(rb"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
NO_TRACE, NO_SPAN = b"0" * 32, b"0" * 16


class Tracing:
    """Gives every traced request a span: its parent is the one that the request names."""

    app: ASGIApp

    def __init__(self, app: ASGIApp) -> None:
        self.app, self._tracer = app, _tracer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; what it names as its trace goes into the scope and the response."""
        given = _trace_parent(scope)
        if scope["type"] != "http" or (given is None and self._tracer is None):
            await self.app(scope, receive, send)
            return
        status = 0

        async def traced(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if (own := scope.get("lookalike.trace")) is not None:
                    header = (b"traceparent", own.encode())
                    message["headers"] = [*message.get("headers", []), header]
            await send(message)

        with self._span(scope, given) as span:
            await self.app(scope, receive, traced)
            if span is not None:
                route = getattr(scope.get("route"), "path", scope["path"])
                span.update_name(f"{scope['method']} {route}")
                span.set_attribute("http.route", route)
                span.set_attribute("http.response.status_code", status)

    @contextmanager
    def _span(self, scope: Scope, given: tuple[bytes, bytes, bytes] | None) -> Iterator[Any]:
        """Open a span of the request, and put its trace context into the scope."""
        if given is not None:
            trace, parent, flags = (part.decode() for part in given)
            scope["lookalike.trace"] = f"00-{trace}-{secrets.token_hex(8)}-{flags}"
        if self._tracer is None:
            yield None
            return
        from opentelemetry import propagate
        from opentelemetry import trace as otel

        carrier = {n.decode("latin-1"): v.decode("latin-1") for n, v in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], context=propagate.extract(carrier), kind=otel.SpanKind.SERVER
        ) as span:
            own = span.get_span_context()
            # where no provider of spans is set up, the span is that of the caller
            if own.is_valid and (given is None or f"{own.span_id:016x}" != parent):
                ids = f"{own.trace_id:032x}-{own.span_id:016x}-{own.trace_flags:02x}"
                scope["lookalike.trace"] = f"00-{ids}"
            yield span


def _trace_parent(scope: Scope) -> tuple[bytes, bytes, bytes] | None:
    """Return trace, parent and flags that a request names; None where they are not valid."""
    values = [value for name, value in scope.get("headers", ()) if name == b"traceparent"]
    found = TRACE_PARENT.fullmatch(values[0]) if len(values) == 1 else None
    if found is None or found[1] == NO_TRACE or found[2] == NO_SPAN:
        return None
    return found[1], found[2], found[3]


def _tracer() -> Any:
    """Return the tracer of OpenTelemetry; None where its packages are not installed."""
    try:
        if find_spec("opentelemetry.sdk") is None:
            return None
    except ModuleNotFoundError:
        return None
    from opentelemetry import trace

    return trace.get_tracer("lookalike")
