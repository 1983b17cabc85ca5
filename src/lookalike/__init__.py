"""Learning by similarity, and fewer dimensions: exact, fast, and with its evidence.

Public names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from lookalike import explain, models, store
from lookalike import threads as _threads  # noqa: F401 - the thread pool is known from here on
from lookalike.lazy import lazy_names

if TYPE_CHECKING:
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.explain.audit.audit import audit as audit
    from lookalike.explain.audit.out_of_fold import (
        out_of_fold_probabilities as out_of_fold_probabilities,
    )
    from lookalike.explain.bounds import bayes_error_bracket as bayes_error_bracket
    from lookalike.explain.bounds import measured_bayes_bracket as measured_bayes_bracket
    from lookalike.explain.bounds import nn_error_bound as nn_error_bound
    from lookalike.explain.bounds import nn_sample_size as nn_sample_size
    from lookalike.explain.conformal import conformal_intervals as conformal_intervals
    from lookalike.explain.conformal import conformal_sets as conformal_sets
    from lookalike.explain.curse import dimensionality_report as dimensionality_report
    from lookalike.explain.dimension import intrinsic_dimension as intrinsic_dimension
    from lookalike.explain.learning_curve import learning_curve as learning_curve
    from lookalike.explain.leave_one_out import leave_one_out as leave_one_out
    from lookalike.explain.prediction.evidence import explain_prediction as explain_prediction
    from lookalike.explain.self_search import self_search as self_search
    from lookalike.kernels.metrics.names import metric_axioms as metric_axioms
    from lookalike.models.cluster.kcenter import KCenter as KCenter
    from lookalike.models.cluster.kmeans import KMeans as KMeans
    from lookalike.models.cluster.n_clusters import choose_clusters as choose_clusters
    from lookalike.models.decomposition.autoencoder import AutoEncoder as AutoEncoder
    from lookalike.models.decomposition.choose_components import (
        choose_components as choose_components,
    )
    from lookalike.models.decomposition.choose_components_and_k import (
        choose_components_and_k as choose_components_and_k,
    )
    from lookalike.models.decomposition.kernel_pca import KernelPCA as KernelPCA
    from lookalike.models.decomposition.pca import PCA as PCA
    from lookalike.models.discriminant.lda import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from lookalike.models.feature_selection.exhaustive import (
        select_exhaustively as select_exhaustively,
    )
    from lookalike.models.feature_selection.filter import SelectByFilter as SelectByFilter
    from lookalike.models.feature_selection.redundancy import (
        feature_redundancy as feature_redundancy,
    )
    from lookalike.models.feature_selection.univariate import chi2 as chi2
    from lookalike.models.feature_selection.univariate import f_classif as f_classif
    from lookalike.models.feature_selection.univariate import f_regression as f_regression
    from lookalike.models.feature_selection.univariate import (
        mutual_info_classif as mutual_info_classif,
    )
    from lookalike.models.feature_selection.univariate import (
        mutual_info_regression as mutual_info_regression,
    )
    from lookalike.models.feature_selection.univariate import pearson as pearson
    from lookalike.models.feature_selection.univariate import signal_to_noise as signal_to_noise
    from lookalike.models.feature_selection.wrapper import SelectByWrapper as SelectByWrapper
    from lookalike.models.kernel.classifier import (
        KernelClassifier as KernelClassifier,
    )
    from lookalike.models.kernel.density_classifier import (
        KernelDensityClassifier as KernelDensityClassifier,
    )
    from lookalike.models.kernel.regressor import KernelRegressor as KernelRegressor
    from lookalike.models.linear.ridge import RidgeRegression as RidgeRegression
    from lookalike.models.manifold.neighbor_map import NeighborMap as NeighborMap
    from lookalike.models.manifold.quality import continuity as continuity
    from lookalike.models.manifold.quality import map_quality as map_quality
    from lookalike.models.manifold.quality import neighbor_preservation as neighbor_preservation
    from lookalike.models.manifold.quality import torn_neighbors as torn_neighbors
    from lookalike.models.manifold.quality import trustworthiness as trustworthiness
    from lookalike.models.mixture.classifier import (
        GaussianMixtureClassifier as GaussianMixtureClassifier,
    )
    from lookalike.models.mixture.gaussian import GaussianMixture as GaussianMixture
    from lookalike.models.neighbors.classifier import KNeighborsClassifier as KNeighborsClassifier
    from lookalike.models.neighbors.nca import (
        NeighborhoodComponentsAnalysis as NeighborhoodComponentsAnalysis,
    )
    from lookalike.models.neighbors.neighbor_file import save_neighbors as save_neighbors
    from lookalike.models.neighbors.prototypes import CondensedNeighbors as CondensedNeighbors
    from lookalike.models.neighbors.prototypes import EditedNeighbors as EditedNeighbors
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsClassifier as RadiusNeighborsClassifier,
    )
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsRegressor as RadiusNeighborsRegressor,
    )
    from lookalike.models.neighbors.regressor import KNeighborsRegressor as KNeighborsRegressor
    from lookalike.models.neighbors.search import NearestNeighbors as NearestNeighbors
    from lookalike.models.neighbors.search_plan import search_plan as search_plan
    from lookalike.models.preprocessing.imputer import SimpleImputer as SimpleImputer
    from lookalike.models.preprocessing.scaler import MinMaxScaler as MinMaxScaler
    from lookalike.models.preprocessing.scaler import StandardScaler as StandardScaler
    from lookalike.models.preprocessing.standardizer import Standardizer as Standardizer
    from lookalike.models.preprocessing.table import TablePreprocessor as TablePreprocessor
    from lookalike.models.rbf.classifier import RBFNetworkClassifier as RBFNetworkClassifier
    from lookalike.models.rbf.network import RBFNetworkRegressor as RBFNetworkRegressor
    from lookalike.models.text.lsa import LSA as LSA
    from lookalike.models.text.precision_recall import average_precision as average_precision
    from lookalike.models.text.precision_recall import (
        mean_average_precision as mean_average_precision,
    )
    from lookalike.models.text.precision_recall import (
        mean_precision_recall_curve as mean_precision_recall_curve,
    )
    from lookalike.models.text.precision_recall import (
        precision_recall_curve as precision_recall_curve,
    )
    from lookalike.models.text.tfidf import TermWeights as TermWeights
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

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "errors": ["LookalikeError"],
        "explain": explain.__all__,
        "explain.audit.audit": ["audit"],
        "explain.audit.out_of_fold": ["out_of_fold_probabilities"],
        "explain.learning_curve": ["learning_curve"],
        "explain.leave_one_out": ["leave_one_out"],
        "explain.self_search": ["self_search"],
        "kernels.metrics.names": ["metric_axioms"],
        "models": models.__all__,
        "models.neighbors.search_plan": ["search_plan"],
        "report.write_study": ["write_study"],
        "settings": ["config"],
        "store": store.__all__,
        "studies.study": ["study"],
        "web.client": ["Client"],
    },
    modules=(
        *("data", "engines", "index", "kernels", "neighbors", "reductions", "report", "studies"),
        "web",
    ),
)
