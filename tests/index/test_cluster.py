"""Indexes that live on the workers of a real cluster of two processes."""

import os
import signal
import time
import warnings

import numpy as np
import pytest

from lookalike import NearestNeighbors
from lookalike.errors import ColumnError, EngineError, ParameterError, ShapeError
from lookalike.index.cluster import ClusterIndex
from lookalike.index.partition import Balls

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
CENTERS = RNG.normal(size=(6, 12)) * 30
ROWS = (CENTERS[np.sort(RNG.integers(0, 6, 900))] + RNG.normal(size=(900, 12))).astype(np.float32)
QUERIES = ROWS[::30] + np.float32(0.25)


def assert_same(mine, theirs):
    for found, expected in zip(mine, theirs, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module")
def fitted(cluster):
    return NearestNeighbors(5).fit(da.from_array(ROWS, chunks=(150, 12)))


@pytest.fixture(scope="module")
def reference():
    return NearestNeighbors(5).fit(ROWS)


def test_queries_go_to_the_partitions_that_may_hold_neighbors_and_find_the_same(fitted, reference):
    index = fitted.space_.index
    assert isinstance(index, ClusterIndex)
    before = index.searched, index.skipped
    assert_same(fitted.kneighbors(QUERIES), reference.kneighbors(QUERIES))
    searched, skipped = index.searched - before[0], index.skipped - before[1]
    assert searched + skipped == 6 * len(QUERIES)
    assert skipped > searched  # partitions are clusters, far from each other


def test_dask_queries_give_dask_arrays_that_wait(fitted, reference):
    queries = da.from_array(QUERIES, chunks=(17, 12))
    distance, row = fitted.kneighbors(queries)
    assert distance.chunks == row.chunks == ((17, 13), (5,))
    assert_same(dask.compute(distance, row), reference.kneighbors(QUERIES))


def test_all_rows_find_their_neighbors_and_none_is_gathered(fitted, reference, monkeypatch):
    monkeypatch.setattr(fitted.space_.index, "source", None)  # from which they would be read
    distance, row = fitted.kneighbors()
    assert isinstance(row, da.Array)
    assert_same(dask.compute(distance, row), reference.kneighbors())


def test_a_subset_is_searched_by_the_indexes_on_the_workers(fitted, reference, monkeypatch):
    monkeypatch.setattr(fitted.space_.index, "source", None)  # from which chunks would be read
    mask = np.random.default_rng(1).random(900) < 0.2
    mask[150:450] = False  # two partitions have no row that is allowed
    before = fitted.space_.index.skipped
    assert_same(fitted.kneighbors(QUERIES, where=mask), reference.kneighbors(QUERIES, where=mask))
    assert fitted.space_.index.skipped > before
    few = np.array([3, 5, 160, 161, 899])  # fewer in every partition than are asked for
    found = fitted.kneighbors(QUERIES, 5, where=few)
    assert_same(found, reference.kneighbors(QUERIES, 5, where=few))
    with pytest.raises(ParameterError, match="where= leaves 5"):
        fitted.kneighbors(QUERIES, 6, where=few)
    queries = da.from_array(QUERIES, chunks=(17, 12))
    lazy = fitted.kneighbors(queries, where=mask)
    assert isinstance(lazy[1], da.Array)
    assert_same(dask.compute(*lazy), reference.kneighbors(QUERIES, where=mask))
    assert_same(dask.compute(*fitted.kneighbors(where=mask)), reference.kneighbors(where=mask))


def test_a_condition_on_columns_limits_a_search_of_partitions(cluster):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(ROWS[:, :4], columns=list("abcd"))
    for metric in ("euclidean", "manhattan"):
        mine = NearestNeighbors(3, metric=metric).fit(dd.from_pandas(frame, npartitions=3))
        theirs = NearestNeighbors(3, metric=metric).fit(frame)
        queries, where = frame[:20], "a > 0 and d < 5"
        found = mine.kneighbors(queries, where=where)
        assert_same(found, theirs.kneighbors(queries, where=where))


def test_an_array_is_sent_to_the_workers_and_arrays_come_back(cluster, reference):
    model = NearestNeighbors(5, engine="dask").fit(ROWS)
    found = model.kneighbors()
    assert isinstance(found[1], np.ndarray)
    assert_same(found, reference.kneighbors())


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
def test_other_metrics_give_what_memory_gives(cluster, metric):
    rows = da.from_array(ROWS, chunks=(350, 12))
    mine = NearestNeighbors(4, metric=metric).fit(rows)
    assert_same(mine.kneighbors(), NearestNeighbors(4, metric=metric).fit(ROWS).kneighbors())


def test_ties_across_partitions_and_empty_partitions_go_by_row_number(cluster):
    rows = np.ones((40, 3))
    parts = [da.from_array(rows[:15]), da.empty((0, 3)), da.from_array(rows[15:])]
    _, row = NearestNeighbors(3).fit(da.concatenate(parts)).kneighbors(rows[:1])
    assert row.tolist() == [[0, 1, 2]]


def test_distances_whose_squares_vanish_are_told_apart_across_partitions(cluster):
    rows = np.zeros((12, 2))
    rows[:, 0] = np.arange(12)[::-1] * 1e-170
    rows[11, 1] = 3.0
    mine = NearestNeighbors(3).fit(da.from_array(rows, chunks=(4, 2)))
    assert_same(
        mine.kneighbors(np.zeros((1, 2))), NearestNeighbors(3).fit(rows).kneighbors([[0, 0]])
    )


def parts_of(*blocks, width):
    from dask.delayed import delayed

    wrong = [da.from_delayed(delayed(np.asarray)(b), (len(b), width), float) for b in blocks]
    return da.concatenate(wrong)


def test_a_partition_of_another_width_or_type_is_named(cluster):
    wide = parts_of(ROWS[:50].astype(float), np.ones((9, 5)), width=12)
    with pytest.raises(ShapeError, match="partition from row 50 on has 5 columns, the first has"):
        NearestNeighbors().fit(wide)
    frame = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    from dask.delayed import delayed

    first = pandas.DataFrame(ROWS[:9, :2].astype(float), columns=["a", "b"])
    words = first.astype(str) + " m or so"
    for other, sentence in ((first[["b", "a"]], "column 'b' where"), (words, "types")):
        parts = [delayed(first), delayed(other)]
        table = frame.from_delayed(parts, meta=first, verify_meta=False)
        with pytest.raises(ColumnError, match=sentence):
            NearestNeighbors().fit(table)


def test_queries_wider_than_the_rows_are_refused(fitted):
    with pytest.raises(ShapeError, match="14 features"):
        fitted.kneighbors(np.ones((1, 14)))


def test_balls_hold_their_rows_and_bounds_are_never_above_a_distance():
    for rows in (ROWS, ROWS + np.float32(1e4), np.ones((30, 4)), ROWS[:1]):
        balls = Balls(rows)
        queries = rows[::7].astype(float) + RNG.normal(size=rows[::7].shape)
        gaps = np.sqrt(((queries[:, None] - rows[None].astype(float)) ** 2).sum(axis=2))
        assert (balls.nearest(queries) <= gaps.min(axis=1)).all()
    assert (Balls(ROWS).nearest(ROWS + np.float32(500)) > 1000).all()


@pytest.fixture(scope="module")
def short_lived():
    """A cluster whose workers may be killed, and which may be restarted."""
    with (
        warnings.catch_warnings(action="ignore"),
        dask.config.set(
            {
                "distributed.comm.timeouts.connect": "2s",  # not 30 s for the dead
                # So long after a worker was lost its place is given up, be it on its way back.
                "distributed.deploy.lost-worker-timeout": "10 minutes",
            }
        ),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore")  # of the cluster, which loses workers
def test_a_killed_worker_is_made_good_and_a_restart_is_one_error(
    short_lived, reference, time_limit
):
    with short_lived.as_current():
        rows = da.from_array(ROWS, chunks=(150, 12))
        for model in (NearestNeighbors(5).fit(rows), NearestNeighbors(5, engine="dask").fit(ROWS)):
            worker, process = next(iter(short_lived.run(os.getpid).items()))
            os.kill(process, signal.SIGKILL)
            assert_same(model.kneighbors(QUERIES), reference.kneighbors(QUERIES))
            while worker in short_lived.scheduler_info()["workers"]:  # the limit ends the wait
                time.sleep(0.05)
            short_lived.wait_for_workers(2, timeout=60)  # the one lost is replaced
        model = NearestNeighbors(5).fit(rows)
        short_lived.restart(timeout=120)
        with pytest.raises(EngineError, match=r"restarted: it is lost.*fit again"):
            model.kneighbors(QUERIES)
        model = NearestNeighbors(5).fit(rows)
        short_lived.cluster.close()
        with pytest.raises(EngineError, match="its scheduler no longer answers: it is lost"):
            model.kneighbors(QUERIES)
