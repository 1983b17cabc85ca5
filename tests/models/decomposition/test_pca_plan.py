"""What a PCA refuses, and what it writes down."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_pca import slanted_rows

from lookalike import PCA
from lookalike.errors import (
    MemoryBudgetError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)
from lookalike.settings import config


@pytest.fixture(scope="module")
def rows():
    return slanted_rows()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_components": 9}, ParameterError, "n_components=9 must be between 0 and"),
        (
            {"n_components": 1.5},
            ParameterTypeError,
            "neither a whole number nor a fraction",
        ),
        (
            {"n_components": True},
            ParameterTypeError,
            "n_components=True is not a number",
        ),
        ({"n_components": "most"}, ParameterError, "n_components='most' is not known"),
        ({"svd_solver": "fast"}, ParameterError, "svd_solver='fast' is not known"),
        ({"svd_solver": "leading"}, ParameterError, "Give n_components"),
        ({"svd_solver": "leading", "n_components": 0.5}, ParameterError, "must be between 1 and"),
        ({"svd_solver": "gram", "n_components": "cv"}, ParameterError, "needs the covariance"),
        ({"svd_solver": "gram", "missing": "em"}, ParameterError, "needs the covariance"),
        ({"ddof": 2}, ParameterError, "ddof=2 is not known"),
        ({"missing": "drop"}, ParameterError, "missing='drop' is not known"),
        ({"tol": -1.0}, ParameterError, "tol=-1.0 is not a number >= 0"),
        ({"n_oversamples": 0}, ParameterError, "n_oversamples=0 is out of range"),
        ({"iterated_power": -1}, ParameterError, "iterated_power=-1 is out of range"),
        ({"power_iteration_normalizer": "qr"}, ParameterError, "is not known"),
        ({"whiten": "yes"}, ParameterTypeError, "whiten='yes' is not True or False"),
    ],
)
def test_a_parameter_that_cannot_be_honored_is_an_error(rows, options, error, text):
    with pytest.raises(error, match=text):
        PCA(**options).fit(rows)


def test_a_value_that_is_not_finite_is_named_by_row_and_column(rows):
    for solver in ("covariance_eigh", "full", "leading"):
        for bad in (np.nan, np.inf):
            X = rows.copy()
            X[7, 3] = bad
            with pytest.raises(MissingValueError, match="row 7, column 'x3'"):
                PCA(n_components=2, svd_solver=solver).fit(X)
    with pytest.raises(MissingValueError, match="inf at row 7"):
        PCA(missing="em").fit(X)


def test_options_without_a_use_are_written_down(rows):
    told = PCA(n_components=2, iterated_power=7, tol=1e-3).fit(rows).decisions_
    assert [d.about for d in told if d.choice == "ignored"] == ["tol", "iterated_power"]


@pytest.mark.parametrize("solver", ["auto", "gram", "full", "leading", "randomized"])
def test_one_row_has_no_variance(rows, solver):
    with pytest.raises(ShapeError, match="n_samples=1 with ddof=1"):
        PCA(n_components=1, svd_solver=solver).fit(rows[:1])
    alone = PCA(n_components=1, svd_solver=solver, ddof=0).fit(rows[:1])
    assert alone.explained_variance_.tolist() == [0.0]
    assert not alone.transform(rows[:1]).any()


def test_a_stream_that_is_read_once_suits_the_covariance_alone(rows):
    assert PCA(n_components=2).fit(iter([rows])).n_samples_ == 200
    with pytest.raises(RepeatError, match="svd_solver='leading'"):
        PCA(n_components=2, svd_solver="leading").fit(iter([rows]))


def test_a_covariance_beyond_the_budget_is_refused_with_advice(rows):
    with config(memory=1000), pytest.raises(MemoryBudgetError, match="svd_solver='leading'"):
        PCA().fit(rows)
    with (
        config(memory=1000),
        pytest.raises(MemoryBudgetError, match="keeps all rows in memory twice"),
    ):
        PCA(svd_solver="full").fit(rows)


def test_a_fraction_of_one_keeps_as_many_components_as_the_rank():
    rng = np.random.default_rng(1)
    flat = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 8))
    model = PCA(1.0).fit(flat)
    assert model.n_components_ == 3
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0)
    assert PCA(1.0).fit(rng.normal(size=(20, 5))).n_components_ == 5
    with pytest.raises(ParameterTypeError, match=r"above 0 and up to 1\.0"):
        PCA(1.5).fit(flat)


def test_fewer_rows_than_columns_are_solved_by_the_table_of_rows_where_that_is_cheaper():
    rng = np.random.default_rng(2)
    few = rng.normal(size=(40, 300))
    model = PCA(5).fit(few)
    assert model.decisions_.about("svd_solver")[0].choice == "gram"
    S = np.cov(few.T)
    np.testing.assert_allclose(
        model.explained_variance_, np.linalg.eigvalsh(S)[::-1][:5], rtol=1e-9
    )
    assert (
        PCA(5).fit(rng.normal(size=(290, 300))).decisions_.about("svd_solver")[0].choice != "gram"
    )
    assert PCA(2).fit(rng.normal(size=(5, 20))).decisions_.about("svd_solver")[0].choice != "gram"
