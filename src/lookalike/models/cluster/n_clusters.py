"""The number of clusters: silhouette, gap statistic and BIC of every candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lookalike.data.source import open_features
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.kmeans import KMeans
from lookalike.progress import progress
from lookalike.reductions.sample import RandomSample
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_int, check_random_state, shown, typed

CLUSTER_CRITERIA = ("silhouette", "gap", "bic")
MAX_SILHOUETTE_ROWS = 2000  # rows whose distances to each other give the silhouette


@dataclass(frozen=True)
class ClusterChoice:
    """The criteria for every number of clusters, and the number that each of them chooses."""

    n_clusters: AnyArray  # (m,) the numbers tried, rising
    inertia: Array
    silhouette: Array  # mean over sampled rows, NaN for one center
    gap: Array
    gap_error: Array  # its standard error
    bic: Array
    chosen: dict[str, int] = field(default_factory=dict)
    decisions: Decisions = field(default_factory=Decisions)

    def __str__(self) -> str:
        return ", ".join(f"{name} {k}" for name, k in self.chosen.items())


@typed
def choose_clusters(
    X: object,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    sample: int = 10_000,
    draws: int = 10,
    random_state: object = None,
    n_jobs: int | None = None,
) -> ClusterChoice:
    r"""Fit k-means for every number of clusters, and choose by three criteria.

    ==============  ==========================================================================
    ``silhouette``  largest mean of :math:`(b - a) / \max(a, b)` [Rousseeuw87], a and b being the
                    mean distances of a row to those of its own and of the next cluster
    ``gap``         first k whose :math:`g_k = \mathrm E \log W^*_k - \log W_k`, which compares
                    the inertia with that of uniform rows in the same box, is within one standard
                    error of the largest [Tibshirani01]
    ``bic``         least :math:`-2 \log L + p \log n` of spherical normal clusters of one
                    variance [Pelleg00]
    ==============  ==========================================================================

    Parameters
    ----------
    X : table
        Anything that :func:`lookalike.data.open_source` takes.
    n_clusters : iterable of int, default=range(1, 11)
        Numbers of clusters to try.
    sample : int, default=10_000
        Most rows that are used, drawn at random; the silhouette compares 2000 of them.
    draws : int, default=10
        Tables of uniform rows for the gap.
    random_state : int, RandomState or None
        Random seed. None means 0.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ClusterChoice
        Curves, the numbers chosen, and `decisions`;
        :func:`lookalike.report.plots.kmeans.plot_n_clusters` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2)) + 20 * (np.arange(300) % 3)[:, None]
    >>> choose_clusters(X, range(1, 6)).chosen
    {'silhouette': 3, 'gap': 3, 'bic': 3}
    """
    if isinstance(n_clusters, (str, bytes)) or not np.iterable(n_clusters):
        raise ParameterTypeError(
            f"n_clusters={shown(n_clusters)} is not a list of whole numbers. Give those to try."
        )
    numbers = sorted({check_int("n_clusters", k, least=1) for k in n_clusters})
    check_int("sample", sample, least=2)
    check_int("draws", draws, least=2)
    rng = check_random_state(0 if random_state is None else random_state)
    rows, decisions = _rows(X, sample, int(rng.randint(2**31 - 1)), n_jobs)
    if not numbers or numbers[-1] >= len(rows):
        raise ParameterError(
            f"n_clusters={numbers} cannot all be tried on {len(rows)} rows. "
            "Give numbers from 1 to one less than the rows."
        )
    seed = int(rng.randint(2**31 - 1))
    low, high = rows.min(axis=0), rows.max(axis=0)
    tables = [rng.uniform(low, high, size=rows.shape) for _ in range(draws)]
    with progress("numbers of clusters", len(numbers)) as advance:
        results = []
        for k in numbers:
            results.append(_criteria(rows, tables, KMeans(k, random_state=seed, n_jobs=n_jobs)))
            advance(1)
    inertia, silhouette, gap, error, bic = np.array(results).T
    choice = ClusterChoice(
        np.array(numbers), inertia, silhouette, gap, error, bic, decisions=decisions
    )
    choice.chosen.update(_choose(choice))
    return choice


def _rows(X: object, size: int, seed: int, n_jobs: int | None) -> tuple[Array, Decisions]:
    decisions = Decisions()
    source = open_features(X)
    engine = engine_for(source, n_jobs=n_jobs, decisions=decisions)
    draw = engine.reduce(Checked(RandomSample(size, seed=seed), source.columns), source)
    rows = np.asarray(as_dense(draw.X), np.float64)
    if source.n_rows is None or source.n_rows > size:
        decisions.add("sample", f"{len(rows)} rows", "curves of a sample are close to those of all")
    return rows, decisions


def _criteria(rows: Array, tables: list[Array], model: KMeans) -> tuple[float, ...]:
    """Return inertia, silhouette, gap, its error, and BIC of one number of clusters."""
    random = np.log([max(model.fit(table).inertia_, 1e-300) for table in tables])
    model.fit(rows)
    gap_statistic = float(random.mean() - np.log(max(model.inertia_, 1e-300)))
    error = float(random.std() * np.sqrt(1 + 1 / len(tables)))
    compared = rows[:MAX_SILHOUETTE_ROWS], model.labels_[:MAX_SILHOUETTE_ROWS]
    return (
        model.inertia_,
        mean_silhouette(*compared),
        gap_statistic,
        error,
        spherical_bic(rows, model),
    )


def mean_silhouette(rows: Array, labels: AnyArray) -> float:
    """Return the mean silhouette of rows compared with each other; NaN for one cluster."""
    names, label = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        return float("nan")
    member = label[:, None] == np.arange(len(names))
    size = member.sum(axis=0)
    total = np.sqrt(squared_distances(rows, rows)) @ member  # to the rows of each cluster
    cluster_size = size[label]
    within = total[np.arange(len(rows)), label] / np.maximum(cluster_size - 1, 1)
    other = np.where(member, np.inf, total / size).min(axis=1)
    most = np.maximum(within, other)
    value = np.divide(
        other - within, most, out=np.zeros_like(most), where=(most > 0) & (cluster_size > 1)
    )
    return float(value.mean())


def spherical_bic(rows: Array, model: KMeans) -> float:
    """Return BIC of normal clusters of one variance in all directions [Pelleg00]."""
    n, d = rows.shape
    k = len(model.cluster_centers_)
    size = np.bincount(model.labels_, minlength=k)
    size = size[size > 0]
    variance = max(model.inertia_ / (d * max(n - k, 1)), 1e-300)
    likelihood = float((size * np.log(size / n)).sum())
    likelihood -= 0.5 * n * d * np.log(2 * np.pi * variance) + 0.5 * d * (n - k)
    return float(-2 * likelihood + (k * (d + 1)) * np.log(n))


def _choose(choice: ClusterChoice) -> dict[str, int]:
    numbers = choice.n_clusters
    chosen: dict[str, int] = {}
    if not np.isnan(choice.silhouette).all():
        chosen["silhouette"] = int(numbers[np.nanargmax(choice.silhouette)])
    most = int(np.argmax(choice.gap))
    chosen["gap"] = int(numbers[np.argmax(choice.gap >= choice.gap[most] - choice.gap_error[most])])
    chosen["bic"] = int(numbers[np.argmin(choice.bic)])
    return chosen
