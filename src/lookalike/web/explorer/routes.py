"""The explorer over HTTP: each route calls one method of an `Exploration`."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.panels import panel
from lookalike.web.explorer.regions import decision_regions
from lookalike.web.explorer.review_routes import add_review_routes, explained
from lookalike.web.explorer.row_search import SHOWN, search_rows
from lookalike.web.explorer.selection import compare_selection, selected
from lookalike.web.explorer.self_check import self_check
from lookalike.web.problems import ProblemError

K = Annotated[int | None, Query(ge=1)]
KEPT = {"cache-control": "private, max-age=3600"}


def explorer_router(exploration: Exploration) -> APIRouter:
    """Return the routes of an exploration."""
    router = APIRouter(tags=["explorer"])
    _add_maps(router, exploration)
    _add_rows(router, exploration)
    _add_questions(router, exploration)
    _add_k(router, exploration)
    _add_panels(router, exploration)
    add_review_routes(router, exploration)
    return router


def _add_maps(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/session")
    def session() -> Any:
        """Return what the page needs to begin."""
        return to_jsonable(exploration.session())

    @router.get("/progress")
    def progress() -> Any:
        """Return what is still being computed, and how far it is."""
        return exploration.progress()

    @router.get("/maps/{key}")
    def plane(key: str) -> Response:
        """Return the map of all rows, float32 (rows, 2), scaled to [-1, 1]."""
        with explained():
            return binary(exploration.maps.get(key).xy.astype("<f4"))

    @router.get("/maps/{key}/measures")
    def measures(key: str) -> Any:
        """Return how far a map can be trusted; null where few rows lie on it."""
        with explained():
            return {"measures": to_jsonable(exploration.maps.measures(key))}

    @router.get("/maps/{key}/torn/{row}")
    def torn(key: str, row: int, k: K = None) -> Any:
        """Return the true neighbors that the map tears away from a row, and its false ones."""
        with explained():
            return exploration.maps.torn(key, exploration.check_row(row), k)

    @router.get("/colors/{key:path}")
    def color(key: str) -> Response:
        """Return what rows are colored by, in the type that the session gives."""
        with explained():
            return binary(exploration.colors.get(key))


def _add_rows(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/rows/{row}")
    def row_of(row: int) -> Any:
        """Return a row with its label, prediction, flags and cells."""
        with explained():
            return to_jsonable(exploration.row(row))

    @router.get("/rows/{row}/image.png")
    def image(row: int) -> Response:
        """Return the image of a row."""
        with explained():
            return png_response(exploration.images.png(exploration.check_row(row)))

    @router.get("/thumbnails")
    def thumbnails(rows: str) -> Response:
        """Return the images of rows as one sprite, 20 in a line, in the order given."""
        with explained():
            places = [exploration.check_row(place) for place in row_numbers(rows)]
            return png_response(exploration.images.sprite(np.array(places, np.int64)))

    @router.get("/rows/{row}/evidence")
    def evidence(row: int, k: K = None) -> Any:
        """Return the neighbors of a row, their votes, and what would change the prediction."""
        with explained():
            return to_jsonable(exploration.evidence.of_row(row, k))


class SelectedRows(BaseModel):
    """Rows by position, or a bitmask of all in base64."""

    rows: list[int] | None = None
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


def _add_questions(router: APIRouter, exploration: Exploration) -> None:
    @router.post("/selection")
    def selection(body: SelectedRows) -> Any:
        """Return how the selected rows differ from the rest."""
        with explained(422):
            here = selected(len(exploration.rows), body.rows, body.mask)
            return to_jsonable(compare_selection(exploration, here))

    @router.get("/search")
    def search(q: str, limit: Annotated[int, Query(ge=0, le=100_000)] = SHOWN) -> Any:
        """Return the rows of a number, a label or a text."""
        return search_rows(exploration.rows, q, limit)

    @router.post("/query")
    def query(body: NewItem) -> Any:
        """Return prediction, evidence and places of a new item."""
        with explained(422):
            return to_jsonable(exploration.new_items.query(**body.model_dump()))

    @router.post("/self-check")
    def check(body: CheckedRows) -> Any:
        """Compare the neighbors of random rows with brute force in float64."""
        with explained(422):
            return self_check(exploration, body.rows)


def _add_k(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/k")
    def curve() -> Any:
        """Return the leave-one-out error of every K."""
        with explained():
            return to_jsonable(exploration.k_curve())

    @router.get("/k/{k}/predicted")
    def predicted(k: int) -> Response:
        """Return the prediction for every row by K neighbors, each row left out in turn."""
        with explained():
            return binary(exploration.predicted_at(k))

    @router.get("/regions")
    def regions(
        map: str,  # noqa: A002 - the name of the parameter
        k: Annotated[int, Query(ge=1)],
        size: Annotated[int, Query(ge=2, le=512)] = 128,
    ) -> Any:
        """Return the decision regions in the plane of a map."""
        with explained():
            return to_jsonable(decision_regions(exploration, map, k, size))

    @router.get("/components")
    def components() -> Any:
        """Return the share of variance of every component of the images."""
        with explained():
            return exploration.components.summary()

    @router.get("/components/{row}.png")
    def rebuilt(row: int, m: Annotated[int, Query(ge=0)]) -> Response:
        """Return the image of a row by its first m components."""
        with explained():
            return png_response(exploration.components.png(exploration.check_row(row), m))


def _add_panels(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/panels/{name}")
    def panel_of(name: str) -> Any:
        """Return a panel of the study: its table, and how it is drawn."""
        with explained():
            return to_jsonable(panel(exploration, name))

    @router.get("/confusion/{true}/{predicted}")
    def cell(true: str, predicted: str) -> Any:
        """Return the rows of a cell of the confusion matrix."""
        with explained():
            return {"rows": exploration.confusion_rows(true, predicted)}

    @router.get("/confusion")
    def cell_of(true: str, predicted: str) -> Any:
        """Return the rows of a cell of the confusion matrix; labels may hold slashes."""
        return cell(true, predicted)


def binary(values: AnyArray) -> Response:
    """Return a typed array, little-endian."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return Response(np.ascontiguousarray(little).tobytes(), media_type="application/octet-stream")


def png_response(content: bytes) -> Response:
    """Return a PNG file."""
    return Response(content, media_type="image/png", headers=KEPT)


def row_numbers(text: str) -> list[int]:
    """Return the numbers of a list such as 1,2,3, or raise."""
    parts = [part for part in text.split(",") if part]
    if not parts or not all(part.isdecimal() for part in parts):
        raise ProblemError(422, f"rows={text[:40]!r} is no list of rows. Give for example 1,2,3.")
    return [int(part) for part in parts]
