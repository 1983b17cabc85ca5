"""Names in older model files and what they are called now, so that every file stays readable."""

from __future__ import annotations

CLASSES: dict[str, str] = {  # old name: present name
    "Curve": "ScoreCurve",
    "Functions": "HashFunctions",
    "Imputer": "LookalikeSimpleImputer",
    "LinearScore": "RidgeRegression",
    "Preparer": "TablePreprocessor",
    "Selection": "KSelection",
    "Setting": "LSHSetting",
    "SoftSums": "KernelSums",
}
DICTIONARIES = {  # records of older files that are dictionaries of arrays now
    *("BandwidthCurve", "BicCurve", "Choice", "LikelihoodCurve", "NetworkPenaltyCurve"),
    *("PenaltyCurve", "RadiusCurve", "SmootherCurve"),
}
TUPLES: dict[str, tuple[str, ...]] = {  # records of older files that are tuples now: their fields
    "ClassMean": ("count", "mean", "tail"),
    "Pooled": ("means", "scatter"),
    "WithinClassState": ("means", "scatter"),
}
ATTRIBUTES: dict[str, dict[str, str]] = {  # present class: {old attribute: present attribute}
    "ExactIndex": {"_asked": "_filter_kind"},
    "HashFunctions": {"centre": "center"},
    "KNeighborsClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "RadiusNeighborsClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "SoftNeighborsClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "SelectByFilter": {"discrete": "discrete_features"},
    "SelectByWrapper": {"n_judged_": "n_evaluated_"},
}

_TASKS = {"classes": "classification", "numbers": "regression"}
VALUES: dict[tuple[str, str], dict[str, str]] = {  # (present class, attribute): {old: present}
    ("SelectByFilter", "task"): _TASKS,
    ("SelectByWrapper", "task"): _TASKS,
    ("LookalikeSimpleImputer", "strategy"): {"mode": "most_frequent"},
}
_SEARCH: dict[str, object] = {"split": "variance", "approximate": 0.0, "recall": 0.95}
ADDED: dict[str, dict[str, object]] = {  # attributes that older files lack, with what they imply
    "NearestNeighbors": {**_SEARCH, "missing": "error"},
    "KNeighborsClassifier": _SEARCH,
    "KNeighborsRegressor": _SEARCH,
    "RadiusNeighborsClassifier": _SEARCH,
    "RadiusNeighborsRegressor": _SEARCH,
    "NeighborhoodComponentsAnalysis": {"max_samples": None},
    "RidgeRegression": {"target_range": None},
    "LookalikeSimpleImputer": {
        "fill_value": None,
        "keep_empty_features": True,
        "_dropped": {"tuple": []},
    },
}


def present_name(name: str) -> str:
    """Return the name by which a class of an older file is known now."""
    return CLASSES.get(name, name)


def present_attributes(name: str, state: dict[str, object]) -> dict[str, object]:
    """Return the state of an object of class `name` with the attribute names of today."""
    renamed = ATTRIBUTES.get(name, {})
    state = {renamed.get(key, key): value for key, value in state.items()}
    for key, value in state.items():
        known = VALUES.get((name, key), {})
        state[key] = known.get(value, value) if isinstance(value, str) else value
    for key, value in ADDED.get(name, {}).items():
        state.setdefault(key, value)
    return state
