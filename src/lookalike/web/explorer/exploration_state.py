"""One state of an exploration: rows, neighbors, maps and evidence, which never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.write.corrections import Correction
from lookalike.errors import ParameterError
from lookalike.explain.leave_one_out import targets_of
from lookalike.studies.format import metric_title
from lookalike.typing import AnyArray
from lookalike.validation import check_int
from lookalike.web.explorer.colors import Colors, code_dtype, coded
from lookalike.web.explorer.evidence import Evidences
from lookalike.web.explorer.explored_rows import ExploredRows, flag_detail
from lookalike.web.explorer.maps import MAP_WAIT_SECONDS, Maps
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.new_items import NewItems
from lookalike.web.explorer.row_images import RebuiltImages, RowImages
from lookalike.web.explorer.row_table import RowTable
from lookalike.web.explorer.study_report import StudyReport
from lookalike.web.served_model import StudyModel

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.studies.select.preparation import Preparation

SUPERVISED_TASKS = ("classification", "regression")


@dataclass(frozen=True)
class ExplorationState:
    """What the page shows at one time; a correction or another edition makes another state.

    Attributes
    ----------
    rows : ExploredRows
        The rows with their labels.
    neighbors : NeighborModel
        Their neighbors in the original space.
    model : object, optional
        The selected model, for rows as they come.
    companion : object, optional
        K-NN for rows as they come, if the selected model has no neighbors of its own.
    study : mapping, optional
        study.json.
    notes : tuple of str
        Sentences to be read first, for example that the data changed since the study was made.
    decisions : tuple
        What was decided on rows, by position, and the label that each had before.
    edition : int
        1 for the first study, one more for each that took its place.
    report : StudyReport, optional
        What the study wrote, where it is kept in a folder.
    maps, images, components
        Pictures of the rows, which states of the same rows share.
    """

    rows: ExploredRows
    neighbors: NeighborModel
    _: KW_ONLY
    model: BaseEstimator | None = None
    companion: BaseEstimator | None = None
    study: Mapping[str, Any] | None = None
    preparation: Preparation | None = None
    notes: tuple[str, ...] = ()
    decisions: tuple[tuple[Correction, object], ...] = ()
    edition: int = 1
    report: StudyReport | None = None
    maps: Maps
    images: RowImages
    components: RebuiltImages

    @classmethod
    def open(
        cls,
        rows: ExploredRows,
        neighbors: NeighborModel,
        preparation: Preparation | None = None,
        *,
        folder: Path | None = None,
        **options: Any,
    ) -> ExplorationState:
        """Return the first state of rows and their neighbors; their map is kept in `folder`."""
        images = RowImages(rows.dataset)
        return cls(
            rows,
            neighbors,
            preparation=preparation,
            report=None if folder is None else StudyReport(folder),
            maps=Maps(rows, neighbors, preparation, folder),
            images=images,
            components=RebuiltImages(rows.dataset, images),
            **options,
        )

    @cached_property
    def colors(self) -> Colors:
        """What rows are colored by."""
        return Colors(self)

    @cached_property
    def evidence(self) -> Evidences:
        """Explanations of rows."""
        return Evidences(self)

    @cached_property
    def new_items(self) -> NewItems:
        """Queries that are not rows of the data."""
        return NewItems(self)

    @cached_property
    def table(self) -> RowTable:
        """The rows as lines of a table."""
        return RowTable(self)

    def with_edition(self, edition: int, maps: Maps) -> ExplorationState:
        """Return the state as that of another edition, which takes over the maps that fit it."""
        self.maps.adopt(maps)
        return replace(self, edition=edition)

    def with_decision(self, decision: Correction) -> ExplorationState:
        """Return the state after a decision on a row."""
        before = self.rows.label(decision.row)
        after = self
        if decision.action == "relabel":
            after = self._with_label(decision.row, decision.label)
        return replace(after, decisions=(*self.decisions, (decision, before)))

    def without_last_decision(self) -> ExplorationState:
        """Return the state before the last decision."""
        decision, label = self.decisions[-1]
        before = self
        if decision.action == "relabel":
            before = self._with_label(decision.row, label)
        return replace(before, decisions=self.decisions[:-1])

    def _with_label(self, row: int, label: object) -> ExplorationState:
        position = int(self.neighbors.place[row])
        neighbors = self.neighbors
        if position >= 0:
            neighbors = neighbors.relabeled(position, label)
        return replace(
            self, rows=self.rows.relabeled(row, self.label_code(label)), neighbors=neighbors
        )

    def label_code(self, label: object) -> object:
        """Return the code of a class, or the number of a target; -1 or NaN where it is None."""
        if label is None:
            return -1 if self.rows.code is not None else np.nan
        return targets_of(self.neighbors.model).coded([label])[0]

    @property
    def models(self) -> dict[str, object]:
        """The models to serve, by name."""
        if self.model is None:
            return {}
        return {self.rows.name: StudyModel(self.model, self.companion)}

    def session(self) -> dict[str, object]:
        """Return what the page needs to begin: the rows, maps, colors and model."""
        rows, shape = self.rows, self.rows.dataset.image_shape
        return {
            "name": rows.name,
            "task": rows.task,
            "kind": rows.dataset.data_kind,
            "n_rows": len(rows),
            "columns": self.new_items.columns,
            "header": list(rows.header),
            "target": rows.target,
            "classes": rows.class_names,
            "maps": self.maps.listed(MAP_WAIT_SECONDS),
            "colors": self.colors.listed(),
            "k": {"selected": self.neighbors.k, "max": self.neighbors.k_max},
            "model": self._model(),
            "neighbors": {
                "title": self.neighbors.title,
                "metric": self.neighbors.metric,
                "selected": rows.predicted is None,  # or the neighbors of another model
            },
            "table": self.table.columns,
            "strangest": rows.strangest,
            "predicted_by": self.predicted_by,
            "image": None if shape is None else {"height": shape[0], "width": shape[1]},
            "held_out": self._held_out(),
            "notes": [*self.notes, *filter(None, [self.maps.why_no_neighbor_map])],
            "edition": self.edition,
            "report": self.report is not None and self.report.exists,
        }

    @property
    def predicted_by(self) -> str:
        """Which model the predictions of the rows are of, in one sentence."""
        if self.rows.predicted is not None:
            return self.rows.predicted_by
        if not self.neighbors.predicts:
            return ""
        rest = ", leave-one-out; held-out rows by the training rows"
        return self.neighbors.name + rest

    def k_curve(self) -> dict[str, object]:
        """Return the leave-one-out error, or RMSE, of every K; no model is fitted for it."""
        self._require_target()
        each = self.neighbors.leave_one_out()
        return {
            "k": each.k.tolist(),
            "error": each.error.tolist(),
            "selected": each.selected,
            "curve_rows": each.n_rows,
            "model": self.neighbors.title,
        }

    def predicted_at(self, k: int) -> AnyArray:
        """Return the prediction for every row by K neighbors, as codes of the colors."""
        self._require_target()
        k = check_int("k", k, least=1, most=self.neighbors.k_max)
        values = self.neighbors.predicted(k)
        if self.rows.code is None:
            return values.astype(np.float32)
        return coded(values, code_dtype(len(self.rows.classes)))

    def confusion_rows(self, label: str, predicted: str) -> list[int]:
        """Return the rows of one class that are predicted as another."""
        places = {name: index for index, name in enumerate(self.rows.class_names)}
        if self.rows.code is None or label not in places or predicted not in places:
            raise ParameterError(f"{label!r} and {predicted!r} are not both classes.")
        in_cell = (self.rows.code == places[label]) & (self.predicted() == places[predicted])
        return np.flatnonzero(in_cell).tolist()

    def _require_target(self) -> None:
        if not self.neighbors.predicts:
            raise ParameterError("There is no target, so nothing is predicted.")

    def predicted(self) -> AnyArray:
        """Return the prediction for every row: class codes, or numbers."""
        if self.rows.predicted is None:
            return self.neighbors.predicted(self.neighbors.k)
        known = self.rows.is_predicted
        if known.all():
            return self.rows.predicted
        return np.where(known, self.rows.predicted, self.neighbors.predicted(self.neighbors.k))

    def row(self, row: int) -> dict[str, object]:
        """Return a row with its label, prediction, flags and cells."""
        rows, row = self.rows, self.check_row(row)
        predicted, shares = self._prediction(row)
        return {
            "row": row,
            "number": int(rows.dataset.row[row]),
            "label": rows.label(row),
            "predicted": predicted,
            "predicted_by": self.predicted_by,
            "probabilities": shares,
            "pending": predicted is None and self.neighbors.predicts,
            "split": ("test" if rows.is_test[row] else "train")
            if rows.task in SUPERVISED_TASKS
            else None,
            "flags": self._flags(row),
            "cells": rows.cells(row),
            "text": rows.text(row),
            "image": rows.dataset.image_shape is not None,
            "report": self.report and self.report.card(int(rows.dataset.row[row])),
        }

    def prediction(self, row: int) -> object:
        """Return the stored prediction for one row; None where it is not known yet."""
        return self._prediction(row)[0]

    def _prediction(self, row: int) -> tuple[object, dict[str, float] | None]:
        """Return the stored prediction for one row, and class probabilities if they are known.

        Nothing is computed: the pointer asks for it over every row that it passes.
        """
        rows = self.rows
        if not self.neighbors.predicts:
            return None, None
        if rows.predicted is not None and rows.is_predicted[row]:
            if rows.code is None:
                return float(rows.predicted[row]), None
            shares = None
            if rows.probability is not None and not np.isnan(rows.probability[row]).any():
                shares = dict(zip(rows.class_names, rows.probability[row].tolist(), strict=True))
            return rows.class_name(int(rows.predicted[row])), shares
        if not self.neighbors.ready:
            return None, None
        value = self.neighbors.predictions().of_row(row)[self.neighbors.k - 1]
        return (float(value) if rows.code is None else rows.class_name(int(value))), None

    def _flags(self, row: int) -> list[dict[str, object]]:
        audit = self.rows.audit
        if audit is None:
            return []
        kinds = audit.flags[row].split()
        return [{"kind": kind, "detail": flag_detail(kind, row, audit)} for kind in kinds]

    def check_row(self, row: int) -> int:
        """Return a position, or raise where there is no such row."""
        if not 0 <= row < len(self.rows):
            raise ParameterError(
                f"There is no row {row}; rows are counted from 0 to {len(self.rows) - 1}."
            )
        return row

    @property
    def model_name(self) -> str:
        """The title of the selected model."""
        return str(self._model()["name"])

    def _model(self) -> dict[str, object]:
        if self.study is not None and self.study["winner"] is not None:
            best = next(
                candidate
                for candidate in self.study["candidates"]
                if candidate["name"] == self.study["winner"]
            )
            return {
                "name": best["title"],
                "kind": best["name"],
                "hyperparameters": best["hyperparameters"],
            }
        last = self.neighbors.model
        name = type(last).__name__
        return {"name": name, "kind": name, "hyperparameters": {"K": str(self.neighbors.k)}}

    def _held_out(self) -> dict[str, object] | None:
        scores = None if self.study is None else self.study["held_out"]
        if scores is None:
            return None
        low, high = scores["interval"]
        name = f"held-out {metric_title(scores['metric'])}"
        return {
            "name": name, "value": scores["error"], "low": low, "high": high, "n": scores["n_rows"]
        }  # fmt: skip
