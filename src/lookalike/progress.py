"""One way to tell how far long work has come: silent unless somebody listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from lookalike.errors import ExtraMissingError
from lookalike.settings import settings

Listener: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is being done, how much is done, and of how much (None: unknown)."""

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell `listener` of all progress made inside the block."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give the function that long work calls with the amount it has just done.

    A bar is drawn where ``lookalike.config(progress=True)`` is in force.

    Examples
    --------
    >>> def tell(label, done, total):
    ...     print(label, done, "of", total)
    >>> with listening(tell), progress("rows read", total=3) as advance:
    ...     advance(2)
    ...     advance(1)
    rows read 2 of 3
    rows read 3 of 3
    """
    done = 0

    def advance(amount: int) -> None:
        nonlocal done
        done += amount
        for listener in listeners:
            listener(label, done, total)

    with _bar(label, total) as bar:
        listeners = (*_listeners.get(), *bar)
        yield advance


@contextmanager
def _bar(label: str, total: int | None) -> Iterator[tuple[Listener, ...]]:
    """Give a listener that draws a bar, or none when progress is not to be shown."""
    if not settings().progress:
        yield ()
        return
    try:
        from rich import progress as bars
        from rich.console import Console
    except ImportError as missing:
        raise ExtraMissingError.of("rich, which draws progress bars,", "cli") from missing
    columns = [
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TimeRemainingColumn(elapsed_when_finished=True),
    ]
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as drawing:
        task = drawing.add_task(label, total=total)
        yield (lambda _, done, total: drawing.update(task, completed=done, total=total),)
