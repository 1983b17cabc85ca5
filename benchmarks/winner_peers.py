"""Models of other libraries at their defaults, behind the usual steps: fill, scale, one-hot.

CatBoost takes categories and missing cells as they are, FLAML as many seconds as a study.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

CLASSIFIERS: dict[str, Callable[[int], Any]] = {
    "random forest": lambda threads: RandomForestClassifier(random_state=0, n_jobs=threads),
    "extra trees": lambda threads: ExtraTreesClassifier(random_state=0, n_jobs=threads),
    "boosting": lambda _: HistGradientBoostingClassifier(random_state=0),
    "SVC": lambda _: SVC(),
    "logistic": lambda _: LogisticRegression(max_iter=1000),
    "K-NN": lambda threads: KNeighborsClassifier(n_jobs=threads),
}
REGRESSORS: dict[str, Callable[[int], Any]] = {
    "random forest": lambda threads: RandomForestRegressor(random_state=0, n_jobs=threads),
    "extra trees": lambda threads: ExtraTreesRegressor(random_state=0, n_jobs=threads),
    "boosting": lambda _: HistGradientBoostingRegressor(random_state=0),
    "SVR": lambda _: SVR(),
    "ridge": lambda _: RidgeCV(),
    "K-NN": lambda threads: KNeighborsRegressor(n_jobs=threads),
}
BOOSTING_LIBRARIES: dict[str, tuple[str, str, str, dict[str, object]]] = {
    "catboost": (  # classifier, regressor, what its threads are called, options
        "CatBoostClassifier",
        "CatBoostRegressor",
        "thread_count",
        {"verbose": False, "allow_writing_files": False},
    ),
    "lightgbm": ("LGBMClassifier", "LGBMRegressor", "n_jobs", {"verbose": -1}),
    "xgboost": ("XGBClassifier", "XGBRegressor", "n_jobs", {}),
}
FLAML_LEARNERS = ("lgbm", "xgboost", "rf", "extra_tree", "catboost", "kneighbor", "lrl1")


class FLAML(BaseEstimator):
    """FLAML's search for a model, for as many seconds as a study may take."""

    def __init__(self, regression: bool, seconds: float, threads: int) -> None:
        self.regression, self.seconds, self.threads = regression, seconds, threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> FLAML:
        """Search with the rows as the usual steps made them."""
        from flaml import AutoML

        skipped = {"lrl1"} if self.regression else set()
        skipped |= {name for name in ("catboost", "xgboost") if find_spec(name) is None}
        self.search_ = AutoML()
        self.search_.fit(
            X,
            y,
            task="regression" if self.regression else "classification",
            time_budget=self.seconds,
            n_jobs=self.threads,
            estimator_list=[name for name in FLAML_LEARNERS if name not in skipped],
            seed=0,
            verbose=0,
        )
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predictions of the model that was found."""
        return np.asarray(self.search_.predict(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probabilities of the model that was found."""
        return np.asarray(self.search_.predict_proba(X))


class Categories:
    """A model of CatBoost, with the columns that are no numbers as its categories."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Categories:
        """Fit with a missing category as one more."""
        self.named = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
        self.model.fit(self._filled(X), y, cat_features=self.named)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Return the predictions."""
        return np.asarray(self.model.predict(self._filled(X)))

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probabilities."""
        return np.asarray(self.model.predict_proba(self._filled(X)))

    def _filled(self, X: pd.DataFrame) -> pd.DataFrame:
        filled = {name: X[name].astype(object).fillna("missing").astype(str) for name in self.named}
        return X.assign(**filled)


def competitors(regression: bool, seconds: float, threads: int) -> dict[str, Any]:
    """Return the models by name, those of other libraries where they are installed."""
    built = REGRESSORS if regression else CLASSIFIERS
    models = {name: build(threads) for name, build in built.items()}
    for name, (classifier, regressor, jobs, options) in BOOSTING_LIBRARIES.items():
        if find_spec(name):
            kind = getattr(import_module(name), regressor if regression else classifier)
            models[name] = kind(**options, **{jobs: threads})
    if find_spec("flaml"):
        models["FLAML"] = FLAML(regression, seconds, threads)
    return {
        name: Categories(model) if name == "catboost" else prepared(model)
        for name, model in models.items()
    }


def prepared(model: Any) -> Any:
    """Return a competitor behind the usual steps."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    others = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    number = make_column_selector(dtype_include="number")
    other = make_column_selector(dtype_exclude="number")
    return make_pipeline(make_column_transformer((numbers, number), (others, other)), model)
