"""What `lookalike --version --verbose` prints: what a report of a bug needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, requires, version

import lookalike
from lookalike import _core
from lookalike.settings import settings


def version_lines(*, verbose: bool) -> list[str]:
    """Return the version; with `verbose` also those of what it runs on and with."""
    lines = [f"lookalike {lookalike.__version__}"]
    if verbose:
        budget = settings()
        lines += [
            f"Python {platform.python_version()} ({platform.python_implementation()})",
            f"system {platform.platform()}",
            f"vector instructions {_core.simd_level()} (best: {_core.best_simd_level()})",
            f"threads {budget.threads}, memory {budget.memory / 1e9:.1f} GB",
            f"engine {budget.engine}",
            *(f"{name} {installed_version(name)}" for name in dependencies()),
        ]
    return lines


def dependencies() -> list[str]:
    """Return the packages that this one needs or can use, but for the tools of development."""
    names = {
        _name(requirement)
        for requirement in requires("lookalike") or ()
        if not any(f'extra == "{extra}"' in requirement for extra in ("dev", "bench", "all"))
    }
    return sorted(names - {"lookalike"})


def installed_version(name: str) -> str:
    """Return the version of a package, or that it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"


def _name(requirement: str) -> str:
    """Return the name that a requirement begins with.

    >>> _name("dask[array]>=2024.8; extra == 'dask'")
    'dask'
    """
    end = next((i for i, c in enumerate(requirement) if not (c.isalnum() or c in "-_.")), None)
    return requirement[:end]
