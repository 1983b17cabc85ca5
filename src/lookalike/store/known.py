"""The classes that a model file may name: all others are refused, and none is imported by the file.

A file names a class by its plain name. Which class it is, is looked up here, so that a
class may move without old files becoming unreadable.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from lookalike import models

MAX_OBJECT_DEPTH = 64  # objects within objects
RAW_DTYPES = {
    "U": "<u4",
    "S": "u1",
    "M": "<i8",
    "m": "<i8",
}  # numbers that texts and dates are made of


class Known(NamedTuple):
    """Where a class lives, and how an object of it is made again."""

    module: str
    name: str
    made_of: tuple[str, ...] | None = None  # attributes that its constructor is given
    holds: tuple[str, ...] | None = None  # attributes that it has; None: all of its state
    unset: tuple[str, ...] = ()  # attributes that must be None
    forgets: tuple[str, ...] = ()  # attributes that are not kept

    def load(self) -> type[Any]:
        """Import the class."""
        loaded: type[Any] = getattr(import_module(self.module), self.name)
        return loaded


_SKLEARN_CLASSES: dict[str, tuple[str, ...]] = {
    "compose": ("ColumnTransformer",),
    "dummy": ("DummyClassifier", "DummyRegressor"),
    "feature_extraction.text": ("TfidfTransformer",),
    "impute": ("SimpleImputer",),
    "linear_model": (
        "LinearRegression",
        "LogisticRegression",
        "Ridge",
        "RidgeCV",
        "RidgeClassifier",
        "RidgeClassifierCV",
    ),
    "pipeline": ("FeatureUnion",),
    "preprocessing": ("LabelBinarizer", "OneHotEncoder", "OrdinalEncoder", "StandardScaler"),
    "svm": ("LinearSVC",),
}
_PART_CLASSES: dict[str, tuple[str, ...]] = {
    "decisions": ("Decision", "Decisions"),
    "index.base": ("Neighbors",),
    "index.embedded": ("EmbeddedIndex",),
    "index.exact": ("ExactIndex",),
    "index.graph": ("GraphIndex",),
    "index.gpu_exact": ("GPUExactIndex",),
    "index.kdtree": ("KDTreeIndex",),
    "index.lsh": ("LSHIndex",),
    "index.lsh_tuning": ("LSHSetting", "Recall"),
    "index.scan": ("ScanIndex",),
    "kernels.exact": ("CodeMap", "Filter"),
    "kernels.gram": ("Kernel",),
    "kernels.lsh": ("HashFunctions",),
    "kernels.metrics.gower": ("CategoryColumn", "NumberColumn"),
    "kernels.metrics.rows": ("SparseRows",),
    "kernels.scatter": ("Moments",),
    "kernels.spanning_forest": ("CondensedEdges", "Merges"),
    "models.calibration.temperature": ("TemperatureScaling",),
    "models.cluster.bisecting": ("BisectingKMeans", "BisectionTree"),
    "models.cluster.condensed_tree": ("CondensedTree",),
    "models.cluster.minibatch": ("MiniBatchKMeans",),
    "models.decomposition.incremental_pca": ("IncrementalPCA",),
    "models.decomposition.truncated_svd": ("TruncatedSVD",),
    "models.discriminant.qda": ("QuadraticDiscriminantAnalysis",),
    "models.ensemble.classifier": ("WeightedEnsembleClassifier",),
    "models.ensemble.duals": ("DualWeights",),
    "models.ensemble.regressor": ("WeightedEnsembleRegressor",),
    "models.feature_selection.subset_search": ("Step",),
    "models.labels": ("Labels",),
    "models.manifold.quality": ("MapQuality",),
    "models.neighbors.column_codes": ("CategoryCodes", "MemberCodes"),
    "models.neighbors.nearest_centroid": ("NearestCentroid",),
    "models.neighbors.transformers": ("KNeighborsTransformer", "RadiusNeighborsTransformer"),
    "models.neighbors.tree_classes": ("BallTree", "KDTree"),
    "models.neighbors.k_selection": ("KSelection", "ScoreCurve"),
    "models.neighbors.search_options": ("SearchOptions",),
    "models.neighbors.search_space": ("SearchSpace",),
    "models.preprocessing.tree_table": ("FeatureRange", "TreeTablePreprocessor"),
    "models.targets": ("RegressionTargets",),
    "models.text.counts": ("StemTokenizer",),
    "models.text.ngrams": ("NgramWeights",),
    "reductions.wrappers": ("CountedState",),
}
_TEXT_MODULE = "sklearn.feature_extraction.text"
_OTHER_CLASSES = {
    **{  # the address of a list in memory is none of the file's
        name: Known(_TEXT_MODULE, name, forgets=("_stop_words_id",))
        for name in ("CountVectorizer", "TfidfVectorizer")
    },
    "BoostedTrees": Known(
        "lookalike.kernels.boosted",
        "BoostedTrees",
        made_of=(
            *("nodes", "root", "value", "X", "targets"),
            *("n_outputs", "learning_rate", "l2"),
        ),
    ),
    "Forest": Known(
        "lookalike.kernels.forest",
        "Forest",
        made_of=(
            *("nodes", "root", "start", "row", "drawn", "weight", "targets"),
            *("n_outputs", "n_features"),
        ),
    ),
    "FunctionTransformer": Known(  # the one that lets columns through
        "sklearn.preprocessing", "FunctionTransformer", unset=("func", "inverse_func")
    ),
    "KernelSums": Known(
        "lookalike.kernels.kernel_sums",
        "KernelSums",
        made_of=("X", "codes", "n_classes", "weight", "threads"),
    ),
    "TargetStatistics": Known(
        "lookalike.models.trees.target_statistics",
        "TargetStatistics",
        made_of=("columns", "values", "tables"),
    ),
    "TextComponents": Known(
        "lookalike.models.text.components",
        "TextComponents",
        made_of=("weights", "directions", "scale"),
    ),
    # The scikit-learn classes of these names have the plain name in a file.
    **{
        f"Lookalike{name}": Known("lookalike.models", name)
        for name in ("Ridge", "SimpleImputer", "StandardScaler")
    },
    "CalibratedPipeline": Known(
        "lookalike.models.calibration", "CalibratedPipeline", unset=("memory",)
    ),
    "ExactState": Known("lookalike.index.coded_rows", "CodedRows"),
    "Pipeline": Known("sklearn.pipeline", "Pipeline", unset=("memory",)),  # a folder of pickles
}
# Metrics choose the native loop, so a file holds no more of them than their parameters.
_METRIC_CLASSES: dict[str, dict[str, tuple[str, ...]]] = {
    "angular": {"Cosine": ("zero",), "Correlation": ("zero",), "InnerProduct": ()},
    "ratios": {"BrayCurtis": (), "Canberra": ()},
    "set_metrics": {"BinaryMetric": ("name",), "Hamming": ("w",), "Jaccard": ()},
    "custom": {"Precomputed": ()},
    "minkowski": {"Euclidean": ("w",), "SquaredEuclidean": ("w",), "Minkowski": ("p", "w")},
    "nan_euclidean": {"NanEuclidean": ("w",)},
    "sphere": {"Haversine": ()},
}
_MEASURED_METRICS: dict[str, dict[str, tuple[str, ...]]] = {
    "gower": {"Gower": ("columns", "w", "categorical", "axioms", "expected", "min_shared")},
    "quadratic": {
        "Mahalanobis": ("name", "map", "center", "axioms"),
        "StandardizedEuclidean": ("name", "w", "axioms"),
    },
}


def _list() -> dict[str, Known]:
    known = {name: Known("lookalike.models", name) for name in models.__all__ if name[0].isupper()}
    for package, table in (("sklearn", _SKLEARN_CLASSES), ("lookalike", _PART_CLASSES)):
        for module, names in table.items():
            known |= {name: Known(f"{package}.{module}", name) for name in names}
    metrics = "lookalike.kernels.metrics"
    for module, makers in _METRIC_CLASSES.items():
        known |= {n: Known(f"{metrics}.{module}", n, made_of=args) for n, args in makers.items()}
    for module, holders in _MEASURED_METRICS.items():
        known |= {n: Known(f"{metrics}.{module}", n, holds=held) for n, held in holders.items()}
    return known | _OTHER_CLASSES


KNOWN_CLASSES = _list()


def name_of(kind: type[object]) -> str | None:
    """Return the name by which files know a class; None where they do not."""
    alike = (name for name, known in KNOWN_CLASSES.items() if known.name == kind.__qualname__)
    return next((name for name in alike if KNOWN_CLASSES[name].load() is kind), None)
