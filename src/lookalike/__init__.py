"""Learning by similarity, and fewer dimensions: exact, fast, and with its evidence.

Public names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from lookalike import threads as _threads  # noqa: F401 - the thread pool is known from here on

if TYPE_CHECKING:
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.explain.dimension import intrinsic_dimension as intrinsic_dimension
    from lookalike.index.plan import plan as plan
    from lookalike.models.autoencoder import AutoEncoder as AutoEncoder
    from lookalike.models.components_and_k import choose_components_and_k as choose_components_and_k
    from lookalike.models.discriminant import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from lookalike.models.editing import CondensedNeighbors as CondensedNeighbors
    from lookalike.models.editing import EditedNeighbors as EditedNeighbors
    from lookalike.models.impute import Imputer as Imputer
    from lookalike.models.kernel_pca import KernelPCA as KernelPCA
    from lookalike.models.lsa import LSA as LSA
    from lookalike.models.neighbors import NearestNeighbors as NearestNeighbors
    from lookalike.models.neighbors_classify import KNeighborsClassifier as KNeighborsClassifier
    from lookalike.models.neighbors_regress import KNeighborsRegressor as KNeighborsRegressor
    from lookalike.models.neighbors_regress import (
        RadiusNeighborsRegressor as RadiusNeighborsRegressor,
    )
    from lookalike.models.pca import PCA as PCA
    from lookalike.models.radius_classify import (
        RadiusNeighborsClassifier as RadiusNeighborsClassifier,
    )
    from lookalike.models.rbf_smoother import RBFSmoother as RBFSmoother
    from lookalike.models.soft_neighbors import SoftNeighborsClassifier as SoftNeighborsClassifier
    from lookalike.models.standardize import Standardizer as Standardizer
    from lookalike.settings import config as config

__version__ = version("lookalike")

_HOME = {
    "AutoEncoder": "lookalike.models.autoencoder",
    "CondensedNeighbors": "lookalike.models.editing",
    "EditedNeighbors": "lookalike.models.editing",
    "Imputer": "lookalike.models.impute",
    "KNeighborsClassifier": "lookalike.models.neighbors_classify",
    "KNeighborsRegressor": "lookalike.models.neighbors_regress",
    "KernelPCA": "lookalike.models.kernel_pca",
    "LSA": "lookalike.models.lsa",
    "LinearDiscriminantAnalysis": "lookalike.models.discriminant",
    "LookalikeError": "lookalike.errors",
    "NearestNeighbors": "lookalike.models.neighbors",
    "PCA": "lookalike.models.pca",
    "RBFSmoother": "lookalike.models.rbf_smoother",
    "RadiusNeighborsClassifier": "lookalike.models.radius_classify",
    "RadiusNeighborsRegressor": "lookalike.models.neighbors_regress",
    "SoftNeighborsClassifier": "lookalike.models.soft_neighbors",
    "Standardizer": "lookalike.models.standardize",
    "choose_components_and_k": "lookalike.models.components_and_k",
    "config": "lookalike.settings",
    "intrinsic_dimension": "lookalike.explain.dimension",
    "plan": "lookalike.index.plan",
}
_FOLDERS = ("data", "engines", "explain", "index", "kernels", "models", "reductions", "report")

__all__ = [*sorted(_HOME)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _FOLDERS:
        value = import_module(f"lookalike.{name}")
    else:
        raise AttributeError(f"module 'lookalike' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, *_FOLDERS])
