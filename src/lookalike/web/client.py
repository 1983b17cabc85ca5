"""A client of the service with the methods of an estimator."""

from __future__ import annotations

import http.client
import json
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np

from lookalike.data.sources.frames import like
from lookalike.errors import InputWarning, LookalikeError, MemoryBudgetError, ParameterError
from lookalike.settings import settings
from lookalike.typing import AnyArray, TableLike
from lookalike.validation import check_float, check_int, few, shown
from lookalike.web.client_bodies import (
    MODELS_RULE,
    PROBLEM_RULE,
    encode_rows,
    predicted_labels,
    read_columns,
    read_object,
)
from lookalike.web.media_types import ARROW_TYPE, JSON_TYPE

BUSY_STATUSES = (429, 503)  # a later try may succeed
WARNED_KINDS = ("absent_columns", "unknown_categories")  # of notes on rows
MOST_ERROR_CHARACTERS = 120  # of what was wrong with an answer
LONGEST_WAIT = 30.0  # seconds that Retry-After may ask for


class ServiceError(LookalikeError, ConnectionError):
    """The service cannot be reached, is busy, or failed."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class RequestError(LookalikeError, ValueError):
    """The service refused what was sent; `row` and `column` say where, as far as it knows."""

    def __init__(self, message: str, problem: dict[str, Any]) -> None:
        super().__init__(message)
        self.status: int | None = problem.get("status")
        self.row: int | None = problem.get("row")
        self.column: str | int | None = problem.get("column")


class PlainConnection(http.client.HTTPConnection):
    """A connection that closes when nobody holds it anymore."""

    def __del__(self) -> None:
        self.close()


class SecureConnection(http.client.HTTPSConnection):
    """The same, encrypted."""

    def __del__(self) -> None:
        self.close()


class Client:
    """Calls a service that `lookalike serve` started, as if it were the model.

    Rows are sent as Arrow where pyarrow is installed, else as JSON; a busy service (429, 503) and
    a connection that ends without a response are tried again. A client may be used by several
    threads.

    Parameters
    ----------
    url : str
        The address that the service printed.
    model : str, optional
        Name of the model; needed where the service has several.
    token : str, optional
        The bearer token; needed where the service has one.
    timeout : float, default=60
        Seconds to wait for a response.
    retries : int, default=5
        How often a request is sent again before :class:`ServiceError` is raised.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8765", model="digits")
    >>> client
    Client('http://127.0.0.1:8765', model='digits')
    >>> client.predict(X)  # doctest: +SKIP
    array([0, 1, 2])
    """

    url: str
    model: str | None

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        token: str | None = None,
        timeout: float = 60.0,
        retries: int = 5,
    ) -> None:
        parts = urlsplit(url) if isinstance(url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(
                f"url={shown(url)} is not an address. Give one such as http://127.0.0.1:8765."
            )
        if parts.username or parts.password or parts.query:
            raise ParameterError("url holds more than an address. Give the token as token=.")
        self.url, self.model, self._token, self._parts = url, model, token, parts
        self.timeout: float = check_float("timeout", timeout, least=0.001)
        self.retries: int = check_int("retries", retries, least=0)
        self._local = threading.local()

    def predict(self, X: object) -> AnyArray:
        """Return the predicted label or number of each row, in the type of the model's labels."""
        columns, about = self._post("predict", X)
        with self._reading():
            return predicted_labels(columns, about)

    def predict_proba(self, X: object) -> AnyArray | list[AnyArray]:
        """Return the probability of every class, in the order of `classes_`."""
        columns, _ = self._post("predict", X, proba="true")
        if several := [columns[name] for name in columns if name.startswith("probabilities_")]:
            return several
        with self._reading():
            return columns["probabilities"]

    def kneighbors(
        self, X: object, n_neighbors: int | None = None, return_distance: bool = True
    ) -> AnyArray | tuple[AnyArray, AnyArray]:
        """Return distances and row numbers of the nearest training rows.

        The model of a study counts rows as the data do, and others as they came to `fit`.
        """
        options = {} if n_neighbors is None else {"k": str(check_int("k", n_neighbors, least=1))}
        columns, _ = self._post("neighbors", X, **options)
        with self._reading():
            rows = columns["rows"]
            return (columns["distances"], rows) if return_distance else rows

    def transform(self, X: object) -> TableLike:
        """Return the rows in the features that the model makes: a frame where `X` is one."""
        columns, about = self._post("transform", X)
        with self._reading():
            return like(X, columns["rows"], about["columns"])

    def explain(self, X: object, reference: object = None) -> list[dict[str, object]]:
        """Return the evidence for the prediction of each row.

        Parameters
        ----------
        X : table
            At most 100 rows.
        reference : table, optional
            Rows to compare with, where the model does not predict from neighbors.
        """
        body, media = encode_rows(X, arrow=reference is None)
        if reference is not None:
            others, _ = encode_rows(reference, arrow=False)
            content = json.loads(body) | {"reference": json.loads(others)["rows"]}
            body = json.dumps(content).encode()
        _, answer = self._call("/v1/explain", body, media=media)
        content = self._object(answer)
        _warn(content)
        with self._reading():
            explanations: list[dict[str, object]] = content["explanations"]
            return explanations

    def models(self) -> list[dict[str, object]]:
        """Return the models of the service: what each reads, predicts and can do."""
        _, answer = self._call("/v1/models")
        with self._reading():
            content = read_object(answer)
            MODELS_RULE(content, "")
            listed: list[dict[str, object]] = content["models"]
            return listed

    def rows(self, rows: list[int]) -> dict[str, object]:
        """Return training rows that the model keeps, by their numbers."""
        query = [("row", str(int(row))) for row in rows]
        _, answer = self._call("/v1/rows", query=query)
        return self._object(answer)

    def ready(self) -> bool:
        """Return whether models are loaded and have answered a probe."""
        try:
            status, _ = self._once("GET", "/readyz", None, {})
        except (OSError, http.client.HTTPException):
            return False
        return status[0] == 200

    @property
    def classes_(self) -> AnyArray | None:
        """The classes of the model, None of regression."""
        described = self._described()
        if described["classes"] is None:
            return None
        with self._reading():
            kind = described["label_type"]
            return np.array(described["classes"], None if kind is None else np.dtype(kind))

    @property
    def n_features_in_(self) -> int:
        """How many columns the model reads."""
        return int(self._described()["n_features"])

    def close(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r}, model={self.model!r})"

    def _described(self) -> dict[str, Any]:
        listed = self.models()
        chosen = [one for one in listed if self.model in (None, one["name"])]
        if len(chosen) != 1 or not chosen[0]["ready"]:
            names = few((one["name"] for one in listed), text=str)
            raise ServiceError(f"model={shown(self.model)} is not one of {names}, or is not ready.")
        return chosen[0]

    def _post(self, route: str, X: object, **options: str) -> tuple[dict[str, AnyArray], Any]:
        body, media = encode_rows(X)
        wanted = ARROW_TYPE if media == ARROW_TYPE else JSON_TYPE
        query = list(options.items())
        kind, answer = self._call(f"/v1/{route}", body, media=media, wanted=wanted, query=query)
        with self._reading():
            columns, about = read_columns(kind, answer, len(X))  # type: ignore[arg-type]
        _warn(about)
        return columns, about

    def _call(
        self,
        path: str,
        body: bytes | None = None,
        *,
        media: str = JSON_TYPE,
        wanted: str = JSON_TYPE,
        query: Sequence[tuple[str, str]] = (),
    ) -> tuple[str, bytes]:
        """Return media type and content of a response; busy services are tried again."""
        options = [*query, *([("model", self.model)] if self.model else [])]
        target = f"{path}?{urlencode(options)}" if options else path
        method, headers = "GET", {"Accept": wanted}
        if body is not None:
            method, headers["Content-Type"] = "POST", media
        wait, failure = 0.1, ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(wait)
            try:
                (status, kind, after), content = self._once(method, target, body, headers)
            except (OSError, http.client.HTTPException) as error:
                wait, failure = min(2 * wait, 2.0), f"{type(error).__name__}: {error}"
                continue
            if 200 <= status < 300:
                return kind, content
            if status not in BUSY_STATUSES:
                raise _error(status, content)
            failure = str(_error(status, content))
            wait = _seconds(after, min(2 * wait, 2.0))
        raise ServiceError(
            f"{self.url} gave no result in {self.retries + 1} attempts. The last: {failure}"
        )

    def _once(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[tuple[int, str, str | None], bytes]:
        """Send one request on the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            secure = self._parts.scheme == "https"
            made = SecureConnection if secure else PlainConnection
            connection = made(str(self._parts.hostname), self._parts.port, timeout=self.timeout)
            self._local.connection = connection
        if self._token is not None:
            headers = headers | {"Authorization": f"Bearer {self._token}"}
        try:
            connection.request(method, self._parts.path.rstrip("/") + target, body, headers)
            response = connection.getresponse()
            content = self._whole(response)
        except BaseException:
            self.close()
            raise
        media = response.headers.get("content-type", "").split(";")[0]
        return (response.status, media, response.headers.get("retry-after")), content

    def _whole(self, response: http.client.HTTPResponse) -> bytes:
        """Return the content of a response, unless it is larger than the memory budget."""
        most = settings().memory
        content = response.read(most + 1)
        if len(content) > most:
            raise MemoryBudgetError(
                f"{self.url} answers with more than {most:,} bytes, the memory budget. Send fewer "
                "rows at once."
            )
        return content

    def _object(self, answer: bytes) -> dict[str, Any]:
        with self._reading():
            return read_object(answer)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise a ServiceError if an answer is not one that a service of ours gives."""
        try:
            yield
        except Exception as error:  # whatever it holds, the error is of one type
            said = " ".join(str(error).split())[:MOST_ERROR_CHARACTERS]
            raise ServiceError(
                f"{self.url} gave an answer that no lookalike service gives "
                f"({type(error).__name__}: {said}). Check the address."
            ) from None


def _error(status: int, content: bytes) -> RequestError | ServiceError:
    try:
        problem = read_object(content)
        PROBLEM_RULE(problem, "")
        detail = problem["detail"]
    except LookalikeError:
        problem, detail = {"status": status}, f"The service answered with status {status}."
    if not 400 <= status < 500 or status in (401, 403, 421, *BUSY_STATUSES):
        return ServiceError(detail, status)
    return RequestError(detail, problem)


def _warn(about: dict[str, Any]) -> None:
    """Warn where rows differ from training rows, as the model itself does."""
    for note in about.get("notes", ()):
        if note["kind"] in WARNED_KINDS:
            warnings.warn(f"X has {note['detail']}", InputWarning, stacklevel=4)


def _seconds(after: str | None, default: float) -> float:
    """Return the seconds of a Retry-After header."""
    try:
        seconds = float(after or "")
    except ValueError:
        return default
    return min(seconds, LONGEST_WAIT) if seconds >= 0 else default
