"""A served model of dates reads them in every form: JSON, Arrow, frames; day first as in fit."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from service import running
from sklearn.pipeline import make_pipeline

from lookalike import Client, KNeighborsRegressor, TablePreprocessor
from lookalike.data import gather, open_source
from lookalike.web import client_bodies

DAYS = [dt.date(2021, 3, 6), dt.date(2021, 4, 3), dt.date(2021, 12, 24)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("dates") / "sales.csv"
    day = [dt.date(2020, 1, 1) + dt.timedelta(days=j) for j in range(700)]
    rows = [f"{d:%d/%m/%Y},{j % 7},{d.weekday()}" for j, d in enumerate(day)]
    path.write_text("sold,size,y\n" + "\n".join(rows) + "\n")
    y = gather(open_source(path, columns=["y"])).X.ravel()
    pipeline = make_pipeline(TablePreprocessor(), KNeighborsRegressor(3))
    return pipeline.fit(open_source(path, columns=["sold", "size"]), y)


@pytest.fixture(scope="module")
def url(model):
    with running({"sales": model}) as service:
        yield service


def frame(sold):
    return pd.DataFrame({"sold": sold, "size": [1.0, 2.0, 3.0]})


@pytest.fixture(scope="module")
def expected(model):
    return model.predict(frame(pd.to_datetime(pd.Series(DAYS))))


def test_json_texts_are_dates_as_in_the_training_rows_or_in_iso_8601(url, expected):
    forms = ("{:%d/%m/%Y}", "{:%Y-%m-%d}", "{:%Y-%m-%d}T00:00:00Z", "{:%d %B %Y}", "{:%d.%m.%y}")
    for form in forms:
        rows = [[form.format(day), size] for day, size in zip(DAYS, (1, 2, 3), strict=True)]
        body = {"columns": ["sold", "size"], "rows": rows}
        for route in ("predict", "explain", "neighbors"):
            sent = {**body, "rows": rows[:1]} if route == "explain" else body
            reply = url.post(f"/v1/{route}", sent)
            assert reply.status == 200, (form, route, reply.body)
            if route == "predict":
                assert reply.json()["predictions"] == pytest.approx(expected.tolist()), form


def test_a_text_that_is_not_a_date_is_named_and_null_is_missing(url):
    body = {"rows": [{"sold": "03/04/2021", "size": 1}, {"sold": "12/24/2021", "size": 1}]}
    reply = url.post("/v1/predict", body)
    assert reply.status == 422
    assert "Row 1 holds '12/24/2021' in column 'sold'" in reply.json()["detail"]
    reply = url.post("/v1/predict", {"rows": [{"sold": None, "size": 1}]})
    assert reply.status == 200


@pytest.mark.parametrize("arrow", [True, False])
def test_the_client_sends_frames_with_dates_of_every_type(url, expected, monkeypatch, arrow):
    if not arrow:
        monkeypatch.setattr(client_bodies, "_pyarrow", lambda: None)
    client = Client(url.url, model="sales")
    stamps = pd.to_datetime(pd.Series(DAYS))
    sizes = [1.0, 2.0, 3.0]
    frames = {
        "datetime64": frame(stamps),
        "zoned": frame(stamps.dt.tz_localize("UTC").dt.tz_convert("America/New_York")),
        "objects": frame(pd.Series(DAYS, dtype=object)),
        "texts": frame([f"{day:%d/%m/%Y}" for day in DAYS]),
        "polars": pl.DataFrame({"sold": DAYS, "size": sizes}),
        "arrow": pa.table({"sold": pa.array(DAYS, pa.date32()), "size": sizes}),
        "nanoseconds": pa.table({"sold": pa.array(stamps, pa.timestamp("ns")), "size": sizes}),
    }
    for name, table in frames.items():
        np.testing.assert_allclose(client.predict(table), expected, err_msg=name)
    rows = [{"sold": day, "size": size} for day, size in zip(DAYS, sizes, strict=True)]
    np.testing.assert_allclose(client.predict(rows), expected)
