"""A request without a query is answered as one with a query is, by the function of its route."""

from __future__ import annotations

import pytest
from service import running
from sklearn.datasets import load_iris

from lookalike import KNeighborsClassifier

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def service():
    with running({"iris": KNeighborsClassifier(3).fit(X, Y)}) as served:
        yield served


@pytest.mark.parametrize("route", ["predict", "neighbors", "explain"])
@pytest.mark.parametrize("rows", [X[:2].tolist(), [], [[1, 2]], [["a", 1, 2, 3]]], ids=len)
def test_answers_and_problems_are_those_of_a_request_with_a_query(service, route, rows):
    direct = service.post(f"/v1/{route}", {"rows": rows})
    named = service.post(f"/v1/{route}?model=iris", {"rows": rows})
    assert (direct.status, direct.body) == (named.status, named.body)
    assert direct.headers["content-type"] == named.headers["content-type"]


def test_parameters_of_a_query_are_read(service):
    rows = {"rows": X[:1].tolist()}
    assert len(service.post("/v1/neighbors?k=7", rows).json()["rows"][0]) == 7
    assert service.post("/v1/neighbors?k=none", rows).status == 422
    assert service.post("/v1/predict?model=other", rows).status == 404
