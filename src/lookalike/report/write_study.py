"""The folder of a study: it is written completely or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lookalike.data.csv_writer import write_csv
from lookalike.errors import ParameterError
from lookalike.report.page import write_page
from lookalike.store.file import save
from lookalike.studies.results import SCHEMA, Study


def write_study(study: Study, folder: str | os.PathLike[str]) -> None:
    """Write report.html, study.json, audit.csv, predictions.csv and model.lookalike.

    They are written to a temporary folder, which then takes the place of `folder` in one step. A
    folder that holds a study is replaced; another one that is not empty is an error.
    """
    folder = Path(folder)
    require_free(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        made.chmod(0o755)
        _fill(study, made)
        _put(made, folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _fill(study: Study, folder: Path) -> None:
    (folder / "study.json").write_text(study.to_json(), encoding="utf-8")
    if study.audit is not None:
        table = study.audit.table
        _write_table(folder / "audit.csv", table.headings(), table.lines())
    if study.predictions is not None:
        _write_table(folder / "predictions.csv", *_prediction_lines(study))
    if study.model is not None:
        save(study.model, folder / "model.lookalike")
    write_page(study, folder / "report.html")


def require_free(folder: Path) -> None:
    """Raise unless `folder` is absent, empty, or holds a study."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ParameterError(f"{folder} is a file. Give the name of a folder for the study.")
    if not any(folder.iterdir()):
        return
    try:
        head = json.loads((folder / "study.json").read_text(encoding="utf-8"))
        known = str(head["schema"]).startswith(SCHEMA.partition("/")[0])
    except (OSError, ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise ParameterError(
            f"{folder} holds other things than a study, which would be lost. "
            "Give another folder, or empty it."
        )


def _put(made: Path, folder: Path) -> None:
    """Put the folder that was made in the place of `folder`."""
    if not folder.exists():
        os.rename(made, folder)
        return
    old = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.old."))
    os.rename(folder, old / folder.name)
    try:
        os.rename(made, folder)
    except BaseException:
        os.rename(old / folder.name, folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


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
    with open(path, "wb") as file:
        write_csv(file, heading, lines)
