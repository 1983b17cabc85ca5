"""Errors as RFC 9457 problem details: what was asked, what was found, what to do."""

from __future__ import annotations

import json
import re
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from lookalike.errors import LookalikeError
from lookalike.printable import printable

MEDIA_TYPE = "application/problem+json"
_ROW_NUMBER, _COLUMN_NAME = re.compile(r"\brow (\d{1,18})\b"), re.compile(r"\bcolumn '([^']*)'")


class ProblemError(LookalikeError, ValueError):
    """A request that cannot be served, with its HTTP status and, where known, row and column."""

    status: int
    row: int | None
    column: str | int | None

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        row: int | None = None,
        column: str | int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.row, self.column = status, row, column
        self.headers: dict[str, str] = headers or {}

    @classmethod
    def of(cls, error: LookalikeError) -> ProblemError:
        """Return an error of the package as a problem, with the row and column that it names.

        >>> ProblemError.of(ProblemError(422, "NaN at row 4, column 'x1', …")).row
        4
        """
        detail = str(error)
        row, column = _ROW_NUMBER.search(detail), _COLUMN_NAME.search(detail)
        return cls(
            422,
            detail,
            row=None if row is None else int(row[1]),
            column=None if column is None else column[1],
        )


def problem_body(
    status: int, detail: str, row: int | None = None, column: str | int | None = None
) -> bytes:
    """Return the JSON of a problem."""
    content: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": printable(detail),
    }
    if row is not None:
        content["row"] = row
    if column is not None:
        content["column"] = column
    return json.dumps(content).encode()


def problem_response(error: ProblemError) -> Response:
    """Return the response to a request that cannot be served."""
    body = problem_body(error.status, str(error), error.row, error.column)
    return Response(body, error.status, media_type=MEDIA_TYPE, headers=error.headers)


def add_problem_handlers(app: FastAPI) -> None:
    """Give every error of the app the form of a problem, and none a stack trace."""

    async def of_problem(_: Request, error: Exception) -> Response:
        assert isinstance(error, ProblemError)
        return problem_response(error)

    async def of_http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        return problem_response(ProblemError(error.status_code, str(error.detail), headers=headers))

    async def of_parameters(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        return problem_response(ProblemError(422, f"{field}: {first['msg']}.", column=field))

    async def of_package(_: Request, error: Exception) -> Response:
        assert isinstance(error, LookalikeError)
        return problem_response(ProblemError.of(error))

    app.add_exception_handler(ProblemError, of_problem)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_parameters)
    app.add_exception_handler(LookalikeError, of_package)
