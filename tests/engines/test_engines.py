"""Reductions give the same bits wherever they run."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import PCA, KMeans, NearestNeighbors, config
from lookalike.data import Chunk, open_source
from lookalike.data.chunk import CHUNKS_PER_BUDGET
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.engines.dask import MIN_SCATTERED_BYTES, DaskEngine, scattered
from lookalike.engines.local import MemoryEngine, StreamEngine
from lookalike.errors import EngineError, ParameterError
from lookalike.progress import listening
from lookalike.reductions.by_class import ClassCovariance
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance


class InChunks:
    """A source that gives chunks of a fixed number of rows to every engine."""

    def __init__(self, source, rows):
        self._source, self._rows = source, rows

    def __getattr__(self, name):
        return getattr(self._source, name)

    def chunks(self):
        return self._source.chunks(self._rows)


@pytest.mark.parametrize("rows", [360, 100, 7])
@pytest.mark.parametrize(
    "reduction", [Covariance(), Columns(), ClassCovariance()], ids=lambda r: type(r).__name__
)
def test_same_chunks_give_the_same_bits_on_every_engine(cluster, blobs, reduction, rows):
    source = InChunks(open_source(blobs, np.arange(360) % 3), rows)
    memory = MemoryEngine(n_jobs=1).reduce(reduction, source)
    for engine in (MemoryEngine(n_jobs=2), StreamEngine(n_jobs=2), DaskEngine()):
        for mine, theirs in zip(engine.reduce(reduction, source), memory, strict=True):
            np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))


def test_large_states_and_chunks_give_the_bits_of_one_process(cluster):
    wide = np.random.default_rng(0).normal(size=(120, 100))  # neither goes along with the tasks
    assert min(wide.nbytes, 8 * 100 * 100) > MIN_SCATTERED_BYTES
    source = InChunks(open_source(wide), 25)
    here, there = (engine.reduce(Covariance(), source) for engine in (MemoryEngine(), DaskEngine()))
    for mine, theirs in zip(there, here, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_dask_arrays_are_reduced_partition_by_partition(cluster, blobs):
    da = pytest.importorskip("dask.array")
    spread = da.from_array(blobs, chunks=(100, 5))
    here = MemoryEngine().reduce(Covariance(), InChunks(open_source(blobs), 100))
    there = DaskEngine().reduce(Covariance(), open_source(spread))
    for mine, theirs in zip(there, here, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def in_small_chunks(rows, n_features=5):
    """Set the memory budget of which a chunk of `rows` rows of float64 is the part of a chunk."""
    return config(memory=CHUNKS_PER_BUDGET * rows * n_features * 8)


@pytest.mark.parametrize("partition_rows", [100, 360, (7, 93, 60, 200), (30,) * 12])
@pytest.mark.parametrize("chunk_rows", [7, 10, 64])
@pytest.mark.parametrize(
    "reduction", [Covariance(), Columns(), ClassCovariance()], ids=lambda r: type(r).__name__
)
def test_partitions_of_several_chunks_give_the_bits_of_every_other_engine(
    cluster, blobs, reduction, chunk_rows, partition_rows
):
    da = pytest.importorskip("dask.array")
    spread = da.from_array(blobs, chunks=(partition_rows, 5))
    labels = np.arange(360) % 3
    with in_small_chunks(chunk_rows):  # of this process: workers keep their own budget
        source = open_source(spread, labels)
        bounds = [(chunk.offset, len(chunk.X)) for chunk in source.chunks()]
        assert max(rows for _, rows in bounds) <= chunk_rows
        there = DaskEngine().reduce(reduction, source)
        offsets = list(DaskEngine().map(_first_row, source))
        for engine in (MemoryEngine(n_jobs=2), StreamEngine(n_jobs=2)):
            here = engine.reduce(reduction, InPieces(blobs, labels, bounds))
            for mine, theirs in zip(there, here, strict=True):
                np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))
    assert offsets == [(start, blobs[start, 0]) for start, _ in bounds]


class InPieces:
    """Rows of an array in chunks of given bounds."""

    n_rows, n_features, repeatable, home, named = 360, 5, True, "memory", False

    def __init__(self, X, y, bounds):
        self._X, self._y, self._bounds = X, y, bounds

    def chunks(self):
        for start, rows in self._bounds:
            yield Chunk(self._X, self._y).part(slice(start, start + rows))


def test_a_partition_that_changes_its_length_is_an_error(cluster, blobs):
    class Longer:
        n_rows, n_features, dtype, repeatable = 20, 5, np.dtype(float), True

        def partitions(self):
            from dask.delayed import delayed

            return [(20, 2, delayed(open_source)(blobs[:30]))]

    with pytest.raises(EngineError, match="promised 2"):
        DaskEngine().reduce(Columns(), Longer())


def test_map_gives_the_chunks_in_the_order_of_the_rows(engine, blobs):
    source = InChunks(open_source(blobs), 50)
    runner = engine_for(source, engine)
    offsets = list(runner.map(_first_row, source))
    assert offsets == [(start, blobs[start, 0]) for start in range(0, 360, 50)]


def _first_row(chunk):
    return chunk.offset, chunk.X[0, 0]


def test_an_error_in_a_chunk_reaches_the_caller(engine, blobs):
    runner = engine_for(open_source(blobs), engine)
    with pytest.raises(ZeroDivisionError):
        list(runner.map(_fail, InChunks(open_source(blobs), 50)))


def _fail(chunk):
    return 1 // 0


@pytest.mark.parametrize(
    ("data", "name"),
    [(np.ones((2, 2)), "memory"), (lambda: iter([np.ones((2, 2))]), "stream")],
    ids=["array", "generator"],
)
def test_the_engine_follows_from_where_the_rows_lie_and_is_recorded(data, name):
    decisions = Decisions()
    assert engine_for(open_source(data), decisions=decisions).name == name
    assert decisions.about("engine")[0].choice == name


def test_an_unknown_engine_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ParameterError, match=r"'spark' is not known. Choose one of 'auto'"):
        engine_for(open_source([[1.0]]), "spark")


def test_progress_counts_the_rows(engine, blobs):
    seen = []
    source = InChunks(open_source(blobs), 100)
    with listening(lambda label, done, total: seen.append((label, done, total))):
        list(engine_for(source, engine).map(_first_row, source))
    assert seen == [("rows", done, 360) for done in (100, 200, 300, 360)]


def test_a_stream_reads_no_further_than_a_chunk_a_thread():
    read, done, most = 0, 0, 0

    class Rows:
        n_rows, n_features = 400, 2

        def chunks(self):
            nonlocal read, most
            for start in range(0, 400, 10):
                read += 1
                most = max(most, read - done)
                yield Chunk(np.ones((10, 2)), offset=start)

    for _ in StreamEngine(n_jobs=2).map(_first_row, Rows()):
        done += 1
    assert (read, done) == (40, 40)
    assert most <= 3  # two at work, and the one just read


class Counted:
    """A function with much data, which counts how often this process sends it."""

    sent = 0

    def __init__(self, data):
        self.data = data

    def __reduce__(self):
        Counted.sent += 1
        return Counted, (self.data,)

    def __call__(self, chunk):
        return len(chunk.X) + len(self.data)


def test_what_all_tasks_need_is_sent_once_where_it_is_large(cluster, blobs):
    da = pytest.importorskip("dask.array")
    source = open_source(da.from_array(blobs, chunks=(20, 5)))
    work = Counted(bytes(MIN_SCATTERED_BYTES))
    Counted.sent = 0
    assert sum(DaskEngine().map(work, source)) == 360 + 18 * MIN_SCATTERED_BYTES
    assert Counted.sent == 1


def test_a_model_predicts_inside_of_tasks_that_take_every_thread_of_the_cluster(cluster, blobs):
    model = KMeans(3, random_state=0, engine="dask").fit(blobs)
    search = NearestNeighbors(2, engine="dask").fit(blobs)
    tasks = [
        cluster.submit(_predicted, model, search, blobs[j : j + 40]) for j in range(0, 160, 40)
    ]
    labels, rows = zip(*(task.result(timeout=60) for task in tasks), strict=True)
    np.testing.assert_array_equal(np.concatenate(labels), model.labels_[:160])
    np.testing.assert_array_equal(np.concatenate(rows)[:, 0], np.arange(160))


def _predicted(model, search, X):
    return model.predict(X), search.kneighbors(X, return_distance=False)


def test_a_model_is_fitted_on_a_dask_array_inside_of_a_task(cluster, blobs):
    da = pytest.importorskip("dask.array")
    spread = da.from_array(blobs, chunks=(100, 5))
    expected = PCA(2, engine="dask").fit(spread).components_
    tasks = [cluster.submit(_components, spread, pure=False) for _ in range(3)]
    for task in tasks:
        np.testing.assert_array_equal(task.result(timeout=60), expected)


def _components(spread):
    return PCA(2, engine="dask").fit(spread).components_


def test_a_scheduler_that_is_gone_is_one_clear_error(cluster, blobs):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster.scheduler.address, set_as_default=False) as client:
        np.testing.assert_array_equal(scattered(client, blobs).result(), blobs)
    with pytest.raises(EngineError, match="no longer answers"):
        scattered(client, blobs)
