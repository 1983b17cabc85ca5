"""The analyses of a study besides model selection; one that does not fit the time is skipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lookalike.data.sources.kept_rows import read_only
from lookalike.errors import LookalikeError
from lookalike.explain.self_search import SelfSearch, self_search
from lookalike.models.neighbors.metric_options import metric_of
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.neighbors.search_plan import search_plan
from lookalike.studies.analysis_results import AuditSummary
from lookalike.studies.analyze.analysis_seconds import analysis_seconds
from lookalike.studies.analyze.bounds import (
    FORECAST_SIZES,
    MANY_ROWS_FOR_CURVE,
    bayes_error,
    neighbor_curve,
    neighbors_needed,
)
from lookalike.studies.analyze.class_probabilities import WINNER_TITLE, class_probabilities
from lookalike.studies.analyze.clusters import cluster_rows
from lookalike.studies.analyze.data_audit import AUDIT_NEIGHBORS, audit_rows
from lookalike.studies.analyze.model_analyses import (
    add_curves,
    add_dependence,
    add_importance,
    add_intervals,
    add_profiles,
    add_slices,
)
from lookalike.studies.analyze.prototypes import select_prototypes
from lookalike.studies.analyze.structure import (
    estimate_dimension,
    map_neighbors,
    project_rows,
    spectrum_of,
)
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import StudyAnalyses
from lookalike.studies.select.budget import TimeOver
from lookalike.studies.select.preparation import PreparationRequest, choose_preparation
from lookalike.studies.select.prepared_rows import PreparedRows, few_threads
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.typing import AnyArray, Array

MOST_VOTERS = 5  # of the learning curve: larger K need longer lists of neighbors
FEW_VOTERS = 3  # where rows are many
FEWEST_ROWS = 1000  # whose neighbors are always searched for
ANALYSES_SHARE = 0.9  # of the time, after which none begins: the rest is for writing the report
MOST_SECONDS = 600.0  # that the search of neighbors of all rows may take


AUDITED_NEIGHBORS = ("nearest", "knn", "knn_weighted", "tfidf_knn")  # the audit has its own


class _AnalyzedRows:
    """Features of all rows, by preprocessors that were fitted on the training rows.

    With them what analyses of the same rows share: as many as the time allows with their
    neighbors, and class probabilities by models that did not see them.
    """

    def __init__(self, context: StudyContext, prepared: PreparedRows) -> None:
        self.prepared = prepared
        distance, linear = prepared.preparation.analyzed
        preprocessor = prepared.preprocessor(distance)
        self.distance = read_only(np.asarray(preprocessor.transform(context.dataset.source())))
        self.linear = self.distance
        if prepared.preprocessor(linear) is not preprocessor:
            other = prepared.preprocessor(linear)
            self.linear = read_only(np.asarray(other.transform(context.dataset.source())))
        self.test: AnyArray | None = None
        if context.test is not None:
            self.test = np.asarray(preprocessor.transform(context.test.source()))
        self.search = metric_of(prepared.search(distance))
        self.searched: tuple[SelfSearch, Dataset] | None = None
        self.held_out: AnyArray | None = None  # which of the searched rows, of the same data
        self.probabilities: Mapping[str, Array] = {}  # by the name of the model
        for decision in preprocessor.decisions_:
            context.decisions.add(*decision)


def run_analyses(
    context: StudyContext, result: HeldOutResult | None, split: Split | None
) -> tuple[StudyAnalyses, PreparedRows, int]:
    """Return the analyses, how rows became features, and how many of these describe a row.

    An analysis that does not fit the time is skipped, with a decision.
    """
    analyses, rows = _prepare(context, result)
    parts: dict[str, Callable[[], None]] = {
        "column profiles": lambda: add_profiles(analyses, context),
        "held-out curves": lambda: add_curves(analyses, context, result),
        "structure": lambda: _structure(analyses, context, rows),
        **_audit_parts(analyses, context, rows, result, split),
        "learning curve": lambda: _limits(analyses, context, rows),
        "estimated Bayes error": lambda: _bayes_error(analyses, context, rows, result),
        "feature importance": lambda: add_importance(analyses, context, result, split),
        "prediction intervals": lambda: add_intervals(analyses, context, result, split),
        "slices": lambda: add_slices(analyses, context, result, split),
        "partial dependence": lambda: add_dependence(analyses, context, result, split),
        "prototype selection": lambda: _prototypes(analyses, context, rows, split),
        "neighbor map": lambda: _neighbor_map(analyses, context, rows),
    }
    _run(parts, context, rows.linear.shape)
    return analyses, rows.prepared, rows.linear.shape[1]


def run_audit(
    context: StudyContext, result: HeldOutResult | None, split: Split | None, k: int
) -> AuditSummary | None:
    """Return the data audit alone, by `k` neighbors of each row, as that of `run_analyses`."""
    analyses, rows = _prepare(context, result)
    parts = _audit_parts(analyses, context, rows, result, split)
    parts["data audit"] = lambda: _audit(analyses, context, rows, k)
    _run(parts, context, rows.linear.shape)
    return analyses.audit


def _prepare(
    context: StudyContext, result: HeldOutResult | None
) -> tuple[StudyAnalyses, _AnalyzedRows]:
    """Return the analyses to fill, and the features of all rows."""
    with context.budget.stage("preparing features"):
        if result is None:
            request = PreparationRequest(
                context.features, context.task, context.options.metric, context.options.seed
            )
            preparation = choose_preparation(context.dataset, request, context.decisions)
            prepared = PreparedRows(context.dataset, preparation)
        else:
            prepared = result.selection.prepared
        rows = _AnalyzedRows(context, prepared)
    analyses = StudyAnalyses(columns=context.columns, target=context.target.summary())
    if result is not None:
        analyses.k_selection = result.selection.k_selection
    return analyses, rows


def _audit_parts(
    analyses: StudyAnalyses,
    context: StudyContext,
    rows: _AnalyzedRows,
    result: HeldOutResult | None,
    split: Split | None,
) -> dict[str, Callable[[], None]]:
    return {
        "neighbor search": lambda: _search(analyses, context, rows, split),
        "class probabilities": lambda: _probabilities(analyses, context, rows, result),
        "data audit": lambda: _audit(analyses, context, rows),
    }


def _run(
    parts: Mapping[str, Callable[[], None]], context: StudyContext, shape: tuple[int, ...]
) -> None:
    budget = context.budget
    deadline = budget.deadline(ANALYSES_SHARE)
    for name, part in parts.items():
        refused = deadline.refuses(budget.pace * analysis_seconds(name, *shape))
        if refused and deadline.left > 0:
            context.decisions.add(name, "skipped", refused)
            continue
        try:
            with budget.stage(name):
                deadline.check()
                part()
        except TimeOver:
            context.decisions.add(name, "skipped", "the time budget was spent")
        except (LookalikeError, ValueError) as error:
            context.decisions.add(name, "skipped", str(error))


def _structure(analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows) -> None:
    seed = context.options.seed
    if context.task is None:
        analyses.clustering = cluster_rows(rows.linear, context.dataset, seed, context.decisions)
    analyses.spectrum, pca = spectrum_of(rows.linear, seed, context.options.engine)
    analyses.intrinsic_dimension = estimate_dimension(rows.linear, seed, context.decisions)
    labels, values = _colors(analyses, context)
    analyses.projections = project_rows(
        rows.linear, pca, context.dataset.row, labels=labels, values=values, seed=seed
    )


def _neighbor_map(analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows) -> None:
    if rows.distance.shape[1] < 3:  # principal components show two columns as they are
        return
    labels, values = _colors(analyses, context)
    search = NearestNeighbors(**rows.search)
    drawn = map_neighbors(
        rows.distance,
        search,
        context.dataset.row,
        labels=labels,
        values=values,
        seed=context.options.seed,
        n_steps=context.options.effort.map_steps,
    )
    analyses.projections = (drawn, *analyses.projections)


def _colors(
    analyses: StudyAnalyses, context: StudyContext
) -> tuple[AnyArray | None, AnyArray | None]:
    """Return the class or cluster of every row, or else its target as a number."""
    if context.task is CLASSIFICATION_TASK:
        return context.dataset.y, None
    if analyses.clustering is None:
        return None, context.dataset.y
    width = len(str(len(analyses.clustering.clusters)))
    names = [f"cluster {n + 1:0{width}d}" for n in analyses.clustering.labels]
    return np.array(names), None


def _search(
    analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows, split: Split | None
) -> None:
    """Find the neighbors of every row, or of as many rows as the time allows."""
    n_rows = rows.distance.shape[0]
    some = np.arange(n_rows)
    held_out = np.zeros(n_rows, bool)
    if context.test is None and split is not None and split.is_test:
        held_out[split.parts[0][1]] = True
    most = _affordable_rows(rows, min(MOST_SECONDS, context.budget.deadline().left / 2))
    if n_rows > most:
        some = np.sort(np.random.default_rng(context.options.seed).permutation(n_rows)[:most])
        reason = "all rows would exceed the time budget"
        context.decisions.add("neighbor search", f"{most:,} of {n_rows:,} rows", reason)
    width = min(AUDIT_NEIGHBORS, len(some) - 1)
    if context.task is not None:
        width = max(width, neighbors_needed(len(some), _voters(analyses, len(some))))
    near, dataset = rows.distance, context.dataset
    if len(some) < n_rows:
        near, dataset = near[some], dataset.take(some)
    model = NearestNeighbors(**rows.search) if rows.search else None
    rows.searched = self_search(near, width, search=model), dataset
    rows.held_out = held_out[some] if held_out.any() else None


def _affordable_rows(rows: _AnalyzedRows, seconds: float) -> int:
    """Return how many rows can be searched for each other in the time, by a measured sample."""
    n_rows = len(rows.distance)
    if n_rows <= FEWEST_ROWS:
        return n_rows
    plan = search_plan(rows.distance, min(AUDIT_NEIGHBORS, n_rows), **rows.search)
    share = seconds / max(plan.build_seconds + plan.query_seconds, 1e-9)
    return min(n_rows, max(int(n_rows * share**0.5), FEWEST_ROWS))


def _voters(analyses: StudyAnalyses, n_rows: int) -> int:
    """Return K of the learning curve: the best one, as far as lists of neighbors allow."""
    best = 1 if analyses.k_selection is None else analyses.k_selection.best("loo", "uniform")
    return min(best, MOST_VOTERS if n_rows <= MANY_ROWS_FOR_CURVE else FEW_VOTERS)


def _probabilities(
    analyses: StudyAnalyses,
    context: StudyContext,
    rows: _AnalyzedRows,
    result: HeldOutResult | None,
) -> None:
    """Find class probabilities by a winner and a forest that did not see the row's label."""
    if rows.searched is None or result is None or context.task is not CLASSIFICATION_TASK:
        return
    (_, dataset), linear = rows.searched, rows.linear
    if len(linear) > len(dataset):
        linear = linear[np.searchsorted(context.dataset.row, dataset.row)]
    with few_threads(dataset):
        rows.probabilities = class_probabilities(
            None if result.selection.winner in AUDITED_NEIGHBORS else result.probabilities,
            dataset,
            linear,
            deadline=context.budget.deadline(),
            seed=context.options.seed,
            decisions=context.decisions,
        )
    if WINNER_TITLE in rows.probabilities:
        analyses.out_of_fold = dataset.row, rows.probabilities[WINNER_TITLE]


