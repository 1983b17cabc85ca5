"""A table with a text column and others: both are used, where neither alone would do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.studies.select.candidates import ALL_CANDIDATES

TONES = (["great", "lovely", "thanks", "perfect"], ["broken", "late", "refund", "angry"])


def letters(n=1000):
    """Return rows whose target depends on the tone of a letter and on a number together."""
    rng = np.random.default_rng(0)
    tone, size = rng.integers(2, size=n), rng.normal(size=n)
    others = [f"word{number}" for number in range(30)]
    letter = [" ".join([*rng.choice(TONES[one], 3), *rng.choice(others, 6)]) for one in tone]
    town = rng.choice(["Graz", "Linz"], n)
    y = np.where((tone == 1) ^ (size > 0), "call", "wait")
    return pd.DataFrame({"size": size, "town": town, "letter": letter, "y": y})


@pytest.fixture(scope="module")
def study():
    kept = tuple(one for one in ALL_CANDIDATES if one.name in ("baseline", "ridge", "kernel_ridge"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.studies.select.fold_work.ALL_CANDIDATES", kept)
        return lookalike.study(letters(), target="y", text="letter")


def test_text_and_numbers_are_used_together(study):
    assert study.data_kind == "table"
    assert study.held_out.error < 0.2 < 0.4 < study.held_out.baseline
    roles = {column.name: (column.kind, column.role) for column in study.columns}
    assert roles["letter"] == ("text", "feature")
    assert roles["size"] == ("number", "feature")
    assert "tfidf_linear" in [one.name for one in study.candidates]


def test_both_columns_are_important_and_the_audit_reads_them(study):
    important = {one.name for one in study.feature_importance if one.interval[0] > 0}
    assert {"letter", "size"} <= important
    assert study.audit is not None
    assert not [one for one in study.decisions if one.choice == "skipped"]


def test_the_model_predicts_tables_and_is_stored(study, tmp_path):
    rows = letters(1100).iloc[1000:]
    assert np.mean(study.model.predict(rows) != rows["y"]) < 0.25
    lookalike.save(study.model, tmp_path / "model.lookalike")
    again = lookalike.load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(again.predict(rows), study.model.predict(rows))
