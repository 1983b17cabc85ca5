"""Routes whose JSON bodies are read strictly, before pydantic sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.types import Scope

from lookalike.web.json_body import parse_json
from lookalike.web.limits import Limits


class ParsedRequest(Request):
    """A request whose body was read and parsed before."""

    def __init__(self, scope: Scope, body: bytes, parsed: object) -> None:
        super().__init__(scope)
        self._content, self._parsed = body, parsed

    async def body(self) -> bytes:
        """Return the bytes of the body."""
        return self._content

    async def json(self) -> Any:
        """Return the value of the body."""
        return self._parsed


def strict_route(limits: Limits) -> type[APIRoute]:
    """Return the class of routes whose bodies are within the limits."""

    class StrictRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_strictly(request: Request) -> Response:
                body = await request.body()
                parsed = await asyncio.to_thread(parse_json, body, limits) if body else None
                return await handle(ParsedRequest(request.scope, body, parsed))

            return handle_strictly

    return StrictRoute
