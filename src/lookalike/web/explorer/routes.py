"""The explorer over HTTP: each route calls one method of an `Exploration`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response

from lookalike.errors import ParameterError
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.pending import NotReadyError
from lookalike.web.problems import ProblemError

K = Annotated[int | None, Query(ge=1)]
KEPT = {"cache-control": "private, max-age=3600"}


def explorer_router(exploration: Exploration) -> APIRouter:
    """Return the routes of an exploration."""
    router = APIRouter(tags=["explorer"])
    _add_maps(router, exploration)
    _add_rows(router, exploration)
    return router


def _add_maps(router: APIRouter, exploration: Exploration) -> None:
    @router.get("/session")
    def session() -> Any:
        """Return what the page needs to begin."""
        return to_jsonable(exploration.session())

    @router.get("/maps/{key}")
    def plane(key: str) -> Response:
        """Return the map of all rows, float32 (rows, 2), scaled to [-1, 1]."""
        with explained():
            return binary(exploration.maps.get(key).xy.astype("<f4"))

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
            return picture(exploration.pictures.png(exploration.check_row(row)))

    @router.get("/thumbnails")
    def thumbnails(rows: str) -> Response:
        """Return the images of rows as one sprite, 20 in a line, in the order given."""
        with explained():
            places = [exploration.check_row(place) for place in row_numbers(rows)]
            return picture(exploration.pictures.sprite(np.array(places, np.int64)))

    @router.get("/rows/{row}/evidence")
    def evidence(row: int, k: K = None) -> Any:
        """Return the neighbors of a row, their votes, and what would change the prediction."""
        with explained():
            return to_jsonable(exploration.evidence.of_row(row, k))


@contextmanager
def explained() -> Iterator[None]:
    """Turn what an exploration does not have into 404, and what is not ready into 503."""
    try:
        yield
    except NotReadyError as error:
        raise ProblemError(503, str(error), headers={"retry-after": "5"}) from None
    except ParameterError as error:
        raise ProblemError(404, str(error)) from None


def binary(values: AnyArray) -> Response:
    """Return a typed array, little-endian."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return Response(np.ascontiguousarray(little).tobytes(), media_type="application/octet-stream")


def picture(content: bytes) -> Response:
    """Return a PNG file."""
    return Response(content, media_type="image/png", headers=KEPT)


def row_numbers(text: str) -> list[int]:
    """Return the numbers of a list such as 1,2,3, or raise."""
    parts = [part for part in text.split(",") if part]
    if not parts or not all(part.isdecimal() for part in parts):
        raise ProblemError(422, f"rows={text[:40]!r} is no list of rows. Give for example 1,2,3.")
    return [int(part) for part in parts]
