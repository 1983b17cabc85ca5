"""The routes give what the model itself gives, for JSON and Arrow, and name what is wrong."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image
from service import ARROW, TEXTS, arrow_stream, mixed_table
from sklearn.datasets import load_diabetes, load_digits, load_iris

from lookalike.explain.prediction.evidence import explain_prediction

DIGITS = load_digits().data


def arrow_of(reply):
    assert reply.status == 200, reply.body
    assert reply.headers["content-type"] == ARROW
    return pa.ipc.open_stream(reply.body).read_all()


def test_predictions_and_probabilities_are_those_of_the_model(service, models):
    rows = DIGITS[::40]
    reply = service.post("/v1/predict?model=digits&proba=true", {"rows": rows.tolist()}).json()
    assert reply["predictions"] == models["digits"].predict(rows).tolist()
    assert reply["classes"] == list(range(10))
    assert np.array_equal(reply["probabilities"], models["digits"].predict_proba(rows))


def test_labels_keep_their_types(service, models):
    iris = load_iris(as_frame=True).data[::30]
    body = {"rows": iris.to_numpy().tolist()}
    names = service.post("/v1/predict?model=iris", body).json()["predictions"]
    assert names == models["iris"].predict(iris).tolist()
    numbers = service.post(
        "/v1/predict?model=diabetes", {"rows": load_diabetes().data[:3].tolist()}
    )
    assert all(type(one) is float for one in numbers.json()["predictions"])
    digits = service.post("/v1/predict?model=digits", {"rows": DIGITS[:3].tolist()})
    assert all(type(one) is int for one in digits.json()["predictions"])


def test_arrow_and_json_give_the_same_bits(service):
    rows = DIGITS[5:25]
    lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), 64)
    stream = arrow_stream(pa.table({"rows": lists}))
    columns = arrow_stream(pa.table({f"x{j}": rows[:, j] for j in range(64)}))
    for route, names in (
        ("predict?proba=true", {"prediction": "predictions", "probabilities": "probabilities"}),
        ("neighbors?k=4", {"rows": "rows", "distances": "distances"}),
    ):
        path = f"/v1/{route}&model=digits"
        expected = service.post(path, {"rows": rows.tolist()}).json()
        for body in (stream, columns):
            table = arrow_of(service.post(path, body, content_type=ARROW, accept=ARROW))
            for name, key in names.items():
                assert table.column(name).to_pylist() == expected[key]


def test_a_mixed_table_is_prepared_as_the_model_was(service, models):
    frame, _ = mixed_table()
    part = frame.iloc[:20]
    expected = models["mixed"].predict(part).tolist()
    cells = [
        {
            "age": None if np.isnan(row.age) else row.age,
            "town": None if pd.isna(row.town) else row.town,
            "day": row.day.date().isoformat(),
            "unused": 1,
        }
        for row in part.itertuples()
    ]
    path = "/v1/predict?model=mixed"
    assert service.post(path, {"rows": cells}).json()["predictions"] == expected
    names = ["day", "town", "age"]
    lists = [[row[name] for name in names] for row in cells]
    reply = service.post(path, {"rows": lists, "columns": names})
    assert reply.json()["predictions"] == expected
    table = pa.Table.from_pandas(part, preserve_index=False)
    for one in (table, table.set_column(1, "town", table["town"].dictionary_encode())):
        reply = service.post(path, arrow_stream(one), content_type=ARROW)
        assert reply.json()["predictions"] == expected
    reply = service.post("/v1/neighbors?model=gower&k=3", {"rows": cells}).json()
    distances, rows = models["gower"].kneighbors(part[["age", "town"]], 3)
    assert reply["rows"] == rows.tolist()
    assert np.array_equal(reply["distances"], distances)


def test_documents_and_images_are_read(service, models):
    reply = service.post("/v1/predict?model=texts", {"rows": TEXTS[:3]})
    assert reply.json()["predictions"] == [0, 1, 2]
    reply = service.post("/v1/predict?model=texts", {"rows": [{"text": TEXTS[1]}]})
    assert reply.json()["predictions"] == [1]
    images = []
    for row in DIGITS[:4]:
        file = io.BytesIO()
        Image.fromarray(row.reshape(8, 8).astype(np.uint8)).save(file, "PNG")
        images.append(base64.b64encode(file.getvalue()).decode())
    reply = service.post("/v1/predict?model=images", {"images": images})
    assert reply.json()["predictions"] == [0, 1, 2, 3]
    for bad in ("%%%", base64.b64encode(b"no image").decode(), 7):
        reply = service.post("/v1/predict?model=images", {"images": [images[0], bad]})
        assert (reply.status, reply.json()["row"]) == (422, 1)
    assert service.post("/v1/predict?model=digits", {"images": images}).status == 422


def test_a_picture_of_very_many_pixels_is_refused_before_it_is_decoded(service):
    file = io.BytesIO()
    Image.new("1", (5_000, 5_000)).save(file, "PNG")
    body = {"images": [base64.b64encode(file.getvalue()).decode()]}
    reply = service.post("/v1/predict?model=images", body)
    assert reply.status == 422
    assert "pixels" in reply.json()["detail"]


def test_transform_is_that_of_the_model(service, models):
    iris = load_iris(as_frame=True).data
    reply = service.post("/v1/transform?model=pca", {"rows": iris[:7].to_numpy().tolist()}).json()
    assert np.array_equal(reply["rows"], models["pca"].transform(iris[:7]))
    assert reply["columns"] == [str(n) for n in models["pca"].get_feature_names_out()]


def test_explanations_are_the_evidence_of_the_package(service, models):
    reply = service.post("/v1/explain?model=digits", {"rows": DIGITS[7:9].tolist()}).json()
    for row, explained in zip(DIGITS[7:9], reply["explanations"], strict=True):
        evidence = explain_prediction(models["digits"], row)
        assert explained["prediction"] == evidence.prediction
        assert explained["neighbors"] == evidence.rows.tolist()
        assert explained["distances"] == evidence.distances.tolist()
        assert explained["flip"]["rows"] == evidence.flip_rows.tolist()
    for model, rows in (
        ("mixed", [{"age": 40, "town": "Graz", "day": "2026-02-03"}]),
        ("gower", [{"age": 40, "town": "Graz"}]),
        ("texts", TEXTS[:1]),
        ("diabetes", load_diabetes().data[:1].tolist()),
    ):
        reply = service.post(f"/v1/explain?model={model}", {"rows": rows})
        assert reply.status == 200, reply.body
        assert reply.json()["explanations"][0]["neighbors"], model


def test_other_models_are_explained_relative_to_reference_rows(service, models):
    rows = load_diabetes().data
    body = {"rows": rows[:1].tolist()}
    assert service.post("/v1/explain?model=ridge", body).status == 422
    body["reference"] = rows[:50].tolist()
    (explained,) = service.post("/v1/explain?model=ridge", body).json()["explanations"]
    assert explained["prediction"] == models["ridge"].predict(rows[:1])[0]
    assert len(explained["features"]) == 10


def test_training_rows_are_given_by_number(service, models):
    reply = service.get("/v1/rows?model=diabetes&row=3&row=1").json()
    assert np.array_equal(reply["values"], load_diabetes().data[[3, 1]])
    assert reply["targets"] == load_diabetes().target[[3, 1]].tolist()
    assert service.get("/v1/rows?model=diabetes&start=440&count=9").json()["rows"] == [440, 441]
    assert service.get("/v1/rows?model=diabetes&row=442").status == 404
    assert service.get("/v1/rows?model=ridge").status == 422


def test_models_say_what_they_read_and_a_name_is_never_a_path(service):
    listed = {one["name"]: one for one in service.get("/v1/models").json()["models"]}
    assert [column["kind"] for column in listed["mixed"]["columns"]] == [
        "number",
        "category",
        "date",
    ]
    assert listed["texts"]["input"] == "documents"
    for name in ("..%2f..%2fetc%2fpasswd", "/etc/passwd", "digits.lookalike", "%00", "nothing"):
        reply = service.post(f"/v1/predict?model={name}", {"rows": [[1.0]]})
        assert reply.status == 404, name
    assert "several models" in service.post("/v1/predict", {"rows": [[1]]}).json()["detail"]


@pytest.mark.parametrize(
    ("body", "status", "row", "column"),
    [
        (b"{", 400, None, None),
        (b"", 400, None, None),
        (b"\xff\xfe", 400, None, None),
        (b'{"rows": [[NaN]]}', 400, None, None),
        (b'{"rows": [[Infinity]]}', 400, None, None),
        (b'{"rows": [[1]], "rows": [[2]]}', 400, None, None),
        (b"[" * 100_000, 422, None, None),
        (b'{"rows": ' + b"[" * 20 + b"]" * 20 + b"}", 422, None, None),
        (b'{"rows": [[1' + b"0" * 5000 + b"]]}", 400, None, None),
        (b'{"rows": []}', 422, None, None),
        (b'{"rows": 3}', 422, None, None),
        (b'"text"', 422, None, None),
        (b"{}", 422, None, None),
        (b'{"rows": [[1,2,3,4]], "more": 1}', 422, None, None),
        (b'{"rows": [[]]}', 422, 0, None),
        (b'{"rows": [[1,2,3,4],[1,2,3]]}', 422, 1, None),
        (b'{"rows": [[1,2,3,4],5]}', 422, 1, None),
        (b'{"rows": [[1,2,3,4],[1,"2",3,4]]}', 422, 1, "sepal width (cm)"),
        (b'{"rows": [[1,2,3,[4]]]}', 422, 0, "petal width (cm)"),
        (b'{"rows": [[1,2,null,4]]}', 422, 0, "petal length (cm)"),
        (b'{"rows": [[1,2,1e999,4]]}', 422, 0, "petal length (cm)"),
        (b'{"rows": [[1,2,9007199254740993,4]]}', 422, 0, "petal length (cm)"),
        (b'{"rows": [[1,2,1' + b"0" * 400 + b",4]]}", 422, 0, "petal length (cm)"),
        (b'{"rows": [{"sepal length (cm)": 1}]}', 422, 0, "sepal width (cm)"),
        (b'{"rows": [[1,2]], "columns": ["a", "a"]}', 422, None, None),
        (b'{"rows": [[1,2]], "columns": ["a", "b"]}', 422, None, "sepal length (cm)"),
    ],
)
def test_a_wrong_body_is_a_problem_with_its_place(service, body, status, row, column):
    reply = service.post("/v1/predict?model=iris", body)
    assert reply.status == status, reply.body
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert problem["status"] == status
    assert problem["detail"]
    assert (problem.get("row"), problem.get("column")) == (row, column)


def test_wrong_cells_of_a_mixed_table_are_named(service):
    good = {"age": 3, "town": "Graz", "day": "2026-02-03"}
    for name, cell in (
        ("age", "old"),
        ("age", 1e999),
        ("town", {"a": 1}),
        ("day", "today"),
        ("day", 7),
    ):
        body = json.dumps({"rows": [good, good | {name: cell}]}).replace("Infinity", "1e999")
        reply = service.post("/v1/predict?model=mixed", body.encode())
        assert reply.status == 422, reply.body
        assert (reply.json()["row"], reply.json()["column"]) == (1, name)


def test_wrong_arrow_streams_are_problems(service):
    path, media = "/v1/predict?model=iris", {"content_type": ARROW}
    good = pa.table({name: [1.0, 2.0] for name in load_iris().feature_names})
    assert service.post(path, arrow_stream(good), **media).status == 200
    assert service.post(path, arrow_stream(good)[:-40], **media).status == 400
    assert service.post(path, b"ARROW1", **media).status == 400
    assert service.post(path, arrow_stream(good, compression="zstd"), **media).status == 415
    assert service.post(path, arrow_stream(good.slice(0, 0)), **media).status == 422
    lacking = service.post(path, arrow_stream(good.drop_columns(["petal width (cm)"])), **media)
    assert lacking.json()["column"] == "petal width (cm)"
    nested = good.set_column(0, "sepal length (cm)", pa.array([[1.0], [2.0]]))
    assert service.post(path, arrow_stream(nested), **media).json()["column"] == "sepal length (cm)"
    text = good.set_column(1, "sepal width (cm)", pa.array(["1", "2"]))
    reply = service.post(path, arrow_stream(text), **media).json()
    assert (reply["row"], reply["column"]) == (0, "sepal width (cm)")


def test_markup_in_labels_and_names_is_sent_as_data(service):
    row = {"age": 50, "town": "<script>alert(1)</script>", "day": "2026-01-09"}
    reply = service.post("/v1/predict?model=mixed&proba=true", {"rows": [row]})
    assert "<b>old</b>" in reply.json()["classes"]
    refused = service.post("/v1/predict?model=%3Cimg%20onerror%3Dalert(1)%3E", {"rows": [row]})
    assert "<img" in refused.json()["detail"]
    for one in (reply, refused):
        assert "json" in one.headers["content-type"]
        assert one.headers["x-content-type-options"] == "nosniff"


def test_an_operation_that_a_model_lacks_is_named(service):
    assert service.post("/v1/transform?model=iris", {"rows": [[1, 2, 3, 4]]}).status == 422
    assert service.post("/v1/predict?model=pca", {"rows": [[1, 2, 3, 4]]}).status == 422
    assert service.post("/v1/predict?model=ridge&proba=true", {"rows": [[0] * 10]}).status == 422
    assert service.post("/v1/neighbors?model=iris&k=0", {"rows": [[1, 2, 3, 4]]}).status == 422
    too_many = service.post("/v1/neighbors?model=iris&k=151", {"rows": [[1, 2, 3, 4]]})
    assert too_many.status == 422
    assert "151" in too_many.json()["detail"]


def test_the_page_of_the_api_loads_nothing_from_elsewhere(service):
    page = service.get("/docs")
    assert page.status == 200
    assert b"http" not in page.body
    for path in ("/static/docs/docs.js", "/static/docs/docs.css", "/openapi.json"):
        assert service.get(path).status == 200


def test_counters_are_kept_by_route(service):
    service.post("/v1/predict?model=digits", {"rows": DIGITS[:2].tolist()})
    text = service.get("/metrics").body.decode()
    assert 'lookalike_requests_total{route="/v1/predict",status="200"}' in text
    assert 'lookalike_rows_total{model="digits"}' in text
    assert service.get("/healthz").json() == {"status": "ok"}
