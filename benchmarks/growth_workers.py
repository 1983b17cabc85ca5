"""The work that `bench_growth` measures on one and two workers: search, k-means, PCA, a study."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from lookalike import (
    PCA,
    KMeans,
    LinearDiscriminantAnalysis,
    NearestNeighbors,
    TablePreprocessor,
    config,
)
from lookalike.studies.scale_plan import sample_rows

PARTS, COLUMNS, FILES, K = 8, 32, 8, 10
MEMORY = "8MB"  # so that a study samples


def write_rows(folder: Path, n_rows: int) -> Path:
    """Write rows of two classes to a folder of Parquet files, and return it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    X = sample_rows(n_rows, COLUMNS)
    label = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    for number, rows in enumerate(np.array_split(np.arange(n_rows), FILES)):
        columns: dict[str, Any] = {f"c{j}": X[rows, j] for j in range(COLUMNS)}
        pq.write_table(pa.table({**columns, "y": label[rows]}), folder / f"{number}.parquet")
    return folder


class StudyPasses:
    """The passes of a study over all rows of a folder: survey, discriminant analysis, held-out.

    Models are not compared: their time does not grow with the rows.
    """

    def __init__(self, folder: Path, engine: str) -> None:
        from lookalike.studies.context import StudyOptions, load_context
        from lookalike.studies.select.budget import Budget

        options = StudyOptions(str(folder), target="y", engine=engine)
        with config(memory=MEMORY):
            self.context = load_context(options, Budget(None))
        assert self.context.sampled
        self.source = self.context.source
        train = self.context.dataset
        prepare = TablePreprocessor(dict(self.context.features)).fit(train.source())
        from sklearn.pipeline import make_pipeline

        model = make_pipeline(prepare, LinearDiscriminantAnalysis())
        fitted = model.fit(train.source(), train.y)
        self.result: Any = SimpleNamespace(selection=SimpleNamespace(model=fitted))

    def __call__(self) -> None:
        from lookalike.studies.all_rows.held_out import evaluate_all_rows
        from lookalike.studies.all_rows.survey import survey_all_rows

        survey_all_rows(self.context, self.source)
        evaluate_all_rows(self.context, self.source, self.result)


def work_on(processes: int, n_rows: int, folder: Path, rounds: int = 2) -> dict[str, float]:
    """Return the least seconds of each kind of work on a cluster of so many processes."""
    import dask.array as da
    from dask.delayed import delayed
    from distributed import Client, LocalCluster

    with (
        warnings.catch_warnings(),
        LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        warnings.simplefilter("ignore")
        size = n_rows // PARTS
        parts = [
            da.from_delayed(delayed(sample_rows)(size, COLUMNS, j), (size, COLUMNS), np.float32)
            for j in range(PARTS)
        ]
        X = client.persist(da.concatenate(parts))
        queries = sample_rows(2_000, COLUMNS, 99)
        centers = queries[:20].astype(np.float64)
        search = NearestNeighbors(K).fit(X)
        work: dict[str, Callable[[], Any]] = {
            "search, 2,000 queries": lambda: search.kneighbors(queries),
            "k-means, 5 rounds": lambda: KMeans(20, init=centers, max_iter=5, tol=0).fit(X),
            "PCA": lambda: PCA(10).fit(X),
            "study, passes over all rows": StudyPasses(folder, "dask"),
        }
        times = {}
        for title, run in work.items():
            run()  # the workers have imported everything
            taken = []
            for _ in range(rounds):
                start = time.perf_counter()
                run()
                taken.append(time.perf_counter() - start)
            times[title] = min(taken)
        return times
