"""The folder of a study: its files are replaced together, and all other files stay."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.data.write.atomic_write import replace_file, require_writable, staged_files
from lookalike.data.write.csv import write_csv
from lookalike.errors import ParameterError
from lookalike.file_schema import parse_plain_json
from lookalike.printable import printable_json
from lookalike.report.page import write_page
from lookalike.store.file import save
from lookalike.store.study_files import COMPANION_FILE, MODEL_FILE, STUDY_FILE
from lookalike.studies.origin import ORIGIN_FILE as SOURCE
from lookalike.studies.origin import origin_to_dict
from lookalike.studies.results import STUDY_SCHEMA, Study
from lookalike.typing import AnyArray
from lookalike.validation import check_kind, check_path

ROWS_FILE = "rows.npz"
# The first one marks the folder of a study, so it is there before the others.
STUDY_FILES = (
    STUDY_FILE,
    "audit.csv",
    "predictions.csv",
    MODEL_FILE,
    COMPANION_FILE,
    "report.html",
    SOURCE,
    ROWS_FILE,
)


def write_study(study: Study, folder: str | os.PathLike[str]) -> None:
    """Write report.html, study.json, audit.csv, predictions.csv and model.lookalike.

    neighbors.lookalike is K-NN fitted on the same rows, where the model has no neighbors itself;
    source.json says where the rows came from, and rows.npz holds what else the explorer shows of
    them: class probabilities by a model that did not see the label, and clusters.

    They are written to a temporary folder inside of `folder`. When all are complete they take the
    places of those of an earlier study; every other file in `folder` stays. Files of these names
    that no study wrote are not replaced: that is an error.
    """
    check_kind("study", study, Study)
    folder = check_path("folder", folder)
    require_free(folder)
    with staged_files(folder, STUDY_FILES) as staging:
        _fill(study, staging)
        _keep_rows(study, staging, folder)


def _keep_rows(study: Study, staging: Path, folder: Path) -> None:
    """Write where the rows came from, and figures of single rows that no other file holds."""
    if study.origin is None or study.preparation is None:
        return
    content = origin_to_dict(study.origin, folder)
    content["preparation"] = study.preparation.to_dict()
    text = printable_json(json.dumps(content, indent=1, ensure_ascii=False)) + "\n"
    replace_file(staging / SOURCE, lambda file: file.write(text.encode()))
    arrays: dict[str, AnyArray] = {}
    if study.out_of_fold is not None:
        arrays["out_of_fold_row"], arrays["out_of_fold_probability"] = study.out_of_fold
    if study.clustering is not None:
        arrays["cluster"] = study.clustering.labels
    replace_file(staging / ROWS_FILE, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]  # allow_pickle


def _fill(study: Study, folder: Path) -> None:
    text = study.to_json().encode()
    replace_file(folder / STUDY_FILE, lambda file: file.write(text))
    if study.audit is not None:
        table = study.audit.table
        _write_table(folder / "audit.csv", table.headings(), table.lines())
    if study.predictions is not None:
        _write_table(folder / "predictions.csv", *_prediction_lines(study))
    if study.model is not None:
        save(study.model, folder / MODEL_FILE)
    if study.companion is not None:
        save(study.companion, folder / COMPANION_FILE)
    write_page(study, folder / "report.html")


def require_free(folder: Path) -> None:
    """Raise unless the files of a study can be written to `folder`, absent or not."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} is a file. Give the name of a folder for the study.")
    present = [name for name in STUDY_FILES if os.path.lexists(folder / name)]
    if present and not _holds_study(folder):
        raise ParameterError(
            f"{folder} holds {present[0]}, which no study wrote and which would be lost. "
            "Give another folder, or move it."
        )
    for name in STUDY_FILES:
        require_writable(folder / name)


def _holds_study(folder: Path) -> bool:
    try:
        path = folder / STUDY_FILE
        head = parse_plain_json(path.read_bytes()) if path.is_file() else {}
        return str(head["schema"]).startswith(STUDY_SCHEMA.partition("/")[0])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _prediction_lines(study: Study) -> tuple[list[str], Iterable[list[object]]]:
    predictions: Any = study.predictions
    heading = ["row", "y_true", "y_pred"]
    columns = [predictions.row, predictions.y_true, predictions.y_pred]
    if predictions.probability is not None:
        heading.append("probability")
        columns.append(predictions.probability)
    if predictions.fold.any():
        heading.append("fold")
        columns.append(predictions.fold)
    return heading, [list(line) for line in zip(*columns, strict=True)]


def _write_table(path: Path, heading: list[str], lines: Iterable[list[object]]) -> None:
    replace_file(path, lambda file: write_csv(file, heading, lines))
