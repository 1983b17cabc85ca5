"""An exploration opened from the folder of a study, from a study in memory, or from a model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ModelFileError, ParameterError, SourceMissingError
from lookalike.explain.audit.table import AuditTable
from lookalike.store.file import load, load_companion
from lookalike.store.study_files import MODEL_FILE, STUDY_FILE, is_study_folder
from lookalike.studies.context import StudyContext, StudyOptions
from lookalike.studies.origin import ORIGIN_FILE as SOURCE
from lookalike.studies.origin import origin_from, read_again
from lookalike.studies.results import Study
from lookalike.studies.select.preparation import preparation_from
from lookalike.studies.written_files import read_source, read_study
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.exploration_state import ExplorationState
from lookalike.web.explorer.explored_rows import ExploredRows
from lookalike.web.explorer.fit_neighbors import (
    best_k_nearest,
    candidate_neighbors,
    candidate_title,
    exploratory_neighbors,
    is_neighbors,
    pipeline_neighbors,
    quiet_model,
    winner_title,
)
from lookalike.web.explorer.maps import category_codes
from lookalike.web.explorer.model_data import explore_model
from lookalike.web.explorer.study_files import read_audit, read_out_of_fold, read_predictions
from lookalike.web.served_model import StudyModel

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.studies.select.preparation import Preparation
    from lookalike.web.explorer.neighbor_model import NeighborModel

AT_ONCE = (1, 2, 4, 8)  # seconds of the first study of the demo: the least that compares models
DEMO_TIME = "20s"  # of the second one
TEST_FILE_PREFIX = "the rows of "  # begins what is said of a test file


def open_exploration(
    served: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    corrections: str | os.PathLike[str] | None = None,
) -> Exploration:
    """Open the folder of a study, a model file with its data, or "demo": a study of digits.

    Parameters
    ----------
    served : path or "demo"
        What to explore.
    data : path, optional
        The data of the study or model, where they lie elsewhere by now.
    corrections : path, optional
        The csv file that corrections are written to, beside its log; corrections.csv in the
        folder of the study when None. Without a folder nothing is written.
    """
    if os.fspath(served) == "demo":
        return explore_demo(corrections)
    path = Path(served)
    if is_study_folder(path):
        return _explore_folder(path, data, corrections)
    if path.is_dir():
        raise ParameterError(f"{path} holds no study.json. Give the folder of a study.")
    if not path.exists():
        raise SourceMissingError(f"{path} does not exist. Give a study, or a model file.")
    if data is None:
        raise ParameterError(f"{path} is a model, and rows are needed. Give --data FILE.")
    return explore_model(path, data, corrections=corrections)


def explore_demo(corrections: str | os.PathLike[str] | None = None) -> Exploration:
    """Return the exploration of a short study of the bundled digits; a longer one takes its place.

    Without a file for corrections they are written to a new temporary folder.
    """
    from lookalike.studies.study import study as run_study

    if corrections is None:
        corrections = Path(tempfile.mkdtemp(prefix="lookalike-demo-")) / "corrections.csv"
    for seconds in AT_ONCE:
        study = run_study("digits", time=f"{seconds}s", title="digits")
        if study.winner != "baseline":  # as it is where a slow machine compares nothing else
            break
    first = explore_study(study, corrections)

    def longer() -> Exploration:
        complete = run_study("digits", time=DEMO_TIME, title="digits")
        return explore_study(complete, corrections)

    first.follow_up(longer, "The study is still running")
    return first


def explore_study(study: Study, corrections: str | os.PathLike[str] | None = None) -> Exploration:
    """Return the exploration of a study in memory; its rows are read again."""
    if study.origin is None or study.preparation is None:
        raise ParameterError("The study does not know where its rows came from. Run it again.")
    rows = _rows(
        study.to_dict(),
        read_again(study.origin),
        None if study.audit is None else study.audit.table,
        None if study.clustering is None else study.clustering.labels,
    )
    predictions = study.predictions
    return _explore(
        study.to_dict(),
        rows,
        StudyModel(study.model, study.companion),
        study.preparation,
        predictions=None if predictions is None else (predictions.row, predictions.y_pred),
        out_of_fold=study.out_of_fold,
        corrections=None if corrections is None else Path(corrections),
    )


def _explore_folder(
    folder: Path,
    data: str | os.PathLike[str] | None,
    corrections: str | os.PathLike[str] | None,
) -> Exploration:
    content = read_study(folder / STUDY_FILE)
    if not (folder / SOURCE).is_file():
        raise ModelFileError(
            f"{folder} was written by a version that kept no {SOURCE}. Run the study again."
        )
    source = read_source(folder / SOURCE)
    options, changed = origin_from(source, folder, data)
    context = _read(options, content)
    has_model = (folder / MODEL_FILE).is_file()
    out_of_fold, cluster = read_out_of_fold(folder / "rows.npz")
    return _explore(
        content,
        _rows(content, context, read_audit(folder / "audit.csv"), cluster),
        StudyModel(load(folder), load_companion(folder)) if has_model else StudyModel(None),
        preparation_from(source["preparation"]),
        predictions=read_predictions(folder / "predictions.csv"),
        out_of_fold=out_of_fold,
        notes=(changed,) if changed else (),
        folder=folder,
        corrections=folder / "corrections.csv" if corrections is None else Path(corrections),
    )


def _read(options: StudyOptions, content: Mapping[str, Any]) -> StudyContext:
    context = read_again(options)
    expected = content["shape"]["n_rows"]
    if len(context.dataset) != expected:
        raise ParameterError(
            f"{options.X} has {len(context.dataset):,} rows, and the study was made of "
            f"{expected:,}. Run the study again, or give the data it was made of (--data FILE)."
        )
    return context


def _explore(
    study: Mapping[str, object],
    rows: ExploredRows,
    models: StudyModel,
    preparation: Preparation,
    *,
    predictions: tuple[Rows, AnyArray] | None,
    out_of_fold: tuple[Rows, Array] | None,
    notes: tuple[str, ...] = (),
    corrections: Path | None,
    folder: Path | None = None,
) -> Exploration:
    """Return the exploration of rows by a model; None of an exploratory study.

    `predictions` and `out_of_fold` are row numbers with what is predicted for these rows.
    """
    dataset, model = rows.dataset, quiet_model(models.model)
    if model is None:
        neighbors = exploratory_neighbors(preparation, dataset)
    else:
        trained = rows.positions(np.asarray(model.training_rows_))
        if (trained < 0).any():
            raise ParameterError(
                "Training rows of the study are not in the data any more. Run the study again."
            )
        rows.is_test = np.ones(len(rows), bool)
        rows.is_test[trained] = False
        title = winner_title(study)
        if is_neighbors(model[-1]):
            titles = title, f"{title}: the selected model"
            neighbors = pipeline_neighbors(model, dataset, trained, *titles)
        else:
            companion = quiet_model(models.companion)
            neighbors = _companion_neighbors(companion, study, rows, trained) or (
                candidate_neighbors(study, preparation, dataset, trained)
            )
            _set_predicted(rows, study, predictions, out_of_fold)
            rows.predicted_by = f"{title}, on rows that it was not fitted on"
            if not rows.is_predicted.all():
                rows.predicted_by += f"; other rows by {neighbors.name}, leave-one-out"
    state = ExplorationState.open(
        rows, neighbors, preparation, model=model, companion=models.companion, study=study,
        notes=notes, folder=folder,
    )  # fmt: skip
    return Exploration(state, corrections)


def _companion_neighbors(
    companion: BaseEstimator, study: Mapping[str, Any], rows: ExploredRows, trained: Rows
) -> NeighborModel | None:
    """Return the neighbor model of the companion that a study kept; None if it kept none."""
    if companion is None or not is_neighbors(companion[-1]):
        return None
    numbers = getattr(companion, "training_rows_", None)
    row = trained if numbers is None else rows.positions(np.asarray(numbers))
    if (row < 0).any():
        return None
    titles = str(best_k_nearest(study)["title"]), candidate_title(study)
    return pipeline_neighbors(companion, rows.dataset, row, *titles)


def _rows(
    study: Mapping[str, Any],
    context: StudyContext,
    audit: AuditTable | None,
    cluster: Rows | None,
) -> ExploredRows:
    if study["task"] in ("classification", "regression") and context.dataset.y is None:
        raise ModelFileError(
            f"The study is of a target, and {SOURCE} names none. Run the study again."
        )
    rows = ExploredRows(
        study["title"],
        study["task"],
        context.dataset,
        target=context.target.name,
        cluster=cluster,
    )
    rows.header = tuple(getattr(context.source, "file_columns", ()))
    rows.audit = None if audit is None else _of_every_row(audit, rows)
    return rows


def _of_every_row(audit: AuditTable, rows: ExploredRows) -> AuditTable:
    """Return the audit with one entry for every row, in their order."""
    positions = rows.positions(audit.row)
    inside = positions >= 0
    flags = np.full(len(rows), "", object)
    flags[positions[inside]] = np.array(audit.flags, object)[inside]
    scores = {}
    for name, values in audit.scores.items():
        of_texts = name == "suggested_label"
        scores[name] = np.full(len(rows), "", object) if of_texts else np.full(len(rows), np.nan)
        scores[name][positions[inside]] = (
            [str(value) for value in values[inside]] if of_texts else values[inside]
        )
    return AuditTable(np.arange(len(rows)), tuple(flags), scores, {})


def _set_predicted(
    rows: ExploredRows,
    study: Mapping[str, Any],
    predictions: tuple[Rows, AnyArray] | None,
    out_of_fold: tuple[Rows, Array] | None,
) -> None:
    """Set what the selected model, fitted on other rows, predicts for rows where that is known.

    All others are predicted by the neighbor model, each without itself.
    """
    values: AnyArray = np.full(len(rows), np.nan if rows.code is None else -1)
    if rows.code is not None and out_of_fold is not None:
        positions, shares = rows.positions(out_of_fold[0]), out_of_fold[1]
        inside = positions >= 0
        if shares.shape[1] == len(rows.classes):
            rows.probability = np.full((len(rows), len(rows.classes)), np.nan)
            rows.probability[positions[inside]] = shares[inside]
            values[positions[inside]] = shares[inside].argmax(axis=1)
    if predictions is not None and not study["shape"]["split"].startswith(TEST_FILE_PREFIX):
        held_out, y_pred = predictions
        unique, first = np.unique(held_out, return_index=True)
        positions = rows.positions(unique)
        inside = positions >= 0
        known = y_pred[first][inside]
        if rows.code is None:
            values[positions[inside]] = known.astype(np.float64)
        else:
            values[positions[inside]] = category_codes(known, rows.class_names)
    rows.predicted = values
