"""The server process: uvicorn with our limits, in the foreground or behind a notebook."""

from __future__ import annotations

import signal
import socket
import threading
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from lookalike.errors import ParameterError
from lookalike.web.options import ServeOptions
from lookalike.web.protocol import guarded_protocol


def open_socket(options: ServeOptions) -> socket.socket:
    """Return a socket that listens at the address of the options."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen(2048)
    except (OSError, ValueError) as error:  # ValueError: a name that none can have
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"{options.host}:{options.port} cannot be listened on: {reason}. "
            "Give another --host or --port; port 0 takes any free one."
        ) from None
    return listener


def address(options: ServeOptions, listener: socket.socket) -> str:
    """Return the URL of a service that listens at a socket."""
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"http://{host}:{listener.getsockname()[1]}"


def serve(app: FastAPI, options: ServeOptions, listener: socket.socket) -> None:
    """Serve until a signal arrives; requests that were accepted are still answered."""
    QuietServer(_config(app, options)).run([listener])


class QuietServer(uvicorn.Server):
    """A server that ends, after a signal, with the exit code of success."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """End when what was accepted is answered; a second Ctrl-C ends at once."""
        self.force_exit: bool = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class BackgroundServer:
    """A server in a thread of this process, for a notebook; `close` ends it."""

    def __init__(self, app: FastAPI, options: ServeOptions) -> None:
        self._listener = open_socket(options)
        self.url: str = address(options, self._listener)
        self._server = QuietServer(_config(app, options))
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listener],), name="lookalike-serve", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Answer what was accepted, and end."""
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()

    def __enter__(self) -> BackgroundServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _config(app: FastAPI, options: ServeOptions) -> uvicorn.Config:
    settings: dict[str, Any] = {
        "http": guarded_protocol(options),
        "ws": "none",
        "log_config": None,  # that of the program stays
        "log_level": "error",
        "access_log": False,  # of paths and addresses nothing is kept
        "server_header": False,
        "proxy_headers": False,
        "limit_concurrency": options.max_connections,
        "timeout_graceful_shutdown": int(options.timeout) + 1,
        "h11_max_incomplete_event_size": options.limits.header_bytes,
    }
    return uvicorn.Config(app, **settings)
