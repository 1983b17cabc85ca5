"""Learning by similarity, and fewer dimensions: exact, fast, and with its evidence.

Public names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from lookalike import models, store
from lookalike import threads as _threads  # noqa: F401 - the thread pool is known from here on
from lookalike.lazy import lazy_names

if TYPE_CHECKING:
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.explain.audit.audit import audit as audit
    from lookalike.explain.prediction.evidence import explain_prediction as explain_prediction
    from lookalike.models.cluster.dbscan import DBSCAN as DBSCAN
    from lookalike.models.cluster.hdbscan import HDBSCAN as HDBSCAN
    from lookalike.models.cluster.kmeans import KMeans as KMeans
    from lookalike.models.cluster.optics import OPTICS as OPTICS
    from lookalike.models.decomposition.autoencoder import AutoEncoder as AutoEncoder
    from lookalike.models.decomposition.kernel_pca import KernelPCA as KernelPCA
    from lookalike.models.decomposition.pca import PCA as PCA
    from lookalike.models.discriminant.lda import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from lookalike.models.kernel.classifier import (
        KernelClassifier as KernelClassifier,
    )
    from lookalike.models.kernel.density import KernelDensity as KernelDensity
    from lookalike.models.kernel.density_classifier import (
        KernelDensityClassifier as KernelDensityClassifier,
    )
    from lookalike.models.kernel.regressor import KernelRegressor as KernelRegressor
    from lookalike.models.linear.ridge import Ridge as Ridge
    from lookalike.models.manifold.neighbor_map import NeighborMap as NeighborMap
    from lookalike.models.mixture.classifier import (
        GaussianMixtureClassifier as GaussianMixtureClassifier,
    )
    from lookalike.models.mixture.gaussian import GaussianMixture as GaussianMixture
    from lookalike.models.neighbors.classifier import KNeighborsClassifier as KNeighborsClassifier
    from lookalike.models.neighbors.nca import (
        NeighborhoodComponentsAnalysis as NeighborhoodComponentsAnalysis,
    )
    from lookalike.models.neighbors.prototypes import (
        CondensedNearestNeighbour as CondensedNearestNeighbour,
    )
    from lookalike.models.neighbors.prototypes import (
        EditedNearestNeighbours as EditedNearestNeighbours,
    )
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsClassifier as RadiusNeighborsClassifier,
    )
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsRegressor as RadiusNeighborsRegressor,
    )
    from lookalike.models.neighbors.regressor import KNeighborsRegressor as KNeighborsRegressor
    from lookalike.models.neighbors.search import NearestNeighbors as NearestNeighbors
    from lookalike.models.preprocessing.imputer import SimpleImputer as SimpleImputer
    from lookalike.models.preprocessing.knn_imputer import KNNImputer as KNNImputer
    from lookalike.models.preprocessing.scaler import MinMaxScaler as MinMaxScaler
    from lookalike.models.preprocessing.scaler import StandardScaler as StandardScaler
    from lookalike.models.preprocessing.table import TablePreprocessor as TablePreprocessor
    from lookalike.models.rbf.classifier import RBFNetworkClassifier as RBFNetworkClassifier
    from lookalike.models.rbf.network import RBFNetworkRegressor as RBFNetworkRegressor
    from lookalike.models.semi_supervised.propagation import LabelPropagation as LabelPropagation
    from lookalike.models.semi_supervised.propagation import LabelSpreading as LabelSpreading
    from lookalike.models.text.lsa import LSA as LSA
    from lookalike.models.trees.boosted_classifier import (
        BoostedNeighborsClassifier as BoostedNeighborsClassifier,
    )
    from lookalike.models.trees.boosted_regressor import (
        BoostedNeighborsRegressor as BoostedNeighborsRegressor,
    )
    from lookalike.models.trees.forest_classifier import (
        ForestNeighborsClassifier as ForestNeighborsClassifier,
    )
    from lookalike.models.trees.forest_regressor import (
        ForestNeighborsRegressor as ForestNeighborsRegressor,
    )
    from lookalike.report.write_study import write_study as write_study
    from lookalike.settings import config as config
    from lookalike.store.file import load as load
    from lookalike.store.file import save as save
    from lookalike.studies.study import study as study
    from lookalike.web.client import Client as Client

__version__ = version("lookalike")

SPECIALIST_ESTIMATORS = (
    "KCenter",
    "LocalOutlierFactor",
    "SelectByFilter",
    "SelectByWrapper",
    "TermWeights",
)
TOP_ESTIMATORS = [
    name for name in models.__all__ if name[0].isupper() and name not in SPECIALIST_ESTIMATORS
]

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "errors": ["LookalikeError"],
        "explain": ["explain_prediction"],
        "explain.audit.audit": ["audit"],
        "models": TOP_ESTIMATORS,  # without those of the namespaces of specialists
        "report.write_study": ["write_study"],
        "settings": ["config"],
        "store": store.__all__,
        "studies.study": ["study"],
        "web.client": ["Client"],
    },
    modules=(
        *("cluster", "data", "decomposition", "discriminant_analysis", "engines", "explain"),
        *("feature_selection", "index", "kernels", "manifold", "metrics", "neighbors"),
        *("reductions", "report", "studies", "text", "web"),
    ),
)
