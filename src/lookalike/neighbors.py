"""Everything of `sklearn.neighbors` by its name: change the import and nothing else.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import named_elsewhere

if TYPE_CHECKING:
    from lookalike.models.neighbors.classifier import KNeighborsClassifier as KNeighborsClassifier
    from lookalike.models.neighbors.graph_functions import kneighbors_graph as kneighbors_graph
    from lookalike.models.neighbors.graph_functions import (
        radius_neighbors_graph as radius_neighbors_graph,
    )
    from lookalike.models.neighbors.graph_functions import (
        sort_graph_by_row_values as sort_graph_by_row_values,
    )
    from lookalike.models.neighbors.nca import (
        NeighborhoodComponentsAnalysis as NeighborhoodComponentsAnalysis,
    )
    from lookalike.models.neighbors.nearest_centroid import NearestCentroid as NearestCentroid
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsClassifier as RadiusNeighborsClassifier,
    )
    from lookalike.models.neighbors.radius import (
        RadiusNeighborsRegressor as RadiusNeighborsRegressor,
    )
    from lookalike.models.neighbors.regressor import KNeighborsRegressor as KNeighborsRegressor
    from lookalike.models.neighbors.search import NearestNeighbors as NearestNeighbors
    from lookalike.models.neighbors.transformers import (
        KNeighborsTransformer as KNeighborsTransformer,
    )
    from lookalike.models.neighbors.transformers import (
        RadiusNeighborsTransformer as RadiusNeighborsTransformer,
    )
    from lookalike.models.neighbors.tree_classes import BallTree as BallTree
    from lookalike.models.neighbors.tree_classes import KDTree as KDTree
    from lookalike.models.neighbors.valid_metrics import VALID_METRICS as VALID_METRICS
    from lookalike.models.neighbors.valid_metrics import (
        VALID_METRICS_SPARSE as VALID_METRICS_SPARSE,
    )

__all__, __getattr__, __dir__ = named_elsewhere(
    __name__,
    {
        "models.neighbors.classifier": ["KNeighborsClassifier"],
        "models.neighbors.graph_functions": [
            "kneighbors_graph",
            "radius_neighbors_graph",
            "sort_graph_by_row_values",
        ],
        "models.neighbors.nca": ["NeighborhoodComponentsAnalysis"],
        "models.neighbors.nearest_centroid": ["NearestCentroid"],
        "models.neighbors.radius": ["RadiusNeighborsClassifier", "RadiusNeighborsRegressor"],
        "models.neighbors.regressor": ["KNeighborsRegressor"],
        "models.neighbors.search": ["NearestNeighbors"],
        "models.neighbors.transformers": ["KNeighborsTransformer", "RadiusNeighborsTransformer"],
        "models.neighbors.tree_classes": ["BallTree", "KDTree"],
        "models.neighbors.valid_metrics": ["VALID_METRICS", "VALID_METRICS_SPARSE"],
    },
)
