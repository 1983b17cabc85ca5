"""Models in MLflow: logged, loaded and served as its models are, and kept in our own files.

The folder of a model holds `model.lookalike`, which is not a pickle: loading it runs no code.
MLflow calls this module a flavor, and finds it by the functions it has.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lookalike
from lookalike.data.write.atomic_write import replace_file
from lookalike.errors import ExtraMissingError, ParameterError
from lookalike.store.file import load, save
from lookalike.store.study_files import MODEL_FILE

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FLAVOR_NAME = "lookalike"
ENVIRONMENT_FILE = "python_env.yaml"
REQUIREMENTS_FILE = "requirements.txt"


def log_model(model: BaseEstimator, name: str = "model", **options: Any) -> Any:
    """Log a fitted model to the active run of MLflow, and return what MLflow says of it.

    Parameters
    ----------
    model : estimator, pipeline of estimators, or index
        What :func:`lookalike.save` takes.
    name : str, default="model"
        Its name in the run.
    **options
        As ``mlflow.models.Model.log`` takes them: ``registered_model_name``, ``signature``,
        ``input_example``, ``metadata`` …
    """
    flavor = sys.modules[__name__]
    return _mlflow_model().log(artifact_path=None, name=name, flavor=flavor, model=model, **options)


def save_model(
    model: BaseEstimator,
    path: Path | str,
    *,
    mlflow_model: Any = None,
    signature: Any = None,
    input_example: Any = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a fitted model to a new folder, as MLflow reads it.

    Parameters
    ----------
    model : estimator, pipeline of estimators, or index
        What :func:`lookalike.save` takes.
    path : path
        The folder, which must be new or empty.
    mlflow_model : mlflow.models.Model, optional
        What MLflow already knows of the model.
    signature, input_example, metadata
        As MLflow takes them.
    """
    described = _mlflow_model()() if mlflow_model is None else mlflow_model
    folder = Path(path)
    if folder.is_dir() and any(folder.iterdir()):
        raise ParameterError(f"{folder} is not empty. Give a new folder for the model.")
    folder.mkdir(parents=True, exist_ok=True)
    save(model, folder / MODEL_FILE)
    if signature is not None:
        described.signature = signature
    if metadata is not None:
        described.metadata = metadata
    if input_example is not None:
        from mlflow.models.utils import _save_example

        _save_example(described, input_example, str(folder))
    described.add_flavor(FLAVOR_NAME, data=MODEL_FILE, version=lookalike.__version__)
    _add_environment(described, folder)
    described.save(str(folder / "MLmodel"))


def load_model(model_uri: str) -> Any:
    """Return the model that a run, a registry or a folder holds, as it was saved."""
    _mlflow_model()
    from mlflow.artifacts import download_artifacts

    return load(Path(download_artifacts(artifact_uri=model_uri)) / MODEL_FILE)


class PyfuncModel:
    """A model as MLflow serves it: rows in, predictions out, or what a transformer makes of rows.

    A model that was fitted without names of columns takes those of MLflow's tables by position.
    """

    def __init__(self, model: BaseEstimator) -> None:
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return what the model predicts for rows; ``params`` may name another ``method``."""
        reads_names = any(
            hasattr(part, "feature_names_in_")
            for part in (self.model, *(step for _, step in getattr(self.model, "steps", ())))
        )
        rows = model_input if reads_names else getattr(model_input, "values", model_input)
        default = "predict" if hasattr(self.model, "predict") else "transform"
        return getattr(self.model, _method(params, default))(rows)


def _method(params: dict[str, Any] | None, default: str) -> str:
    """Return the method that is asked for, one of those that answer for rows."""
    name = (params or {}).get("method", default)
    allowed = ("predict", "predict_proba", "transform")
    if name not in allowed:
        raise ParameterError(f"method={name!r} is not known. Give one of {', '.join(allowed)}.")
    return str(name)


def _load_pyfunc(path: str) -> PyfuncModel:
    """Return the model of a file for MLflow, which calls this function by its name."""
    return PyfuncModel(load(path))


def _add_environment(described: Any, folder: Path) -> None:
    """Say how MLflow loads the model, and in which environment."""
    from mlflow import pyfunc

    python = f"python: {platform.python_version()}\ndependencies:\n- -r {REQUIREMENTS_FILE}\n"
    _write_text(folder / REQUIREMENTS_FILE, f"lookalike=={lookalike.__version__}\n")
    _write_text(folder / ENVIRONMENT_FILE, python)
    pyfunc.add_to_model(
        described,
        loader_module=__name__,
        data=MODEL_FILE,
        python_env=ENVIRONMENT_FILE,
    )


def _write_text(path: Path, text: str) -> None:
    replace_file(path, lambda file: file.write(text.encode()))


def _mlflow_model() -> Any:
    """Return MLflow's class of models, or raise an error that says how to install it."""
    try:
        from mlflow.models import Model
    except ImportError:
        raise ExtraMissingError.of("MLflow", "mlflow") from None
    return Model
