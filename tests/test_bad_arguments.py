"""Whatever is given to the public names: a result, a LookalikeError, or the user's own error."""

from __future__ import annotations

import os
import pickle
import traceback
import warnings
import zlib
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from bad_arguments import (
    FRAME,
    GIVEN,
    N_ROWS,
    OF_TEXTS,
    SCALARS,
    TABLES,
    TEXTS,
    OwnError,
    X,
    Y,
    bad_values,
    made,
    parameters_of,
)
from fuzz.mutations import ending
from public_estimators import PUBLIC_ESTIMATORS, RETURNED_ESTIMATORS
from public_names import PUBLIC

import lookalike
from lookalike.errors import LookalikeError
from lookalike.index import ExactIndex, KDTreeIndex, LSHIndex, ScanIndex
from lookalike.neighbors import BallTree, KDTree

ALL = "LOOKALIKE_ALL_ARGUMENTS" in os.environ  # else a fixed sample of them
ONE_IN = 24
ESTIMATORS = PUBLIC_ESTIMATORS | RETURNED_ESTIMATORS
MODELS = list(ESTIMATORS)
FUNCTIONS = [name for name in PUBLIC if name[0].islower()]
INDEXES = {one.__name__: one for one in (ExactIndex, KDTreeIndex, LSHIndex, ScanIndex)}
TREES = {one.__name__: one for one in (BallTree, KDTree)}
REPEATED = {"n_init", "max_iter", "draws", "n_draws", "n_orders", "n_iter", "n_refs", "limit"}
ENDLESS = {"1e30", "10**400"}  # of which each costs time: as asked
NOT_OURS = {"get_metadata_routing", "set_output", "get_params", "register", "set_callbacks"}
OF_THE_PACKAGE = {"of_fitted", "member_outputs"}  # studies and explanations call them
SAID_AS_THERE = ("init_size=.* should be larger", "algorithm='elkan' doesn't make sense")
NONSENSE = ("object", "1j", "bytes", "set", "None function", "slice", "...")  # for any simple type


