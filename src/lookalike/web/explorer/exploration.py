"""An exploration: the state that the page shows, replaced as a whole, without HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lookalike.web.explorer.exploration_state import ExplorationState
from lookalike.web.explorer.pending import Pending
from lookalike.web.explorer.review import Review


class Exploration:
    """What the page shows; made by `open_exploration`, `explore_study` or `explore_model`.

    Whoever answers a request takes `state` once: a correction or another edition sets another
    state in one step, and never changes one. Attributes of the state can be read from here too.

    Parameters
    ----------
    state : ExplorationState
        The rows, with the labels of the data, their neighbors and maps.
    corrections : Path, optional
        The csv file of corrections; None: labels cannot be edited.
    """

    def __init__(self, state: ExplorationState, corrections: Path | None = None) -> None:
        self.review: Review = Review(state, corrections)  # replays its log
        self.successor: Pending[None] | None = None
        self.on_new_models: list[Callable[[dict[str, object]], None]] = []
        self.state.neighbors.start()

    @property
    def state(self) -> ExplorationState:
        """The state that is shown; it never changes."""
        return self.review.snapshot

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the state that is shown now."""
        if name.startswith("_") or name == "review":
            raise AttributeError(name)
        return getattr(self.state, name)

    def follow_up(self, study: Callable[[], Exploration], what: str) -> None:
        """Compute another exploration of the same rows, and show it from then on.

        `study` returns it; its review replays the decisions that were made meanwhile.
        """

        def succeed() -> None:
            following = study()
            review = following.review
            review.follow(review.refresh().with_edition(self.state.edition + 1, self.state.maps))
            self.review = review
            review.refresh()  # what the one before decided meanwhile is in the log
            for listener in self.on_new_models:
                listener(self.state.models)

        self.successor = Pending(succeed, what)
        self.successor.start()

    def progress(self) -> dict[str, object]:
        """Return what is still being computed, how far it is, and which edition this is.

        The page asks once its rows are drawn: then the neighbor map is begun.
        """
        state = self.state
        state.maps.start()
        pending = {"neighbors of all rows": state.neighbors.stage, "neighbor map": state.maps.stage}
        failure = None
        if self.successor is not None:
            pending["study"] = self.successor.stage and {"stage": "", "done": 0, "total": None}
            failure = self.successor.failure
        running = [{"what": what, **stage} for what, stage in pending.items() if stage is not None]
        return {"edition": state.edition, "running": running, "failure": failure}

    def session(self) -> dict[str, object]:
        """Return what the page needs to begin: the rows, maps, colors and model."""
        return self.state.session() | {"editable": self.review.editable}

    def opening_lines(self) -> list[str]:
        """Return what is said when the page is opened: notes, and where corrections are kept."""
        notes = list(self.state.notes)
        if not self.state.neighbors.predicts:
            return notes
        if self.review.path is None:
            return [
                *notes,
                "Labels cannot be changed: give a file for corrections (--corrections FILE).",
            ]
        return [*notes, f"Corrected labels are written to {self.review.path}"]
