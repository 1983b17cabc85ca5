"""The routes under /v1, and those of health and counters."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from lookalike.explain.prediction.input_notes import InputNotes
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray
from lookalike.web.arrow_body import read_arrow, write_arrow
from lookalike.web.batching import QueueClosedError
from lookalike.web.direct_route import DirectRoute
from lookalike.web.json_body import parse_json
from lookalike.web.limits import Limits
from lookalike.web.media_types import ARROW_TYPE
from lookalike.web.metrics import Metrics
from lookalike.web.openapi import FEEDBACK_BODY, PROBLEM_RESPONSES, REQUEST_BODY, response
from lookalike.web.options import ServeOptions
from lookalike.web.problems import ProblemError
from lookalike.web.registry import ModelRegistry
from lookalike.web.request_limits import REQUEST_KEY, LimitedRequest
from lookalike.web.request_log import Answer, RequestLog
from lookalike.web.results import (
    json_response,
    predicted_columns,
    prediction_response,
    rows_response,
)
from lookalike.web.row_batch import RowBatch, count_bytes, count_rows, rows_between
from lookalike.web.row_reader import RowReader
from lookalike.web.served_model import ServedModel

LARGE_BODY_BYTES = 256 * 1024  # from here on a body is parsed in a thread
DEFAULT_TREE_NEIGHBORS = 5  # of a model that has no K
PARSED_AT_ONCE = 2  # of large bodies: parsed JSON takes many times the memory of its rows
Name = Annotated[
    str | None, Query(alias="model", max_length=200, description="A name from /v1/models.")
]


class Body:
    """The rows of a request, read for the model that it names."""

    def __init__(
        self, request: Request, content: bytes, limits: Limits, parsers: ThreadPoolExecutor
    ) -> None:
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        self.arrow: bool = kind == ARROW_TYPE
        self.wants_arrow: bool = ARROW_TYPE in request.headers.get("accept", "")
        if not content:
            raise ProblemError(400, 'The body is empty. Send {"rows": [...]}.')
        self._bytes, self._limits, self._parsers = content, limits, parsers
        self._request: LimitedRequest = request.scope[REQUEST_KEY]
        self.notes: list[dict[str, str]] = []  # how the rows differ from training rows
        self.input_notes: InputNotes | None = None  # the same, counted
        self.key: str | None = request.headers.get("x-request-id")
        self.trace: str | None = request.scope.get("lookalike.trace")

    async def rows(self, reader: RowReader) -> RowBatch:
        """Return the rows."""
        return (await self.compared_rows(reader, ("rows",)))[0]

    async def compared_rows(
        self, reader: RowReader, keys: Sequence[str] = ("rows", "reference")
    ) -> list[RowBatch]:
        """Return the rows, and those of an explanation to compare with, if there are any.

        A large body is read by a thread. What it was parsed to is not kept: only rows are.
        """
        if len(self._bytes) > LARGE_BODY_BYTES:
            loop = asyncio.get_running_loop()
            batches = await loop.run_in_executor(self._parsers, self._read, reader, keys)
        else:
            batches = self._read(reader, keys)
        self._request.hold_rows(sum(map(count_bytes, batches)))
        return batches

    def note_predictions(self, predicted: AnyArray) -> None:
        """Add to the notes what is unlike the targets of training rows."""
        if self.input_notes is not None and self.input_notes.predictions.targets is not None:
            self.input_notes.predictions.add(predicted)
            self.notes = [note._asdict() for note in self.input_notes.listed()]

    def hold_result(self, n_cells: int) -> None:
        """Count the cells of the result among those of all requests in progress."""
        self._request.hold_result(n_cells)

    def _read(self, reader: RowReader, keys: Sequence[str]) -> list[RowBatch]:
        content, notes = self._parsed(), InputNotes(reader.table)
        if isinstance(content, np.ndarray):
            batches = [reader.from_matrix(content, notes)]
        elif self.arrow:
            named = not _unnamed(content)
            batches = [reader.from_columns(content, named=named, notes=notes)]
        else:
            batches = [reader.from_json(content, notes)]
            more = [key for key in keys[1:] if isinstance(content, dict) and key in content]
            batches += [
                reader.from_json({"rows": content[key]}, InputNotes(reader.table)) for key in more
            ]
        self.notes, self.input_notes = [note._asdict() for note in notes.listed()], notes
        return batches

    @property
    def json(self) -> bytes | None:
        """The body as it came; None where it is Arrow."""
        return None if self.arrow else self._bytes

    def _parsed(self) -> Any:
        if self.arrow:
            return read_arrow(self._bytes, self._limits)
        content = parse_json(self._bytes, self._limits)
        if isinstance(content, dict):
            known = ("rows", "columns", "images", "reference")
            for name in content:
                if name not in known:
                    raise ProblemError(422, f"{name[:60]!r} is not known. Send {', '.join(known)}.")
        return content


def _unnamed(columns: Mapping[str, object]) -> bool:
    return list(columns) == [f"x{j}" for j in range(len(columns))]


class ModelRoutes:
    """What is done for each route under /v1."""

    models: ModelRegistry
    limits: Limits
    metrics: Metrics
    requests: RequestLog

    def __init__(
        self, models: ModelRegistry, options: ServeOptions, metrics: Metrics, requests: RequestLog
    ) -> None:
        self.models, self.limits = models, options.limits
        self.metrics, self.requests = metrics, requests
        self._widths: WeakKeyDictionary[ServedModel, int] = WeakKeyDictionary()
        self._parsers = ThreadPoolExecutor(PARSED_AT_ONCE, "lookalike-parse")

    async def list_models(self) -> Response:
        """List the models: what each reads, predicts and can do."""
        return json_response({"models": self.models.describe()})

    async def training_rows(
        self,
        request: Request,
        model: Name = None,
        row: Annotated[list[int] | None, Query(description="Row numbers of the data.")] = None,
        start: Annotated[int, Query(ge=0, le=2**62, description="First row, by place.")] = 0,
        count: Annotated[int, Query(ge=1, le=1000, description="Rows at most.")] = 10,
    ) -> Response:
        """Return training rows that a neighbor model keeps, in the features that it compares."""
        about, values = self.models.get(model).stored_rows(row, start, count)
        request.scope[REQUEST_KEY].hold_result(values.size)
        return rows_response(about, {"values": values})

    async def predict(
        self,
        request: Request,
        model: Name = None,
        proba: Annotated[bool, Query(description="Add the probability of every class.")] = False,
    ) -> Response:
        """Predict rows."""

        async def use(served: ServedModel, body: Body) -> Response:
            rows = await body.rows(served.reader)
            if proba:
                served.require("predict_proba")
                self._hold_result(body, rows, _count_classes(served), "classes")
            results = await served.predict(rows, proba=proba)
            body.note_predictions(results[0])
            if body.wants_arrow:
                response = _arrow(predicted_columns(results), served, notes=body.notes)
            else:
                response = prediction_response(served, results, body.notes)
            key = self.requests.identifier(body.key)
            answer = Answer(served.name, served.version, results[0], served.classes is not None)
            self.requests.record(key, answer, body.json, body.trace)
            response.headers["x-request-id"] = key
            return response

        return await self._ask(request, model, use)

    async def feedback(self, request: Request) -> Response:
        """Take the true labels of an earlier prediction, by the x-request-id of its answer."""
        content = parse_json(await request.body(), self.limits)
        labels = content.get("labels") if isinstance(content, dict) else None
        key = content.get("id") if isinstance(content, dict) else None
        if not isinstance(key, str) or not isinstance(labels, list):
            raise ProblemError(422, 'Send {"id": the x-request-id of an answer, "labels": [...]}.')
        found = self.requests.feedback(key, labels)
        self.metrics.labeled(found)
        result = {"model": found.answer.model, "version": found.answer.version}
        result["rows"] = len(labels)
        if found.answer.is_classification:
            result["wrong"] = found.n_wrong
        else:
            result["rmse"] = float(np.sqrt(found.squared_error / max(1, len(labels))))
        return json_response(result)

    async def neighbors(
        self,
        request: Request,
        model: Name = None,
        k: Annotated[int | None, Query(ge=1, le=10_000, description="Neighbors per row.")] = None,
    ) -> Response:
        """Return the nearest training rows of each row, and their distances."""

        async def use(served: ServedModel, body: Body) -> Response:
            batch = await body.rows(served.reader)
            width = _count_neighbors(served) if k is None else k
            self._hold_result(body, batch, width, "neighbors")
            rows, distances = await served.neighbors(batch, k)
            if "nearest_distances" not in vars(served):  # computed once, in a thread
                await asyncio.to_thread(getattr, served, "nearest_distances")
            self.metrics.measured(served.name, served.distance_shares(distances[:, 0]))
            values = {"rows": rows, "distances": distances}
            more = {"neighbors_by": served.table.companion_note, "notes": body.notes}
            if body.wants_arrow:
                return _arrow(values, served, **more)
            return rows_response(_about(served) | more, values)

        return await self._ask(request, model, use)

    async def transform(self, request: Request, model: Name = None) -> Response:
        """Return rows in the features that a model makes."""

        async def use(served: ServedModel, body: Body) -> Response:
            rows = await body.rows(served.reader)
            width = await self._output_width(served, rows)
            self._hold_result(body, rows, width, "features")
            (values,) = await served.transform(rows)
            names = _output_names(served, values)
            if body.wants_arrow:
                return _arrow({"rows": values}, served, columns=names, notes=body.notes)
            about = _about(served) | {"columns": names, "notes": body.notes}
            return rows_response(about, {"rows": values})

        return await self._ask(request, model, use)

    async def explain(self, request: Request, model: Name = None) -> Response:
        """Explain predictions: by the neighbors, or by the effect of each column or word."""

        async def use(served: ServedModel, body: Body) -> Response:
            rows, *others = await body.compared_rows(served.reader)
            most = min(self.limits.explained_rows, self.limits.rows)
            if count_rows(rows) > most:
                raise ProblemError(413, f"There are more than {most} rows to explain. Send fewer.")
            reference = others[0] if others else None
            if reference is not None:
                width = served.reader.width or 1
                self.limits.require_comparison(count_rows(rows), count_rows(reference), width)
            explained = await served.explain(rows, reference)
            result = {"explanations": explained, "notes": body.notes}
            self.metrics.measured(served.name, _similarity_shares(explained))
            return json_response(_about(served) | result)

        return await self._ask(request, model, use)

    def _hold_result(self, body: Body, rows: RowBatch, width: int, what: str) -> None:
        """Raise a problem for a result that is too large by itself, or beside those of others."""
        self.limits.require_result(count_rows(rows), width, what)
        body.hold_result(count_rows(rows) * width)

    async def _output_width(self, served: ServedModel, rows: RowBatch) -> int:
        """Return how many features a model makes, which its first row tells."""
        if served not in self._widths:
            (values,) = await served.transform(rows_between(rows, 0, 1))
            self._widths[served] = values.shape[1]
        return self._widths[served]

    async def _ask(
        self,
        request: Request,
        name: str | None,
        use: Callable[[ServedModel, Body], Awaitable[Response]],
    ) -> Response:
        """Serve a request by the model that is current, or by its successor."""
        body = Body(request, await request.body(), self.limits, self._parsers)
        while True:
            served = self.models.get(name)
            try:
                response = await use(served, body)
            except QueueClosedError:
                continue
            if body.input_notes is not None:
                self.metrics.read(served.name, body.input_notes)
            return response


def api_router(
    models: ModelRegistry, options: ServeOptions, metrics: Metrics, requests: RequestLog
) -> APIRouter:
    """Return the routes under /v1."""
    router = APIRouter(prefix="/v1", tags=["models"], responses=PROBLEM_RESPONSES)
    routes = ModelRoutes(models, options, metrics, requests)
    router.add_api_route("/models", routes.list_models, responses=response("models"))
    router.add_api_route("/rows", routes.training_rows, responses=response("rows"))
    for name in ("predict", "neighbors", "transform", "explain"):
        router.add_api_route(
            f"/{name}",
            getattr(routes, name),
            methods=["POST"],
            openapi_extra=REQUEST_BODY,
            responses=response(name),
            route_class_override=DirectRoute,
        )
    router.add_api_route(
        "/feedback",
        routes.feedback,
        methods=["POST"],
        openapi_extra=FEEDBACK_BODY,
        responses=response("feedback"),
    )
    return router


def health_router(models: ModelRegistry, metrics: Metrics) -> APIRouter:
    """Return the routes of health and counters."""
    router = APIRouter(tags=["health"], responses=PROBLEM_RESPONSES)

    @router.get("/healthz", responses=response("health"))
    async def healthz() -> Response:
        """Return that the process runs."""
        return json_response({"status": "ok"})

    @router.get("/readyz", responses=response("health"))
    async def readyz() -> Response:
        """Return whether models are loaded and have answered a probe."""
        if not models.ready:
            raise ProblemError(503, "No model is ready yet.", headers={"retry-after": "1"})
        return json_response({"status": "ready"})

    @router.get("/metrics", responses={200: {"content": {"text/plain": {}}}})
    async def counters() -> Response:
        """Return counters for Prometheus."""
        return Response(metrics.text(), media_type=metrics.media_type)

    return router


def _about(served: ServedModel) -> dict[str, Any]:
    return {"model": served.name, "version": served.version}


def _similarity_shares(explained: list[object]) -> list[float]:
    """Return the distance percentiles of explanations that have one."""
    found = [one.get("similarity") for one in explained if isinstance(one, dict)]
    return [float(one["share"]) for one in found if isinstance(one, dict) and "share" in one]


def _arrow(values: Any, served: ServedModel, **more: Any) -> Response:
    about = {"label_type": served.label_type} | _about(served) | more
    return Response(write_arrow(values, to_jsonable(about)), media_type=ARROW_TYPE)


def _count_neighbors(served: ServedModel) -> int:
    """Return how many neighbors a model gives where no K is asked for."""
    finder = (served.table.neighbor_model or served.table).last
    k = getattr(finder, "n_neighbors_", getattr(finder, "n_neighbors", None))
    return int(k) if isinstance(k, (int, np.integer)) else DEFAULT_TREE_NEIGHBORS


def _count_classes(served: ServedModel) -> int:
    classes: Any = served.classes
    return sum(len(labels) for labels in classes) if isinstance(classes, list) else len(classes)


def _output_names(served: ServedModel, values: Any) -> list[str]:
    try:
        return [str(name) for name in served.model.get_feature_names_out()]
    except Exception:  # estimators of others may have no names
        return [f"x{j}" for j in range(values.shape[1])]
