"""The audit of all rows where a sample was audited: copies, and labels that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.source import Source
from lookalike.data.sources.pieces import chunks_ahead, is_numeric, tables_ahead
from lookalike.explain.audit.label_errors import FLAG_PROBABILITY, wrong_label_probability
from lookalike.explain.audit.table import AuditTable
from lookalike.progress import progress
from lookalike.reductions.row_hashes import row_hashes
from lookalike.studies.all_rows.first_copies import FirstCopies
from lookalike.studies.all_rows.rows import FeatureChunks, model_rows, read_targets
from lookalike.studies.all_rows.survey import reader_of, study_rows
from lookalike.studies.context import StudyContext
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Chunk, Table

AUDIT_HEADINGS = ("row", "flags", "mislabel_probability", "suggested_label", "duplicate_of")


class AllRowsAudit:
    """The audit of every row, written as it is read: a line for each row, chunk by chunk.

    Exact duplicates are those among all rows. A label is flagged where it is wrong with a
    probability of 1/2 or more, by the class probabilities q of the selected model and the share
    of wrong labels in the sample (see :func:`lookalike.explain.audit.label_errors.label_errors`);
    flags and probabilities of rows of the sample are those of its audit, which also has outliers,
    near duplicates and hubs.

    Parameters
    ----------
    context : StudyContext
    source : Source
        All rows.
    model : object or None
        The selected model, where it has class probabilities.
    noise : float or None
        The share of wrong labels in the sample.
    sample : AuditTable
        The audit of the sample.
    """

    def __init__(
        self,
        context: StudyContext,
        source: Source,
        model: BaseEstimator,
        noise: float | None,
        sample: AuditTable,
    ) -> None:
        rows = study_rows(context, source)
        self.n_rows: int | None = source.n_rows
        self._source, self._sample = source, sample
        self._rows = FeatureChunks(source, rows.features, rows.named)
        self._target, self._noise = reader_of(context), noise
        checked = context.task is CLASSIFICATION_TASK and hasattr(model, "predict_proba")
        self._model = model if checked and noise is not None else None

    @property
    def checks_labels(self) -> bool:
        """Whether labels are checked as well: the task has classes, and the model probabilities."""
        return self._model is not None

    def pieces(self) -> Iterator[dict[str, AnyArray]]:
        """Give row, flags, probability, suggested label and first copy of the rows, in order."""
        with progress("rows hashed", self.n_rows) as advance:
            copies = FirstCopies(self._hashes(advance))
        with progress("rows audited", self.n_rows) as advance:
            for piece in self._read():
                chunk = self._rows.chunk_of(piece)
                start, stop = chunk.offset, chunk.offset + len(chunk.X)
                first = copies.of(start, stop)
                probability, suggested = self._labels(piece, chunk)
                flags = self._with_sample(start, stop, first, probability)
                row = np.arange(start, stop)
                yield dict(
                    zip(AUDIT_HEADINGS, (row, flags, probability, suggested, first), strict=True)
                )
                advance(stop - start)

    def _read(self) -> Iterator[Chunk | Table]:
        pieces = chunks_ahead if is_numeric(self._source) else tables_ahead
        return iter(pieces(self._source))

    def _hashes(self, advance: Callable[[int], None]) -> Iterator[AnyArray]:
        for piece in self._read():
            hashes = row_hashes(self._rows.chunk_of(piece).X)
            yield hashes
            advance(len(hashes))

    def _labels(self, piece: Chunk | Table, chunk: Chunk) -> tuple[Array, AnyArray]:
        """Return how probable it is that each label is wrong, and the class that fits best."""
        n_rows = len(chunk.X)
        probability, suggested = np.zeros(n_rows), np.full(n_rows, "", object)
        if self._model is None or self._target is None or self._noise is None:
            return probability, suggested
        codes, known = read_targets(piece.y, self._target)
        labels = np.asarray(self._target.values)
        q = np.asarray(self._model.predict_proba(model_rows(chunk, self._rows)), np.float64)
        place = np.searchsorted(labels, self._model.classes_)
        checked = np.asarray(codes, np.int64) < len(labels)
        if known is not None:
            checked &= known
        rows = np.flatnonzero(checked)
        by_label = np.zeros((n_rows, len(labels)))
        by_label[:, place] = q
        code = np.asarray(codes, np.int64)[rows]
        stray = np.full(len(labels), 1 / max(len(labels) - 1, 1))
        by_code = by_label[rows, code]
        probability[rows] = wrong_label_probability(by_code, self._noise, stray, code)
        by_label[rows, code] = -1.0
        suggested[rows] = labels[by_label[rows].argmax(axis=1)]
        return probability, suggested

    def _with_sample(self, start: int, stop: int, first: AnyArray, probability: Array) -> AnyArray:
        """Return the flags of some rows; those of the sample with what its audit found."""
        flags = np.full(stop - start, "", object)
        wrong = probability >= FLAG_PROBABILITY
        low, high = np.searchsorted(self._sample.row, [start, stop])
        scores = self._sample.scores.get("mislabel_probability")
        inside = self._sample.row[low:high] - start
        if scores is not None and self._model is not None:
            probability[inside] = scores[low:high]
        for row, flags_of_row in zip(inside.tolist(), self._sample.flags[low:high], strict=True):
            kinds = [kind for kind in flags_of_row.split() if kind not in ("duplicate", "mislabel")]
            wrong[row] = "mislabel" in flags_of_row.split()
            flags[row] = " ".join(kinds)
        for name, marked in (("duplicate", first >= 0), ("mislabel", wrong)):
            for row in np.flatnonzero(marked).tolist():
                flags[row] = " ".join(sorted([*flags[row].split(), name]))
        return flags
