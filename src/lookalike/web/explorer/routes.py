"""The explorer over HTTP: each route calls one method of an `Exploration`."""

from __future__ import annotations

import math
from io import BytesIO
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.map_areas import map_areas
from lookalike.web.explorer.panels import panel
from lookalike.web.explorer.regions import decision_regions
from lookalike.web.explorer.review_routes import add_review_routes, http_errors
from lookalike.web.explorer.row_search import ROWS_LISTED, bitmask, search_matches, search_rows
from lookalike.web.explorer.row_table import ROW_COLUMN
from lookalike.web.explorer.selection import compare_selection, selected
from lookalike.web.explorer.self_check import self_check
from lookalike.web.limits import INT64_DIGITS, Limits
from lookalike.web.problems import ProblemError
from lookalike.web.strict_route import strict_route

OptionalK = Annotated[int | None, Query(ge=1)]
CACHED_BY_BROWSER = {"cache-control": "private, max-age=3600"}
EXPORT_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def explorer_router(exploration: Exploration, limits: Limits) -> APIRouter:
    """Return the routes of an exploration, whose bodies and results are within the limits."""
    router = APIRouter(tags=["explorer"], route_class=strict_route(limits))
    _add_maps(router, exploration)
    _add_rows(router, exploration, limits)
    _add_table(router, exploration)
    _add_questions(router, exploration)
    _add_k(router, exploration)
    _add_panels(router, exploration)
    add_review_routes(router, exploration)
    return router


