"""Named data sets to try things on: scikit-learn's bundled ones, and larger ones from a folder."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from lookalike.data.arrays import ArraySource
from lookalike.data.row_slice import RowSlice
from lookalike.data.source import Source, open_source
from lookalike.errors import ParameterError, SourceMissingError
from lookalike.typing import AnyArray

FOLDER = "LOOKALIKE_DATA"
BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")


class SampleFile(NamedTuple):
    """Where a part of a larger sample is: a file, and the arrays, columns or rows of it."""

    file: str
    array: str | None = None
    target: str | None = None
    leave_out: tuple[str, ...] = ()
    rows: tuple[int, int] | None = None


STORED = {
    "adult": {
        "train": SampleFile("adult.csv.gz", None, "income", ("split",), (0, 32561)),
        "test": SampleFile("adult.csv.gz", None, "income", ("split",), (32561, 48842)),
    },
    "bunny": {"all": SampleFile("stanford_bunny.npz", "points")},
    "cities": {"all": SampleFile("geonames_cities1000.npz", "latlon")},
    "cranfield": {
        "docs": SampleFile("cranfield_docs.csv.gz"),
        "queries": SampleFile("cranfield_queries.csv"),
        "qrels": SampleFile("cranfield_qrels.csv"),
    },
    "heart": {"all": SampleFile("heart_cleveland.csv", None, "num")},
    "letter": {
        "train": SampleFile("letter_recognition.csv.gz", None, "letter", (), (0, 16000)),
        "test": SampleFile("letter_recognition.csv.gz", None, "letter", (), (16000, 20000)),
    },
    "mnist": {
        "train": SampleFile("mnist.npz", "x_train", "y_train"),
        "test": SampleFile("mnist.npz", "x_test", "y_test"),
    },
    "olivetti": {"all": SampleFile("olivetti_faces.npz", "images", "target")},
    "orl": {"all": SampleFile("orl_faces_112x92.npz", "images", "target")},
    "sift": {name: SampleFile("siftsmall.npz", name) for name in ("base", "learn", "query")},
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
    parts = {"all": None} if name in BUNDLED else STORED.get(name)
    if parts is None:
        known = ", ".join(sorted((*BUNDLED, *STORED)))
        raise ParameterError(f"There is no sample {name!r}. The samples are {known}.")
    part = next(iter(parts)) if part is None else part
    if part not in parts:
        raise ParameterError(f"The sample {name!r} has no part {part!r}. Give {', '.join(parts)}.")
    stored = parts[part]
    return _bundled(name) if stored is None else _stored(name, part, stored)


def _bundled(name: str) -> Source:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{name}")()
    return ArraySource(bunch.data, bunch.target, names=[str(n) for n in bunch.feature_names])


def _stored(name: str, part: str, stored: SampleFile) -> Source:
    folder = os.environ.get(FOLDER)
    path = os.path.join(folder, stored.file) if folder else None
    if path is None or not os.path.isfile(path):
        if name == "mnist":
            return _fetched_mnist(part)
        reason = f"{FOLDER} is not set" if path is None else f"there is no {path!r}"
        raise SourceMissingError(
            f"The sample {name!r} is read from {stored.file}, and {reason}. "
            f"Set {FOLDER} to the folder that holds it."
        )
    if name == "cities":
        return open_source(path, _countries(path), array=stored.array)
    if stored.array is not None:
        return open_source(path, array=stored.array, target=stored.target)
    source = open_source(path, target=stored.target)
    if stored.leave_out:
        names = [column.name for column in source.columns if column.name not in stored.leave_out]
        source = open_source(path, target=stored.target, columns=names)
    return source if stored.rows is None else RowSlice(source, *stored.rows)


def _countries(path: str) -> AnyArray:
    with np.load(path, allow_pickle=False) as archive:
        names: AnyArray = archive["country_codes"][archive["country"]]
    return names


def _fetched_mnist(part: str) -> Source:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml("mnist_784", version=1, as_frame=False)
    except (OSError, ImportError) as error:
        raise SourceMissingError(
            f"The sample 'mnist' is not in the folder that {FOLDER} names, and openml.org did not "
            f"give it: {error}. Set {FOLDER} to the folder that holds mnist.npz."
        ) from None
    rows = slice(0, 60000) if part == "train" else slice(60000, 70000)
    return ArraySource(bunch.data[rows].astype(np.uint8), bunch.target[rows].astype(np.uint8))
