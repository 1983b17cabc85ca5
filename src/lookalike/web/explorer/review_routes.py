"""The review of labels over HTTP, and errors of an exploration as problems."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from lookalike.data.write.append_log import LogBusyError
from lookalike.errors import ParameterError, WriteError
from lookalike.studies.to_json import to_jsonable
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.pending import NotReadyError
from lookalike.web.explorer.review import MAX_ROWS_TOGETHER, TestRowError
from lookalike.web.explorer.selection import selected
from lookalike.web.problems import ProblemError


class NewLabel(BaseModel):
    """Another label of a row."""

    row: int
    label: str | float | int


class ReviewedRow(BaseModel):
    """What is decided on a row."""

    row: int
    action: Literal["relabel", "accept", "ignore"]
    label: str | float | int | None = None
    confirm_test_row: bool = False


class RelabeledRows(BaseModel):
    """One label for several rows: by position, or by a bitmask of all in base64."""

    rows: list[int] | None = None
    mask: str | None = None
    label: str | float | int
    confirm_test_rows: bool = False


class SentRows(BaseModel):
    """Rows for the queue: by position, or by a bitmask of all in base64."""

    rows: list[int] | None = None
    mask: str | None = None


class UndoneDecisions(BaseModel):
    """How many of the last decisions are taken back."""

    count: int = Field(1, ge=1, le=MAX_ROWS_TOGETHER)


def add_review_routes(router: APIRouter, exploration: Exploration) -> None:
    """Add the routes of the review."""

    @router.get("/review")
    def state() -> Any:
        """Return the queue of suspects, the worst first, and the leave-one-out error."""
        with http_errors():
            return to_jsonable(exploration.review.state())

    @router.post("/review/effect")
    def effect(body: NewLabel) -> object:
        """Return what another label would change, exactly, before anything is kept."""
        with http_errors(422):
            return to_jsonable(exploration.review.effect(body.row, body.label))

    @router.post("/review")
    def decide(body: ReviewedRow) -> object:
        """Keep a decision: it is on the disk when this is answered."""
        with http_errors(422):
            decision = exploration.review.decide(
                body.row, body.action, body.label, confirm_test_row=body.confirm_test_row
            )
            return to_jsonable(decision)

    @router.post("/review/relabel")
    def relabel(body: RelabeledRows) -> object:
        """Give several rows one label, a decision on each."""
        with http_errors(422):
            chosen = _rows_of(exploration, body)
            found = exploration.review.relabel(
                chosen, body.label, confirm_test_rows=body.confirm_test_rows
            )
            return to_jsonable(found)

    @router.post("/review/rows")
    def send(body: SentRows) -> object:
        """Put rows before all others of the queue."""
        with http_errors(422):
            return to_jsonable(exploration.review.send(_rows_of(exploration, body)))

    @router.post("/review/undo")
    def undo(body: UndoneDecisions) -> object:
        """Take the last decisions back."""
        with http_errors(409):
            return to_jsonable(exploration.review.undo(body.count))

    @router.get("/review/corrections.csv")
    def corrections() -> Response:
        """Return the corrections, as `lookalike audit --apply` takes them."""
        headers = {"content-disposition": 'attachment; filename="corrections.csv"'}
        with http_errors():
            content = exploration.review.corrections_csv()
        return Response(content, media_type="text/csv; charset=utf-8", headers=headers)

    @router.get("/review/log")
    def log() -> Any:
        """Return every decision and undo, in their order."""
        return {"entries": exploration.review.log()}


def _rows_of(exploration: Exploration, body: RelabeledRows | SentRows) -> list[int]:
    chosen = selected(len(exploration.state.rows), body.rows, body.mask)
    rows: list[int] = np.flatnonzero(chosen).tolist()
    return rows


@contextmanager
def http_errors(status: int = 404) -> Iterator[None]:
    """Turn errors of an exploration into problems: 503 for what is not ready yet."""
    try:
        yield
    except NotReadyError as error:
        raise ProblemError(503, str(error), headers={"retry-after": "5"}) from None
    except LogBusyError as error:
        raise ProblemError(503, str(error), headers={"retry-after": "5"}) from None
    except TestRowError as error:
        raise ProblemError(409, str(error)) from None
    except WriteError as error:
        raise ProblemError(507, str(error)) from None
    except ParameterError as error:
        raise ProblemError(status, str(error)) from None
