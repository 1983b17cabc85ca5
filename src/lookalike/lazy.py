"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package.

    `homes` lists the public names by the module of the package that defines them. No name may be
    the name of a module of the package: importing the module would hide it. `modules` are
    imported too when they are first used.
    """
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            try:
                value = getattr(import_module(home_of[name]), name)
            except AttributeError as error:  # which would read as a name that does not exist
                raise ImportError(
                    f"{package}.{name} cannot be loaded: {error}. If the native module is older "
                    "than the Python files, install lookalike again."
                ) from error
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of, *modules})

    return sorted(home_of), get, names
