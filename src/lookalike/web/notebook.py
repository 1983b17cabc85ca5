"""The page of a study inside a notebook: served to this computer alone, until the kernel ends."""

from __future__ import annotations

import atexit
import os
import secrets
from html import escape
from typing import TYPE_CHECKING

from lookalike.errors import ExtraMissingError
from lookalike.studies.results import Study
from lookalike.validation import check_int

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration import Exploration


class ExplorerFrame:
    """A running page; a notebook shows it as a frame.

    Attributes
    ----------
    url : str
        The address of the server, on a free port of this computer. It answers requests that carry
        the token of the frame alone.
    """

    def __init__(self, study: Study, corrections: object, height: int, port: int) -> None:
        try:
            from lookalike.web.app import create_app
            from lookalike.web.options import ServeOptions
            from lookalike.web.server import BackgroundServer
        except ImportError:
            raise ExtraMissingError.of("fastapi", "web") from None
        from lookalike.web.explorer.open import explore_study

        path = os.fspath(corrections) if isinstance(corrections, (str, os.PathLike)) else None
        self.exploration: Exploration = explore_study(study, path)
        options = ServeOptions(port=port, token=secrets.token_urlsafe(32))
        app = create_app(self.exploration.models, exploration=self.exploration, options=options)
        self._keys, self._height = app.state.frame_keys, height
        self._server: BackgroundServer | None = BackgroundServer(app, options)
        self.url: str = self._server.url
        atexit.register(self.close)

    def close(self) -> None:
        """End the server; the page does not answer any more."""
        if self._server is not None:
            self._server.close()
            self._server = None
            atexit.unregister(self.close)

    def _repr_html_(self) -> str:
        """Return the frame; each time it is shown, its address is one that opens once."""
        if self._server is None:
            return "<p>The page was closed. Run study.explore() again.</p>"
        address = escape(f"{self.url}/framed/{self._keys.issue()}")
        title = escape(f"Explorer of {self.exploration.rows.name}")
        return (
            f'<iframe src="{address}" title="{title}" width="100%" height="{self._height}" '
            'style="border: 0" allowfullscreen></iframe>'
        )

    def __repr__(self) -> str:
        state = self.url if self._server is not None else "closed"
        return f"<Explorer of {self.exploration.rows.name}: {state}>"


def explore(
    study: Study, *, corrections: object = None, height: int = 720, port: int = 0
) -> ExplorerFrame:
    """Serve the page of a study to this computer, and return the frame that a notebook shows.

    Parameters
    ----------
    study : Study
        The result of :func:`lookalike.study`; its rows are read again.
    corrections : path, optional
        The csv file that corrected labels are written to, beside its log. Without it, labels
        cannot be changed and nothing is written.
    height : int, default=720
        Height of the frame in pixels.
    port : int, default=0
        The port; 0 takes any free one.
    """
    check_int("height", height, least=100, most=10_000)
    check_int("port", port, least=0, most=65_535)
    return ExplorerFrame(study, corrections, height, port)
