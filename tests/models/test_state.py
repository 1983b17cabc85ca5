"""In any number of threads, each answer is that of a state that the model had.

Each model is asked for half a second, and changed in the midst of a question at 24 places;
`LOOKALIKE_STRESS_SECONDS=10` asks for longer, at every place.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from copy import copy

import numpy as np
import pytest
from interleave import count_places, switch_at
from public_estimators import PUBLIC_ESTIMATORS
from sklearn.base import clone

import lookalike
from lookalike.errors import LookalikeError
from lookalike.models.state import hold_state, replace_state

READER_THREADS = 16
STRESS_SECONDS = float(os.environ.get("LOOKALIKE_STRESS_SECONDS", "0.5"))
N_PLACES = None if "LOOKALIKE_STRESS_SECONDS" in os.environ else 24  # None: all of them
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0.5)
QUERIES = RNG.normal(size=(7, 4))
TEXTS = [" ".join(RNG.choice(["cat", "dog", "mat", "hat", "sun", "sea"], 5)) for _ in range(40)]
SETS = [set(RNG.choice(list("abcdefgh"), 3)) for _ in range(40)]


def neighbors(model):
    return np.concatenate([np.asarray(part, float) for part in model.kneighbors(QUERIES)])


def within(model):
    return np.concatenate(model.radius_neighbors(QUERIES, 1.5, return_distance=False))


def graph(model):
    return model.kneighbors_graph(QUERIES).toarray()


def nearest_sets(model):
    return model.kneighbors([{"a", *range(80)}, {"b", "c"}])[0]  # more new items than have room


def shares(model):
    return model.predict_proba(QUERIES)


def left_out_shares(model):
    return model.predict_proba(None)


def both(model):
    names, votes = model.predict_both(QUERIES)
    return np.column_stack([names, votes])


def numbers(model):
    return np.concatenate(model.predict(QUERIES, return_std=True))


def intervals(model):
    return np.concatenate(model.predict_interval(QUERIES))


def transformed(model):
    return model.transform(QUERIES)


def reconstructed(model):
    return model.inverse_transform(QUERIES[:, :2])


def scores(model):
    return model.score_samples(QUERIES)


def retrieved(model):
    return model.transform(TEXTS[:5])


CHANGEABLE = {  # what changes, and how it answers
    "NearestNeighbors": [
        (lookalike.NearestNeighbors(3), (X, None), neighbors),
        (lookalike.NearestNeighbors(3, algorithm="kd_tree"), (X, None), within),
        (lookalike.NearestNeighbors(3, metric="manhattan"), (X, None), graph),
        (lookalike.NearestNeighbors(3, metric="jaccard"), (SETS, None), nearest_sets),
    ],
    "KNeighborsClassifier": [
        (lookalike.KNeighborsClassifier(3), (X, Y), shares),
        (lookalike.KNeighborsClassifier("loo", weights="distance"), (X, Y), left_out_shares),
        (lookalike.KNeighborsClassifier(3, metric="manhattan"), (X, Y), both),
    ],
    "KNeighborsRegressor": [
        (lookalike.KNeighborsRegressor(3), (X, X @ X.T[:, :2]), numbers),
        (lookalike.KNeighborsRegressor(3, algorithm="kd_tree"), (X, X[:, 0]), intervals),
    ],
    "RadiusNeighborsClassifier": [
        (lookalike.RadiusNeighborsClassifier(1.0), (X, Y), left_out_shares),
        (lookalike.RadiusNeighborsClassifier(1.0, weights="distance"), (X, Y), both),
    ],
    "RadiusNeighborsRegressor": [(lookalike.RadiusNeighborsRegressor(3.0), (X, X[:, 0]), numbers)],
    "KernelClassifier": [(lookalike.KernelClassifier(0.7), (X, Y), left_out_shares)],
    "KernelDensityClassifier": [(lookalike.KernelDensityClassifier(0.7), (X, Y), shares)],
    "KernelRegressor": [(lookalike.KernelRegressor(0.7), (X, X[:, 0]), numbers)],
    "IncrementalPCA": [
        (lookalike.decomposition.IncrementalPCA(2), (X, None), reconstructed),
        (lookalike.decomposition.IncrementalPCA(2, whiten=True), (X, None), scores),
    ],
    "LSA": [(lookalike.LSA(2), (TEXTS, None), retrieved)],
    "LinearDiscriminantAnalysis": [
        (lookalike.LinearDiscriminantAnalysis(), (X, Y), lambda model: model.predict_proba(QUERIES))
    ],
    "MiniBatchKMeans": [
        (lookalike.cluster.MiniBatchKMeans(3, random_state=0), (X, None), transformed)
    ],
    "MinMaxScaler": [(lookalike.MinMaxScaler(), (X, None), transformed)],
    "PCA": [
        (lookalike.PCA(2), (X, None), reconstructed),
        (lookalike.PCA(2, whiten=True), (X, None), scores),
    ],
    "StandardScaler": [(lookalike.StandardScaler(), (X, None), transformed)],
}
CASES = [
    pytest.param(*case, id=f"{name}-{case[-1].__name__}-{number}")
    for name, cases in CHANGEABLE.items()
    for number, case in enumerate(cases)
]


def test_every_estimator_that_can_change_is_listed():
    can_change = {
        name
        for name, kind in PUBLIC_ESTIMATORS.items()
        if hasattr(kind, "partial_fit") or hasattr(kind, "remove")
    }
    assert can_change == set(CHANGEABLE)


def changes(model, rows, target):
    """Yield what a writer does to a model, over and over: more rows twice, and from the start."""
    half, most = len(rows) // 2, 3 * len(rows) // 4
    for number, part in enumerate([slice(0, half), slice(half, most), slice(most, None)]):
        given = (rows[part],) if target is None else (rows[part], target[part])
        yield lambda model, n=number, g=given: model.partial_fit(*g) if n else model.fit(*g)
    if hasattr(model, "radius_neighbors"):
        yield lambda model: model.remove(np.arange(0, len(rows), 3))


def states_of(model, data, answer):
    """Return the answer of every state that the writer brings about."""
    model, answers = clone(model), []
    for change in changes(model, *data):
        change(model)
        answers.append(np.asarray(answer(model)).tobytes())
    return answers


@pytest.mark.filterwarnings("ignore:One or more samples")
@pytest.mark.parametrize(("model", "data", "answer"), CASES)
def test_readers_get_the_answer_of_a_state_that_existed(model, data, answer):
    expected = states_of(model, data, answer)
    model = clone(model)
    first, *later = changes(model, *data)
    first(model)
    stop, failures, met = threading.Event(), [], set()

    def read():
        try:
            while not stop.is_set():
                met.add(np.asarray(answer(model)).tobytes())
        except Exception as error:
            failures.append(repr(error))

    readers = [threading.Thread(target=read) for _ in range(READER_THREADS)]
    for reader in readers:
        reader.start()
    end = time.monotonic() + STRESS_SECONDS
    rounds = 0
    while time.monotonic() < end or not rounds:
        for change in (*later, first):
            change(model)
        rounds += 1
    stop.set()
    for reader in readers:
        reader.join()
    assert not failures
    assert met <= set(expected)
    assert met


@pytest.mark.filterwarnings("ignore:One or more samples")
@pytest.mark.parametrize(("model", "data", "answer"), CASES)
def test_a_change_in_the_midst_of_a_question_shows_wholly_or_not_at_all(model, data, answer):
    steps, fitted = list(changes(model, *data)), clone(model)
    for step in steps[:3]:
        step(fitted)
    for change in (steps[0], *steps[2:]):
        n_places = count_places(lambda: answer(fitted))
        changed = copy(fitted)
        change(changed)
        expected = [np.asarray(answer(one)).tobytes() for one in (fitted, changed)]
        step = 1 if N_PLACES is None else n_places // N_PLACES + 1
        for place in range(0, n_places, step):
            asked = copy(fitted)
            given = switch_at(lambda a=asked: answer(a), lambda a=asked, c=change: c(a), place)
            assert np.asarray(given).tobytes() in expected, f"changed before line {place}"


def test_rows_that_two_threads_add_are_all_there():
    model = lookalike.NearestNeighbors(1).fit(X[:1])
    writers = [
        threading.Thread(target=lambda: [model.partial_fit(X[:2]) for _ in range(20)])
        for _ in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert model.n_samples_fit_ == 1 + 4 * 20 * 2


def test_a_change_that_fails_leaves_the_state_untouched():
    model = lookalike.KNeighborsClassifier(1).fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(LookalikeError):
        model.partial_fit(X, Y[:3])
    assert all(vars(model)[name] is part for name, part in before.items())
    assert vars(model).keys() == before.keys()


def test_a_reader_sees_the_state_with_which_it_began():
    class Counted:
        _kept_on_failure = ()

        def __init__(self):
            self.first = self.second = 0

        @replace_state
        def change(self):
            self.first += 1
            self.second += 1
            return self

        @hold_state
        def read(self, meanwhile):
            first = self.first
            meanwhile()
            return first, self.second

    counted = Counted()
    assert counted.change() is counted
    assert counted.read(counted.change) == (1, 1)
    assert counted.read(lambda: None) == (2, 2)


def test_a_model_that_was_changed_is_pickled_as_it_is():
    model = lookalike.KNeighborsClassifier(1).fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert vars(again).keys() == vars(model).keys()