def _audit(
    analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows, k: int = AUDIT_NEIGHBORS
) -> None:
    if rows.searched is None:
        return
    neighbors, dataset = rows.searched
    analyses.audit = audit_rows(
        neighbors,
        dataset,
        context.target.task,
        held_out=rows.held_out,
        features=context.features,
        groups=dataset.groups if context.options.groups is not None else None,
        test=None if context.test is None else (rows.test, context.test),
        probabilities=[*rows.probabilities.values()],
        k=k,
    )


def _limits(analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows) -> None:
    task = context.task
    if rows.searched is None or task is None:
        return
    neighbors, dataset = rows.searched
    if len(np.unique(np.asarray(dataset.y))) < 2:
        return
    if context.time is not None or context.options.groups is not None:
        near = "rows near in time" if context.time is not None else "rows of the same group"
        reason = f"leave-one-out neighbors would include {near}, unlike those of held-out rows"
        context.decisions.add("learning curve", "skipped", reason)
        return
    if context.identical is not None:
        neighbors, dataset = _distinct_rows(context, rows, dataset)
    voters = _voters(analyses, neighbors.n_rows)
    curve = neighbor_curve(neighbors, dataset.y, voters, task, context.options.seed)
    if curve is not None:
        analyses.learning_curve = curve
        analyses.forecast = curve.forecast([times * neighbors.n_rows for times in FORECAST_SIZES])


