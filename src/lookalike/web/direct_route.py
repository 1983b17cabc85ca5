"""Routes whose function is called at once where a request has no query to read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute


class DirectRoute(APIRoute):
    """A route whose function takes the request, and parameters of the query that have defaults."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request: with a query as FastAPI does, without one the function."""
        read_query, answer = super().get_route_handler(), self.endpoint

        async def handle(request: Request) -> Response:
            if request.scope["query_string"]:
                return await read_query(request)
            response: Response = await answer(request)
            return response

        return handle
