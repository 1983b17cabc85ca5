"""The audit command's function and a study flag the same rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.studies.audit import audit_data


def mixed(n=260, seed=0):
    """A mixed table of two classes with two wrong labels, a copy and a far row."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    frame = pd.DataFrame(
        {
            "height": 170 + 15 * y + 4 * rng.normal(size=n),
            "weight": 60 + 20 * y + 5 * rng.normal(size=n),
            "town": np.array(["Graz", "Linz", "Wien"])[rng.integers(3, size=n)],
        }
    )
    frame.loc[5] = frame.loc[6]
    frame.loc[9, "height"] = 900.0
    label = np.where(np.isin(np.arange(n), [20, 30, 40, 50, 60, 70, 80, 90]), 1 - y, y)
    return frame, np.array(["a", "b"])[label]


def test_an_audit_and_a_study_agree_row_by_row():
    X, y = mixed()
    study = lookalike.study(X, y, time="60s")
    audited = audit_data(X, y, time="60s")[0]
    assert audited.counts == study.audit.counts
    assert audited.table.flags == study.audit.table.flags
    for name, scores in study.audit.table.scores.items():
        np.testing.assert_array_equal(audited.table.scores[name], scores)
    assert audited.counts["mislabel"] >= 6
    assert "outlier" in audited.table.flags[9].split()
    assert "duplicate" in audited.table.flags[5].split()


def test_categories_alone_make_no_near_duplicates_and_hardly_any_outliers():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    share = np.where(y[:, None] == 1, 0.75, 0.3)
    frame = pd.DataFrame(np.where(rng.random((400, 12)) < share, "yes", "no"))
    frame.columns = [f"q{j}" for j in range(12)]
    audited = audit_data(frame, y, time="30s")[0]
    assert audited.counts["near_duplicate"] == 0
    assert audited.counts["outlier"] <= 8
    held_out_copies = [flags for flags in audited.table.flags if "leak" in flags.split()]
    assert len(held_out_copies) <= audited.counts["duplicate"]


def test_rows_with_missing_cells_are_no_duplicates_of_rows_that_have_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"q{j}": rng.choice(list("abcdefgh"), size=200) for j in range(8)})
    frame.loc[0, "q0"] = None
    frame.loc[1] = frame.loc[0].fillna("a")
    audited = audit_data(frame, np.arange(200) % 2, metric="gower", time="30s")[0]
    assert audited.counts["duplicate"] == 0


def test_empty_texts_are_reported_as_empty():
    words = ["ship sea boat harbor", "bank money loan rate", "goal ball team match"]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation(words[i % 3].split() * 2)) + f" n{i}" for i in range(90)]
    texts[3] = texts[10] = texts[20] = "  "
    audited = audit_data(texts, np.arange(90) % 3, time="30s")[0]
    assert audited.counts["empty"] == 3
    assert audited.counts["duplicate"] == 0
    assert audited.table.flags[3] == audited.table.flags[10] == "empty"


def test_what_cannot_be_audited_says_why():
    with pytest.raises(lookalike.LookalikeError, match="at least 3"):
        audit_data([[1.0], [2.0]])
