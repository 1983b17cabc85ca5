"""`lookalike serve`: models over HTTP, and the page on which a study is explored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.settings import SERVICE_PORT

Served = Annotated[
    str,
    typer.Argument(
        help="A folder written by `lookalike study`, or the data that it was made of; a model "
        "file, a folder of model files, or demo: a study of the bundled digits.",
        metavar="STUDY|MODEL|FOLDER|demo",
    ),
]
DataFile = Annotated[
    str | None, typer.Option("--data", help="The data of the study or model, where they moved.")
]
Host = Annotated[str, typer.Option(help="Address to listen on; any but loopback requires a token.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="Another name that the service is called by; repeatable.")
]
Corrections = Annotated[
    Path | None,
    typer.Option(
        help="The csv file that corrected labels are written to, beside its log; default: "
        "corrections.csv in the folder of the study."
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(help="File that holds the bearer token; default: LOOKALIKE_TOKEN."),
]
MaxBody = Annotated[float, typer.Option(min=0.001, help="Megabytes of a request, at most.")]
MaxRows = Annotated[int, typer.Option(min=1, help="Rows of a request, at most.")]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        envvar="LOOKALIKE_LIMITS",
        help="Another limit of a request, for example result_cells=1000000; repeatable. All are "
        "in docs/serve.md.",
    ),
]
RequestLogFile = Annotated[
    Path | None,
    typer.Option(
        help="File that every prediction is appended to, with its request and the labels that are "
        "sent to /v1/feedback later; a line of JSON each."
    ),
]
Timeout = Annotated[float, typer.Option(min=0.001, help="Seconds for a request, at most.")]
MaxRequests = Annotated[int, typer.Option(min=1, help="Requests in progress, at most.")]


def serve(  # noqa: PLR0917 - typer reads the options off
    served: Served,
    data: DataFile = None,
    host: Host = "127.0.0.1",
    port: Port = SERVICE_PORT,
    allow_host: AllowHost = None,
    token_file: TokenFile = None,
    corrections: Corrections = None,
    max_body: MaxBody = 16.0,
    max_rows: MaxRows = 10_000,
    max_requests: MaxRequests = 256,
    timeout: Timeout = 30.0,
    limit: Limit = None,
    request_log: RequestLogFile = None,
) -> None:
    """Serve models over HTTP, and the page on which a study is explored.

    The service listens on loopback; at any other address every request needs a bearer token, from
    LOOKALIKE_TOKEN or --token-file; without either, one is made and printed. Model files that are
    replaced are loaded again. A model that cannot be served is named first, with the reason; all
    others are served. The API is described at /docs.

    Example: lookalike serve demo

    Example: lookalike study iris && lookalike serve iris

    Example: lookalike serve models/ --port 8080
    """
    from lookalike.errors import ExtraMissingError

    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ExtraMissingError.of("fastapi", "web") from None
    from lookalike.cli.output import print_lines, print_stderr
    from lookalike.web.app import create_app
    from lookalike.web.limits import Limits
    from lookalike.web.options import ServeOptions
    from lookalike.web.server import address, open_socket
    from lookalike.web.server import serve as run_server

    token = _token(host, token_file)
    options = ServeOptions(
        host,
        port,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
        limits=Limits(body_bytes=int(max_body * 2**20), rows=max_rows).with_values(limit or ()),
        max_requests=max_requests,
        max_requests_per_client=max(1, max_requests // 2),
        timeout=timeout,
        request_log=request_log,
    )
    demo, served = served == "demo", _study_of(served)
    print_stderr("Studying the bundled digits …" if demo else f"Opening {served} …", "none")
    models, exploration, folder = _open(served, data, corrections)
    app = create_app(models, exploration=exploration, options=options, folder=folder)
    listener = open_socket(options)
    url = address(options, listener)
    app.state.registry.load_all()
    failures = app.state.registry.failures
    lines = [f"Not served: {name}. {reason}" for name, reason in failures.items()]
    lines.append(f"Serving {served} at {url} (Ctrl-C ends it)")
    if exploration is None:
        lines.append(f"API: {url}/docs")
    else:
        lines += exploration.opening_lines()
    print_lines(lines)
    run_server(app, options, listener)


def _token(host: str, file: Path | None) -> str | None:
    """Return the bearer token: from a file, from LOOKALIKE_TOKEN, or made where one is needed."""
    import os
    import secrets

    from lookalike.cli.output import print_lines
    from lookalike.errors import ParameterError
    from lookalike.web.options import is_loopback

    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except ValueError:  # no text, or no path
            raise ParameterError(f"--token-file {file} holds no text. Give another.") from None
        if not token:
            raise ParameterError(f"{file} is empty. Put the token into it.")
        return token
    if token := os.environ.get("LOOKALIKE_TOKEN", "").strip():
        return token
    if is_loopback(host):
        return None
    token = secrets.token_urlsafe(32)
    print_lines([f"Token (shown once): {token}"])
    return token


def _study_of(served: str) -> str:
    """Return the folder of the study of data that are named; what is served itself as it is."""
    from lookalike.cli.output import print_note
    from lookalike.cli.study import study_folder
    from lookalike.store.study_files import is_study_folder
    from lookalike.web.registry import MODEL_SUFFIX

    path = Path(served)
    is_served = served == "demo" or is_study_folder(path) or served.endswith(MODEL_SUFFIX)
    if is_served or any(path.glob(f"*{MODEL_SUFFIX}")) or not is_study_folder(study_folder(served)):
        return served
    print_note(f"{study_folder(served)} is served, the study of {served}.")
    return str(study_folder(served))


def _open(
    served: str, data: str | None, corrections: Path | None
) -> tuple[dict[str, object], Any, Path | None]:
    """Return the models by name, the exploration of a study, and the folder to look at."""
    from lookalike.errors import ParameterError, SourceMissingError
    from lookalike.store.file import read_header
    from lookalike.store.study_files import is_study_folder
    from lookalike.web.registry import MODEL_SUFFIX

    path = Path(served)
    if served == "demo" or is_study_folder(path) or data is not None:
        from lookalike.web.explorer import open_exploration

        exploration = open_exploration(served, data=data, corrections=corrections)
        return exploration.models, exploration, None
    if corrections is not None:
        raise ParameterError(
            f"--corrections {corrections} is for the page. Give a study, or --data."
        )
    if path.is_dir():
        files = sorted(
            file for file in path.glob(f"*{MODEL_SUFFIX}") if not file.name.startswith(".")
        )
        if not files:
            raise ParameterError(f"{served} has no model files (*{MODEL_SUFFIX}). Save one there.")
        return {file.name.removesuffix(MODEL_SUFFIX): file for file in files}, None, path
    if not path.is_file():
        raise SourceMissingError(f"{served} does not exist. Give a study, a model or a folder.")
    read_header(path)  # a file that is not a model is an error before anything listens
    return {path.name.removesuffix(MODEL_SUFFIX): path}, None, None
