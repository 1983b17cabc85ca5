"""What holds for every model: scikit-learn's contract, any table in and out, any engine."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from public_names import PUBLIC
from sklearn.utils.estimator_checks import check_estimator
from test_import import run

from lookalike import (
    LSA,
    PCA,
    GaussianMixture,
    KMeans,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    SimpleImputer,
    StandardScaler,
    config,
)
from lookalike.data import open_source
from lookalike.errors import (
    ColumnError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.progress import listening

MODELS = [
    PCA(),
    PCA(n_components=1, whiten=True),
    StandardScaler(),
    StandardScaler(with_mean=False),
    SimpleImputer(),
    SimpleImputer("median"),
    SimpleImputer("most_frequent"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scikit_learns_checks_pass(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert len(results) > 40


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_identical_chunks_give_identical_answers_on_every_engine(cluster, blobs, model):
    import dask.array as da

    with config(memory=32 * 5 * 8 * 90):  # chunks of 90 rows
        answers = {
            engine: model.set_params(engine=engine).fit(open_source(blobs)).transform(blobs)
            for engine in ("memory", "stream", "dask")
        }
        spread = da.from_array(blobs, chunks=(90, 5))
        answers["partitions"] = model.set_params(engine="auto").fit(spread).transform(blobs)
    for engine, answer in answers.items():
        np.testing.assert_array_equal(answer, answers["memory"], err_msg=engine)


@pytest.mark.parametrize("model", [PCA(2), StandardScaler(), SimpleImputer()], ids=repr)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_comes_back_as_a_frame_of_its_kind(model, library, blobs):
    module = pytest.importorskip(library)
    columns = dict(zip("abcde", blobs.T, strict=True))
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    answer = model.fit(frame).transform(frame)
    assert type(answer) is type(frame)
    expected = model.fit_transform(blobs)
    np.testing.assert_array_equal(np.column_stack([answer[c] for c in _names(answer)]), expected)


def _names(frame):
    return getattr(frame, "column_names", None) or list(frame.columns)


def test_pandas_keeps_its_index(blobs):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(blobs, columns=list("abcde")).iloc[::-1]
    assert (PCA(1).fit_transform(frame).index == frame.index).all()


def test_files_are_models_of_their_rows(tmp_path, blobs):
    np.save(tmp_path / "rows.npy", blobs)
    header = ",".join("abcde")
    np.savetxt(tmp_path / "rows.csv", blobs, "%.17g", ",", header=header, comments="")
    expected = PCA(2).fit(blobs).components_
    for name in ("rows.npy", "rows.csv"):
        pca = PCA(2).fit(tmp_path / name)
        np.testing.assert_allclose(pca.components_, expected, atol=1e-12)
    assert pca.feature_names_in_.tolist() == list("abcde")
    assert pca.transform(str(tmp_path / "rows.csv")).shape == (360, 2)


def test_other_columns_than_those_of_fit_are_named(tmp_path, blobs):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,5\n")
    (tmp_path / "b.csv").write_text("a,c\n1,2\n3,5\n")
    pca = PCA(1).fit(tmp_path / "a.csv")
    with pytest.raises(ColumnError, match=r"missing: 'b'; not seen in fit: 'c'"):
        pca.transform(tmp_path / "b.csv")
    with pytest.raises(ShapeError, match="X has 5 features, but PCA is expecting 2"):
        pca.transform(lambda: iter([blobs]))


def test_a_missing_value_is_named_by_row_and_column():
    X = np.ones((300, 3))
    X[257, 2] = np.nan
    with pytest.raises(MissingValueError, match="NaN at row 257, column 'x2'"):
        PCA().fit(X)


@pytest.mark.parametrize(
    ("weight", "said"),
    [([1, -1, 1], "-1.0 at row 1"), ([0, 0, 0], "zero for every row"), ([1, np.nan, 1], "nan at")],
)
def test_senseless_weights_are_an_error(weight, said):
    with pytest.raises((ParameterError, MissingValueError), match=said):
        PCA().fit(np.eye(3), sample_weight=weight)


def test_progress_of_a_fit_can_be_followed(blobs):
    seen = []
    with listening(lambda _, done, total: seen.append((done, total))):
        PCA().fit(blobs)
    assert seen == [(360, 360)]


class Recorder:
    """A callback of scikit-learn's that counts."""

    begun = ended = torn_down = 0

    def setup(self, *_, **__):
        self.begun = self.ended = 0

    def on_fit_task_begin(self, *_, **__):
        self.begun += 1

    def on_fit_task_end(self, *_, **__):
        self.ended += 1

    def teardown(self, *_, **__):
        self.torn_down += 1


