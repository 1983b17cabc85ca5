"""The estimators of all public modules, by name: what hostile tests walk over."""

from __future__ import annotations

import lookalike
import lookalike.neighbors
from lookalike.models.estimator import Model

PUBLIC_MODULES = (lookalike, lookalike.neighbors)
PUBLIC_NAMES = {name: getattr(module, name) for module in PUBLIC_MODULES for name in module.__all__}
PUBLIC_ESTIMATORS = {
    name: kind
    for name, kind in sorted(PUBLIC_NAMES.items())
    if isinstance(kind, type) and issubclass(kind, Model)
}
