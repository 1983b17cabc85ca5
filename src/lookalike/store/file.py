"""Save a fitted model to a file and load it again: same predictions, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import lookalike
from lookalike.data.write.atomic_write import Place
from lookalike.errors import ModelFileError, ParameterTypeError
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.store.container import parse_json, read_container, write_container
from lookalike.store.decode import Decoder
from lookalike.store.encode import Encoder
from lookalike.store.study_files import companion_path, model_path
from lookalike.typing import AnyArray


def save(model: object, path: Place) -> None:
    """Write a model, pipeline or index to a file, in the place of what was there.

    The file holds numbers and texts, never code; it carries a checksum and is replaced in one
    step, so that a crash leaves the old file or the new one. Only a regular file is replaced.

    Parameters
    ----------
    model : estimator, pipeline of estimators, or index
        Fitted or not. Estimators of this package, and those of scikit-learn that
        `docs/model_files.md` lists.
    path : path, str, or open binary file
        Usually ends in ``.lookalike``. A pipe, a character device and an open file are written
        to as streams; the file that a symbolic link points to is replaced, and the link stays.

    Examples
    --------
    >>> import tempfile
    >>> from lookalike import KNeighborsClassifier, load, save
    >>> model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.lookalike")
    ...     load(f"{folder}/model.lookalike").predict([[0.2], [0.9]])
    array(['a', 'b'], dtype='<U1')
    """
    encoder = Encoder()
    root = encoder.encode(model, type(model).__name__)
    if not isinstance(root, dict) or "object" not in root:
        raise ParameterTypeError(
            f"{type(model).__name__} is not a model. Give an estimator or index."
        )
    document = {
        "written_by": f"lookalike {lookalike.__version__}",
        "libraries": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "schema": encoder.encode(_schema(model), "schema"),
        "model": root,
    }
    write_container(path, json.dumps(document, allow_nan=False), encoder.arrays)


def load(path: Path | str) -> Any:
    """Return the model that :func:`save` wrote to `path`, or the model of the folder of a study.

    A file that fits the memory budget is read into memory; of a larger one a private copy on the
    disk is mapped. Whatever happens to the file afterwards, the model answers as it did; changes
    that it makes to its arrays stay in memory.
    """
    path = model_path(path) if isinstance(path, (str, Path)) else path
    _, text, arrays, _ = read_container(path)
    return _decode(path, arrays, _document(path, text)["model"])


def load_companion(path: Path | str) -> object:
    """Return the K-NN companion of the model of a study; None where it has none."""
    companion = companion_path(path)
    return None if companion is None else load(companion)


def _decode(path: Path | str, arrays: Mapping[str, AnyArray], stored: object) -> Any:
    """Return the object that `stored` describes; whatever is wrong with it is a ModelFileError."""
    try:
        return Decoder(arrays).decode(stored)
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}.") from error
    except Exception as error:  # whatever a file may hold, the error is of one type
        raise ModelFileError(
            f"{path} cannot be loaded: what it holds does not fit together "
            f"({type(error).__name__}: {error})."
        ) from error


def read_header(path: Path | str) -> dict[str, Any]:
    """Return what the header of a model file says; nothing of the model is built to read it."""
    path = model_path(path)
    version, text, arrays, size = read_container(path)
    document = _document(path, text)
    root = document["model"]
    return {
        "bytes": size,
        "format": ".".join(map(str, version)),
        "written_by": str(document.get("written_by", "")),
        "class": str(root.get("object")),
        "parameters": root.get("parameters", {}),
        "schema": _decode(path, arrays, document.get("schema", {"dict": []})),
        "arrays": len(arrays),
    }


def _document(path: Path | str, text: str) -> dict[str, Any]:
    document = parse_json(path, text)
    if not isinstance(document, dict) or not isinstance(document.get("model"), dict):
        raise ModelFileError(f"{path} is not a valid model file: it describes no model.")
    return document


def _schema(model: object) -> dict[str, object]:
    """Return the columns that a model takes and its classes, where it has them."""
    schema: dict[str, object] = {}
    for name, attribute in (
        ("n_features", "n_features_in_"),
        ("features", "feature_names_in_"),
        ("classes", "classes_"),
    ):
        value = getattr(model, attribute, None)
        if value is not None:
            schema[name] = value
    kind = getattr(training_rows(model), "dtype", None)
    if kind is not None:
        schema["dtype"] = str(kind)
    return schema
