"""How columns become numbers: the scaling and encoding whose neighbors err least, left out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError, UnsupportedError
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.models.text.lsa import LSA
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.load.dataset import Material
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.candidates import Training
from lookalike.typing import AnyArray

TRIAL_ROWS = 2000
USED = {"number": "number", "ordinal": "number", "boolean": "number"}
USED |= {"category": "category", "date": "date", "pixels": "number"}


@dataclass(frozen=True)
class Preparation:
    """The two ways in which rows are described: "near" to neighbors, "straight" to sums."""

    columns: Mapping[str, str]
    scale: str
    encoding: str
    metric: str
    words: str

    spaces = ("near", "straight")  # in which rows are looked at beside the models

    def preparer(self, space: str) -> TablePreprocessor:
        """Return what makes numbers of columns, not fitted yet."""
        if self.encoding == "codes" and space == "straight":
            return TablePreprocessor(dict(self.columns))
        return TablePreprocessor(dict(self.columns), scale=self.scale, encoding=self.encoding)

    def search(self, space: str, preparer: TablePreprocessor) -> dict[str, Any]:
        """Return the parameters of models of neighbors on rows that `preparer` made."""
        if self.encoding == "codes" and space == "straight":
            return {}
        if self.metric != "gower":
            return {} if self.metric == "euclidean" else {"metric": self.metric}
        categorical = {"categorical": list(preparer.categorical_)}
        return {"metric": "gower", "metric_params": categorical, "missing": "present"}

    def same(self, space: str) -> str:
        """Return the first space in which rows are described as in `space`."""
        return space if self.encoding == "codes" else "near"

    def scaled(self, preparer: TablePreprocessor) -> bool:
        """Return whether columns are of one scale."""
        return preparer.scale == "zscore"


@dataclass(frozen=True)
class TextPreparation:
    """The two ways in which documents are described: by their terms, and by latent directions."""

    column: str
    words: str = "words weighted by how much they tell"
    spaces = ("latent", "latent")

    def preparer(self, space: str) -> Any:
        """Return what makes numbers of documents, not fitted yet."""
        return LSA(column=self.column) if space == "latent" else TermWeights(column=self.column)

    def search(self, space: str, preparer: Any) -> dict[str, Any]:  # noqa: ARG002 - as of tables
        """Return the parameters of models of neighbors: by the cosine."""
        return {"metric": "cosine", "metric_params": {"zero": "far"}}

    def same(self, space: str) -> str:
        """Return the space itself."""
        return space

    def scaled(self, preparer: Any) -> bool:  # noqa: ARG002 - as of tables
        """Return that rows have one length."""
        return True


def used_columns(facts: Sequence[ColumnDescription], material: Material) -> dict[str, str]:
    """Return the columns that rows are compared by, each with the way it is read."""
    if material.text is not None:
        return {material.text: "text"}
    if material.image_shape is not None:
        return dict.fromkeys(material.names, "number")
    kept = {fact.name: USED[fact.kind] for fact in facts if fact.role == "feature"}
    if not kept:
        why = "; ".join(f"{fact.name!r}: {fact.reason}" for fact in facts[:5])
        raise ShapeError(f"No column is left to compare rows by. {why}. Give other columns.")
    for name, kind in kept.items():  # 0 and 1 may come as text, truth values or numbers
        if kind == "number" and material.kinds[name] == "category":
            kept[name] = "category"
    return kept


def choose_preparation(
    material: Material,
    y: AnyArray | None,
    *,
    columns: Mapping[str, str],
    classify: bool,
    metric: str,
    seed: int,
    decisions: Decisions,
) -> Preparation | TextPreparation:
    """Return the preparation whose K neighbors err least when rows are left out in turn."""
    if material.text is not None:
        if metric not in ("auto", "cosine"):
            raise UnsupportedError(f"metric={metric!r}: documents are compared by their cosine.")
        texts = TextPreparation(material.text)
        decisions.add("preparation", texts.words, f"column {material.text!r} holds documents")
        return texts
    options = _options(material, columns, metric)
    if len(options) == 1 or y is None or len(material) < 10:
        decisions.add("preparation", options[0].words, "the usual one for such columns")
        return options[0]
    rows = np.random.default_rng(seed).permutation(len(material))[:TRIAL_ROWS]
    part, target = material.take(rows), y[rows]
    errors = [_trial(option, part, target, classify=classify, seed=seed) for option in options]
    best = int(np.argmin(errors))
    told = "; ".join(
        f"{option.words}: {error:.4g}" for option, error in zip(options, errors, strict=True)
    )
    reason = f"least left-out error of K neighbors on {len(rows)} training rows ({told})"
    decisions.add("preparation", options[best].words, reason)
    return options[best]


def _options(material: Material, columns: Mapping[str, str], metric: str) -> list[Preparation]:
    scaled = "numbers as z-scores, a column for each category"
    if "category" not in columns.values():
        scaled = "columns as z-scores"
    if metric == "gower":
        return [Preparation(columns, "none", "codes", "gower", "Gower's dissimilarity")]
    chosen = "euclidean" if metric == "auto" else metric
    if material.image_shape is not None:
        return [Preparation(columns, "none", "onehot", chosen, "gray values as they are")]
    options = [Preparation(columns, "zscore", "onehot", chosen, scaled)]
    if "category" not in columns.values():
        if len(columns) > 1:
            options.append(Preparation(columns, "none", "onehot", chosen, "numbers as they are"))
    elif metric == "auto":
        options.append(Preparation(columns, "none", "codes", "gower", "Gower's dissimilarity"))
    return options


def _trial(
    option: Preparation, material: Material, y: AnyArray, *, classify: bool, seed: int
) -> float:
    preparer = option.preparer("near")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single classes: told of the model that is kept
        Z = preparer.fit_transform(material.source())
        training = Training(Z, y, classify, seed, option.search("near", preparer))
        curve = training.selection.curves["loo", "uniform"]
    return float(curve.scores[training.selection.score].min())
