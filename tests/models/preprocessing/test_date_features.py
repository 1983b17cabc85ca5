"""Dates as features: position in time, month, weekday and hour where they come back."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

from lookalike import KNeighborsRegressor, TablePreprocessor, load, save
from lookalike.errors import ColumnError, ParameterError

FILES = Path(__file__).parent / "files"


def sales(n_rows=700, unit="h", step=11, seed=0):
    rng = np.random.default_rng(seed)
    sold = np.datetime64("2019-01-01", unit) + np.arange(n_rows) * step
    weekday = (sold.astype("datetime64[D]").astype(int) + 3) % 7
    y = 2.0 * (weekday >= 5) + 0.1 * rng.normal(size=n_rows)
    return pd.DataFrame({"sold": sold.astype("datetime64[us]")}), y


def parts_of(dates):
    table = pd.DataFrame({"sold": pd.to_datetime(pd.Series(dates))})
    return TablePreprocessor().fit(table).date_parts_.get("sold", ())


def test_names_say_which_date_and_which_part():
    model = TablePreprocessor().fit(sales(1000)[0])
    names = model.get_feature_names_out().tolist()
    assert names[:3] == ["sold", "sold: month (sin)", "sold: month (cos)"]
    assert names[3:6] == ["sold: hour (sin)", "sold: hour (cos)", "sold: weekday=Friday"]
    assert set(model.origins()) == {"sold"}
    assert len(model.origins()) == len(names) == 12
    assert model.decisions_.about("date sold")[0].choice == "position in time, month, weekday, hour"


def test_only_parts_that_come_back_are_kept():
    days = pd.date_range("2020-01-01", periods=100).tolist()
    assert parts_of(days) == ("weekday",)  # less than a year, no times
    assert parts_of(days[:5]) == ()
    assert parts_of(pd.date_range("2015-01-01", periods=100, freq="MS").tolist()) == ("month",)
    assert parts_of(pd.date_range("1960-01-01", periods=50, freq="YS").tolist()) == ()
    assert parts_of(pd.date_range("2020-01-01", periods=50, freq="h").tolist()) == ("hour",)
    assert parts_of([pd.NaT, pd.NaT]) == ()


def test_december_is_next_to_january_and_sunday_is_one_category():
    dates = pd.date_range("2015-01-01", "2021-12-31").to_frame(name="sold", index=False)
    model = TablePreprocessor(date_parts=("month",)).fit(dates)
    days = pd.DataFrame({"sold": pd.to_datetime(["2018-12-31", "2018-01-01", "2018-07-01"])})
    month = model.transform(days).to_numpy()[:, 1:]
    assert np.linalg.norm(month[0] - month[1]) < 0.05
    assert np.linalg.norm(month[0] - month[2]) > 1.5


def test_missing_dates_are_in_the_middle_and_of_no_weekday():
    table, _ = sales(1000)
    table.loc[3, "sold"] = pd.NaT
    rows = TablePreprocessor().fit_transform(table)
    assert np.abs(rows.iloc[3, :5]).max() < 1e-9
    assert rows["sold: weekday=(missing)"].iloc[3] > 0
    codes = TablePreprocessor(encoding="codes", scale="none").fit(table)
    assert np.isnan(codes.transform(table).iloc[3]).all()
    assert codes.categorical_ == (5,)


@pytest.mark.parametrize("model", [KNeighborsRegressor(5), RidgeCV()], ids=["neighbors", "ridge"])
def test_a_weekday_that_matters_is_found(model):
    table, y = sales(1500)
    errors = {}
    for parts in ((), ("month", "weekday", "hour")):
        fitted = make_pipeline(TablePreprocessor(date_parts=parts), model).fit(table[::2], y[::2])
        errors[parts] = np.sqrt(np.mean((fitted.predict(table[1::2]) - y[1::2]) ** 2))
    assert errors["month", "weekday", "hour"] < 0.5 * errors[()]


def test_every_form_of_a_date_gives_the_same_rows():
    table, _ = sales(400)
    model = TablePreprocessor().fit(table)
    expected = model.transform(table).to_numpy()
    moments = table["sold"].dt.to_pydatetime().tolist()
    forms = {
        "zoned": pd.DataFrame({"sold": table["sold"].dt.tz_localize("UTC")}),
        "elsewhere": pd.DataFrame(
            {"sold": table["sold"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")}
        ),
        "seconds": pd.DataFrame({"sold": table["sold"].astype("datetime64[s]")}),
        "objects": pd.DataFrame({"sold": pd.Series(moments, dtype=object)}),
        "polars": pl.DataFrame({"sold": moments}),
        "polars zoned": pl.DataFrame({"sold": moments}).with_columns(
            pl.col("sold").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
        ),
        "arrow": pa.table({"sold": pa.array(moments, pa.timestamp("ns"))}),
        "arrow zoned": pa.table({"sold": pa.array(moments, pa.timestamp("us", "UTC"))}),
        "strings": pd.DataFrame({"sold": [moment.isoformat() for moment in moments]}),
        "polars strings": pl.DataFrame({"sold": [str(moment) for moment in moments]}),
    }
    for name, form in forms.items():
        np.testing.assert_allclose(np.asarray(model.transform(form)), expected, err_msg=name)


def test_days_come_as_date32_as_objects_and_as_polars_dates():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=3 * j) for j in range(300)]
    table = pd.DataFrame({"sold": pd.to_datetime(pd.Series(days))})
    model = TablePreprocessor().fit(table)
    expected = model.transform(table).to_numpy()
    for form in (
        pa.table({"sold": pa.array(days, pa.date32())}),
        pd.DataFrame({"sold": pd.Series(days, dtype=object)}),
        pl.DataFrame({"sold": days}),
        pd.DataFrame({"sold": pd.Series(days, dtype="date32[pyarrow]")}),
    ):
        np.testing.assert_allclose(np.asarray(model.transform(form)), expected)
        np.testing.assert_allclose(
            np.asarray(TablePreprocessor().fit(form).transform(table)), expected
        )


def test_a_text_that_is_not_a_date_is_named():
    model = TablePreprocessor().fit(sales()[0])
    with pytest.raises(ColumnError, match="column 'sold' holds 'soon' at row 1, where a date is"):
        model.transform(pd.DataFrame({"sold": ["2020-01-01", "soon"]}))
    with pytest.raises(ParameterError, match="date_parts='year'"):
        TablePreprocessor(date_parts=["year"]).fit(sales()[0])


def test_the_order_of_day_and_month_is_that_of_the_file(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(
        "sold,n\n" + "".join(f"{j % 28 + 1}/{j % 12 + 1}/2021,{j}\n" for j in range(84))
    )
    from lookalike.data import open_source

    model = TablePreprocessor({"sold": "date"}, scale="none", date_parts=()).fit(open_source(path))
    save(model, tmp_path / "model.lookalike")
    rows = load(tmp_path / "model.lookalike").transform(pd.DataFrame({"sold": ["03/04/2021"]}))
    assert np.asarray(rows).item() == (dt.date(2021, 4, 3) - dt.date(1970, 1, 1)).days


def test_a_model_file_from_before_there_were_parts_predicts_the_same():
    day = (np.datetime64("2020-01-01") + np.arange(40) * 23).astype("datetime64[us]")
    town = np.array(["Graz", "Linz", "Wien"])[np.arange(40) % 3]
    table = pd.DataFrame({"sold": day, "town": town, "size": np.arange(40) * 7 % 11.0})
    model = load(FILES / "dates_as_positions.lookalike")
    expected = np.array([14, 9, 18, 27, 36, 28, 20, 12, 21, 20]) / 3
    np.testing.assert_allclose(model.predict(table[::4]), expected)
    assert model[0].get_params()["date_parts"] == ()
