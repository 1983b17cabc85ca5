"""Out-of-fold class probabilities of the selected model and a random forest: the label audit."""

from __future__ import annotations

import math

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.trees.ordered_forest import (
    MAX_ROWS_OF_A_TREE,
    TREES_WITHOUT_A_ROW,
    out_of_bag_probabilities,
)
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.select.budget import Deadline
from lookalike.typing import AnyArray, Array, Rows

SPLIT_CELL_SECONDS = 4e-8  # for a row of a column at a level of a tree
LEAF_SECONDS = 3e-7  # in which a row finds its leaf, and the votes there are added
WINNER_TITLE = "the selected model"


def class_probabilities(
    out_of_fold: tuple[Rows, Array] | None,
    dataset: Dataset,
    Z: AnyArray,
    *,
    deadline: Deadline,
    seed: int,
    decisions: Decisions,
) -> dict[str, Array]:
    """Return the probabilities of `WINNER_TITLE` and of a random forest, by name.

    Those of a row are from models that did not see its label: `out_of_fold` has row numbers and
    the probabilities of the selected model, and trees vote on rows that they did not draw. The
    forest takes preprocessed rows `Z`, not of documents; it is left out where it would not fit the
    time.
    """
    labels, codes = np.unique(np.asarray(dataset.y), return_inverse=True)
    result = {}
    if out_of_fold is not None and out_of_fold[1].shape[1] == len(labels):
        row, shares = out_of_fold
        index = np.minimum(np.searchsorted(row, dataset.row), len(row) - 1)
        if (row[index] == dataset.row).all():
            result[WINNER_TITLE] = shares[index]
    if dataset.text is None:
        if refused := deadline.refuses(2 * forest_seconds(*Z.shape)):
            decisions.add("label audit", "without a random forest", refused)
        else:
            forest = out_of_bag_probabilities(Z, codes, len(labels), seed)
            result["a random forest"] = forest
    return result


def forest_seconds(n_rows: int, n_columns: int) -> float:
    """Return how long the random forest takes, roughly."""
    drawn = min(n_rows, MAX_ROWS_OF_A_TREE)
    grown = drawn * math.log2(drawn + 1) * math.sqrt(n_columns)
    return TREES_WITHOUT_A_ROW * (SPLIT_CELL_SECONDS * grown + LEAF_SECONDS * n_rows)
