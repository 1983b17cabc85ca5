"""The estimators of all public modules, by name: what hostile tests walk over."""

from __future__ import annotations

from public_names import PUBLIC

from lookalike.models.estimator import Model

PUBLIC_ESTIMATORS = {
    name: kind
    for name, kind in sorted(PUBLIC.items())
    if isinstance(kind, type) and issubclass(kind, Model)
}