def _add_maps(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/session")
    def session() -> object:
        """Return what the page needs to begin."""
        return to_jsonable(exploration.session())

    @router.get("/progress")
    def progress() -> object:
        """Return what is still being computed, and how far it is."""
        return exploration.progress()

    @router.get("/maps/{key}")
    def plane(key: str) -> Response:
        """Return the map of all rows, float32 (rows, 2), scaled to [-1, 1]."""
        with http_errors():
            return binary(exploration.state.maps.get(key).xy.astype("<f4"))

    @router.get("/maps/{key}/measures")
    def measures(key: str) -> Any:
        """Return how far a map can be trusted; null where few rows lie on it."""
        with http_errors():
            return {"measures": to_jsonable(exploration.state.maps.measures(key))}

    @router.get("/maps/{key}/areas")
    def areas(key: str) -> Any:
        """Return the dense areas of a map, with what sets the rows of each apart."""
        with http_errors():
            return {"areas": map_areas(exploration.state, key)}

    @router.get("/maps/{key}/torn/{row}")
    def torn(key: str, row: int, k: OptionalK = None) -> object:
        """Return the true neighbors that the map tears away from a row, and its false ones."""
        with http_errors():
            return exploration.state.maps.torn(key, exploration.state.check_row(row), k)

    @router.get("/colors/{key:path}")
    def color(key: str) -> Response:
        """Return what rows are colored by, in the type that the session gives."""
        with http_errors():
            return binary(exploration.state.colors.get(key))


def _add_rows(router: APIRouter, exploration: Exploration, limits: Limits) -> None:
    @router.get("/rows/{row}")
    def row_of(row: int) -> object:
        """Return a row with its label, prediction, flags and cells."""
        with http_errors():
            return to_jsonable(exploration.state.row(row))

    @router.get("/rows/{row}/image.png")
    def image(row: int) -> Response:
        """Return the image of a row."""
        with http_errors():
            return png_response(exploration.state.images.png(exploration.state.check_row(row)))

    @router.get("/thumbnails")
    def thumbnails(rows: str) -> Response:
        """Return the images of rows as one sprite, 20 in a line, in the order given."""
        with http_errors():
            state = exploration.state
            chosen = [state.check_row(row) for row in row_numbers(rows)]
            limits.require_result(len(chosen), math.prod(state.images.shape), "pixels")
            return png_response(state.images.sprite(np.array(chosen, np.int64)))

    @router.get("/rows/{row}/evidence")
    def evidence(row: int, k: OptionalK = None) -> object:
        """Return the neighbors of a row, their votes, and what would change the prediction."""
        with http_errors():
            return to_jsonable(exploration.state.evidence.of_row(row, k))


class SelectedRows(BaseModel):
    """Rows by position, or a bitmask of all in base64."""

    rows: list[int] | None = None
    mask: str | None = None


class ExportedRows(SelectedRows):
    """Rows, and the format that they are written in."""

    format: Literal["csv", "parquet"] = "csv"


class TablePart(BaseModel):
    """Lines of the table of rows: of all, or those of a bitmask in base64, in an order."""

    begin: int = Field(0, ge=0)
    count: int = Field(100, ge=1, le=1000)
    sort: str = ROW_COLUMN
    descending: bool = False
    mask: str | None = None


class CountedColumns(BaseModel):
    """Columns of the table by id, and a bitmask of chosen rows in base64."""

    columns: list[str] = Field(max_length=200)
    mask: str | None = None


class NewItem(BaseModel):
    """A row of cells by column, a text, or a PNG or JPEG in base64; and the map that is shown."""

    cells: dict[str, Any] | None = None
    text: str | None = None
    image: str | None = None
    k: int | None = Field(None, ge=1)
    map: str | None = None


class CheckedRows(BaseModel):
    """How many random rows are compared with brute force."""

    rows: int = Field(200, ge=1, le=10_000)


def _add_table(router: APIRouter, exploration: Exploration) -> None:
    @router.post("/table")
    def table(body: TablePart) -> Any:
        """Return some lines of the table of rows."""
        with http_errors(422):
            state = exploration.state
            chosen = None if body.mask is None else selected(len(state.rows), None, body.mask)
            page = state.table.page(
                body.begin, body.count, sort=body.sort, descending=body.descending, chosen=chosen
            )
            return to_jsonable(page)

    @router.post("/histograms")
    def histograms(body: CountedColumns) -> object:
        """Return how many rows are in each interval or category of columns."""
        with http_errors(422):
            state = exploration.state
            chosen = None if body.mask is None else selected(len(state.rows), None, body.mask)
            return to_jsonable(state.table.histograms.count(body.columns, chosen))

    @router.get("/where")
    def where(condition: str) -> Any:
        """Return the rows that satisfy a condition on columns, as a bitmask."""
        with http_errors(422):
            chosen = exploration.state.table.where(condition)
            return {"total": int(chosen.sum()), "mask": bitmask(chosen)}

    @router.post("/export")
    def export(body: ExportedRows) -> Response:
        """Return the selected rows as csv or Parquet."""
        with http_errors(422):
            state, file = exploration.state, BytesIO()
            chosen = selected(len(state.rows), body.rows, body.mask)
            if body.format == "parquet":
                state.table.write_parquet(file, chosen)
            else:
                state.table.write_csv(file, chosen)
            return Response(file.getvalue(), media_type=EXPORT_TYPES[body.format])


def _add_questions(router: APIRouter, exploration: Exploration) -> None:
    @router.post("/selection")
    def selection(body: SelectedRows) -> Any:
        """Return how the selected rows differ from the rest."""
        with http_errors(422):
            state = exploration.state
            chosen = selected(len(state.rows), body.rows, body.mask)
            return to_jsonable(compare_selection(state, chosen))

    @router.get("/search")
    def search(
        q: str,
        limit: Annotated[int, Query(ge=0, le=100_000)] = ROWS_LISTED,
        kind: str | None = None,
    ) -> Any:
        """Return the rows of a number, a label or a text."""
        with http_errors(422):
            return search_rows(exploration.state.rows, q, limit, kind)

    @router.get("/search/matches")
    def matches(q: str) -> object:
        """Return what a text may mean, while it is typed."""
        return search_matches(exploration.state.rows, q)

    @router.post("/query")
    def query(body: NewItem) -> Any:
        """Return prediction, evidence and places of a new item."""
        with http_errors(422):
            return to_jsonable(exploration.state.new_items.query(**body.model_dump()))

    @router.post("/self-check")
    def check(body: CheckedRows) -> Any:
        """Compare the neighbors of random rows with brute force in float64."""
        with http_errors(422):
            return self_check(exploration.state, body.rows)


def _add_k(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/k")
    def curve() -> Any:
        """Return the leave-one-out error of every K."""
        with http_errors():
            return to_jsonable(exploration.state.k_curve())

    @router.get("/k/{k}/predicted")
    def predicted(k: int) -> Response:
        """Return the prediction for every row by K neighbors, each row left out in turn."""
        with http_errors():
            return binary(exploration.state.predicted_at(k))

    @router.get("/regions")
    def regions(
        map: str,  # noqa: A002 - the name of the parameter
        k: Annotated[int, Query(ge=1)],
        size: Annotated[int, Query(ge=2, le=512)] = 128,
    ) -> object:
        """Return the decision regions in the plane of a map."""
        with http_errors():
            return to_jsonable(decision_regions(exploration.state, map, k, size))

    @router.get("/components")
    def components() -> Any:
        """Return the share of variance of every component of the images."""
        with http_errors():
            return exploration.state.components.summary()

    @router.get("/components/{row}.png")
    def rebuilt(row: int, m: Annotated[int, Query(ge=0)]) -> Response:
        """Return the image of a row by its first m components."""
        with http_errors():
            return png_response(
                exploration.state.components.png(exploration.state.check_row(row), m)
            )


def _add_panels(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/panels/{name}")
    def panel_of(name: str) -> object:
        """Return a panel of the study: its table, and how it is drawn."""
        with http_errors():
            return to_jsonable(panel(exploration.state, name))

    @router.get("/confusion/{true}/{predicted}")
    def cell(true: str, predicted: str) -> object:
        """Return the rows of a cell of the confusion matrix."""
        with http_errors():
            return {"rows": exploration.state.confusion_rows(true, predicted)}

    @router.get("/confusion")
    def cell_of(true: str, predicted: str) -> object:
        """Return the rows of a cell of the confusion matrix; labels may hold slashes."""
        return cell(true, predicted)


def binary(values: AnyArray) -> Response:
    """Return a typed array, little-endian."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return Response(np.ascontiguousarray(little).tobytes(), media_type="application/octet-stream")


def png_response(content: bytes) -> Response:
    """Return a PNG file."""
    return Response(content, media_type="image/png", headers=CACHED_BY_BROWSER)


def row_numbers(text: str) -> list[int]:
    """Return the numbers of a list such as 1,2,3, or raise."""
    parts = [part for part in text.split(",") if part]
    if not parts or not all(part.isdecimal() and len(part) <= INT64_DIGITS for part in parts):
        raise ProblemError(
            422, f"rows={text[:40]!r} is not a list of rows. Give for example 1,2,3."
        )
    return [int(part) for part in parts]