def _distinct_rows(
    context: StudyContext, rows: _AnalyzedRows, dataset: Dataset
) -> tuple[SelfSearch, Dataset]:
    """Return the neighbors of the first of identical rows each, as copies are not other rows."""
    places = np.searchsorted(context.dataset.row, dataset.row)
    first = np.sort(np.unique(np.asarray(context.identical)[places], return_index=True)[1])
    context.decisions.add(
        "learning curve", f"{len(first):,} of {len(places):,} rows", "the others repeat them"
    )
    model = NearestNeighbors(**rows.search) if rows.search else None
    width = min(rows.searched[0].row.shape[1], len(first) - 1) if rows.searched else 1
    return self_search(rows.distance[places[first]], width, search=model), dataset.take(first)


def _bayes_error(
    analyses: StudyAnalyses,
    context: StudyContext,
    rows: _AnalyzedRows,
    result: HeldOutResult | None,
) -> None:
    if result is None or context.task is not CLASSIFICATION_TASK or context.time is not None:
        return
    seed, decisions = context.options.seed, context.decisions
    with few_threads(context.dataset):
        analyses.bayes_error = bayes_error(rows.linear, context.dataset, result, seed, decisions)


def _prototypes(
    analyses: StudyAnalyses, context: StudyContext, rows: _AnalyzedRows, split: Split | None
) -> None:
    y = context.dataset.y
    if (
        split is None
        or context.task is not CLASSIFICATION_TASK
        or y is None
        or len(np.unique(y)) < 2
    ):
        return
    train, held_out = split.parts[0]
    queries = (rows.distance[held_out], y[held_out])
    if context.test is not None and context.test.y is not None and rows.test is not None:
        queries = (rows.test, context.test.y)
    analyses.prototype_selection = select_prototypes(
        (rows.distance[train], y[train]), queries, rows.search, context.decisions
    )
