"""The automatic baseline: read, prepare, compare, judge, audit, and say it in plain words."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

import lookalike
from lookalike.errors import ParameterError
from lookalike.kernels.metrics.names import ALIASES, NAMES
from lookalike.settings import config, settings
from lookalike.studies.analyze.analyses import Insight, look
from lookalike.studies.context import Asked, Case, take_up
from lookalike.studies.evaluate.evaluation import Judged, judge
from lookalike.studies.load.open import Opened, open_data
from lookalike.studies.results import DataShape, Study
from lookalike.studies.select.budget import Budget, parse_seconds
from lookalike.studies.select.model_selection import Rules
from lookalike.studies.select.split import Division, divide
from lookalike.studies.summary import summarize
from lookalike.validation import check_choice, check_int

ENGINES = ("auto", "memory", "dask")


def study(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    task: str = "auto",
    test: Any = None,
    split: str | None = None,
    text: str | None = None,
    dialect: Mapping[str, Any] | None = None,
    metric: str = "auto",
    memory: str | int | None = None,
    time: str | float | None = "5m",
    seed: int = 0,
    engine: str = "auto",
    scheduler: str | None = None,
    title: str | None = None,
) -> Study:
    """Turn a table, pictures or documents into a tuned baseline, a verdict and an audit.

    Columns are recognized, filled, scaled and encoded; models by similarity and simple others
    choose for themselves on training rows; the winner is judged on rows that took no part; the
    rows are searched for mislabels, copies and outliers. What was chosen, sampled or left out is
    in ``decisions`` and in the report.

    Parameters
    ----------
    X : table, path or sample name
        Anything that :func:`lookalike.data.open_source` takes, a folder of images or text files
        (sub-folders are classes), or the name of a sample: "digits", "iris", "wine",
        "breast_cancer", "diabetes".
    y : array of shape (n_rows,), optional
        The targets, where they are not a column.
    target : str, optional
        The column that is to be told.
    task : {"auto", "classification", "regression", "exploratory"}, default="auto"
        What to do; by the target, where there is one, else explore.
    test : table or path, or (X, y), optional
        Rows to be judged on; x_test and y_test of an .npz file are, where it has them. Otherwise
        a fifth is held out, or every row once in folds where there are fewer than 500.
    split : str, optional
        The column that says which rows are for training and which for testing.
    text : str, optional
        The column that holds documents.
    dialect : mapping, optional
        How csv files are written, where it shall not be told by their first lines: keywords of
        :func:`lookalike.data.open_source`, such as ``{"delimiter": ";", "header": False}``.
    metric : str, default="auto"
        How rows are compared; see :func:`lookalike.kernels.metrics.metric_from`.
    memory : str or int, optional
        Budget such as "2GB". Rows that do not fit are sampled, and said.
    time : str or number, default="5m"
        Budget such as "90s"; None is no limit. What would take longer is left out, and what does
        take longer is stopped, and both are said.
    seed : int, default=0
        Of all that is drawn: the same seed gives the same study, but for its timings and for what
        had to be left out on a machine too slow for `time`.
    engine : {"auto", "memory", "dask"}, default="auto"
        Where the spectrum of the rows (mean, covariance and principal directions, with the map
        drawn by them) is gathered, to the same bits. All else is done in memory: models are
        compared on as many rows as fit `memory`.
    scheduler : str, optional
        Address of the Dask scheduler for ``engine="dask"``.
    title : str, optional
        Of the report; the name of the data when None.

    Returns
    -------
    Study
        What was found; prints as the verdict.

    Examples
    --------
    >>> import lookalike
    >>> found = lookalike.study("iris")
    >>> found.task, found.shape.n_rows, found.held_out.error < 0.1
    ('classification', 150, True)
    """
    seed = check_int("seed", seed, least=0)
    check_choice("engine", engine, ENGINES)
    check_choice("metric", metric, ("auto", *sorted({*NAMES, *ALIASES})))
    if scheduler is not None and engine != "dask":
        raise ParameterError(f"scheduler={scheduler!r} is of engine='dask'. Give both.")
    if test is not None and split is not None:
        raise ParameterError("test and split both say which rows are for testing. Give one.")
    budget = Budget(parse_seconds(time))
    asked = Asked(task, test, split, metric, seed, engine, dialect)
    with _limits(memory), _cluster(scheduler):
        with budget.stage("reading"):
            opened = open_data(X, y, target=target, text=text, dialect=dialect)
            case = take_up(opened, asked, budget)
        judged, division = _judged(case)
        insight = look(case, judged, division)
        return _study(case, opened, judged, division, insight, title=title)


def _limits(memory: str | int | None) -> AbstractContextManager[Any]:
    return nullcontext() if memory is None else config(memory=memory)


def _cluster(scheduler: str | None) -> AbstractContextManager[None]:
    if scheduler is None:
        return nullcontext()
    from lookalike.engines.dask import connected

    return connected(scheduler)


def _judged(case: Case) -> tuple[Judged | None, Division | None]:
    y = case.target.values
    if y is None:
        return None, None
    everyone = np.random.default_rng(case.asked.seed).permutation(len(y))
    words = "the rows of the test file" if case.asked.test is not None else "x_test of the file"
    division = Division(((everyone, np.arange(0)),), words)
    if case.apart is None:
        division = divide(
            y,
            classify=case.classify,
            seed=case.asked.seed,
            test=case.tests,
            decisions=case.decisions,
        )
    rules = Rules(case.columns, case.classify, case.asked.metric, case.asked.seed)
    judged = judge(
        case.reading,
        y,
        division,
        rules,
        apart=case.apart,
        budget=case.budget,
        decisions=case.decisions,
    )
    return judged, division


def _study(
    case: Case,
    opened: Opened,
    judged: Judged | None,
    division: Division | None,
    insight: Insight,
    *,
    title: str | None,
) -> Study:
    shape = _shape(case, insight, division)
    return Study(
        title=title or opened.title,
        source=opened.words,
        task=case.target.task,
        data_kind=case.reading.material.what,
        shape=shape,
        summary=summarize(
            case.target.name,
            shape,
            judged,
            insight,
            texts=case.reading.material.text is not None,
        ),
        columns=case.facts,
        target=case.target.summary(),
        candidates=() if judged is None else judged.candidates,
        winner=None if judged is None else judged.outcome.winner,
        held_out=None if judged is None else judged.held_out,
        **insight.fields(),
        decisions=tuple(case.decisions),
        seed=case.asked.seed,
        versions=_versions(),
        settings=_settings(case),
        seconds=case.budget.seconds,
        stages=case.budget.stages,
        image_shape=case.reading.material.image_shape,
        predictions=None if judged is None else judged.predictions,
        model=None if judged is None else judged.outcome.model,
        fold_models=() if judged is None else judged.fold_models,
    )


def _shape(case: Case, insight: Insight, division: Division | None) -> DataShape:
    rows, held = len(case.reading), 0
    if division is not None:
        held = sum(len(part) for _, part in division.parts)
    if case.apart is not None:
        held = len(case.apart[0])
    whole_kept = case.apart is not None or (division is not None and division.folded)
    return DataShape(
        rows,
        len(case.reading.material.kinds),
        insight.features_made,
        rows if whole_kept else rows - held,
        held,
        "" if division is None else division.words,
    )


def _settings(case: Case) -> dict[str, str]:
    limit = case.budget.limit
    return {
        "metric": case.asked.metric,
        "memory": f"{settings().memory} bytes",
        "time": "no limit" if limit is None else f"{limit:g} s",
        "engine": case.asked.engine,
    }


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
