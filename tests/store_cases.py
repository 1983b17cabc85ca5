"""A fitted object of every kind that a model file may hold, and what to ask it."""

# ruff: noqa: ARG005 - builders are all given rows and classes
from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import LabelBinarizer, OneHotEncoder, OrdinalEncoder, StandardScaler

import lookalike
from lookalike import KNeighborsClassifier, NearestNeighbors
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex, ScanIndex
from lookalike.models.calibration import CalibratedPipeline, TemperatureScaling
from lookalike.models.ensemble import WeightedEnsembleClassifier, WeightedEnsembleRegressor

ASKED = (
    *("predict", "predict_proba", "decision_function", "transform", "kneighbors", "query"),
    *("score_samples", "radius_neighbors"),
)
GIVEN = {"AutoEncoder": {"tol": 1.0}, "LSA": {"n_components": 2}, "NeighborMap": {"n_iter": 5}}
OF_TEXTS = ("LSA", "TermWeights")
TEXTS = ["the cat sat", "a dog ate the cat", "the mat lay", "big dog, big house", "cat and mat"]


def rows(seed: int, n: int = 60, d: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return rows around three centers, and which center is whose."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, d)) + 3 * rng.standard_normal((3, d))[y], y


def public_models() -> list[str]:
    """Return the names of the models of the package."""
    return [name for name in lookalike.models.__all__ if name[0].isupper()]


def fitted(name: str, X, y):
    """Return the model of that name, fitted."""
    model = getattr(lookalike.models, name)(**GIVEN.get(name, {}))
    return model.fit(TEXTS) if name in OF_TEXTS else model.fit(X, y)


def wide(X):
    """Return enough rows and columns for codes."""
    return np.tile(X, (20, 15))


def frame(X, y):
    """Return a table of a word and a number."""
    return pd.DataFrame({"word": np.array(["x", "y", "z"])[y], "number": X[:, 0]})


def columns():
    """Return a transformer of the two columns of `frame`."""
    return ColumnTransformer([("a", OneHotEncoder(), ["word"]), ("b", "passthrough", [1])])


METRICS = ["manhattan", "chebyshev", "sqeuclidean", "cosine", "correlation", "mahalanobis"]
METRICS += ["seuclidean", "hamming", "nan_euclidean", "inner_product"]
SEARCHES = {
    **{name: partial(NearestNeighbors, metric=name) for name in METRICS},
    **{
        name: partial(NearestNeighbors, algorithm=name)
        for name in ("exact", "brute", "kd_tree", "lsh")
    },
    "weighted": lambda: NearestNeighbors(metric_params={"w": np.ones(5)}),
    "p": lambda: NearestNeighbors(p=3),
}
BUILDERS = {
    **{name: partial(fitted, name) for name in public_models()},
    **{name: lambda X, y, make=make: make().fit(X) for name, make in SEARCHES.items()},
    "chosen by loo": lambda X, y: KNeighborsClassifier("loo").fit(X, y),
    "chosen by cv": lambda X, y: lookalike.KNeighborsRegressor("cv").fit(X, X[:, :2]),
    "missing": lambda X, y: KNeighborsClassifier(missing="present").fit(
        np.where(X > 4, np.nan, X), y
    ),
    "stems": lambda X, y: lookalike.LSA(2, stem="porter").fit(TEXTS),
    "haversine": lambda X, y: NearestNeighbors(metric="haversine").fit(X[:, :2] / 100),
    "jaccard": lambda X, y: NearestNeighbors(metric="jaccard").fit(X > 0),
    "precomputed": lambda X, y: NearestNeighbors(metric="precomputed").fit(np.abs(X[:5])),
    "sparse": lambda X, y: NearestNeighbors().fit(sp.csr_matrix(X * (X > 0))),
    "float32": lambda X, y: NearestNeighbors().fit(X.astype(np.float32)),
    "fortran": lambda X, y: NearestNeighbors(algorithm="exact").fit(np.asfortranarray(X)),
    "gower": lambda X, y: NearestNeighbors(metric="gower").fit(frame(X, y)),
    "none": lambda X, y: ExactIndex(wide(X), filter="none"),
    "full": lambda X, y: ExactIndex(wide(X), filter="full"),
    "prefix": lambda X, y: ExactIndex(wide(X), filter="prefix"),
    "huge": lambda X, y: ExactIndex(X * 1e200),
    "kd": lambda X, y: KDTreeIndex(X),
    "scan": lambda X, y: ScanIndex(X),
    "tree of scikit-learn": lambda X, y: lookalike.neighbors.KDTree(X),
    "balls": lambda X, y: lookalike.neighbors.BallTree(X, metric="manhattan"),
    "centroids": lambda X, y: lookalike.neighbors.NearestCentroid().fit(X, y),
    "bisected": lambda X, y: lookalike.cluster.BisectingKMeans(3).fit(X),
    "batches": lambda X, y: lookalike.cluster.MiniBatchKMeans(3).partial_fit(X),
    "incremental": lambda X, y: lookalike.decomposition.IncrementalPCA(2).partial_fit(X),
    "svd": lambda X, y: lookalike.decomposition.TruncatedSVD(2).fit(X),
    "qda": lambda X, y: lookalike.discriminant_analysis.QuadraticDiscriminantAnalysis(
        reg_param=0.1
    ).fit(X, y),
    "graph": lambda X, y: lookalike.neighbors.KNeighborsTransformer(n_neighbors=2).fit(X),
    "graph within": lambda X, y: lookalike.neighbors.RadiusNeighborsTransformer(radius=1.0).fit(X),
    "ensemble": lambda X, y: WeightedEnsembleClassifier(
        [("one", KNeighborsClassifier(1)), ("more", KNeighborsClassifier(3))], cv=2
    ).fit(X, y),
    "ensemble of numbers": lambda X, y: WeightedEnsembleRegressor(
        [("one", lookalike.KNeighborsRegressor(1)), ("line", lookalike.Ridge())], cv=2
    ).fit(X, X[:, 0]),
    "calibrated": lambda X, y: CalibratedPipeline(
        [("scale", lookalike.StandardScaler()), ("model", KNeighborsClassifier(3))],
        calibration=TemperatureScaling(1.5, 0.1, np.full(3, 1 / 3)),
    ).fit(X, y),
    "lsh euclidean": lambda X, y: LSHIndex(X),
    "lsh manhattan": lambda X, y: LSHIndex(X, metric="manhattan"),
    "lsh cosine": lambda X, y: LSHIndex(X, metric="cosine"),
    "lsh hamming": lambda X, y: LSHIndex(X, metric="hamming"),
    "scaled": lambda X, y: make_pipeline(
        StandardScaler(), lookalike.PCA(2), KNeighborsClassifier()
    ).fit(X, y),
    "union": lambda X, y: make_union(lookalike.PCA(2), StandardScaler()).fit(X),
    "imputed": lambda X, y: make_pipeline(SimpleImputer(), Ridge()).fit(X, y),
    "logistic": lambda X, y: LogisticRegression().fit(X, np.array(["a", "b", "c"])[y]),
    "linear": lambda X, y: LinearRegression().fit(X, y),
    "ridge": lambda X, y: RidgeCV(alphas=(0.1, 1.0)).fit(X, y),
    "dummy": lambda X, y: DummyClassifier().fit(X, y),
    "mean": lambda X, y: DummyRegressor().fit(X, y),
    "ordinal": lambda X, y: OrdinalEncoder().fit(X.round()),
    "binary": lambda X, y: LabelBinarizer().fit(y),
    "counts": lambda X, y: CountVectorizer().fit(TEXTS),
    "tfidf": lambda X, y: make_pipeline(
        TfidfVectorizer(stop_words="english"), lookalike.PCA(2)
    ).fit(TEXTS),
    "columns": lambda X, y: make_pipeline(columns(), KNeighborsClassifier()).fit(frame(X, y), y),
    "named": lambda X, y: KNeighborsClassifier().fit(
        pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]), np.array(["ä", "b", "c"])[y]
    ),
}


