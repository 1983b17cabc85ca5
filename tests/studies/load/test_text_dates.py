"""Dates that come as strings of a frame or an Arrow file are dates in a study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from lookalike import study
from lookalike.data import open_source

N_ROWS = 240


def sales(form="%d/%m/%Y"):
    rng = np.random.default_rng(0)
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N_ROWS) * 3, unit="D"))
    size = rng.normal(size=N_ROWS).round(3)
    y = 3.0 * (days.dt.day_of_week >= 5) + 0.1 * size
    return pd.DataFrame({"sold": days.dt.strftime(form), "size": size, "y": y}), days


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet"])
def test_strings_of_a_frame_are_dates_in_a_study_and_its_model_reads_them(
    kind, tmp_path, few_candidates
):
    table, days = sales()
    if kind == "parquet":
        data = tmp_path / "sales.parquet"
        pyarrow.parquet.write_table(pa.Table.from_pandas(table), data)
    else:
        make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind]
        data = make(table.to_dict("list"))
    result = study(data, target="y")
    (column,) = (one for one in result.columns if one.name == "sold")
    assert (column.kind, column.missing) == ("date", 0)
    assert "dates, day before month" in [one.choice for one in result.decisions]
    model = result.model
    as_strings = model.predict(table[["sold", "size"]][:5])
    as_dates = model.predict(pd.DataFrame({"sold": days[:5], "size": table["size"][:5]}))
    np.testing.assert_allclose(as_strings, as_dates)


def test_test_rows_are_read_in_the_order_of_the_training_rows(few_candidates):
    table, days = sales()
    ambiguous = table[(days.dt.day <= 12)][:12].copy()
    result = study(table, target="y", test=ambiguous)
    dates = result.predictions
    assert len(dates.row) == 12
    alone = study(table, target="y", test=ambiguous.assign(sold=days[ambiguous.index]))
    np.testing.assert_allclose(dates.y_pred, alone.predictions.y_pred)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_types_say_that_strings_of_a_frame_are_dates(kind):
    frame = kind({"sold": ["03/04/2021", None, "05/06/2021", "soon"]})
    for given, expected in (("date:dmy", "2021-04-03"), ("date", "2021-03-04")):
        source = open_source(frame, types={"sold": given})
        assert source.columns[0].kind == "date"
        dates = next(source.tables()).values["sold"]
        assert str(dates[0])[:10] == expected
        assert np.isnat(dates[[1, 3]]).all()


def test_a_type_that_is_given_stays(few_candidates):
    table, _ = sales()
    result = study(table, target="y", types={"sold": "category"})
    assert {one.name: one.kind for one in result.columns}["sold"] != "date"


def test_strings_that_are_not_dates_are_counted_and_named():
    table, _ = sales()
    table.loc[4, "sold"] = "soon"
    source = open_source(table, types={"sold": "date"})
    (decision,) = source.decisions.about("column 'sold'")
    assert "1 of 240 cells is not a date and becomes missing: 'soon'" in decision.reason
    assert decision.choice == "dates, day before month"
