"""The app: models under /v1, and where there is an exploration, its page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import FastAPI
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from lookalike.web.compression import Compression
from lookalike.web.frame_keys import FRAME_ANCESTORS, FrameKeys
from lookalike.web.head_requests import HeadRequests
from lookalike.web.limits import Limits
from lookalike.web.metrics import Metrics
from lookalike.web.openapi import EXPLORER_PROBLEMS
from lookalike.web.openapi_models import describe_models
from lookalike.web.options import ServeOptions
from lookalike.web.problems import ProblemError, add_problem_handlers
from lookalike.web.registry import ModelRegistry
from lookalike.web.request_limits import RequestLimits
from lookalike.web.request_log import RequestLog
from lookalike.web.routes import api_router, health_router
from lookalike.web.security import CONTENT_POLICY, Security
from lookalike.web.tracing import Tracing

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration import Exploration

STATIC_FOLDER = Path(__file__).parent / "static"
RowNumber = Annotated[int, PathParameter(ge=0, lt=2**63)]
TOKEN_PLACE = 'name="lookalike-token" content=""'


def create_app(
    models: Mapping[str, object],
    *,
    exploration: Exploration | None = None,
    options: ServeOptions | None = None,
    folder: Path | None = None,
) -> FastAPI:
    """Return the ASGI app that serves `models`, and the page of `exploration` where there is one.

    `lookalike serve` runs it by uvicorn; any ASGI server may.

    Parameters
    ----------
    models : mapping from name to model
        Each a fitted model, or the path of a model file, which is loaded again when replaced.
    exploration : Exploration, optional
        What the page shows; without one there is no page.
    options : ServeOptions, optional
        Who may call the app, and its limits.
    folder : path, optional
        Model files that come into it are served too.
    """
    options, metrics = options or ServeOptions(), Metrics()
    requests = RequestLog(options.request_log)
    registry = ModelRegistry(models, options, metrics, folder)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        registry.start()
        yield
        await registry.stop()
        requests.close()

    app = FastAPI(
        title="lookalike",
        description="Models by similarity over HTTP.",
        version=version("lookalike"),
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.options, app.state.frame_keys = options, FrameKeys()
    app.state.registry = registry
    add_problem_handlers(app)
    app.include_router(health_router(registry, metrics))
    app.include_router(api_router(registry, options, metrics, requests))
    if exploration is not None:
        exploration.on_new_models.append(registry.offer)
        _add_page(app, exploration, options.limits)
    _add_docs(app)
    own_document = app.openapi

    def openapi() -> dict[str, Any]:
        """Return the document, about the models that serve now."""
        return describe_models(own_document(), registry.serving, token=options.token is not None)

    app.openapi = openapi  # type: ignore[method-assign]
    app.mount("/static", StaticFiles(directory=STATIC_FOLDER), name="static")
    app.add_middleware(RequestLimits, options=options, metrics=metrics)
    app.add_middleware(Compression)
    app.add_middleware(Tracing)
    app.add_middleware(HeadRequests)
    app.add_middleware(Security, options=options, metrics=metrics)
    return app


def _add_docs(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        """Return the page that shows the OpenAPI document."""
        return FileResponse(STATIC_FOLDER / "docs" / "index.html")


def _add_page(app: FastAPI, exploration: Exploration, limits: Limits) -> None:
    """Serve the page at /, once in a frame for every key, and its data under /explore."""
    from lookalike.report.page import ALLOWED_CONTENT
    from lookalike.web.explorer.routes import explorer_router

    router = explorer_router(exploration, limits)
    app.include_router(router, prefix="/explore", responses=EXPLORER_PROBLEMS)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        """Return the page."""
        return FileResponse(STATIC_FOLDER / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/row/{number}", include_in_schema=False)
    async def row(number: RowNumber) -> Response:
        """Lead to a row by its number in the data; rows may be left out before it."""
        (place,) = exploration.state.rows.positions(np.array([number])).tolist()
        if place < 0:
            raise ProblemError(404, f"There is no row {number} in the data of this page.")
        return RedirectResponse(f"/?row={place}", 307)

    @app.get("/report", include_in_schema=False)
    async def report() -> Response:
        """Return the report of the study, whose rows lead back to the page."""
        found = exploration.state.report
        if found is None or not found.exists:
            raise ProblemError(404, "There is no report here: serve the folder of a study.")
        headers = {"content-security-policy": ALLOWED_CONTENT, "cache-control": "no-cache"}
        return HTMLResponse(found.html(), headers=headers)

    @app.get("/framed/{key}", include_in_schema=False)
    async def framed(key: str) -> Response:
        """Return the page for a frame of a notebook; every key is of use once."""
        policy = CONTENT_POLICY.format(ancestors=FRAME_ANCESTORS)
        headers = {"content-security-policy": policy, "cache-control": "no-store"}
        if not app.state.frame_keys.use(key):
            said = "<p>This address was opened before. Run study.explore() again.</p>"
            return HTMLResponse(said, 403, headers)
        html = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
        token = escape(app.state.options.token or "")
        html = html.replace(TOKEN_PLACE, TOKEN_PLACE.replace('""', f'"{token}"'))
        return HTMLResponse(html, headers=headers)
