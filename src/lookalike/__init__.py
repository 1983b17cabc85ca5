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
    from lookalike.explain.audit import audit as audit
    from lookalike.explain.bounds import bayes_error_bracket as bayes_error_bracket
    from lookalike.explain.bounds import measured_bayes_bracket as measured_bayes_bracket
    from lookalike.explain.bounds import nn_bound as nn_bound
    from lookalike.explain.bounds import sample_size as sample_size
    from lookalike.explain.conformal import conformal_intervals as conformal_intervals
    from lookalike.explain.conformal import conformal_sets as conformal_sets
    from lookalike.explain.curse import curse_report as curse_report
    from lookalike.explain.dimension import intrinsic_dimension as intrinsic_dimension
    from lookalike.explain.evidence import explain_prediction as explain_prediction
    from lookalike.explain.learning_curve import learning_curve as learning_curve
    from lookalike.explain.selfsearch import self_search as self_search
    from lookalike.index.plan import plan as plan
    from lookalike.models.autoencoder import AutoEncoder as AutoEncoder
    from lookalike.models.choose_clusters import choose_clusters as choose_clusters
    from lookalike.models.choose_components import choose_components as choose_components
    from lookalike.models.components_and_k import choose_components_and_k as choose_components_and_k
    from lookalike.models.discriminant import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from lookalike.models.editing import CondensedNeighbors as CondensedNeighbors
    from lookalike.models.editing import EditedNeighbors as EditedNeighbors
    from lookalike.models.filters import chi_square as chi_square
    from lookalike.models.filters import f_score as f_score
    from lookalike.models.filters import mutual_information as mutual_information
    from lookalike.models.filters import pearson as pearson
    from lookalike.models.filters import signal_to_noise as signal_to_noise
    from lookalike.models.impute import Imputer as Imputer
    from lookalike.models.kcenter import KCenter as KCenter
    from lookalike.models.kernel_pca import KernelPCA as KernelPCA
    from lookalike.models.kmeans import KMeans as KMeans
    from lookalike.models.linear_score import LinearScore as LinearScore
    from lookalike.models.lsa import LSA as LSA
    from lookalike.models.mixture import GaussianMixture as GaussianMixture
    from lookalike.models.mixture_classify import (
        GaussianMixtureClassifier as GaussianMixtureClassifier,
    )
    from lookalike.models.neighbors import NearestNeighbors as NearestNeighbors
    from lookalike.models.neighbors_classify import KNeighborsClassifier as KNeighborsClassifier
    from lookalike.models.neighbors_regress import KNeighborsRegressor as KNeighborsRegressor
    from lookalike.models.neighbors_regress import (
        RadiusNeighborsRegressor as RadiusNeighborsRegressor,
    )
    from lookalike.models.pca import PCA as PCA
    from lookalike.models.prepare import Preparer as Preparer
    from lookalike.models.radius_classify import (
        RadiusNeighborsClassifier as RadiusNeighborsClassifier,
    )
    from lookalike.models.rbf_network import RBFNetworkRegressor as RBFNetworkRegressor
    from lookalike.models.rbf_network_classify import RBFNetworkClassifier as RBFNetworkClassifier
    from lookalike.models.rbf_smoother import RBFSmoother as RBFSmoother
    from lookalike.models.redundancy import feature_redundancy as feature_redundancy
    from lookalike.models.select_exhaustive import select_exhaustively as select_exhaustively
    from lookalike.models.select_filter import SelectByFilter as SelectByFilter
    from lookalike.models.select_wrapper import SelectByWrapper as SelectByWrapper
    from lookalike.models.soft_neighbors import SoftNeighborsClassifier as SoftNeighborsClassifier
    from lookalike.models.standardize import Standardizer as Standardizer
    from lookalike.models.term_weights import TermWeights as TermWeights
    from lookalike.report.folder import write_study as write_study
    from lookalike.settings import config as config
    from lookalike.store.file import load as load
    from lookalike.store.file import save as save
    from lookalike.studies.study import study as study

__version__ = version("lookalike")

_HOME = {
    "AutoEncoder": "lookalike.models.autoencoder",
    "CondensedNeighbors": "lookalike.models.editing",
    "EditedNeighbors": "lookalike.models.editing",
    "GaussianMixture": "lookalike.models.mixture",
    "GaussianMixtureClassifier": "lookalike.models.mixture_classify",
    "Imputer": "lookalike.models.impute",
    "KCenter": "lookalike.models.kcenter",
    "KMeans": "lookalike.models.kmeans",
    "KNeighborsClassifier": "lookalike.models.neighbors_classify",
    "KNeighborsRegressor": "lookalike.models.neighbors_regress",
    "KernelPCA": "lookalike.models.kernel_pca",
    "LSA": "lookalike.models.lsa",
    "LinearDiscriminantAnalysis": "lookalike.models.discriminant",
    "LinearScore": "lookalike.models.linear_score",
    "LookalikeError": "lookalike.errors",
    "NearestNeighbors": "lookalike.models.neighbors",
    "PCA": "lookalike.models.pca",
    "Preparer": "lookalike.models.prepare",
    "RBFNetworkClassifier": "lookalike.models.rbf_network_classify",
    "RBFNetworkRegressor": "lookalike.models.rbf_network",
    "RBFSmoother": "lookalike.models.rbf_smoother",
    "RadiusNeighborsClassifier": "lookalike.models.radius_classify",
    "RadiusNeighborsRegressor": "lookalike.models.neighbors_regress",
    "SelectByFilter": "lookalike.models.select_filter",
    "SelectByWrapper": "lookalike.models.select_wrapper",
    "SoftNeighborsClassifier": "lookalike.models.soft_neighbors",
    "Standardizer": "lookalike.models.standardize",
    "TermWeights": "lookalike.models.term_weights",
    "audit": "lookalike.explain.audit",
    "bayes_error_bracket": "lookalike.explain.bounds",
    "chi_square": "lookalike.models.filters",
    "choose_clusters": "lookalike.models.choose_clusters",
    "choose_components": "lookalike.models.choose_components",
    "choose_components_and_k": "lookalike.models.components_and_k",
    "config": "lookalike.settings",
    "conformal_intervals": "lookalike.explain.conformal",
    "conformal_sets": "lookalike.explain.conformal",
    "curse_report": "lookalike.explain.curse",
    "explain_prediction": "lookalike.explain.evidence",
    "f_score": "lookalike.models.filters",
    "feature_redundancy": "lookalike.models.redundancy",
    "intrinsic_dimension": "lookalike.explain.dimension",
    "learning_curve": "lookalike.explain.learning_curve",
    "load": "lookalike.store.file",
    "measured_bayes_bracket": "lookalike.explain.bounds",
    "mutual_information": "lookalike.models.filters",
    "nn_bound": "lookalike.explain.bounds",
    "pearson": "lookalike.models.filters",
    "plan": "lookalike.index.plan",
    "sample_size": "lookalike.explain.bounds",
    "save": "lookalike.store.file",
    "select_exhaustively": "lookalike.models.select_exhaustive",
    "self_search": "lookalike.explain.selfsearch",
    "signal_to_noise": "lookalike.models.filters",
    "study": "lookalike.studies.study",
    "write_study": "lookalike.report.folder",
}
_FOLDERS = (
    "data",
    "engines",
    "explain",
    "index",
    "kernels",
    "models",
    "reductions",
    "report",
    "store",
    "studies",
)

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
