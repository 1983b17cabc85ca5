"""An exploration: the rows of a study, their neighbors, maps and evidence, without HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.studies.format import metric_title
from lookalike.typing import AnyArray
from lookalike.validation import check_int
from lookalike.web.explorer.colors import Colors, code_dtype, coded
from lookalike.web.explorer.evidence import Evidences
from lookalike.web.explorer.explored_rows import ExploredRows, flag_detail
from lookalike.web.explorer.maps import PATIENCE, Maps
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.new_items import NewItems
from lookalike.web.explorer.pending import Pending
from lookalike.web.explorer.review import Review
from lookalike.web.explorer.row_images import RebuiltImages, RowImages

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.studies.select.preparation import Preparation

PREDICTED = ("classification", "regression")


class Exploration:
    """What the page shows; made by `open_exploration`, `explore_study` or `explore_model`.

    Attributes
    ----------
    rows : ExploredRows
        The rows with their labels.
    neighbors : NeighborModel
        Their neighbors in the original space.
    model : object, optional
        The selected model, for rows as they come.
    study : mapping, optional
        study.json.
    notes : tuple of str
        Sentences to be read first, for example that the data changed since the study was made.
    corrections : Path, optional
        The csv file of corrections; None: labels cannot be edited.
    """

    def __init__(
        self,
        rows: ExploredRows,
        neighbors: NeighborModel,
        *,
        model: BaseEstimator | None = None,
        study: Mapping[str, Any] | None = None,
        preparation: Preparation | None = None,
        notes: tuple[str, ...] = (),
        corrections: Path | None = None,
    ) -> None:
        self.rows, self.neighbors, self.model = rows, neighbors, model
        self.study, self.preparation, self.notes = study, preparation, notes
        self.maps = Maps(rows, neighbors, preparation)
        self.colors = Colors(self)
        self.evidence = Evidences(self)
        self.images = RowImages(rows.dataset)
        self.components = RebuiltImages(rows.dataset, self.images)
        self.new_items = NewItems(self)
        self.edition = 1
        self.successor: Pending[None] | None = None
        self.on_new_models: list[Callable[[dict[str, object]], None]] = []
        header = {"rows": rows.key, "target": rows.target}
        self.review = Review(self, corrections, header)  # replays its log
        neighbors.start()

    @property
    def models(self) -> dict[str, object]:
        """The models to serve, by name."""
        return {} if self.model is None else {self.rows.name: self.model}

    def follow_up(self, study: Callable[[], Exploration], what: str) -> None:
        """Compute another exploration of the same rows, and show it from then on.

        `study` returns it; its review replays the decisions that were made meanwhile.
        """

        def succeed() -> None:
            following = study()
            following.edition = self.edition + 1
            following.on_new_models = self.on_new_models
            following.maps.adopt(self.maps)
            self.__dict__.update(following.__dict__)
            for listener in self.on_new_models:
                listener(self.models)

        self.successor = Pending(succeed, what)
        self.successor.start()

    def progress(self) -> dict[str, object]:
        """Return what is still being computed, how far it is, and which edition this is."""
        pending = {"neighbors of all rows": self.neighbors.stage, "neighbor map": self.maps.stage}
        failure = None
        if self.successor is not None:
            pending["study"] = self.successor.stage and {"stage": "", "done": 0, "total": None}
            failure = self.successor.failure
        running = [{"what": what, **stage} for what, stage in pending.items() if stage is not None]
        return {"edition": self.edition, "running": running, "failure": failure}

    def session(self) -> dict[str, object]:
        """Return what the page needs to begin: the rows, maps, colors and model."""
        rows, shape = self.rows, self.rows.dataset.image_shape
        return {
            "name": rows.name,
            "task": rows.task,
            "kind": rows.dataset.data_kind,
            "n_rows": len(rows),
            "columns": [{"name": name, "type": kind} for name, kind in rows.dataset.kinds.items()],
            "target": rows.target,
            "classes": rows.class_names,
            "maps": self.maps.listed(PATIENCE),
            "colors": self.colors.listed(),
            "k": {"selected": self.neighbors.k, "max": self.neighbors.k_max},
            "model": self._model(),
            "neighbors": {"title": self.neighbors.title, "metric": self.neighbors.metric},
            "predicted_by": self.predicted_by,
            "editable": self.review.editable,
            "image": None if shape is None else {"height": shape[0], "width": shape[1]},
            "held_out": self._held_out(),
            "notes": [*self.notes, *filter(None, [self.maps.why_no_neighbor_map])],
            "edition": self.edition,
        }

    def opening_lines(self) -> list[str]:
        """Return what is said when the page is opened: notes, and where corrections are kept."""
        if not self.neighbors.predicts:
            return list(self.notes)
        if self.review.place is None:
            return [
                *self.notes,
                "Labels cannot be changed: give a file for corrections (--corrections FILE).",
            ]
        return [*self.notes, f"Corrected labels are written to {self.review.place}"]

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
        places = {name: place for place, name in enumerate(self.rows.class_names)}
        if self.rows.code is None or label not in places or predicted not in places:
            raise ParameterError(f"{label!r} and {predicted!r} are not both classes.")
        here = (self.rows.code == places[label]) & (self.predicted() == places[predicted])
        return np.flatnonzero(here).tolist()

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
            "split": ("test" if rows.is_test[row] else "train") if rows.task in PREDICTED else None,
            "flags": self._flags(row),
            "cells": rows.cells(row),
            "text": rows.text(row),
            "image": rows.dataset.image_shape is not None,
        }

    def _prediction(self, row: int) -> tuple[object, dict[str, float] | None]:
        """Return the prediction for one row, and the probability of every class where known."""
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
        evidence = self.evidence.of_row(row)
        total = sum(evidence["votes"].values())
        shares = {name: vote / total for name, vote in evidence["votes"].items()} if total else None
        return evidence["predicted"], shares

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
                one for one in self.study["candidates"] if one["name"] == self.study["winner"]
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
