"""Named data sets to try things on: scikit-learn's bundled ones, and larger ones from a folder."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lookalike.data.chunk import Kind
from lookalike.data.source import Source, open_source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.row_slice import RowSlice
from lookalike.errors import ParameterError, SourceMissingError
from lookalike.typing import AnyArray

DATA_FOLDER_VARIABLE = "LOOKALIKE_DATA"
BUNDLED_SAMPLES = ("breast_cancer", "diabetes", "digits", "iris", "wine")
_ADULT_FILE: dict[str, Any] = {"file": "adult.csv.gz", "target": "income", "leave_out": ("split",)}
_LETTER_FILE: dict[str, Any] = {"file": "letter_recognition.csv.gz", "target": "letter"}
STORED_SAMPLES: dict[str, dict[str, dict[str, Any]]] = {  # sample: {part: arguments of `_stored`}
    "adult": {
        "train": {**_ADULT_FILE, "rows": (0, 32561)},
        "test": {**_ADULT_FILE, "rows": (32561, 48842)},
    },
    "bunny": {"all": {"file": "stanford_bunny.npz", "array": "points"}},
    "cities": {"all": {"file": "geonames_cities1000.npz", "array": "latlon"}},
    "cranfield": {
        "docs": {"file": "cranfield_docs.csv.gz"},
        "queries": {"file": "cranfield_queries.csv"},
        "qrels": {
            "file": "cranfield_qrels.csv",
            "types": dict.fromkeys(("query_id", "doc_id", "grade"), "number"),
        },
    },
    "heart": {"all": {"file": "heart_cleveland.csv", "target": "num"}},
    "letter": {
        "train": {**_LETTER_FILE, "rows": (0, 16000)},
        "test": {**_LETTER_FILE, "rows": (16000, 20000)},
    },
    "mnist": {
        part: {"file": "mnist.npz", "array": f"x_{part}", "target": f"y_{part}"}
        for part in ("train", "test")
    },
    "olivetti": {"all": {"file": "olivetti_faces.npz", "array": "images", "target": "target"}},
    "orl": {"all": {"file": "orl_faces_112x92.npz", "array": "images", "target": "target"}},
    "sift": {part: {"file": "siftsmall.npz", "array": part} for part in ("base", "learn", "query")},
}


def sample(name: str, part: str | None = None) -> Source:
    """Return a data set by name.

    Parameters
    ----------
    name : str
        breast_cancer, diabetes, digits, iris or wine, which come with scikit-learn; or adult,
        bunny, cities, cranfield, heart, letter, mnist, olivetti, orl or sift, which are in the
        folder that the environment variable LOOKALIKE_DATA names. mnist is otherwise fetched
        from openml.org.
    part : str, optional
        "train" or "test" of adult, letter and mnist; "base", "learn" or "query" of sift; "docs",
        "queries" or "qrels" of cranfield. Where absent, the first of these.

    Examples
    --------
    >>> source = sample("digits")
    >>> source.n_rows, source.n_features, source.columns[0].name
    (1797, 64, 'pixel_0_0')
    """
    parts = {"all": {}} if name in BUNDLED_SAMPLES else STORED_SAMPLES.get(name)
    if parts is None:
        known = ", ".join(sorted((*BUNDLED_SAMPLES, *STORED_SAMPLES)))
        raise ParameterError(f"There is no sample {name!r}. The samples are {known}.")
    part = next(iter(parts)) if part is None else part
    if part not in parts:
        raise ParameterError(f"The sample {name!r} has no part {part!r}. Give {', '.join(parts)}.")
    return _bundle(name) if name in BUNDLED_SAMPLES else _store(name, part, **parts[part])


def _bundle(name: str) -> Source:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{name}")()
    return ArraySource(bunch.data, bunch.target, names=[str(n) for n in bunch.feature_names])


def _store(
    name: str,
    part: str,
    *,
    file: str,
    array: str | None = None,
    target: str | None = None,
    leave_out: tuple[str, ...] = (),
    types: dict[str, Kind] | None = None,
    rows: tuple[int, int] | None = None,
) -> Source:
    """Return a part of a larger sample: a file, and the arrays, columns or rows of it."""
    folder = os.environ.get(DATA_FOLDER_VARIABLE)
    path = os.path.join(folder, file) if folder else None
    if path is None or not os.path.isfile(path):
        if name == "mnist":
            return _fetch_mnist(part)
        reason = f"{DATA_FOLDER_VARIABLE} is not set" if path is None else f"there is no {path!r}"
        raise SourceMissingError(
            f"The sample {name!r} is read from {file}, and {reason}. "
            f"Set {DATA_FOLDER_VARIABLE} to the folder that holds it."
        )
    if name == "cities":
        return open_source(path, _countries(path), array=array)
    if array is not None:
        return open_source(path, array=array, target=target)
    source = open_source(path, target=target, types=types)
    if leave_out:
        names = [column.name for column in source.columns if column.name not in leave_out]
        source = open_source(path, target=target, columns=names)
    return source if rows is None else RowSlice(source, *rows)


def _countries(path: str) -> AnyArray:
    with np.load(path, allow_pickle=False) as archive:
        names: AnyArray = archive["country_codes"][archive["country"]]
    return names


def _fetch_mnist(part: str) -> Source:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml("mnist_784", version=1, as_frame=False)
    except (OSError, ImportError) as error:
        raise SourceMissingError(
            f"The sample 'mnist' is not in the folder that {DATA_FOLDER_VARIABLE} names, and "
            "openml.org did not "
            f"give it: {error}. Set {DATA_FOLDER_VARIABLE} to the folder that holds mnist.npz."
        ) from None
    rows = slice(0, 60000) if part == "train" else slice(60000, 70000)
    return ArraySource(bunch.data[rows].astype(np.uint8), bunch.target[rows].astype(np.uint8))