def question(name: str, model: object, X) -> object:
    """Return rows that the model can be asked about."""
    table = pd.DataFrame({"word": ["x", "z", "y"], "number": X[:3, 0]})
    special = {
        "LSA": TEXTS[:2],
        "TermWeights": TEXTS[:2],
        "counts": TEXTS[:2],
        "stems": TEXTS[:2],
        "tfidf": TEXTS[:2],
        "columns": table,
        "gower": table,
        "jaccard": X[:5] > 0,
        "precomputed": np.abs(X[5:8]),
        "haversine": X[:5, :2] / 100,
        "binary": np.array([0, 2, 1]),
        "sparse": sp.csr_matrix((X * (X > 0))[:5]),
        "float32": X[:5].astype(np.float32),
        "ordinal": X[:5].round(),
        "huge": X[:5] * 1e200,
    }
    if name in special:
        return special[name]
    if hasattr(model, "feature_names_in_"):
        return pd.DataFrame(X[:5], columns=model.feature_names_in_)
    return np.tile(X[:5], (1, 15)) if name in ("none", "full", "prefix") else X[:5]


def answers(model, Q) -> dict[str, object]:
    """Return what the model says of `Q`, by each of its methods."""
    found = {}
    for name in ASKED:
        if hasattr(model, name):
            found[name] = getattr(model, name)(*((Q, 2) if name == "query" else (Q,)))
    return found
