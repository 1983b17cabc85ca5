"""Progress of long work: reported to listeners and progress bars, else silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

from lookalike.settings import settings

if TYPE_CHECKING:
    from rich.progress import Progress

Listener: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is being done, how much is done, and of how much (None: unknown)."""
StepListener: TypeAlias = Callable[[str], None]
"""Called with the step that has begun, in words, and again as it gets on."""

MAX_PROGRESS_BARS = 2  # that are drawn at a time
_drawing: ContextVar[tuple[Any, int]] = ContextVar("drawing", default=(None, 0))
_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
_part_of_work: ContextVar[str] = ContextVar("part_of_work", default="")
_step_listeners: ContextVar[tuple[StepListener, ...]] = ContextVar("step_listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report all progress made inside the block to `listener`."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


@contextmanager
def listening_to_steps(listener: StepListener) -> Iterator[None]:
    """Report the steps of long work made inside the block to `listener`."""
    token = _step_listeners.set((*_step_listeners.get(), listener))
    try:
        yield
    finally:
        _step_listeners.reset(token)


def report_step(text: str) -> None:
    """Tell what is being done, and how far it is, to those who listen.

    Examples
    --------
    >>> with listening_to_steps(print):
    ...     report_step("comparing models 4/17")
    comparing models 4/17
    """
    part = _part_of_work.get()
    for listener in _step_listeners.get():
        listener(f"{part}: {text}" if part else text)


@contextmanager
def steps_of(part: str) -> Iterator[None]:
    """Name the part of the work that the steps inside the block belong to.

    Examples
    --------
    >>> with listening_to_steps(print), steps_of("without column 'price'"):
    ...     report_step("comparing models 4/17")
    without column 'price': comparing models 4/17
    """
    token = _part_of_work.set(part)
    try:
        yield
    finally:
        _part_of_work.reset(token)


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give the function that long work calls with the amount it has just done.

    A bar is drawn where ``lookalike.config(progress=True)`` is in force.

    Examples
    --------
    >>> def report(label, done, total):
    ...     print(label, done, "of", total)
    >>> with listening(report), progress("rows read", total=3) as advance:
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
    """Give a listener that draws a bar, or none when progress is not to be shown.

    Work inside of work has its bar below; what is farther inside has none, as it would flicker.
    """
    drawing, depth = _drawing.get()
    if not settings().progress or depth == MAX_PROGRESS_BARS:
        yield ()
        return
    with ExitStack() as ends:
        if drawing is None:
            drawing = ends.enter_context(_bars())
        ends.callback(_drawing.reset, _drawing.set((drawing, depth + 1)))
        task = drawing.add_task("  " * depth + label, total=None if total == 1 else total)
        ends.callback(drawing.remove_task, task)
        bars = drawing
        yield (lambda _, done, total: bars.update(task, completed=done, total=total),)


def _bars() -> Progress:
    from rich import progress as bars
    from rich.console import Console

    columns = [
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TimeElapsedColumn(),
    ]
    return bars.Progress(*columns, console=Console(stderr=True), transient=True)
