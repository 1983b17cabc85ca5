"""Progress of a study: one line on a terminal, a line after each round of models elsewhere."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lookalike.printable import printable
from lookalike.progress import listening_to_steps
from lookalike.settings import config

REDRAWS_PER_SECOND = 4
ALL_MODELS = re.compile(r"comparing models (\d+)/\1\b")


class StudyProgress:
    """The step that a study is at, and the time spent.

    Parameters
    ----------
    limit : float or None
        The seconds that the study may take.
    """

    limit: float | None
    step: str

    def __init__(self, limit: float | None) -> None:
        self.limit, self.step = limit, "reading"
        self._begin = time.monotonic()
        self._reported = ""

    def line(self) -> str:
        """Return the step and the time, as in "comparing models 4/17 · … · 21 s of 45 s"."""
        seconds = f"{time.monotonic() - self._begin:.0f} s"
        of = "" if self.limit is None else f" of {self.limit:g} s"
        return printable(f"{self.step} · {seconds}{of}")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress that is made inside the block on standard error."""
        if not sys.stderr.isatty():
            with listening_to_steps(self._note_round):
                yield
            return
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        live = Live(
            get_renderable=lambda: Text(self.line(), "cyan", no_wrap=True, overflow="ellipsis"),
            console=Console(stderr=True),
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
            redirect_stdout=False,
        )
        with config(progress=False), live, listening_to_steps(self._note):
            yield

    def _note(self, step: str) -> None:
        self.step = step

    def _note_round(self, step: str) -> None:
        """Print the step where all models of a round are done."""
        self.step = step
        match = ALL_MODELS.search(step)
        if match and step != self._reported:
            from lookalike.cli.output import print_stderr

            self._reported = step
            print_stderr(self.line(), "none")
