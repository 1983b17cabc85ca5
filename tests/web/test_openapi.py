"""The OpenAPI document lists the problems of a route; fuzz/test_routes.py draws its requests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from service import mixed_table, running
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from lookalike import ForestNeighborsClassifier, KNeighborsClassifier, TablePreprocessor


def test_every_route_lists_its_problems(service):
    for path, methods in service.get("/openapi.json").json()["paths"].items():
        for method, route in methods.items():
            if path.startswith("/v1"):
                assert {"200", "401", "404", "413", "422", "503"} <= set(route["responses"])
                problem = route["responses"]["422"].get("content", {})
                expected = [] if method == "head" else ["application/problem+json"]
                assert list(problem) == expected, (method, path)
            assert ("head" in methods) == ("get" in methods)


def test_the_example_of_every_route_works_for_every_model(service):
    document = service.get("/openapi.json").json()
    for route in ("predict", "neighbors", "transform"):
        content = document["paths"][f"/v1/{route}"]["post"]["requestBody"]["content"]
        examples = content["application/json"]["examples"]
        assert examples
        for model, example in examples.items():
            reply = service.post(f"/v1/{route}?model={model}", example["value"])
            assert reply.status == 200, (route, model, reply.body[:300])


def test_the_example_of_a_row_is_of_the_middle_of_its_columns():
    iris = load_iris(as_frame=True)
    model = make_pipeline(TablePreprocessor(), ForestNeighborsClassifier(5))
    with running({"iris": model.fit(iris.data, iris.target)}) as served:
        document = served.get("/openapi.json").json()
        body = document["paths"]["/v1/neighbors"]["post"]["requestBody"]["content"]
        example = body["application/json"]["example"]
        (row,) = example["rows"]
        assert row == pytest.approx(iris.data.mean().to_dict(), rel=1e-3)
        found = served.post("/v1/neighbors", example).json()
        assert np.shape(found["rows"]) == (1, 5)  # of trees, which have no K of their own


def test_the_example_of_a_large_image_is_a_picture():
    names = [f"pixel_{i}_{j}" for i in range(40) for j in range(30)]
    images = pd.DataFrame(np.random.default_rng(0).integers(0, 255, (20, 1200)), columns=names)
    model = KNeighborsClassifier(3).fit(images, np.arange(20) % 2)
    with running({"pictures": model}) as served:
        document = served.get("/openapi.json").json()
        body = document["paths"]["/v1/predict"]["post"]["requestBody"]["content"]
        example = body["application/json"]["example"]
        assert list(example) == ["images"]
        assert served.post("/v1/predict", example).status == 200


def test_the_document_of_one_model_has_its_columns_and_classes():
    frame, labels = mixed_table()
    model = make_pipeline(TablePreprocessor(), KNeighborsClassifier(3)).fit(frame, labels)
    with running({"towns": model}, token="correct horse battery") as served:
        bearer = {"authorization": "Bearer correct horse battery"}
        document = served.get("/openapi.json", **bearer).json()
        route = document["paths"]["/v1/predict"]["post"]
        content = route["requestBody"]["content"]["application/json"]
        row = content["schema"]["properties"]["rows"]["items"]["anyOf"][1]["properties"]
        assert set(row) == set(frame.columns)
        assert "Graz" in row["town"]["examples"]
        result = route["responses"]["200"]["content"]["application/json"]["schema"]["properties"]
        assert result["predictions"]["items"]["enum"] == sorted(set(labels))
        assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
        assert "towns: KNeighborsClassifier, reads rows of" in document["info"]["description"]
        reply = served.post("/v1/predict", content["example"], **bearer)
        assert reply.status == 200, reply.body
