"""Every supervised model learns from every kind of input, or says in one sentence why not.

The table in docs/engines.md is what this test finds; LOOKALIKE_WRITE_DOCS=1 writes it.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone, is_regressor

import lookalike as la
from lookalike.errors import LookalikeError

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
BEGIN, END = "<!-- table of inputs -->", "<!-- end of inputs -->"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(3)
CLASSES = np.where(X[:, 0] + 0.3 * RNG.normal(size=60) > 0, "yes", "no")
NUMBERS = (X @ [1.0, 2.0, -1.0]).round(3)
PARTS = (slice(0, 25), slice(25, 60))
MODELS = (
    la.KNeighborsClassifier(3),
    la.RadiusNeighborsClassifier(2.0),
    la.KernelDensityClassifier(0.5),
    la.KernelClassifier(0.5),
    la.CondensedNearestNeighbour(),
    la.EditedNearestNeighbours(),
    la.BoostedNeighborsClassifier(max_iter=3, random_state=0),
    la.ForestNeighborsClassifier(n_estimators=5, random_state=0),
    la.LinearDiscriminantAnalysis(),
    la.GaussianMixtureClassifier(1, max_iter=5),
    la.RBFNetworkClassifier(centers=X[:4], width=1.0, alpha=0.1),
    la.KNeighborsRegressor(3),
    la.RadiusNeighborsRegressor(2.0),
    la.KernelRegressor(0.5),
    la.BoostedNeighborsRegressor(max_iter=3, random_state=0),
    la.ForestNeighborsRegressor(n_estimators=5, random_state=0),
    la.Ridge(1.0),
    la.RBFNetworkRegressor(centers=X[:4], width=1.0, alpha=0.1),
    la.LabelPropagation(max_iter=50),
    la.LabelSpreading(max_iter=50),
    la.NeighborhoodComponentsAnalysis(tol=0.1, random_state=0),
    la.feature_selection.SelectByFilter(),
    la.feature_selection.SelectByWrapper(),
)
KINDS = (
    "array",
    "frame",
    "csv",
    "Parquet",
    '.npy, `engine="stream"`',
    "function, y apart",
    "function of (X, y)",
    "iterator, y apart",
    "Dask, y apart",
    "Dask, Dask y",
)


def inputs(folder, y):
    """X of every kind, made anew whenever it is asked for, and the y that goes with it."""
    da = pytest.importorskip("dask.array")
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    frame.to_csv(folder / "x.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), folder / "x.parquet")
    np.save(folder / "x.npy", X)
    made = (
        (lambda: X, y),
        (lambda: frame, y),
        (lambda: folder / "x.csv", y),
        (lambda: folder / "x.parquet", y),
        (lambda: folder / "x.npy", y),
        (lambda: lambda: (X[part] for part in PARTS), y),
        (lambda: lambda: ((X[part], y[part]) for part in PARTS), None),
        (lambda: (X[part] for part in PARTS), y),
        (lambda: da.from_array(X, chunks=(35, 3)), y),
        (lambda: da.from_array(X, chunks=(35, 3)), da.from_array(y, chunks=35)),
    )
    return dict(zip(KINDS, made, strict=True))


def answer(model, rows):
    return np.asarray(model.predict(rows) if hasattr(model, "predict") else model.transform(rows))


def cell(model, kind, make, y, expected):
    """What comes of one model and one kind of input: the same, nearly, or the refusal."""
    if "stream" in kind:
        model.set_params(engine="stream")
    try:
        found = answer(model.fit(make(), y), make())
    except LookalikeError as refusal:
        return str(refusal)
    assert found.shape == expected.shape, (model, kind)
    if (found == expected).all():
        return "same"
    np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=f"{model} {kind}")
    return "close"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    cells = {}
    folder = tmp_path_factory.mktemp("inputs")
    near = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the start of the cluster, not of our code
        local = distributed.LocalCluster(**near)
    with local, distributed.Client(local):
        for model in MODELS:
            y = NUMBERS if is_regressor(model) else CLASSES
            expected = answer(clone(model).fit(X, y), X)
            for kind, (make, targets) in inputs(folder, y).items():
                cells[model, kind] = cell(clone(model), kind, make, targets, expected)
    return cells


def page_of(table):
    """The table as the page has it, refusals as footnotes."""
    notes = list(dict.fromkeys(v for v in table.values() if v not in ("same", "close")))
    marks = {"same": "=", "close": "≈", **{text: f"[{n}]" for n, text in enumerate(notes, 1)}}
    lines = ["| model | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 1) + "|"]
    for model in MODELS:
        cells = " | ".join(marks[table[model, kind]] for kind in KINDS)
        lines.append(f"| `{type(model).__name__}` | {cells} |")
    lines += ["", *(f"{n}. {text}" for n, text in enumerate(notes, 1))]
    return "\n".join([BEGIN, *lines, END])


def test_the_table_of_inputs_is_the_one_that_is_found(table):
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    if os.environ.get("LOOKALIKE_WRITE_DOCS"):
        PAGE.write_text(before + page_of(table) + after, encoding="utf-8")
        return
    assert BEGIN + rest.partition(END)[0] + END == page_of(table)


def test_every_refusal_is_a_sentence_that_says_what_to_do(table):
    for (model, kind), found in table.items():
        if found not in ("same", "close"):
            assert found.count(".") >= 2, (model, kind, found)
            assert any(word in found for word in ("Give", "Choose")), (model, kind, found)


def test_every_supervised_model_is_in_the_table():
    known = {type(model) for model in MODELS}
    supervised = {
        getattr(la.models, name)
        for name in la.models.__all__
        if name[0].isupper() and getattr(la.models, name)().__sklearn_tags__().target_tags.required
    }
    assert supervised <= known
