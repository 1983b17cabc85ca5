"""Names in older model files and what they are called now, so that every file stays readable."""

from __future__ import annotations

from typing import Any

from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.search_space import SearchSpace
from lookalike.models.targets import RegressionTargets

RENAMED_CLASSES: dict[str, str] = {  # old name: present name
    "CondensedNeighbors": "CondensedNearestNeighbour",
    "Curve": "ScoreCurve",
    "EditedNeighbors": "EditedNearestNeighbours",
    "Functions": "HashFunctions",
    "Imputer": "LookalikeSimpleImputer",
    "LinearScore": "LookalikeRidge",
    "Preparer": "TablePreprocessor",
    "RBFSmoother": "KernelRegressor",
    "RBFSmootherClassifier": "KernelClassifier",
    "Selection": "KSelection",
    "Setting": "LSHSetting",
    "RidgeRegression": "LookalikeRidge",
    "SoftNeighborsClassifier": "KernelDensityClassifier",
    "SoftSums": "KernelSums",
}
DICTIONARY_RECORDS = {  # records of older files that are dictionaries of arrays now
    *("BandwidthCurve", "BicCurve", "Choice", "LikelihoodCurve", "NetworkPenaltyCurve"),
    *("PenaltyCurve", "RadiusCurve", "SmootherCurve"),
}
TUPLE_RECORDS: dict[
    str, tuple[str, ...]
] = {  # records of older files that are tuples now: their fields
    "ClassMean": ("count", "mean", "tail"),
    "Pooled": ("means", "scatter"),
    "WithinClassState": ("means", "scatter"),
}
RENAMED_ATTRIBUTES: dict[
    str, dict[str, str]
] = {  # present class: {old attribute: present attribute}
    "ExactIndex": {"_asked": "_filter_kind"},
    "HashFunctions": {"centre": "center"},
    "KNeighborsClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "RadiusNeighborsClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "KernelDensityClassifier": {"_classes_told": "_declared_classes", "prior": "priors"},
    "SelectByFilter": {"discrete": "discrete_features"},
    "SelectByWrapper": {"n_judged_": "n_evaluated_"},
}

_RENAMED_TASKS = {"classes": "classification", "numbers": "regression"}
RENAMED_VALUES: dict[
    tuple[str, str], dict[str, str]
] = {  # (present class, attribute): {old: present}
    ("SelectByFilter", "task"): _RENAMED_TASKS,
    ("SelectByWrapper", "task"): _RENAMED_TASKS,
    ("LookalikeSimpleImputer", "strategy"): {"mode": "most_frequent"},
}
_SEARCH_DEFAULTS: dict[str, object] = {"split": "variance", "approximate": 0.0, "recall": 0.95}
ADDED_ATTRIBUTES: dict[
    str, dict[str, object]
] = {  # attributes that older files lack, with what they imply
    "NearestNeighbors": {**_SEARCH_DEFAULTS, "missing": "error"},
    "KNeighborsClassifier": _SEARCH_DEFAULTS,
    "KNeighborsRegressor": _SEARCH_DEFAULTS,
    "RadiusNeighborsClassifier": _SEARCH_DEFAULTS,
    "RadiusNeighborsRegressor": _SEARCH_DEFAULTS,
    "NeighborhoodComponentsAnalysis": {"max_samples": None},
    "LookalikeRidge": {"target_range": None},
    "TablePreprocessor": {
        "absent_columns": "error",
        "handle_unknown": "ignore",
        "text": "components",
        "date_parts": {"tuple": []},
    },
    "LookalikeSimpleImputer": {
        "fill_value": None,
        "keep_empty_features": True,
        "_dropped": {"tuple": []},
    },
}


def present_name(name: str) -> str:
    """Return the name by which a class of an older file is known now."""
    return RENAMED_CLASSES.get(name, name)


def present_attributes(name: str, state: dict[str, object]) -> dict[str, object]:
    """Return the state of an object of class `name` with the attribute names of today."""
    renamed = RENAMED_ATTRIBUTES.get(name, {})
    state = {renamed.get(key, key): value for key, value in state.items()}
    for key, value in state.items():
        known = RENAMED_VALUES.get((name, key), {})
        state[key] = known.get(value, value) if isinstance(value, str) else value
    for key, value in ADDED_ATTRIBUTES.get(name, {}).items():
        state.setdefault(key, value)
    return state


def present_state(kind: type[object], state: dict[str, Any]) -> dict[str, Any]:
    """Return the decoded state of an object with the parts that models of today have."""
    if not (issubclass(kind, NeighborsModel) and "_fit_X" in state):
        return state
    state = dict(state)
    rows, weight = state.pop("_fit_X"), state.pop("_weight", None)
    columns = state.get("feature_names_in_")
    model = object.__new__(kind)
    model.__dict__.update(state)
    state["space_"] = SearchSpace(
        model.search_options(),
        state.pop("_index"),
        rows,
        names=None if columns is None else tuple(map(str, columns)),
        codes=state.pop("_codes", None),
        imputer=state.pop("_imputer", None),
        weight=weight,
    )
    if "_targets" in state:
        targets, flat = state.pop("_targets"), state.pop("_flat", None)
        state["targets_"] = targets if flat is None else RegressionTargets(targets, flat)
    return state
