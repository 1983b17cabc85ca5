"""Studies of files larger than the memory budget: a sample is compared, all rows are evaluated."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike import LinearDiscriminantAnalysis, Ridge, TablePreprocessor
from lookalike.data import open_source
from lookalike.studies.all_rows.held_out import evaluate_all_rows
from lookalike.studies.all_rows.survey import survey_all_rows
from lookalike.studies.context import StudyOptions, load_context
from lookalike.studies.load import read
from lookalike.studies.select.budget import Budget

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
N = 6_000


def write(folder, files=3):
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, N)
    X = np.random.default_rng(1).normal(size=(3, 6))[label] * 2 + rng.normal(size=(N, 6))
    X[N // 2 : N // 2 + 500] = X[:500]
    label[N // 2 : N // 2 + 500] = label[:500]
    town = np.array(["Graz", "Linz", "Wien"])[rng.integers(0, 3, N)]
    town[N // 2 : N // 2 + 500] = town[:500]
    number = X[:, 0] * 2 + rng.normal(size=N)
    columns = {f"c{j}": X[:, j] for j in range(6)} | {"town": town}
    table = pa.table({**columns, "label": np.array(["a", "b", "c"])[label], "number": number})
    for file in range(files):
        part = table.slice(file * N // files, N // files)
        parquet.write_table(part, folder / f"part{file}.parquet")
    return X, label


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    write(place)
    return place


@pytest.fixture(autouse=True)
def few_compared(monkeypatch):
    monkeypatch.setattr(read, "MAX_ROWS_COMPARED", 1_500)


def test_classes_are_evaluated_on_all_held_out_rows(folder):
    study = lookalike.study(folder, memory="6MB", time="10s", target="label", drop=["number"])
    found = study.all_rows
    assert (found.n_rows, found.n_compared) == (N, 1_500)
    assert found.n_duplicates == 500
    assert not found.duplicates_estimated
    assert sum(found.counts) == N
    assert found.scores.n_rows + found.scores.n_train == N
    assert abs(found.scores.n_rows / N - 0.2) < 0.03
    low, high = found.scores.interval
    assert low < found.scores.error < high < found.scores.baseline
    profile = {one.name: one for one in found.columns}
    values = parquet.read_table(folder)["c1"].to_numpy()
    assert profile["c1"].mean == pytest.approx(values.mean())
    assert profile["c1"].std == pytest.approx(values.std(ddof=1))
    assert profile["town"].mean is None
    assert "All 6,000 rows were read" in str(study)
    assert "random sample of 1,500" in str(study)
    assert study.model.predict(open_source(folder, columns=[*profile]))[:3].shape == (3,)


def opened(folder, target, drop, engine="auto"):
    """Return the context of a study and its source."""
    options = StudyOptions(folder, target=target, engine=engine, drop=(drop,))
    context = load_context(options, Budget(None))
    return context, context.source


def result_of(context, model):
    """Return a model fitted on the training rows of the sample, as a study holds it."""
    prepare = TablePreprocessor(dict(context.features))
    train = context.dataset.take(np.flatnonzero(~context.is_test))
    fitted = make_pipeline(prepare, model).fit(train.source(), train.y)
    return SimpleNamespace(selection=SimpleNamespace(model=fitted))


def test_the_cluster_gives_the_same_figures_as_one_process(folder, cluster):
    found = []
    with lookalike.config(memory="6MB"):
        for engine in ("auto", "dask"):
            context, source = opened(folder, "label", "number", engine)
            survey = survey_all_rows(context, source)
            model = LinearDiscriminantAnalysis()
            scores, fitted = evaluate_all_rows(context, source, result_of(context, model))
            found.append((survey.profile, survey.n_duplicates, survey.counts, scores))
            assert set(fitted.classes_) == {"a", "b", "c"}
    assert found[0] == found[1]
    assert found[0][3].fitted_on_all
    assert found[0][3].error < 0.2


def test_numbers_are_evaluated_on_all_held_out_rows(folder):
    with lookalike.config(memory="6MB"):
        context, source = opened(folder, "number", "label")
        scores, _ = evaluate_all_rows(context, source, result_of(context, Ridge()))
        assert survey_all_rows(context, source).summed == ()
    assert (scores.metric, scores.fitted_on_all) == ("rmse", False)
    assert scores.interval[0] < scores.error < scores.interval[1]
    assert abs(scores.error - 1) < 0.1  # the noise of the target
    assert abs(scores.n_rows / N - 0.2) < 0.03


def test_a_target_that_is_the_sum_of_columns_is_found_in_all_rows(tmp_path):
    X = np.random.default_rng(0).normal(size=(N, 5))
    table = pa.table({f"c{j}": X[:, j] for j in range(5)} | {"total": X[:, 1:4] @ [1.0, 2.0, 3.0]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    with lookalike.config(memory="6MB"):
        context, source = opened(tmp_path, "total", "c0")
        survey = survey_all_rows(context, source)
    assert (survey.determining, survey.summed) == ((), ("c1", "c2", "c3"))
