"""The models in the folder of a study: the selected one, and the K-NN companion beside it."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.errors import SourceMissingError

STUDY_FILE = "study.json"  # marks the folder of a study
MODEL_FILE = "model.lookalike"
COMPANION_FILE = "neighbors.lookalike"
REPORT_FILE = "report.html"


def is_study_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is the folder of a study."""
    return Path(path, STUDY_FILE).is_file()


def model_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a model file: that of the folder of a study, or the path itself."""
    if not is_study_folder(path):
        return Path(path)
    model = Path(path, MODEL_FILE)
    if not os.path.lexists(model):
        raise SourceMissingError(
            f"{path} is a study without a model: it has no target. Run it with --target COLUMN."
        )
    return model


def companion_path(path: str | os.PathLike[str]) -> Path | None:
    """Return the companion of the model of a study; None where the model has none."""
    model = model_path(path)
    companion = model.with_name(COMPANION_FILE)
    kept = model.name == MODEL_FILE and is_study_folder(model.parent) and companion.is_file()
    return companion if kept else None
