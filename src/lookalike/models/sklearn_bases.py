"""scikit-learn's base classes. It has no types: a type checker reads here what ours use of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Self

    from sklearn.utils import Tags

    from lookalike.typing import AnyArray

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: object) -> Self: ...
        def __sklearn_tags__(self) -> Tags: ...
        def __getattr__(self, name: str) -> Any: ...  # attributes that fit sets

    class CallbackSupport:
        def _init_callback_context(self, *, max_subtasks: int | None) -> Any: ...

    class OneToOneFeatureMixin:
        def get_feature_names_out(self, input_features: object = None) -> AnyArray: ...

    class ClassNamePrefixFeaturesOutMixin(OneToOneFeatureMixin): ...

    class ClassifierMixin(BaseEstimator): ...

    class ClusterMixin(BaseEstimator): ...

    class DensityMixin(BaseEstimator): ...

    class OutlierMixin(BaseEstimator): ...

    class RegressorMixin(BaseEstimator): ...

    class SelectorMixin(BaseEstimator): ...

    class TransformerMixin(BaseEstimator): ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        DensityMixin,
        OneToOneFeatureMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.feature_selection import SelectorMixin

    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
    except ImportError:  # before scikit-learn 1.9
        CallbackSupport = type("CallbackSupport", (), {})  # an empty base


__all__ = [
    "BaseEstimator",
    "CallbackSupport",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ClusterMixin",
    "DensityMixin",
    "OneToOneFeatureMixin",
    "OutlierMixin",
    "RegressorMixin",
    "SelectorMixin",
    "TransformerMixin",
]
