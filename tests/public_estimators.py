"""The estimators of all public modules, and those that studies and files give back, by name.

They are what hostile tests walk over.
"""

from __future__ import annotations

from public_names import PUBLIC

from lookalike.models.estimator import Model
from lookalike.store.known import KNOWN_CLASSES

PUBLIC_ESTIMATORS = {
    name: kind
    for name, kind in sorted(PUBLIC.items())
    if isinstance(kind, type) and issubclass(kind, Model)
}
LOADED_CLASSES = [
    known.load() for known in KNOWN_CLASSES.values() if known.module.startswith("lookalike")
]
RETURNED_ESTIMATORS = {  # by study(...).model and load(...)
    kind.__name__: kind
    for kind in LOADED_CLASSES
    if issubclass(kind, Model) and kind not in PUBLIC_ESTIMATORS.values()
}
