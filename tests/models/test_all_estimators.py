"""What holds for every public estimator: any numbers, changed inputs, interrupts, failures."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from public_estimators import PUBLIC_ESTIMATORS, RETURNED_ESTIMATORS
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

import lookalike
from lookalike import LookalikeError
from lookalike.models.calibration import CalibratedPipeline, TemperatureScaling

KINDS_OF_MODELS = PUBLIC_ESTIMATORS | RETURNED_ESTIMATORS
OF_TEXTS_ALONE = {"NgramWeights"}
ESTIMATORS = [name for name in KINDS_OF_MODELS if name not in OF_TEXTS_ALONE]
FEWER_STEPS = {
    "AutoEncoder": {"max_iter": 5},
    "BoostedNeighborsClassifier": {"max_iter": 3},
    "BoostedNeighborsRegressor": {"max_iter": 3},
    "ForestNeighborsClassifier": {"n_estimators": 3},
    "ForestNeighborsRegressor": {"n_estimators": 3},
    "NeighborhoodComponentsAnalysis": {"max_iter": 5},
    "LSA": {"weighting": "raw"},
    "NeighborMap": {"n_iter": 5},
    "WeightedEnsembleClassifier": {
        "estimators": [(f"k{k}", lookalike.KNeighborsClassifier(k)) for k in (1, 3)],
        "cv": 2,
    },
    "WeightedEnsembleRegressor": {
        "estimators": [(f"k{k}", lookalike.KNeighborsRegressor(k)) for k in (1, 3)],
        "cv": 2,
    },
}
METHODS = ("predict", "predict_proba", "transform", "score_samples", "kneighbors")
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(30, 4))
COUNTS = ("TermWeights",)  # they take no negative values
KINDS = {
    "float16": ROWS.astype(np.float16),
    "float32": ROWS.astype(np.float32),
    "float64": ROWS,
    "int64": (ROWS * 10).astype(np.int64),
    "uint8": (np.abs(ROWS) * 40).astype(np.uint8),
    "bool": ROWS > 0,
    "offset": ROWS + 1e8,
    "1e160": ROWS * 1e160,
    "1e300": ROWS * 1e300,
    "1e-160": ROWS * 1e-160,
    "1e-310": ROWS * 1e-310,
    "unequal": ROWS * np.array([1e150, 1.0, 1e-150, 1e-300]),
    "float32 1e30": (ROWS * 1e30).astype(np.float32),
    "constant": np.ones((30, 4)),
    "zero": np.zeros((30, 4)),
    "duplicated": np.repeat(ROWS[:3], 10, axis=0),
    "no rows": ROWS[:0],
    "no columns": ROWS[:, :0],
    "one row": ROWS[:1],
    "two rows": ROWS[:2],
    "three rows": ROWS[:3],
    "one column": ROWS[:, :1],
    "one constant column": np.where(np.arange(4) == 2, 7.0, ROWS),
    "a column of NaN": np.where(np.arange(4) == 2, np.nan, ROWS),
    "NaN alone": np.full((30, 4), np.nan),
    "a cell of NaN": np.where(np.arange(120).reshape(30, 4) == 41, np.nan, ROWS),
    "a cell of 1e200": np.where(np.arange(120).reshape(30, 4) == 41, 1e200, ROWS),
    "a cell of 1.7e308": np.where(np.arange(120).reshape(30, 4) == 41, -1.7e308, ROWS),
    "a row of 1e200": np.where(np.arange(30)[:, None] == 11, 1e200 * ROWS, ROWS),
    "three rows of 1e160": np.where(np.arange(30)[:, None] < 3, 1e160 * ROWS, ROWS),
    "a row of infinity": np.where(np.arange(30)[:, None] == 11, np.inf, ROWS),
}
BUILTIN_ERRORS = (ValueError, TypeError, RuntimeError, OSError, MemoryError, AttributeError)


def make(name):
    """Return an estimator as it is by default, of few steps."""
    return KINDS_OF_MODELS[name](**FEWER_STEPS.get(name, {}))


WEIGHTED = [name for name in ESTIMATORS if has_fit_parameter(make(name), "sample_weight")]
CHANGES = [
    (name, method)
    for name in ESTIMATORS
    for method in ("fit", "partial_fit")
    if hasattr(make(name), method)
]


def target(model, n_rows):
    """Return numbers or labels, whichever the model takes; the same ones for the same rows."""
    if is_regressor(model):
        return np.linspace(-1.0, 1.0, 30)[:n_rows].copy()
    return np.arange(n_rows) % 3


def answers(model, X):
    """Return what the model answers about `X`, by method."""
    found = {}
    for method in METHODS:
        if hasattr(model, method):
            result = getattr(model, method)(X)
            result = result[0] if isinstance(result, tuple) else result
            found[method] = result.toarray() if sp.issparse(result) else np.asarray(result)
    return found


def assert_sensible(found, label, X=None):
    """Raise unless all answers are finite, but for missing values of `X` that stay missing."""
    for method, values in found.items():
        if values.dtype.kind == "f":
            missing = np.zeros(values.shape, bool)
            if method == "transform" and X is not None and values.shape == X.shape:
                missing = np.isnan(X)
            elif label.startswith("TreeTablePreprocessor"):  # its last columns are those given
                missing[:, X.shape[1] :] = np.isnan(X)
            assert np.isfinite(values[~missing]).all(), f"{label}: {method} is not finite"
        if method == "predict_proba":
            np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-6, err_msg=label)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_numbers_give_finite_answers_or_an_error_of_ours(name):
    for label, X in KINDS.items():
        try:
            model = make(name)
            rows = rows_for(name, X)
            model.fit(rows, target(model, len(X)))
            assert_sensible(answers(model, rows), f"{name} on {label}", rows)
        except BUILTIN_ERRORS as error:  # ours are of a type of Python, too
            if not isinstance(error, LookalikeError):
                raise


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in ESTIMATORS if hasattr(make(n), "predict_proba")])
@pytest.mark.parametrize("size", [1e155, 1e200, 1e300])
def test_queries_of_any_size_have_probabilities_or_an_error_of_ours(name, size):
    model = make(name)
    model.fit(ROWS, target(model, 30))
    try:
        found = model.predict_proba(ROWS * size)
    except LookalikeError:
        return
    assert_sensible({"predict_proba": found}, f"{name} at {size}")


VARIANTS = [
    *(lookalike.PCA(2, svd_solver=solver) for solver in ("gram", "full", "leading", "arpack")),
    *(lookalike.PCA(2, svd_solver="randomized"), lookalike.PCA(2, missing="em")),
    *(lookalike.PCA(2, whiten=True), lookalike.PCA(0.9), lookalike.PCA("cv")),
    *(lookalike.LinearDiscriminantAnalysis(solver) for solver in ("eigen", "lsqr")),
    lookalike.LinearDiscriminantAnalysis("eigen", shrinkage="auto"),
    *(lookalike.KernelPCA(2, kernel=kernel) for kernel in ("linear", "poly", "cosine", "sigmoid")),
    *(lookalike.GaussianMixture(2, covariance_type=kind) for kind in ("tied", "diag")),
    *(lookalike.KernelRegressor(kernel=kernel) for kernel in ("window", "epanechnikov")),
    *(lookalike.KernelRegressor(1.0), lookalike.KernelDensityClassifier(1.0, background=False)),
    *(lookalike.KNeighborsClassifier(weights="distance", metric=m) for m in ("l1", "chebyshev")),
    lookalike.KNeighborsClassifier(weights="distance", algorithm="exact"),
    lookalike.KNeighborsRegressor(weights="distance", metric="cosine"),
    lookalike.RBFNetworkClassifier(normalized=True, output="logistic"),
    CalibratedPipeline(
        [("table", lookalike.TablePreprocessor()), ("k", lookalike.KNeighborsClassifier(3))],
        calibration=TemperatureScaling(2.0, 0.1, np.full(3, 1 / 3)),
    ),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_any_numbers_are_as_good_for_other_parameters(variant):
    for label, X in KINDS.items():
        try:
            model = clone(variant).fit(X, target(variant, len(X)))
            assert_sensible(answers(model, X), f"{variant} on {label}", X)
        except LookalikeError:
            continue


WEIGHTS = {
    "far apart": np.where(np.arange(30) < 9, 1e-308, 1e308),
    "large": np.full(30, 1e308),
    "small": np.full(30, 1e-308),
    "small and usual": np.where(np.arange(30) % 2, 1e-308, 1.0),
    "denormal": np.full(30, 5e-324),
    "large and usual": np.where(np.arange(30) % 2, 1e90, 1.0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_of_any_size_give_finite_answers_or_an_error_of_ours(name, weights):
    model, X = make(name), rows_for(name)
    try:
        model.fit(X, target(model, 30), sample_weight=WEIGHTS[weights])
        assert_sensible(answers(model, X), f"{name} with {weights} weights")
    except LookalikeError:
        return


def rows_for(name, X=ROWS):
    """Return rows of which every value is one that the model takes."""
    return np.abs(X) if name in COUNTS else X.copy()


def fitted(name):
    """Return a model, and the arrays it was fitted on, which are ours to change."""
    model = make(name)
    X, y = rows_for(name), target(model, 30)
    return model.fit(X, y), X, y


def contents(model):
    """Return everything that the model holds, as bytes."""
    return pickle.dumps(vars(model))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_changing_the_rows_or_targets_after_fit_changes_no_answer(name):
    model, X, y = fitted(name)
    before = answers(model, rows_for(name))
    X[:], y[:] = 1e6 * RNG.normal(size=X.shape), y[::-1].copy()
    after = answers(model, rows_for(name))
    for method, values in before.items():
        np.testing.assert_array_equal(after[method], values, err_msg=f"{name}.{method}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WEIGHTED)
def test_changing_the_weights_after_fit_changes_no_answer(name):
    model = make(name)
    weight = np.arange(30.0) % 4 + 1
    model.fit(rows_for(name), target(model, 30), sample_weight=weight)
    before = answers(model, rows_for(name))
    weight[:] = 0.0
    after = answers(model, rows_for(name))
    for method, values in before.items():
        np.testing.assert_array_equal(after[method], values, err_msg=f"{name}.{method}")


class InterruptAt:
    """Raises KeyboardInterrupt at a call of a function of the package, as Ctrl-C might."""

    def __init__(self, call=None):
        self.call, self.calls = call, 0

    def __call__(self, frame, event, _):
        file = frame.f_code.co_filename
        if event == "call" and "lookalike" in file and not file.endswith("blas.py"):
            self.calls += 1
            if self.calls == self.call:
                raise KeyboardInterrupt

    def __enter__(self):
        sys.setprofile(self)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "method"), CHANGES)
def test_an_interrupted_refit_leaves_the_model_exactly_as_it_was(name, method):
    model, X, y = fitted(name)
    twin = pickle.loads(pickle.dumps(model))
    others = X[::-1] * 3.0
    with InterruptAt() as counter:
        getattr(twin, method)(others, y)
    held, objects = contents(model), dict(vars(model))
    interrupted = 0
    for call in np.unique(np.linspace(1, counter.calls, 12).astype(int)):
        try:
            with InterruptAt(int(call)):
                getattr(model, method)(others, y)
        except KeyboardInterrupt:
            interrupted += 1
        else:  # what is remembered from the first time takes fewer calls
            model.__dict__ = dict(objects)
        assert vars(model).keys() == objects.keys()
        assert all(vars(model)[key] is value for key, value in objects.items())
        assert contents(model) == held, f"{name}.{method} at call {call} of {counter.calls}"
    assert interrupted > 6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "method"), CHANGES)
def test_a_refit_that_fails_leaves_the_model_exactly_as_it_was(name, method):
    model, X, y = fitted(name)
    held, objects = contents(model), dict(vars(model))
    X[20, 2] = np.inf
    for rows, targets in ((X, y), (X[:, :1], y), (X[:0], y[:0]), (X[:5], y[:3])):
        try:
            getattr(model, method)(rows, targets)
        except ValueError:
            assert contents(model) == held
            assert all(vars(model)[key] is value for key, value in objects.items())
        else:
            model.__dict__ = dict(objects)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_row_is_predicted_the_same_alone_and_among_others(name):
    model = make(name)
    X = np.abs(np.random.default_rng(1).normal(size=(10_000, 7)))
    model.fit(X[:200], target(model, 30)[np.arange(200) % 30])
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            together = getattr(model, method)(X)[:40]
            for batch in (1, 19, 20):
                parts = [getattr(model, method)(X[i : i + batch]) for i in range(0, 40, batch)]
                alone = np.concatenate(parts)[:40]
                np.testing.assert_array_equal(alone, together[: len(alone)], err_msg=name)


def spread_out(X):
    """Return the rows as a part of a larger array."""
    larger = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    larger[::2, ::3] = X
    return larger[::2, ::3]


LAYOUTS = {
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "big-endian float32": lambda X: X.astype(">f4"),
    "big-endian integers": lambda X: (X * 10).astype(">i4"),
    "every second row and third column": spread_out,
    "backward": lambda X: X[::-1, ::-1],
    "by columns": np.asfortranarray,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_byte_order_and_strides_change_nothing(name, layout):
    X = np.abs(ROWS) if name in COUNTS else ROWS
    odd = LAYOUTS[layout](X)
    plain = np.ascontiguousarray(odd, odd.dtype.newbyteorder("="))
    y = ROWS[:, 0] if is_regressor(make(name)) else (ROWS[:, 0] > 0).astype(np.int64)
    y_odd = y.astype(y.dtype.newbyteorder(">"))
    model, reference = make(name), make(name)
    for one in (model, reference):
        one.set_params(**{key: 0 for key in one.get_params() if key == "random_state"})
    model.fit(odd, y_odd)
    reference.fit(plain, y)
    given, wanted = answers(model, odd), answers(reference, plain)
    for method, values in wanted.items():
        if values.dtype.kind == "f":  # sums of other strides may be rounded otherwise
            np.testing.assert_allclose(given[method], values, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(given[method], values)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", ["pca", "auto", "linear", "poly", "rbf", "sigmoid", "cosine"])
def test_a_row_is_transformed_to_the_same_bits_alone_and_among_others(kernel, dtype):
    rows = np.random.default_rng(1).normal(size=(10_000, 20)).astype(dtype)
    model = {
        "pca": lookalike.PCA(5, whiten=True),
        "auto": lookalike.AutoEncoder(random_state=0, max_iter=3),
    }.get(kernel) or lookalike.KernelPCA(5, kernel=kernel)
    whole = model.fit(rows[:300]).transform(rows)
    for batch, last in ((1, 200), (19, 1900)):
        parts = [model.transform(rows[at : at + batch]) for at in range(0, last, batch)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[:last])


def misplaced(kind):
    """Return a sparse matrix, one of whose arrays was changed by hand."""
    rows = sp.csr_array(np.where(np.abs(ROWS) > 0.4, np.abs(ROWS), 0))
    if kind.startswith("coo"):
        rows = rows.tocoo()
        rows.coords[0][3] = 10**6
        return rows
    array, place, number = {
        "column": (rows.indices, 3, 10**6),
        "negative column": (rows.indices, 3, -5),
        "start": (rows.indptr, 4, 10**7),
        "falling start": (rows.indptr, 4, 0),
        "negative start": (rows.indptr, 2, -3),
        "first start": (rows.indptr, 0, 2),
    }[kind]
    array[place] = number
    return rows


MISPLACED = (
    *("column", "negative column", "start", "falling start", "negative start", "first start"),
    "coo row",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_sparse_rows_that_lead_out_of_their_matrix_are_refused(name):
    for kind in MISPLACED:
        with pytest.raises(LookalikeError):
            make(name).fit(misplaced(kind), target(make(name), 30))
        model = make(name).fit(np.abs(ROWS), target(make(name), 30))
        for method in METHODS:
            if hasattr(model, method):
                with pytest.raises(LookalikeError):
                    getattr(model, method)(misplaced(kind))