def outcome(function, *args, **kwargs):
    """Return the result, or the error where it is one that may leave the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (RuntimeWarning, DeprecationWarning, np.exceptions.ComplexWarning):
            warnings.simplefilter("error", kind)
        for about in SAID_AS_THERE:
            warnings.filterwarnings("ignore", about, RuntimeWarning)
        try:
            return function(*args, **kwargs)
        except (LookalikeError, OwnError) as error:
            return error


def failures(cases):
    """Return what went wrong in those of the cases that are in the sample."""
    wrong = []
    with ending(300):
        for label, function, args, kwargs in cases:
            if ALL or zlib.crc32(label.encode()) % ONE_IN == 0:
                try:
                    outcome(function, *args, **kwargs)
                except Exception as error:
                    frame = traceback.extract_tb(error.__traceback__)[-1]
                    place = f"{'/'.join(frame.filename.split('/')[-3:])}:{frame.lineno}"
                    wrong.append(f"{label}: {type(error).__name__}: {str(error)[:90]} ({place})")
    return wrong


def new(name, **parameters):
    return ESTIMATORS[name](**{**GIVEN.get(name, {}), **parameters})


def rows_for(name):
    return TEXTS if name in OF_TEXTS else X


@cache
def pickled(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pickle.dumps(new(name).fit(rows_for(name), Y if name not in OF_TEXTS else None))


def fitted(name):
    return pickle.loads(pickled(name))


def use(model, table):
    """Fit a model, and ask it all that it answers."""
    model.fit(table, None if table is TEXTS else Y)
    for ask in ("predict", "predict_proba", "transform", "kneighbors", "radius_neighbors"):
        if hasattr(model, ask):
            outcome(getattr(model, ask), table)


@pytest.mark.parametrize("name", MODELS)
def test_bad_parameters_of_a_model(name):
    assert not failures(
        (
            f"{name}({parameter.name}={value})",
            use,
            (new(name, **{parameter.name: made(value, bad)}), rows_for(name)),
            {},
        )
        for parameter in parameters_of(ESTIMATORS[name])
        for value, bad in SCALARS.items()
        if not (parameter.name in REPEATED and value in ENDLESS)
    )


@pytest.mark.parametrize("name", MODELS)
def test_bad_arguments_of_the_methods_of_a_model(name):
    assert not failures(method_cases(name))


def method_cases(name):
    """Give calls of every method, one argument of which is bad."""
    for method in public_methods(fitted(name)):
        parameters = parameters_of(getattr(fitted(name), method))
        good = {one.name: valid(name, one.name) for one in parameters if one.default is one.empty}
        if "y" in [one.name for one in parameters] and name not in OF_TEXTS:
            good["y"] = Y
        for parameter in parameters:
            for value, bad in bad_values(parameter.name).items():
                if parameter.name in REPEATED and value in ENDLESS:
                    continue

                def call(method=method, good=good, parameter=parameter, value=value, bad=bad):
                    given = {**good, parameter.name: made(value, bad)}
                    return getattr(fitted(name), method)(**given)

                yield f"{name}.{method}({parameter.name}={value})", call, (), {}


def public_methods(model):
    names = [one for one in dir(model) if one[0] != "_" and one not in NOT_OURS | OF_THE_PACKAGE]
    return [
        one
        for one in names
        if not (one.startswith("set_") and one.endswith("_request"))
        and callable(getattr(model, one, None))
        and not isinstance(getattr(model, one), type)
    ]


def valid(name, parameter):
    """Return a good value of a required argument."""
    if parameter in ("X", "raw_documents", "documents", "queries", "X_new"):
        return rows_for(name)
    if parameter in ("query", "q"):
        return rows_for(name)[:2]
    known = {"y": Y, "rows": [0], "other": fitted(name), "Z": X[:, :2], "groups": Y}
    return known.get(parameter, 1)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_not_fitted_says_so(name):
    model = new(name)
    for method in public_methods(fitted(name)):
        parameters = parameters_of(getattr(model, method))
        given = {one.name: valid(name, one.name) for one in parameters if one.default is one.empty}
        outcome(getattr(model, method), **given)


@pytest.mark.parametrize("name", [one for one in MODELS if one != "NgramWeights"])  # sets its own
def test_nonsense_is_never_accepted_where_a_type_is_stated(name):
    accepted = []
    for parameter in parameters_of(ESTIMATORS[name]):
        words = {word.strip() for word in str(parameter.annotation).split("|")}
        if words <= {"int", "float", "str", "bool", "None"}:
            for value in NONSENSE:
                model = new(name, **{parameter.name: SCALARS[value]})
                error = outcome(model.fit, rows_for(name), None if name in OF_TEXTS else Y)
                if not isinstance(error, LookalikeError):
                    accepted.append(f"{parameter.name}={value}")
    assert not accepted


@cache
def some_study():
    return lookalike.study(X, Y, time="2s")


def good_arguments(name):
    """Return good arguments of a public function."""
    rows = {"X": X, "y": Y}
    model = fitted("KNeighborsClassifier")
    placed = {"X": X, "X_embedded": X[:, :2]}
    return {
        **dict.fromkeys(("continuity", "neighbor_preservation", "trustworthiness"), placed),
        "map_quality": placed,
        "torn_neighbors": {"neighbors": (np.arange(24)[:, None] + [1, 2]) % 24, "X_embedded": X},
        "audit": rows,
        "bayes_error_bracket": {"error": 0.1, "n_classes": 2},
        "choose_clusters": {"X": X, "n_clusters": [2, 3], "draws": 2},
        "choose_components": {
            **rows,
            "model": lookalike.KNeighborsClassifier(1),
            "max_components": 2,
            "cv": 2,
        },
        "choose_components_and_k": {**rows, "max_components": 2, "k_max": 3},
        "config": {},
        "conformal_intervals": {"model": fitted("KNeighborsRegressor"), "X": X},
        "conformal_sets": {"model": model, "X": X},
        "dimensionality_report": {"X": X, "k": 3},
        "explain_prediction": {"model": model, "x": X[0]},
        "feature_redundancy": {"X": X},
        "intrinsic_dimension": {"X": X},
        "neighbor_learning_curve": {**rows, "n_draws": 3, "n_orders": 2},
        "leave_one_out": {"model": model},
        "load": {"path": "no.lookalike"},
        "measured_bayes_bracket": rows,
        "nn_error_bound": {"n": 10, "d": 2, "c": 1.0},
        "nn_sample_size": {"epsilon": 0.1, "d": 2, "c": 1.0},
        "save": {"model": model, "path": "model.lookalike"},
        "search_plan": {"X": X, "k": 2},
        "select_exhaustively": rows,
        "save_neighbors": {"model": lookalike.NearestNeighbors(1).fit(X), "path": "near.parquet"},
        "self_search": {"X": X, "k": 2},
        "study": {**rows, "time": "1s"},
        "write_study": {"study": None, "folder": "study"},
        "ranking_average_precision": {"relevant": [0, 2], "ranking": [0, 1, 2]},
        "mean_average_precision": {"relevant": [[0, 2]], "rankings": [[0, 1, 2]]},
        "mean_precision_recall_curve": {"relevant": [[0, 2]], "rankings": [[0, 1, 2]]},
        "metric_axioms": {},
        "kneighbors_graph": {"X": X, "n_neighbors": 2},
        "radius_neighbors_graph": {"X": X, "radius": 1.0},
        "sort_graph_by_row_values": {"graph": sp.csr_array(X), "copy": True},
        "out_of_fold_probabilities": {"classifier": lookalike.KNeighborsClassifier(1), **rows},
        "ranking_precision_recall": {"relevant": [0, 2], "ranking": [0, 1, 2]},
    }.get(name, {**rows, "X": np.abs(X)})


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "study"])
def test_bad_arguments_of_a_function(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not failures(function_cases(name, PUBLIC[name], good_arguments(name)))


def function_cases(name, function, good):
    for parameter in parameters_of(function):
        for value, bad in bad_values(parameter.name).items():
            if parameter.name in REPEATED and value in ENDLESS:
                continue

            def call(parameter=parameter, value=value, bad=bad):
                given = {**good, parameter.name: made(value, bad)}
                result = function(**given)
                if hasattr(result, "__exit__"):
                    with result:
                        pass

            yield f"{name}({parameter.name}={value})", call, (), {}


INDEX_CALLS = {
    "query": {"Q": X, "k": 2},
    "query_radius": {"Q": X, "radius": 1.0},
    "add": {"X": X},
    "remove": {"rows": [1]},
}
TREE_CALLS = {
    "query": {"X": X, "k": 2},
    "query_radius": {"X": X, "r": 1.0},
    "two_point_correlation": {"X": X, "r": [0.5, 1.0]},
    "kernel_density": {"X": X, "h": 1.0},
}


@pytest.mark.parametrize("name", INDEXES)
def test_bad_arguments_of_an_index(name):
    assert not failures(calls_of(name, INDEXES[name], INDEX_CALLS))


@pytest.mark.parametrize("name", TREES)
def test_bad_arguments_of_a_tree(name):
    assert not failures(calls_of(name, TREES[name], TREE_CALLS))


def fitted_pipeline(**given):
    from lookalike.models.calibration import CalibratedPipeline, TemperatureScaling

    calibration = TemperatureScaling(2.0, 0.1, np.full(3, 1 / 3))
    steps = [("table", lookalike.TablePreprocessor()), ("k", lookalike.KNeighborsClassifier(3))]
    return CalibratedPipeline(steps, **{"calibration": calibration, **given})


@cache
def fitted_pipelines():
    """Return pipelines as studies give them back, of numbers, names, and columns of any kind."""
    mixed = FRAME.assign(b=list("uvw" * 8))
    days = FRAME.assign(a=pd.date_range("2026-01-01", periods=N_ROWS, freq="17h"))
    tables = {"numbers": X, "named": FRAME, "categories": mixed, "dates": days}
    return {name: fitted_pipeline().fit(table, Y) for name, table in tables.items()}


@pytest.mark.parametrize("method", ["predict", "predict_proba", "fit", "kneighbors"])
@pytest.mark.parametrize("pipeline", ["numbers", "named", "categories", "dates"])
def test_bad_tables_of_a_pipeline(pipeline, method):
    def cases():
        for value, bad in TABLES.items():
            model = fitted_pipeline() if method == "fit" else fitted_pipelines()[pipeline]
            targets = (Y,) if method == "fit" else ()
            yield f"{method}({value})", ask, (model, method, made(value, bad), *targets), {}

    assert not failures(cases())


def ask(model, method, *args):
    """Call a method of a model, or that of its last step on rows of the others."""
    if method != "kneighbors":
        return getattr(model, method)(*args)
    return model[-1].kneighbors(model[:-1].transform(*args))


def test_bad_calibrations_of_a_pipeline():
    calibration = fitted_pipeline().calibration
    cases = [
        (f"calibration={value}", use, (fitted_pipeline(calibration=made(value, bad)), X), {})
        for value, bad in SCALARS.items()
    ]
    cases += [
        (f"calibration({value})", calibration, (made(value, bad),), {})
        for value, bad in (SCALARS | TABLES).items()
    ]
    assert not failures(cases)


def test_every_public_class_is_walked_over():
    classes = {name for name, one in PUBLIC.items() if isinstance(one, type)}
    elsewhere = {"Client", "LookalikeError"}  # tests/web/test_client.py
    assert classes == {*PUBLIC_ESTIMATORS, *TREES, *elsewhere}


def calls_of(name, make, methods):
    """Return calls of a class and of its methods, one argument of which is bad."""
    cases = list(function_cases(name, make, {"X": X}))
    for method, good in methods.items():

        def call(method=method, **given):
            return getattr(make(X), method)(**given)

        for parameter in parameters_of(getattr(make(X), method)):
            for value, bad in bad_values(parameter.name).items():
                given = {**good, parameter.name: made(value, bad)}
                cases.append((f"{name}.{method}({parameter.name}={value})", call, (), given))
    return cases


def test_bad_arguments_of_open_source():
    def read(**given):
        for _ in lookalike.data.open_source(**given).chunks():
            pass

    def cases():
        for parameter in parameters_of(lookalike.data.open_source):
            values = TABLES if parameter.name == "data" else bad_values(parameter.name)
            for value, bad in values.items():
                given = {"data": X, parameter.name: made(value, bad)}
                yield f"open_source({parameter.name}={value})", read, (), given

    assert not failures(cases())