def test_scikit_learns_callbacks_follow_a_fit(blobs):
    callback = pytest.importorskip("sklearn.callback", reason="they came with scikit-learn 1.9")
    recorder = Recorder()
    assert isinstance(recorder, callback.FitCallback)
    PCA().set_callbacks(recorder).fit(blobs)
    assert (recorder.begun, recorder.ended) == (1, 1)  # the fit: its one chunk is not a step
    assert recorder.torn_down == 1


def test_every_estimator_is_public():
    for model in MODELS:
        assert type(model).__name__ in PUBLIC


def test_many_python_threads_ask_one_model(blobs):
    vote = KNeighborsClassifier(3).fit(blobs, np.arange(360) % 3)
    reduced, groups = PCA(2).fit(blobs), KMeans(3).fit(blobs)

    def ask(_):
        return vote.predict_proba(blobs), reduced.transform(blobs), groups.predict(blobs)

    expected = ask(0)
    with ThreadPoolExecutor(32) as pool:
        for answers in pool.map(ask, range(64)):
            for answer, alone in zip(answers, expected, strict=True):
                np.testing.assert_array_equal(answer, alone)


OUT_OF_CORE = """
import lookalike
lookalike.config(memory="20MB", threads=2)
def most_after_fit(path):
    lookalike.{model}.set_params(engine="stream").fit(path)
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1])
few = most_after_fit({folder!r} + "/few.npy")
print(most_after_fit({folder!r} + "/many.npy") - few)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    "model", ["PCA(2)", "KMeans(2, init=[[0.0] * 20, [9.0] * 20], max_iter=2)"]
)
def test_a_fit_of_ten_times_the_budget_takes_no_more_than_the_budget(tmp_path, model):
    for name, n in (("few", 1000), ("many", 1_250_000)):  # 200 MB, mostly holes
        rows = np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", np.float64, (n, 20))
        rows[::500] = np.arange(20.0)
        rows.flush()
    grown = run(OUT_OF_CORE.format(model=model, folder=str(tmp_path)))
    assert float(grown) < 20_000  # kB


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: NearestNeighbors().kneighbors(None, 1.5), "n_neighbors=1.5 is not a whole number"),
        (lambda: NearestNeighbors().kneighbors(None, True), "n_neighbors=True is not a whole"),
        (
            lambda: NearestNeighbors().radius_neighbors(sort_results="no"),
            "sort_results='no' is not",
        ),
        (lambda: KNeighborsRegressor().predict([], return_std=2), "return_std=2 is not True or"),
        (lambda: KNeighborsRegressor().predict_interval(coverage="all"), "'all' is not a number"),
        (lambda: GaussianMixture().sample("many"), "n_samples='many' is not a whole number"),
        (lambda: LSA().first(2.0), "n_components=2.0 is not a whole number"),
        (lambda: LSA().search("word", k=None), "k=None is not a whole number"),
        (lambda: LSA().explain("word", document=[1]), "is not a whole number"),
    ],
)
def test_arguments_of_methods_are_checked_by_their_annotations(call, sentence):
    with pytest.raises(ParameterTypeError, match=re.escape(sentence)):
        call()


def test_methods_of_a_subclass_elsewhere_take_what_they_want():
    class Named(PCA):
        def named(self, name: int) -> object:
            return name

    assert Named().named("a") == "a"
