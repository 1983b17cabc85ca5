"""The state of a model: replaced as a whole, so that whoever reads it sees one from first to last.

The state is the dictionary of attributes. A method that changes a model fills a copy and puts it
in the place of the old one by a single assignment; a method that reads holds on to the dictionary
with which it began. In any number of threads, each answer is that of a state that existed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lookalike.threads import writer_lock

Method = TypeVar("Method", bound=Callable[..., Any])


def replace_state(method: Method) -> Method:
    """Return a method whose changes appear all at once, and not at all where it fails.

    The method sets new objects and changes none in place. Where it fails or is interrupted, the
    attributes of `_kept_on_failure` are set all the same: they are not part of the fitted model.
    Of several threads that change one model, each waits for the one before.
    """

    @functools.wraps(method)
    def replacing(self: Any, *args: object, **kwargs: object) -> object:
        with writer_lock(self):
            draft = object.__new__(type(self))
            draft.__dict__ = vars(self).copy()
            try:
                result = method(draft, *args, **kwargs)
            except BaseException:  # also KeyboardInterrupt
                done = {name: vars(draft).get(name) for name in self._kept_on_failure}
                vars(self).update({name: part for name, part in done.items() if part is not None})
                raise
            self.__dict__ = vars(draft)
        return self if result is draft else result

    vars(replacing)["_holds_state"] = True
    return cast(Method, replacing)


def hold_state(method: Method) -> Method:
    """Return a method that sees the state with which it began, whatever is changed meanwhile."""

    @functools.wraps(method)
    def holding(self: object, *args: object, **kwargs: object) -> object:
        held = object.__new__(type(self))
        held.__dict__ = self.__dict__
        return method(held, *args, **kwargs)

    vars(holding)["_holds_state"] = True
    return cast(Method, holding)


def hold_state_in_public(kind: type, writers: frozenset[str]) -> None:
    """Let the public methods and properties of a class hold one state, except `writers`."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("lookalike.")]
    names = {name for base in ours for name in vars(base) if not name.startswith("_")} - writers
    for name in names:
        member = next(vars(base)[name] for base in kind.__mro__ if name in vars(base))
        read = member.fget if isinstance(member, property) else member
        if not inspect.isfunction(read) or hasattr(read, "_holds_state"):
            continue
        if isinstance(member, property):
            setattr(kind, name, property(hold_state(read), doc=member.__doc__))
        elif read.__module__.startswith("lookalike."):
            setattr(kind, name, hold_state(read))
