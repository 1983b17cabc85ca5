"""Queries that arrive together share calls, and have the same bits as alone."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from service import mixed_table
from sklearn.datasets import load_diabetes, load_digits, load_iris

import lookalike
from lookalike.web.batching import MAX_PACES, BatchQueue, QueueClosedError
from lookalike.web.options import ServeOptions
from lookalike.web.problems import ProblemError
from lookalike.web.row_batch import layout, rows_between
from lookalike.web.served_model import ROWWISE_STEPS, ServedModel

ROWS = {
    "digits": load_digits().data[:97],
    "images": load_digits().data[:97],
    "iris": load_iris().data,
    "diabetes": load_diabetes().data[:97],
}


def rows_of(name):
    if name in ROWS:
        return ROWS[name]
    frame, _ = mixed_table()
    table = {column: frame[column].to_numpy() for column in frame}
    table["town"] = np.where(frame["town"].isna(), None, frame["town"].astype(object))
    table["day"] = table["day"].astype("datetime64[us]")
    return table if name == "mixed" else {key: table[key] for key in ("age", "town")}


def same(left, right):
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("name", ["digits", "images", "iris", "diabetes", "mixed", "gower"])
def test_stacked_queries_have_the_bits_of_single_ones(models, name):
    served = ServedModel(name, models[name], ServeOptions())
    assert served.rowwise
    rows, proba = rows_of(name), "predict_proba" in served.operations
    count = 60

    async def ask():
        singles = [rows_between(rows, row, row + 1) for row in range(count)]
        predicted = await asyncio.gather(*(served.predict(one, proba=proba) for one in singles))
        nearest = await asyncio.gather(*(served.neighbors(one, 4) for one in singles))
        return predicted, nearest

    predicted, nearest = asyncio.run(ask())
    served.close()
    alone = ServedModel(name, models[name], ServeOptions())
    for row in range(count):
        one = rows_between(rows, row, row + 1)
        assert same(predicted[row], alone._predict(one, proba))
        assert same(nearest[row], alone._neighbors(one, 4))
    alone.close()


def test_other_rowwise_models_have_the_same_bits_in_batches_and_alone():
    iris = load_iris()
    X, y = iris.data, iris.target
    fitted = [
        lookalike.ForestNeighborsClassifier(n_estimators=20, random_state=0).fit(X, y),
        lookalike.ForestNeighborsRegressor(n_estimators=20, random_state=0).fit(X, X[:, 0] * 1.7),
        lookalike.RadiusNeighborsClassifier(1.0).fit(X, y),
        lookalike.RadiusNeighborsRegressor(1.0).fit(X, X[:, 0] * 1.7),
        lookalike.StandardScaler().fit(X),
        lookalike.MinMaxScaler().fit(X),
        lookalike.StandardScaler().fit(X),
        lookalike.SimpleImputer().fit(X),
    ]
    assert {type(model).__name__ for model in fitted} < ROWWISE_STEPS
    for model in fitted:
        for method in ("predict", "predict_proba", "transform"):
            if hasattr(model, method):
                call = getattr(model, method)
                alone = np.concatenate([call(row[None]) for row in X])
                assert np.array_equal(call(X), alone), (type(model).__name__, method)


class Recorder:
    """A call that records the rows of each batch, and waits for the first release."""

    def __init__(self):
        self.batches, self.release = [], threading.Event()

    def __call__(self, rows):
        assert self.release.wait(30)
        self.batches.append(len(rows))
        if -1.0 in rows:
            raise ProblemError(422, "a row is wrong", row=int(np.argmin(rows[:, 0])))
        return [rows[:, 0] * 2]


def test_what_waits_while_a_call_runs_shares_the_next_one():
    queue, call = BatchQueue("test", stack=True, latency_bound=1.0), Recorder()

    async def ask():
        asked = [
            asyncio.ensure_future(queue.submit("double", call, np.full((1, 1), float(row))))
            for row in range(20)
        ]
        await asyncio.sleep(0)
        call.release.set()
        return await asyncio.gather(*asked)

    results = asyncio.run(ask())
    queue.close()
    asyncio.run(queue.drain())
    assert [one[0].tolist() for one in results] == [[2.0 * row] for row in range(20)]
    assert sum(call.batches) == 20
    assert len(call.batches) <= 3


def test_only_the_request_at_fault_fails_and_names_its_own_row():
    queue, call = BatchQueue("test", stack=True, latency_bound=1.0), Recorder()
    good, wrong = np.ones((3, 1)), np.array([[1.0], [-1.0]])

    async def ask():
        asked = [queue.submit("double", call, rows) for rows in (good, good, wrong, good)]
        waiting = asyncio.gather(*asked, return_exceptions=True)
        await asyncio.sleep(0)
        call.release.set()
        return await waiting

    first, second, failed, last = asyncio.run(ask())
    queue.close()
    assert isinstance(failed, ProblemError)
    assert failed.row == 1
    assert all(result[0].tolist() == [2.0] * 3 for result in (first, second, last))


def test_a_large_request_is_cut_into_calls_between_which_others_have_their_turn():
    queue, call = BatchQueue("test", stack=True, latency_bound=1e-9), Recorder()
    call.release.set()
    order = []

    async def ask(name, rows):
        result = await queue.submit("double", call, rows)
        order.append(name)
        return result

    async def both():
        return await asyncio.gather(
            ask("large", np.arange(500.0)[:, None]), ask("single", np.ones((1, 1)))
        )

    large, single = asyncio.run(both())
    queue.close()
    assert large[0].tolist() == (2 * np.arange(500.0)).tolist()
    assert single[0].tolist() == [2.0]
    assert order == ["single", "large"]
    assert max(call.batches) <= 64


def test_operations_that_clients_invent_do_not_add_up():
    queue, call = BatchQueue("test", stack=True, latency_bound=1.0), Recorder()
    call.release.set()

    async def ask():
        for number in range(MAX_PACES + 20):
            await queue.submit(("neighbors", number), call, np.ones((1, 1)))

    asyncio.run(ask())
    queue.close()
    assert len(queue._seconds) == MAX_PACES
    assert (("neighbors", MAX_PACES + 19), layout(np.ones((1, 1)))) in queue._seconds


def test_a_closed_queue_serves_what_waits_and_takes_no_more():
    queue, call = BatchQueue("test", stack=False, latency_bound=1.0), Recorder()

    async def ask():
        waiting = asyncio.ensure_future(queue.submit("double", call, np.ones((1, 1))))
        await asyncio.sleep(0)
        queue.close()
        with pytest.raises(QueueClosedError):
            await queue.submit("double", call, np.ones((1, 1)))
        call.release.set()
        return await waiting

    assert asyncio.run(ask())[0].tolist() == [2.0]
    asyncio.run(queue.drain())
