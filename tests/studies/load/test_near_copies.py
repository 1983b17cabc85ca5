"""Near copies: rows measured several times are kept together, rows near by chance are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.decisions import Decisions
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.near_copies import join_near_copies


def joined(X):
    """Return the number of every row, and what was decided."""
    names, decisions = [f"x{place}" for place in range(X.shape[1])], Decisions()
    dataset = Dataset(X, dict.fromkeys(names, "number"), np.arange(len(X)))
    return join_near_copies(dataset, names, np.arange(len(X)), decisions), decisions


@pytest.mark.parametrize("each", [2, 4, 10])
def test_rows_that_were_measured_several_times_are_one_group_each(each):
    rng = np.random.default_rng(each)
    rows = np.repeat(rng.normal(size=(100, 5)), each, axis=0)
    groups, decisions = joined(rows + 0.003 * rng.normal(size=rows.shape))
    assert len(np.unique(groups)) <= 110
    of_original = groups.reshape(100, each)
    assert (of_original == of_original[:, :1]).mean() > 0.95
    assert decisions[0].about == "near copies"


SPREADS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "lognormal": lambda rng, shape: np.exp(2 * rng.normal(size=shape)),
    "heavy tails": lambda rng, shape: rng.standard_t(2, size=shape),
    "clusters": lambda rng, shape: 0.05 * rng.normal(size=shape) + rng.integers(5, size=shape[:1])[
        :, None],
    "a line": lambda rng, shape: rng.random(shape[:1])[:, None] + 1e-3 * rng.normal(size=shape),
    "two scales": lambda rng, shape: rng.choice([1e-3, 1], shape[:1])[:, None]
    * rng.normal(size=shape),
    "a sorted series": lambda rng, shape: np.cumsum(rng.normal(size=shape), axis=0),
}  # fmt: skip


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("shape", [(100, 2), (500, 5), (500, 30), (1500, 3)])
def test_rows_that_are_near_by_chance_are_single(spread, shape):
    groups, decisions = joined(SPREADS[spread](np.random.default_rng(0), shape))
    assert len(np.unique(groups)) == len(groups)
    assert not decisions


def test_integers_few_rows_and_missing_numbers_have_no_near_copies():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    repeated = np.repeat(X[:50], 4, axis=0)
    few = np.repeat(X[:5], 4, axis=0) + 1e-6 * rng.normal(size=(20, 3))
    for rows in (np.round(repeated), few, np.where(rng.random((200, 3)) < 0.9, np.nan, repeated)):
        assert len(np.unique(joined(rows)[0])) == len(rows)


def test_the_error_of_rows_measured_four_times_is_that_of_new_rows(few_candidates):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 4)), 4, axis=0) + 0.003 * rng.normal(size=(240, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    y = np.repeat(rng.choice(["p", "q"], 60), 4)
    study = lookalike.study(frame.assign(y=y), target="y")
    assert study.held_out.interval[1] > 0.45  # one error in two is chance
    said = next(one.text for one in study.summary if one.kind == "duplicates")
    assert said.startswith("Nearly identical rows are kept on one side of every split.")
