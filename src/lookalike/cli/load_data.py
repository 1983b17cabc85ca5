"""Opens a DATA argument: a sample of the package, or a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lookalike.cli.options import ColumnOptions, file_options
from lookalike.cli.output import print_note
from lookalike.data.batches import gather, gather_table
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.pieces import is_numeric
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source, open_source
from lookalike.errors import ColumnError, ParameterError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.validation import few

if TYPE_CHECKING:
    from lookalike.models.preprocessing.table import TablePreprocessor
    from lookalike.studies.results import ColumnDescription

MOST_TERMS = 2000  # of documents, whose features are selected
NumericTable: TypeAlias = tuple[AnyArray, AnyArray | None, list[str]]  # X, y, names of columns


def open_argument(
    name: str, *, target: str | None = None, drop: Sequence[str] | None = None, **choice: Any
) -> Source:
    """Return the rows of a DATA argument; a file that is named as a sample is ``./name``.

    `target` is the column to predict, `drop` lists columns to leave out; a command has one of
    the two options.
    """
    if name in BUNDLED:
        return _open_sample(name, target=target, drop=drop)
    try:
        source = open_source(name, target=target or drop or None, **choice, **file_options())
    except ColumnError as error:
        raise named_option(error, "--drop" if drop else "--target") from error
    for decision in getattr(source, "decisions", ()):
        print_note(f"{decision}.")
    return source


def named_option(error: ColumnError, option: str) -> ColumnError:
    """Return an error on the target that names the option of the command."""
    return ColumnError(re.sub(r"^target(?=[ =])", option, str(error)))


def _open_sample(name: str, *, target: str | None, drop: Sequence[str] | None) -> Source:
    if options := file_options():
        raise ParameterError(f"--{next(iter(options))} is for files, and {name} is a sample.")
    if target is not None:
        raise ParameterError(
            f"--target {target}: the sample {name} has its own target. Leave the option out."
        )
    if drop:
        raise ParameterError(f"--drop is for files, and {name} is a sample. Leave the option out.")
    return sample(name)


def load_numeric(
    name: str,
    *,
    target: str | None = None,
    drop: Sequence[str] | None = None,
    scale: bool = False,
    text: str | None = None,
) -> NumericTable:
    """Return all rows as numbers, the target, and the names of the columns.

    Categories are one-hot encoded, missing numbers replaced by the mean of their column, and text
    columns left out; a note names each. Documents, of the column `text` or of a table that has no
    other, are rows of tf-idf weights in the components of latent semantic analysis.
    """
    return numeric_table(open_argument(name, target=target, drop=drop), scale=scale, text=text)


def numeric_table(source: Source, *, scale: bool, text: str | None) -> NumericTable:
    """Return all rows of an opened table as numbers, as `load_numeric` does."""
    documents = text_column(source, text)
    if documents is not None:
        require_unscaled(documents, scale)
        return _latent_documents(source, documents)
    return _numbers(source, scale=scale)


def require_unscaled(documents: str, scale: bool) -> None:
    """Raise where documents are to be scaled as columns of numbers are."""
    if scale:
        raise ParameterError(
            f"--scale is for columns of numbers, and {documents} holds documents. Leave it out."
        )


def _numbers(source: Source, *, scale: bool) -> NumericTable:
    """Return the rows of a table, categories and missing numbers encoded, as numbers."""
    names = [column.name for column in source.columns]
    if is_numeric(source):
        chunk = gather(source)
        missing = chunk.X.dtype.kind == "f" and bool(np.isnan(chunk.X).any())
        if not missing and not scale:
            return chunk.X, chunk.y, names
        if missing:
            print_note("missing numbers are replaced by the mean of their column.")
        return table_preprocessor(scale).fit_transform(chunk.X), chunk.y, names
    preprocessor = table_preprocessor(scale)
    Z, y = encoded(source, preprocessor)
    for kind, words in (("category", "are one-hot encoded"), ("text", "are left out")):
        if some := [column.name for column in source.columns if column.kind == kind]:
            print_note(f"{kind} columns {words}: {', '.join(some)}.")
    return Z, y, [str(one) for one in preprocessor.get_feature_names_out()]


def table_preprocessor(scale: bool, engine: str = "auto") -> TablePreprocessor:
    """Return what makes mixed tables numeric, not fitted."""
    from lookalike.models.preprocessing.table import TablePreprocessor

    return TablePreprocessor(scale="zscore" if scale else "none", engine=engine)


def encoded(source: Source, preprocessor: TablePreprocessor) -> tuple[AnyArray, AnyArray | None]:
    """Return the rows of a mixed table as numbers by a preprocessor that is fitted, and y."""
    table = gather_table(source)
    columns = ColumnsSource(table.values, {column.name: column.kind for column in source.columns})
    return np.asarray(preprocessor.fit_transform(columns)), table.y


def open_columns(name: str, columns: ColumnOptions) -> tuple[Source, str | None]:
    """Return the rows of DATA without the columns dropped, and the column of documents if any."""
    source = open_argument(name, drop=columns.drop)
    return source, text_column(source, columns.text)


def text_column(source: Source, text: str | None) -> str | None:
    """Return the column of documents: the one named, or the only column where it is text."""
    names = [column.name for column in source.columns]
    if text is not None and text not in names:
        raise ColumnError(f"--text {text} is no column; there are {few(names, text=str)}.")
    only = len(names) == 1 and source.columns[0].kind == "text"
    return text or (names[0] if only else None)


def read_texts(source: Source, column: str) -> tuple[list[str], AnyArray | None]:
    """Return the documents of a source, missing ones empty, and y."""
    table = gather_table(source)
    cells = np.asarray(table.values[column]).tolist()
    return ["" if is_missing(cell) else str(cell) for cell in cells], table.y


def _latent_documents(source: Source, column: str) -> NumericTable:
    from lookalike.models.text.lsa import LSA

    texts, y = read_texts(source, column)
    lsa = LSA(weighting="tfidf").fit(texts)
    Z = np.asarray(lsa.transform(texts))
    print_note(f"documents of {column} are compared by {Z.shape[1]} components of LSA.")
    return Z, y, [str(one) for one in lsa.get_feature_names_out()]


def load_features(name: str, *, target: str | None, text: str | None) -> NumericTable:
    """Return all rows as numbers, documents as the tf-idf weights of their most frequent terms."""
    source = open_argument(name, target=target)
    column = text_column(source, text)
    if column is None:
        return _numbers(source, scale=False)
    from lookalike.models.text.tfidf import TermWeights

    texts, y = read_texts(source, column)
    weights = TermWeights(max_features=MOST_TERMS).fit(texts)
    Z = weights.transform(texts).toarray()
    return Z, y, [str(term) for term in weights.get_feature_names_out()]


def print_suggested_target(columns: Sequence[ColumnDescription], n_rows: int) -> None:
    """Print which column may be the target, where one is likely and none was given."""
    from lookalike.studies.load.target import suggest_target

    if likely := suggest_target(columns, n_rows):
        name, why = likely
        print_note(f"no target was given; {name!r} may be it ({why}): give --target {name}.")


def require_target(y: AnyArray | None, names: Sequence[str], name: str) -> AnyArray:
    """Return the target of the table `name`, which must have one beside the columns `names`."""
    if y is None:
        from lookalike.studies.load.target import likely_target

        likely = likely_target([one.split("=")[0] for one in names])
        hint = f"Give --target {likely}" if likely else "Give --target and the name of a column"
        raise ParameterError(f"{name} has no target. {hint}.")
    return y
