"""Rows of a DATA argument as a study prepares them, and what a command says of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.cli.load_data import note_reading, open_argument, read_texts, text_column
from lookalike.cli.options import ComparedColumns
from lookalike.cli.output import print_note
from lookalike.data.samples import BUNDLED_SAMPLES
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from lookalike.data.source import Source
    from lookalike.studies.prepare_rows import ComparedRows
    from lookalike.typing import AnyArray

MAX_TERMS_SCORED = 2000  # of documents, whose features are selected
MAX_COLUMNS_LISTED = 5  # of those left out, each with its reason
SCALING_METHODS = ("zscore", "none")


def load_prepared(
    name: str,
    columns: ComparedColumns,
    *,
    scale: str | None = None,
    metric: str = "euclidean",
    engine: str = "auto",
) -> ComparedRows:
    """Return the rows of DATA prepared, without the target."""
    from lookalike.studies.prepare_rows import prepare_rows

    scale = "zscore" if scale is None else scale
    check_choice("--scale", scale, SCALING_METHODS)
    source = open_argument(name, target=columns.target, drop=columns.drop, notes=False)
    prepared = prepare_rows(
        source,
        text=text_column(source, columns.text),
        metric="auto" if metric == "euclidean" else metric,
        scale=scale,
        engine=engine,
        suggest=columns.target is None and name not in BUNDLED_SAMPLES,
    )
    return _with_notes(source, prepared)


def prepare_supervised(
    source: Source,
    *,
    scale: str | None = None,
    metric: str = "euclidean",
) -> ComparedRows:
    """Return the rows whose target is known, prepared, with the target; say how they are read."""
    from lookalike.studies.prepare_rows import prepare_rows

    scale = "zscore" if scale is None else scale
    check_choice("--scale", scale, SCALING_METHODS)
    prepared = prepare_rows(
        source,
        metric="auto" if metric == "euclidean" else metric,
        scale=scale,
        supervised=True,
    )
    return _with_notes(source, prepared)


def _with_notes(source: Source, prepared: ComparedRows) -> ComparedRows:
    """Say how columns are read, but for those that are left out, which is said with the reason."""
    note_reading(source, [one.about for one in prepared.decisions if one.choice == "dropped"])
    return prepared


def weighted_terms(source: Source, column: str) -> tuple[AnyArray, AnyArray | None, list[str]]:
    """Return documents as the tf-idf weights of their most frequent terms, y, and the terms."""
    from lookalike.models.text.tfidf import TermWeights

    texts, y = read_texts(source, column)
    weights = TermWeights(max_features=MAX_TERMS_SCORED).fit(texts)
    Z = weights.transform(texts).toarray()
    return Z, y, [str(term) for term in weights.get_feature_names_out()]


def preparation_lines(prepared: ComparedRows) -> list[str]:
    """Return the choices of a preparation, one a line; of many columns left out the first ones."""
    dropped = [decision for decision in prepared.decisions if decision.choice == "dropped"]
    lines = [str(decision) for decision in dropped[:MAX_COLUMNS_LISTED]]
    if more := dropped[MAX_COLUMNS_LISTED:]:
        names = ", ".join(
            decision.about.removeprefix("column ") for decision in more[:MAX_COLUMNS_LISTED]
        )
        rest = ", …" if len(more) > MAX_COLUMNS_LISTED else ""
        lines.append(f"{len(more)} more columns: dropped ({names}{rest})")
    return [
        *lines,
        *(str(decision) for decision in prepared.decisions if decision.choice != "dropped"),
    ]


def note_preparation(prepared: ComparedRows) -> None:
    """Print the choices of a preparation to standard error, beside a table on standard output."""
    for line in preparation_lines(prepared):
        print_note(f"{line}.")
