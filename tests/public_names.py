"""Every public name: those of the package, and those of its namespaces of specialist functions."""

from __future__ import annotations

from importlib import import_module

import lookalike

NAMESPACES = (
    *("cluster", "decomposition", "discriminant_analysis", "explain", "feature_selection"),
    *("manifold", "metrics", "neighbors", "text"),
)
PUBLIC = {name: getattr(lookalike, name) for name in lookalike.__all__} | {
    name: getattr(module, name)
    for module in (import_module(f"lookalike.{space}") for space in NAMESPACES)
    for name in module.__all__
}
