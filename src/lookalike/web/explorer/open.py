"""An exploration opened from the folder of a study, from a study in memory, or from a model."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.errors import ModelFileError, ParameterError, SourceMissingError
from lookalike.store.file import load
from lookalike.studies.context import StudyContext
from lookalike.studies.origin import FILE as SOURCE
from lookalike.studies.origin import Origin, origin_from, preparation_from
from lookalike.studies.results import Study
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.explored_rows import AuditedRows, ExploredRows, PredictedRows
from lookalike.web.explorer.fit_neighbors import (
    candidate_neighbors,
    exploratory_neighbors,
    is_neighbors,
    winner_neighbors,
    winner_title,
)
from lookalike.web.explorer.model_data import explore_model
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.study_files import (
    StudyRows,
    rows_of_folder,
    rows_of_study,
)

AT_ONCE = (1, 2, 4, 8)  # seconds of the first study of the demo: the least that compares models
DEMO_TIME = "20s"  # of the second one
ELSEWHERE = "the rows of "  # begins what is said of a test file


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
    if (path / "study.json").is_file():
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
        first.review.close()
        try:
            return explore_study(complete, corrections)
        except BaseException:
            first.review.reopen()
            raise

    first.follow_up(longer, "The study is still running")
    return first


def explore_study(study: Study, corrections: str | os.PathLike[str] | None = None) -> Exploration:
    """Return the exploration of a study in memory; its rows are read again."""
    if study.origin is None or study.preparation is None:
        raise ParameterError("The study does not know where its rows came from. Run it again.")
    place = None if corrections is None else Path(corrections)
    return _explore(
        study.to_dict(),
        study.origin.read(),
        study.model,
        study.preparation,
        rows_of_study(study),
        (),
        place,
    )


def _explore_folder(
    folder: Path,
    data: str | os.PathLike[str] | None,
    corrections: str | os.PathLike[str] | None,
) -> Exploration:
    content = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    if not (folder / SOURCE).is_file():
        raise ModelFileError(
            f"{folder} was written by a version that kept no {SOURCE}. Run the study again."
        )
    source = json.loads((folder / SOURCE).read_text(encoding="utf-8"))
    if source["schema"].partition("/")[2] != "1":
        raise ModelFileError(f"{folder / SOURCE} is of a newer version. Update lookalike.")
    origin, changed = origin_from(source, folder, data)
    stored = folder / "model.lookalike"
    return _explore(
        content,
        _read(origin, content),
        load(stored) if stored.is_file() else None,
        preparation_from(source["preparation"]),
        rows_of_folder(folder),
        (changed,) if changed else (),
        folder / "corrections.csv" if corrections is None else Path(corrections),
    )


def _read(origin: Origin, content: Mapping[str, Any]) -> StudyContext:
    context = origin.read()
    expected = content["shape"]["n_rows"]
    if len(context.dataset) != expected:
        raise ParameterError(
            f"{origin.X} has {len(context.dataset):,} rows, and the study was made of "
            f"{expected:,}. Run the study again, or give the data it was made of (--data FILE)."
        )
    return context


def _explore(  # noqa: PLR0917 - the parts of a study
    study: Mapping[str, Any],
    context: StudyContext,
    model: Any,
    preparation: Any,
    stored: StudyRows,
    notes: tuple[str, ...],
    corrections: Path | None,
) -> Exploration:
    dataset = context.dataset
    rows = _rows(study, context, stored)
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
        if is_neighbors(model[-1]):
            neighbors = winner_neighbors(model, dataset, trained, winner_title(study))
        else:
            neighbors = candidate_neighbors(study, preparation, dataset, trained)
            rows.predicted = _predicted(study, rows, stored, neighbors)
    return Exploration(
        rows, neighbors, model=model, study=study, preparation=preparation, notes=notes,
        corrections=corrections,
    )  # fmt: skip


def _rows(study: Mapping[str, Any], context: StudyContext, stored: StudyRows) -> ExploredRows:
    dataset, task = context.dataset, study["task"]
    classes, code, number = np.array([]), None, None
    if task == "classification":
        classes, code = np.unique(np.asarray(dataset.y), return_inverse=True)
        code = code.astype(np.int64)
    elif task == "regression":
        number = np.asarray(dataset.y, np.float64)
    rows = ExploredRows(
        study["title"],
        task,
        dataset,
        classes,
        code,
        number,
        np.zeros(len(dataset), bool),
        target=context.target.name,
        cluster=stored.cluster,
    )
    rows.audit = _audited(rows, stored)
    return rows


def _audited(rows: ExploredRows, stored: StudyRows) -> AuditedRows | None:
    if stored.audit is None:
        return None
    place = rows.positions(stored.audit.row)
    inside = place >= 0
    flags: list[tuple[str, ...]] = [()] * len(rows)
    suggested = [""] * len(rows)
    given = stored.audit.scores.get("suggested_label")
    for here, at in zip(np.flatnonzero(inside).tolist(), place[inside].tolist(), strict=True):
        flags[at] = tuple(stored.audit.flags[here].split())
        if given is not None:
            suggested[at] = str(given[here])
    scores = {}
    for name, values in stored.audit.scores.items():
        if name != "suggested_label":
            scores[name] = np.full(len(rows), np.nan)
            scores[name][place[inside]] = values[inside]
    mislabel = scores.get("mislabel_probability")
    return AuditedRows(tuple(flags), mislabel, tuple(suggested), scores)


def _predicted(
    study: Mapping[str, Any], rows: ExploredRows, stored: StudyRows, neighbors: NeighborModel
) -> PredictedRows:
    """Return what the selected model, fitted on other rows, predicts for rows where that is known.

    All others are predicted by the neighbor model, each without itself.
    """
    title = winner_title(study)
    probability: Array | None = None
    code: Rows | None = None
    number: Array | None = None
    if rows.task == "classification":
        code = np.full(len(rows), -1)
        if stored.out_of_fold is not None:
            place = rows.positions(stored.out_of_fold[0])
            shares = stored.out_of_fold[1]
            inside = place >= 0
            if shares.shape[1] == len(rows.classes):
                probability = np.full((len(rows), len(rows.classes)), np.nan)
                probability[place[inside]] = shares[inside]
                code[place[inside]] = shares[inside].argmax(axis=1)
    else:
        number = np.full(len(rows), np.nan)
    if stored.predictions is not None and not study["shape"]["split"].startswith(ELSEWHERE):
        held_out, y_pred = stored.predictions
        unique, first = np.unique(held_out, return_index=True)
        place = rows.positions(unique)
        inside = place >= 0
        if code is not None:
            code[place[inside]] = _codes(y_pred[first][inside], rows)
        elif number is not None:
            number[place[inside]] = y_pred[first][inside].astype(np.float64)
    known = ~np.isnan(number) if number is not None else np.asarray(code) >= 0
    sentence = f"{title}, on rows that it was not fitted on"
    if not known.all():
        sentence += f"; other rows by {neighbors.name}, leave-one-out"
    return PredictedRows(sentence, code, number, probability)


def _codes(labels: AnyArray, rows: ExploredRows) -> Rows:
    places = {name: place for place, name in enumerate(rows.class_names)}
    return np.array([places.get(str(label), -1) for label in labels.tolist()], np.int64)
