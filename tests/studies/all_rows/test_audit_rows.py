"""The audit of all rows where a sample of them was audited."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike import LinearDiscriminantAnalysis, TablePreprocessor
from lookalike.explain.audit.table import AuditTable
from lookalike.studies.all_rows.audit_rows import AUDIT_HEADINGS, AllRowsAudit
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.load import read
from lookalike.studies.select.budget import Budget

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
N = 4_000
WRONG = np.arange(50, N, 100)  # rows that get another label


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    code = rng.integers(0, 2, N)
    X = rng.normal(size=(N, 3)) + 8 * code[:, None]
    X[1_000:1_010], code[1_000:1_010] = X[:10], code[:10]
    label = np.array(["cold", "warm"])[code]
    label[WRONG] = np.array(["cold", "warm"])[1 - code[WRONG]]
    town = np.array(["Graz", "Linz"])[np.arange(N) % 2]
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "town": town, "y": label})
    place = tmp_path_factory.mktemp("rows")
    for number in range(2):
        parquet.write_table(table.slice(number * N // 2, N // 2), place / f"{number}.parquet")
    return place


def test_copies_and_wrong_labels_of_all_rows_are_found_chunk_by_chunk(folder, monkeypatch):
    monkeypatch.setattr(read, "MAX_ROWS_COMPARED", 500)
    with lookalike.config(memory="2MB"):
        context = load_context(StudyOptions(str(folder), target="y"), Budget(None))
        sample = context.dataset
        model = make_pipeline(
            TablePreprocessor(dict(context.features)), LinearDiscriminantAnalysis()
        )
        model.fit(sample.source(), sample.y)
        scores = {"mislabel_probability": np.zeros(len(sample))}
        flags = ("hub",) + ("",) * (len(sample) - 1)
        table = AuditTable(sample.row, flags, scores, {})
        pieces = list(AllRowsAudit(context, context.source, model, 0.01, table).pieces())
    assert len(pieces) > 1
    found = {name: np.concatenate([piece[name] for piece in pieces]) for name in AUDIT_HEADINGS}
    np.testing.assert_array_equal(found["row"], np.arange(N))
    flagged = [row for row in range(N) if "mislabel" in found["flags"][row].split()]
    assert set(flagged) == set(WRONG.tolist()) - set(sample.row.tolist())
    assert "hub" in found["flags"][sample.row[0]].split()
    copied = np.flatnonzero(found["duplicate_of"] >= 0)
    np.testing.assert_array_equal(copied, [*range(10), *range(1_000, 1_010)])
    np.testing.assert_array_equal(found["duplicate_of"][copied], [*range(10)] * 2)
    outside = np.setdiff1d(WRONG, sample.row)
    labels = parquet.read_table(folder)["y"].to_numpy(zero_copy_only=False)
    assert (found["suggested_label"][outside] != labels[outside]).all()
