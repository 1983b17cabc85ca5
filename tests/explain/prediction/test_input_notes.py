"""Notes say how rows differ from training rows, over all chunks together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from lookalike import KNeighborsClassifier, TablePreprocessor
from lookalike.explain.prediction.input_notes import InputNotes
from lookalike.explain.prediction.table_model import TableModel


def notes_of_table():
    frame = pd.DataFrame({"size": [1.0, 3.0, 2.0], "town": ["Graz", "Linz", "Graz"]})
    model = make_pipeline(TablePreprocessor(), KNeighborsClassifier(1)).fit(frame, [0, 1, 0])
    return InputNotes(TableModel(model))


def test_rows_like_training_rows_have_no_note():
    notes = notes_of_table()
    notes.note_columns(["town", "size"], ["size", "town"])
    notes.add({"size": np.array([1.0]), "town": np.array(["Graz"], object)})
    assert notes.sentences() == []


def test_what_differs_is_counted_over_all_chunks():
    notes = notes_of_table()
    notes.note_columns(["town", "size", "more"], ["size", "town", "day"])
    for _ in range(2):
        town = np.array(["Rome", None, "Graz"], object)
        notes.add({"size": np.array([1.0, np.nan, np.nan]), "town": town})
    assert [note.kind for note in notes.listed()] == [
        "absent_columns",
        "unused_columns",
        "unknown_categories",
        "missing_values",
    ]
    assert notes.sentences() == [
        "columns that are absent, all cells missing: day.",
        "columns not used by the model: more.",
        "categories that training rows lack, in 2 cells: 'Rome' in town; they equal none of those "
        "known.",
        "missing values, in 6 cells: size (4, imputed with 2), town (2).",
    ]


def test_missing_values_of_matrices_and_texts_without_a_word_are_counted():
    notes = notes_of_table()
    notes.add_matrix(np.array([[1.0, np.nan], [2.0, 3.0]]), None)
    notes.add_matrix(np.array([[1, 2]]), None)
    notes.add_texts(["a word", " ", ""])
    assert notes.sentences() == ["missing values, in 1 cell: x1 (1).", "texts without a word: 2."]


def test_names_that_would_not_be_seen_are_quoted():
    notes = notes_of_table()
    notes.note_columns(["size", "town", "", " a", "line\nbreak"], ["size", "town"])
    assert notes.sentences() == ["columns not used by the model: '', ' a', 'line\\nbreak'."]
