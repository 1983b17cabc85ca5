"""Everything of `sklearn.neighbors` by its name, and functions beside: plans, searches, files."""

from lookalike.explain.leave_one_out import leave_one_out
from lookalike.explain.self_search import self_search
from lookalike.models.kernel.density import KernelDensity
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.graph_functions import (
    kneighbors_graph,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)
from lookalike.models.neighbors.nca import NeighborhoodComponentsAnalysis
from lookalike.models.neighbors.nearest_centroid import NearestCentroid
from lookalike.models.neighbors.neighbor_file import save_neighbors
from lookalike.models.neighbors.outliers import LocalOutlierFactor
from lookalike.models.neighbors.radius import RadiusNeighborsClassifier, RadiusNeighborsRegressor
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.neighbors.search_plan import search_plan
from lookalike.models.neighbors.transformers import (
    KNeighborsTransformer,
    RadiusNeighborsTransformer,
)
from lookalike.models.neighbors.tree_classes import BallTree, KDTree
from lookalike.models.neighbors.valid_metrics import VALID_METRICS, VALID_METRICS_SPARSE

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LocalOutlierFactor",
    "NearestCentroid",
    "NearestNeighbors",
    "NeighborhoodComponentsAnalysis",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "leave_one_out",
    "radius_neighbors_graph",
    "save_neighbors",
    "search_plan",
    "self_search",
    "sort_graph_by_row_values",
]
