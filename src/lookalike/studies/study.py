"""A study: read, preprocess, select a model, evaluate it, audit the data, and summarize."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np

import lookalike
from lookalike.errors import ParameterError
from lookalike.kernels.metrics.names import METRIC_ALIASES, METRIC_NAMES
from lookalike.settings import config, settings
from lookalike.studies.all_rows.stage import study_all_rows
from lookalike.studies.analyze.analyses import run_analyses
from lookalike.studies.context import StudyContext, StudyOptions, load_context
from lookalike.studies.effort import Effort
from lookalike.studies.evaluate.evaluation import HeldOutResult, evaluate
from lookalike.studies.evaluate.other_splits import with_other_splits
from lookalike.studies.evaluate.without_leaks import search_leakage
from lookalike.studies.load.open import data_title
from lookalike.studies.results import DataShape, Study, StudyAnalyses
from lookalike.studies.scoring import scoring_for
from lookalike.studies.select.budget import Budget, parse_seconds
from lookalike.studies.select.candidate_names import check_models
from lookalike.studies.select.companion import answer_any_table
from lookalike.studies.select.references import installed_libraries
from lookalike.studies.select.split import Split, split_by_time, split_rows
from lookalike.studies.summary import summarize
from lookalike.validation import check_choice, check_int, typed

STUDY_ENGINES = ("auto", "memory", "dask")


@typed
def study(
    X: object,
    y: object = None,
    *,
    target: str | None = None,
    task: str = "auto",
    test: object = None,
    split: str | None = None,
    groups: object = None,
    scoring: str = "auto",
    models: Sequence[str] = (),
    drop: Sequence[str] = (),
    text: str | None = None,
    types: Mapping[str, str] | None = None,
    dialect: Mapping[str, object] | None = None,
    metric: str = "auto",
    memory: str | int | None = None,
    time: str | float | None = "5m",
    seed: int = 0,
    effort: str | Effort | None = None,
    references: bool = False,
    engine: str = "auto",
    scheduler: str | None = None,
    title: str | None = None,
) -> Study:
    """Select a model for a table, images or documents, evaluate it, and audit the data.

    Columns are recognized, imputed, scaled and encoded; candidate models are tuned and compared
    on the same folds; the winner is fitted on all rows, and its error is that over the folds,
    corrected for its selection; the rows are audited for label errors, duplicates and outliers.
    What was chosen, sampled or skipped is in ``decisions`` and in the report.

    Parameters
    ----------
    X : table, path or sample name
        Anything that :func:`lookalike.data.open_source` takes, a folder of images or text files
        (sub-folders are classes), or the name of a sample: "digits", "iris", "wine",
        "breast_cancer", "diabetes".
    y : array of shape (n_rows,), optional
        The targets, where they are not a column.
    target : str, optional
        The column to predict.
    task : {"auto", "classification", "regression", "exploratory"}, default="auto"
        "auto" goes by the target, see :func:`lookalike.models.targets.infer_task`; without one,
        the study is exploratory.
    test : table or path, or (X, y), optional
        Test rows; x_test and y_test of an .npz file are, where it has them. Otherwise every row
        is held out by cross-validation, below 500 rows three times; with more than 20,000
        rows, some of them once.
    split : str, optional
        The column that marks rows as train or test; "time:COLUMN" holds out the latest fifth.
    groups : str or array of shape (n_rows,), optional
        The column, or values, of rows that belong together, for example a patient: they are
        never on both sides of the split or of a fold. Identical rows never are.
    scoring : str, default="auto"
        What models are selected by and the summary leads with: "error", "balanced_accuracy",
        "f1", "auc" or "log_loss" of classification; "rmse", "mae" or "r2" of regression. "auto"
        is the error or the RMSE.
    models : sequence of str, default=()
        The candidates to compare, by name, for example ``["knn", "forest"]``; all when empty. Of
        one name, that model is kept. docs/study.md lists the names.
    drop : sequence of str, default=()
        Columns to leave out.
    text : str, optional
        The column that holds documents.
    types : mapping, optional
        What columns hold, instead of what is recognized: ``{"zip": "category"}``, each "number",
        "category", "text", "date" or "id"; an identifier is left out of the model.
    dialect : mapping, optional
        How csv files are written, where their first lines leave it open: keywords of
        :func:`lookalike.data.open_source`, for example ``{"delimiter": ";", "header": False}``.
    metric : str, default="auto"
        The distance; see :func:`lookalike.kernels.metrics.metric_from`.
    memory : str or int, optional
        Budget, for example "2GB". Where not all rows fit, models are compared on a random sample
        of at most 200,000; profile, duplicates, univariate scores, principal components and the
        held-out error of the selected model are then those of all rows, read in further passes.
    time : str or number, default="5m"
        Budget, for example "90s"; None means no limit. What would take longer is skipped, and what
        does take longer is stopped; the report lists both. Where rows are sampled, passes over
        all of them come on top.
    seed : int, default=0
        Random seed: the same seed gives the same study, but for its timings and for what had to
        be skipped on a machine too slow for `time`.
    effort : {"full", "quick"} or Effort, optional
        How many folds, repeats, trees and centers models are compared with; see
        :class:`lookalike.studies.effort.Effort`. None: as LOOKALIKE_EFFORT says, else "full".
    references : bool, default=False
        Whether CatBoost, LightGBM and XGBoost, where they are installed, are fitted in the same
        folds at their defaults, after the candidates and in the time that is left: shown with
        their gap, never kept. Without it a support vector machine is.
    engine : {"auto", "memory", "dask"}, default="auto"
        Where passes over all rows run, to the same bits, and the covariance of the rows is
        computed. Models are compared in memory, on as many rows as fit `memory`.
    scheduler : str, optional
        Address of the Dask scheduler for ``engine="dask"``.
    title : str, optional
        Of the report; the name of the data when None.

    Returns
    -------
    Study
        The result; prints as its summary.

    Examples
    --------
    >>> import lookalike
    >>> study = lookalike.study("iris")
    >>> study.task, study.shape.n_rows, study.held_out.error < 0.1
    ('classification', 150, True)
    """
    seed = check_int("seed", seed, least=0)
    check_choice("engine", engine, STUDY_ENGINES)
    check_choice("metric", metric, ("auto", *sorted({*METRIC_NAMES, *METRIC_ALIASES})))
    if scheduler is not None and engine != "dask":
        raise ParameterError(f"scheduler={scheduler!r} requires engine='dask'.")
    if test is not None and split is not None:
        raise ParameterError("test and split both name the test rows. Give one.")
    budget = Budget(parse_seconds(time))
    if types:
        dialect = {**(dialect or {}), "types": types}
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    models = check_models(models)
    with _limits(memory), _cluster(scheduler):
        options = StudyOptions(
            X, y, target, text, task=task, test=test, split=split, metric=metric, seed=seed,
            engine=engine, dialect=dialect, groups=groups, scoring=scoring, drop=drop,
            memory=settings().memory, models=models,
            effort=Effort.named(effort).with_libraries(references),
        )  # fmt: skip
        content = _studied(options, budget, references=references)
    return replace(content, title=title) if title else content


def _studied(options: StudyOptions, budget: Budget, *, references: bool) -> Study:
    """Return the study with these options: read, evaluate, analyze, summarize."""
    with budget.stage("reading", waits=True):
        context = load_context(options, budget)
    if references:
        found = ", ".join(installed_libraries()) or "no boosting library is installed"
        context.decisions.add("references", found, "they were asked for")
    if context.sampled:  # the limit is for what is done with the sample
        budget.put_on_top("reading")
    row_split, result = evaluated(context)
    leakage, others = None, () if result is None else result.scores.other_splits
    if context.task is not None and row_split is not None and context.dataset.text is None:
        leakage = search_leakage(context, context.task, row_split, others=others)
    analyses, prepared, n_features = run_analyses(context, result, row_split)
    shape = _shape(context, row_split, n_features)
    content = replace(_study(context, result, shape, analyses), leakage=leakage)
    all_rows, model = study_all_rows(context, context.source, result, prepared, analyses)
    content = replace(
        content,
        all_rows=all_rows,
        model=answer_any_table(model),
        companion=answer_any_table(content.companion),
        decisions=tuple(context.decisions),
        seconds=budget.seconds,
        origin=options,
        preparation=prepared.preparation,
    )
    return replace(content, summary=summarize(content))


def _test_title(context: StudyContext) -> str:
    if not context.sampled or context.is_test is None:
        return "the test rows of the split column"
    return f"{int(context.is_test.sum()):,} of the {len(context.dataset):,} rows of a random sample"


def _limits(memory: str | int | None) -> AbstractContextManager[object]:
    return nullcontext() if memory is None else config(memory=memory)


def _cluster(scheduler: str | None) -> AbstractContextManager[None]:
    if scheduler is None:
        return nullcontext()
    from lookalike.engines.dask import connected

    return connected(scheduler)


def evaluated(context: StudyContext) -> tuple[Split | None, HeldOutResult | None]:
    """Return how rows are held out, and the selected model with its held-out scores."""
    split, task = split_context(context), context.task
    if split is None or task is None:
        return None, None
    result = evaluate(context, task, split)
    if split.cross_validated:
        split = split.first_repeats(result.n_repeats)  # those that the time allowed
    return split, with_other_splits(context, result, task, split)


def split_context(context: StudyContext) -> Split | None:
    """Return how rows are held out; None of an exploratory study."""
    task, y, options = context.task, context.dataset.y, context.options
    if task is None or y is None:
        return None
    scoring_for(options.scoring, task)
    if context.time is not None:
        moment, title = context.time
        return split_by_time(moment, title, seed=options.seed, decisions=context.decisions)
    if context.test is None:
        return split_rows(
            y,
            task,
            seed=options.seed,
            is_test=context.is_test,
            test_title=_test_title(context),
            groups=context.dataset.groups,
            decisions=context.decisions,
            effort=options.effort,
        )
    everyone = np.random.default_rng(options.seed).permutation(len(y))
    file = "the test file" if options.test is not None else "x_test of the file"
    return Split(((everyone, np.arange(0)),), f"the rows of {file}", is_test=True)


def _study(
    context: StudyContext,
    result: HeldOutResult | None,
    shape: DataShape,
    analyses: StudyAnalyses,
) -> Study:
    options, budget = context.options, context.budget
    limit, (title, description) = budget.limit, data_title(options.X)
    return Study(
        title=title,
        source=description,
        task=context.target.task,
        data_kind=context.dataset.data_kind,
        shape=shape,
        summary=(),
        candidates=() if result is None else result.candidates,
        winner=None if result is None else result.selection.winner,
        held_out=None if result is None else result.scores,
        **vars(analyses),
        decisions=tuple(context.decisions),
        seed=options.seed,
        versions=_versions(),
        settings={
            "metric": options.metric,
            "scoring": options.scoring,
            "models": ", ".join(options.models) or "all",
            "memory": f"{settings().memory:,} bytes",
            "time": "no limit" if limit is None else f"{limit:g} s",
            "engine": options.engine,
        },
        seconds=budget.seconds,
        stages=budget.stages,
        image_shape=context.dataset.image_shape,
        predictions=None if result is None else result.predictions,
        model=None if result is None else result.selection.model,
        companion=None if result is None else result.selection.companion,
        fold_models=() if result is None else result.fold_models,
    )


def _shape(context: StudyContext, split: Split | None, n_features: int) -> DataShape:
    n_rows, n_held_out = len(context.dataset), 0
    if split is not None:
        n_held_out = sum(len(part) for _, part in split.parts) // split.n_repeats
    if context.test is not None:
        n_held_out = len(context.test)
    keeps_all = context.test is not None or (split is not None and split.cross_validated)
    return DataShape(
        n_rows,
        len(context.dataset.kinds),
        n_features,
        n_rows if keeps_all else n_rows - n_held_out,
        n_held_out,
        "" if split is None else split.description,
    )


def _versions() -> dict[str, str]:
    import scipy
    import sklearn

    return {
        "lookalike": lookalike.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
    }
