"""The record of automatic choices, casts, dropped columns and fallbacks, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload


class Decision(NamedTuple):
    """One choice made on the user's behalf."""

    about: str  # what it concerns: a parameter, a column, the engine
    choice: str  # what was done
    reason: str

    def __str__(self) -> str:
        return f"{self.about}: {self.choice} ({self.reason})"


class Decisions(Sequence[Decision]):
    """Decisions in the order in which they were taken; prints as one line each.

    Examples
    --------
    >>> decisions = Decisions()
    >>> decisions.add("engine", "stream", "the file is larger than the memory budget")
    >>> print(decisions)
    engine: stream (the file is larger than the memory budget)
    """

    def __init__(self, decisions: Sequence[Decision] = ()) -> None:
        self._decisions = list(decisions)

    def add(self, about: str, choice: object, reason: str) -> None:
        """Record one decision; a repeated one is recorded once."""
        decision = Decision(about, str(choice), reason)
        if decision not in self._decisions:
            self._decisions.append(decision)

    def put(self, about: str, choice: object, reason: str) -> None:
        """Record one decision in the place of all about the same."""
        others = [decision for decision in self._decisions if decision.about != about]
        self._decisions = [*others, Decision(about, str(choice), reason)]

    def about(self, what: str) -> list[Decision]:
        """Return the decisions that concern `what`."""
        return [decision for decision in self._decisions if decision.about == what]

    @overload
    def __getitem__(self, which: int) -> Decision: ...
    @overload
    def __getitem__(self, which: slice) -> Decisions: ...
    def __getitem__(self, which: int | slice) -> Decision | Decisions:
        if isinstance(which, slice):
            return Decisions(self._decisions[which])
        return self._decisions[which]

    def __len__(self) -> int:
        return len(self._decisions)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self._decisions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decisions) and self._decisions == other._decisions

    def __hash__(self) -> int:
        return hash(tuple(self._decisions))

    def __str__(self) -> str:
        return "\n".join(map(str, self._decisions))

    def __repr__(self) -> str:
        return f"Decisions({self._decisions!r})"
