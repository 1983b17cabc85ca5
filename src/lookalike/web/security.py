"""Who may call the service: Host names, bearer token, same origin, and headers of responses."""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lookalike.web.metrics import Metrics
from lookalike.web.options import ServeOptions
from lookalike.web.problems import MEDIA_TYPE, problem_body

CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors {ancestors}"
)
PUBLIC_PATHS = (
    "/",
    "/docs",
    "/healthz",
    "/readyz",
    "/favicon.ico",
)  # no data: a token is not needed
PUBLIC_FOLDERS = ("/static/", "/framed/")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
SAME_SITE = (b"same-origin", b"none")  # values of Sec-Fetch-Site
SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"content-security-policy", CONTENT_POLICY.format(ancestors="'none'").encode()),
    (b"x-frame-options", b"DENY"),
]


class Security:
    """The outermost layer: a request that may not be served goes no further."""

    app: ASGIApp
    metrics: Metrics

    def __init__(self, app: ASGIApp, options: ServeOptions, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics
        self.names: frozenset[str] = options.host_names
        self.token: bytes | None = None if options.token is None else options.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, guarded)
            return
        status, detail = refusal
        self.metrics.served("refused", status, 0.0)
        body = problem_body(status, detail)
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", b"%d" % len(body))]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await guarded({"type": "http.response.start", "status": status, "headers": headers})
        await guarded({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return status and sentence for a request that may not be served, None for others."""
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"authorization", b"origin"):
                return 400, f"There are two {name.decode()} headers. Send one."
            headers[name] = value
        if _name(headers.get(b"host", b"")) not in self.names:
            return 421, (
                "The Host header names another server. Use the address that the service printed, "
                "or start it with --allow-host NAME."
            )
        if not _same_origin(scope, headers):
            return 403, (
                "The request comes from a page of another origin, which may not call the service."
            )
        if self.token is not None and not _is_public(scope["path"]):
            given = headers.get(b"authorization", b"")
            scheme, _, value = given.partition(b" ")
            same = hmac.compare_digest(value.strip(), self.token)
            if scheme.lower() != b"bearer" or not same:
                return 401, "A bearer token is needed: send the header Authorization: Bearer TOKEN."
        return None


def _same_origin(scope: Scope, headers: MutableMapping[bytes, bytes]) -> bool:
    """Return whether no page of another origin sent the request, as far as a browser says."""
    site = headers.get(b"sec-fetch-site", b"none")
    origin = headers.get(b"origin")
    if scope["method"] in SAFE_METHODS:  # a link may lead here; what it fetches may not
        return site in SAME_SITE or headers.get(b"sec-fetch-mode") == b"navigate"
    own_origin = scope["scheme"].encode() + b"://" + headers.get(b"host", b"")
    return site in SAME_SITE and origin in (None, own_origin)


def _is_public(path: str) -> bool:
    return path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDERS)


def _name(host: bytes) -> str:
    """Return the name of a Host header in lower case, without its port.

    >>> _name(b"Localhost:8765"), _name(b"[::1]:80"), _name(b"[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    text = host.decode("latin-1").lower()
    name, _, port = text.rpartition(":")
    return name if name and port.isdigit() else text


def _add_headers(message: MutableMapping[str, Any]) -> None:
    """Add the headers that every response has, but for those that it sets itself."""
    header_names = {name.lower() for name, _ in message.get("headers", [])}
    framed = b"content-security-policy" in header_names
    added = [
        (name, value)
        for name, value in SECURITY_HEADERS
        if name not in header_names and not (framed and name == b"x-frame-options")
    ]
    message["headers"] = [*message.get("headers", []), *added]
